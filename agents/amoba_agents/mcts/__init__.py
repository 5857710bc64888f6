"""Monte-Carlo tree search for every game: trees, playouts, networks at the leaves, the player."""
