"""Matches, runs on disk, statistics, training, studies, benchmarks and the command line.

The main functions for scripts are here, imported when they are first used. `Match` and `play_match` play games,
`summarize` returns their statistics. `Tournament` and `play_tournament` compare players. `load`, `connect`, `query`,
`replay`, `records_of`, `dataset` and `export` read runs that `amoba match --out` wrote.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from amoba_experiments.analysis.queries import connect, query
    from amoba_experiments.analysis.summary import percent, summarize
    from amoba_experiments.analysis.tournament import Tournament, play_tournament
    from amoba_experiments.arena.match import Match
    from amoba_experiments.runs.play_match import play_match
    from amoba_experiments.runs.replay import dataset, export, records_of, replay
    from amoba_experiments.runs.store import load

__all__ = [
    "Match", "Tournament", "connect", "dataset", "export", "load", "percent", "play_match", "play_tournament", "query",
    "records_of", "replay", "summarize"
]  # fmt: skip

_MODULES = {
    "Match": "arena.match",
    "Tournament": "analysis.tournament",
    "connect": "analysis.queries",
    "dataset": "runs.replay",
    "export": "runs.replay",
    "load": "runs.store",
    "percent": "analysis.summary",
    "play_match": "runs.play_match",
    "play_tournament": "analysis.tournament",
    "query": "analysis.queries",
    "records_of": "runs.replay",
    "replay": "runs.replay",
    "summarize": "analysis.summary",
}


def __dir__() -> list[str]:
    return [*globals(), *__all__]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
