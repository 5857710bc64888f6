"""Halma: a board that knows how many moves each seat needs, a search on it, and chances learned from games."""
