"""Tournaments of agents: who meets whom, standings, ratings.

`play_tournament` plays the lineups of a format in the arena, `ratings` and `certainty` estimate strengths, `summary`
collects the results, `text` prints them.
"""

from amoba_experiments.analysis.tournament.play_tournament import Tournament, play_tournament
from amoba_experiments.analysis.tournament.summary import summarize

__all__ = ["Tournament", "play_tournament", "summarize"]
