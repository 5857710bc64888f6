"""Tournaments of agents: who meets whom, standings, ratings.

`pairings` has a function for each format: results so far -> next lineups. `play_tournament` plays them in the arena,
`ratings` and `certainty` estimate strengths, `summary` collects the results, `text` and `bracket` print them.
"""

from amoba_experiments.analysis.tournament.play_tournament import Tournament, play_tournament
from amoba_experiments.analysis.tournament.summary import summarize

__all__ = ["Tournament", "play_tournament", "summarize"]
