"""Halma players: where men can go, the best own moves, and searches over the moves of all players."""
