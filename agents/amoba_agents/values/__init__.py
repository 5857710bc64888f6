"""What positions and moves are worth, without a network."""
