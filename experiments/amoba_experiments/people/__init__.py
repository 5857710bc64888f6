"""People at a board."""
