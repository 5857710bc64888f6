"""Values of positions and moves, without a network."""
