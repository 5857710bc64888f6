"""Halma: tables of the moves that each seat needs, a search with them, and winning chances learned from games."""
