"""Tournaments of agents: who meets whom, standings, ratings.

`pairings` has a function for each format, from the results so far to the next lineups; `play` plays them in the arena,
`ratings` finds strengths, `summary` gathers what was found, `text` and `bracket` print it.
"""

from amoba_experiments.analysis.tournament.play import Tournament, play_tournament
from amoba_experiments.analysis.tournament.summary import summarize

__all__ = ["Tournament", "play_tournament", "summarize"]
