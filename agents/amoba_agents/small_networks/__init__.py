"""Small networks that a search can ask in a few microseconds, for every game: see network.py."""
