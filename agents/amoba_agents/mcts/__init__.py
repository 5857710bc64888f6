"""Monte-Carlo tree search for every game: trees, playouts, networks that evaluate leaves, and the player."""
