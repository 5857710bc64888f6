"""Tournaments of agents: who meets whom, standings, ratings.

`pairings` has a function for each format, which gives the next lineups from the results so far. `play` plays them in
the arena, `ratings` estimates strengths, `summary` puts the results together, `text` and `bracket` print them.
"""

from amoba_experiments.analysis.tournament.play_tournament import Tournament, play_tournament
from amoba_experiments.analysis.tournament.summary import summarize

__all__ = ["Tournament", "play_tournament", "summarize"]
