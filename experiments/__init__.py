"""The arena, statistics, reproductions, benchmarks and the command line.

`load`, `connect`, `query`, `replay`, `dataset` and `export` take up what `amoba match --out` wrote. They are imported
when they are used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from experiments.replays import dataset, export, replay
    from experiments.runs import load
    from experiments.stats import connect, query

__all__ = ["connect", "dataset", "export", "load", "query", "replay"]

_HOMES = {"connect": "stats", "load": "runs", "query": "stats"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'experiments' has no attribute {name!r}")
    return getattr(import_module(f"experiments.{_HOMES.get(name, 'replays')}"), name)
