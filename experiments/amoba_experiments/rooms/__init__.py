"""Rooms: people and machines at one board, as values without input or output, for the web server and the terminal."""
