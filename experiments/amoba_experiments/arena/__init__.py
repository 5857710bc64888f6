"""Matches: what is played, and the games, in lockstep, on threads or on a cluster."""
