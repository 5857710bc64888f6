"""Matches with their games on disk, beside the same match in memory; both on all cores."""

from __future__ import annotations

import tempfile
from pathlib import Path

from amoba_experiments.arena.match import Match
from amoba_experiments.arena.shard import compile_for
from amoba_experiments.bench import Measurement, compare, seconds
from amoba_experiments.runs.play_match import play_match

GAMES = 10_000
MATCHES = {
    f"{GAMES:,} random games of gomoku 10x10 on disk": Match("gomoku", ("random", "random"), GAMES),
    f"{GAMES:,} games of halma 2-2-2 on disk": Match("halma", ("lookahead:2",) * 3, GAMES),
}


def measure(runs: int) -> list[Measurement]:
    """Seconds of each match on disk and in memory, run in turns. A ratio of 0.91 means 10 % more time on disk.

    Raises:
        ImportError: pyarrow is not installed.
    """
    results = []
    for name, match in MATCHES.items():
        compile_for(match)
        pairs = [(_on_disk(match), seconds(play_match, match)) for _ in range(runs + 1)][1:]  # the first warms up
        on_disk, in_memory = ([pair[i] for pair in pairs] for i in (0, 1))
        results.append(compare(name, "s", on_disk, "in memory", in_memory))
    return results


def _on_disk(match: Match) -> float:
    with tempfile.TemporaryDirectory() as folder:
        return seconds(play_match, match, Path(folder) / "run")
