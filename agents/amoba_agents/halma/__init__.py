"""Halma players: reachable cells, the best own moves, and searches over the moves of all players."""
