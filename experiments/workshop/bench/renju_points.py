"""Renju: finding all forbidden points of a position, and random games in a batch, with masks.

The positions are the labelled corpus of this project (data/renju.jsonl.gz, 329 positions, one core).
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from amoba_env.core import rules as ru
from amoba_env.core.jit import jit
from amoba_env.core.renju import points
from amoba_env.core.rules import Rules
from amoba_env.core.state import States
from amoba_env.games import Game, make
from amoba_experiments.bench import Measurement, compare, seconds
from amoba_experiments.bench.batch import batch_rate
from amoba_experiments.positions.forbidden import position_of

TIMES = 30
BATCH, STEPS = 512, 300


def corpus() -> Iterator[dict[str, Any]]:
    """The labelled positions: black, white or moves as [row, col]; forbidden, kinds, five."""
    data = Path(__file__).parent / "data" / "renju.jsonl.gz"
    for line in gzip.decompress(data.read_bytes()).splitlines():
        yield json.loads(line)


@jit
def scan(rules: Rules, states: States, times: int) -> int:
    """Find all forbidden points of all positions, this many times over; return how many there are."""
    kinds = np.empty(rules[ru.N_CELLS], np.int8)
    found = 0
    for _ in range(times):
        for b in range(len(states)):
            found += points(rules, states[b], kinds)
    return found


def measure(runs: int) -> list[Measurement]:
    """Positions a second, and the time of a move in a batch beside that of freestyle gomoku."""
    renju, freestyle = make("renju"), make("gomoku", size=15)
    states = np.array([position_of(row).state for row in corpus()])
    scan(renju.rules, states, 1)
    speeds = [TIMES * len(states) / seconds(scan, renju.rules, states, TIMES) for _ in range(runs)]
    costs: dict[Game, list[float]] = {renju: [], freestyle: []}
    for run in range(runs + 1):
        for game in (renju, freestyle):
            cost = 1e9 / batch_rate(game, BATCH, STEPS)
            if run:  # the first one warms up
                costs[game].append(cost)
    return [
        compare("all forbidden points of a renju position, corpus", "positions/s", speeds),
        compare("a ply of a random game in a batch, renju 15x15", "ns", costs[renju], "freestyle", costs[freestyle]),
    ]
