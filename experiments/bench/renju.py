"""Renju: all forbidden points of a position from its bare state row, and whole random games with masks.

The positions are the labelled corpus of this project (data/renju.jsonl.gz, 329 positions, one core).
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoba_env.core.jit import jit
from amoba_env.core.play import mask, step
from amoba_env.core.renju import points
from amoba_env.core.rng import below, streams
from amoba_env.core.rules import N_ACTIONS, N_CELLS, Rules
from amoba_env.core.state import RUNNING, STATUS, TO_MOVE, States
from amoba_env.games import Game, make
from experiments.bench import Result, compare, seconds
from experiments.forbidden import position_of

TIMES = 30
BATCH = 64


def corpus() -> Iterator[dict[str, Any]]:
    """The labelled positions: black, white or moves as [row, col]; forbidden, kinds, five."""
    data = files("experiments.bench") / "data" / "renju.jsonl.gz"
    for line in gzip.decompress(data.read_bytes()).splitlines():
        yield json.loads(line)


@jit
def scan(rules: Rules, states: States, times: int) -> int:
    """All forbidden points of all positions, so many times; returns their number."""
    kinds = np.empty(rules[N_CELLS], np.int8)
    found = 0
    for _ in range(times):
        for b in range(len(states)):
            found += points(rules, states[b], kinds)
    return found


@jit
def play_out(rules: Rules, states: States, rng: NDArray[np.uint64]) -> int:
    """Random games to their end, in lockstep, each move drawn from its mask; returns the moves played."""
    legal = np.empty(rules[N_ACTIONS], np.int8)
    plies = 0
    going = True
    while going:
        going = False
        for b in range(len(states)):
            s = states[b]
            if s[STATUS] == RUNNING:
                going = True
                mask(rules, s, s[TO_MOVE], legal)
                left = below(rng[b : b + 1], np.int64(legal.sum()))
                action = np.int64(-1)
                while left >= 0:
                    action += 1
                    left -= legal[action]
                step(rules, s, action)
                plies += 1
    return plies


def ply_cost(game: Game, seed: int) -> float:
    """Nanoseconds a move of random games with masks."""
    states, rng = game.batch(BATCH), streams(seed, 0, BATCH)
    plies = 0

    def play() -> None:
        nonlocal plies
        plies = play_out(game.rules, states, rng)

    return seconds(play) / plies * 1e9


def measure(runs: int) -> list[Result]:
    """Positions a second, and what a move costs in the batch beside freestyle."""
    renju, freestyle = make("renju"), make("gomoku", size=15)
    states = np.array([position_of(row).state for row in corpus()])
    scan(renju.rules, states, 1)
    speeds = [TIMES * len(states) / seconds(scan, renju.rules, states, TIMES) for _ in range(runs)]
    costs: dict[Game, list[float]] = {renju: [], freestyle: []}
    for run in range(runs + 1):
        for game in (renju, freestyle):
            cost = ply_cost(game, run)
            if run:  # the first one warms up
                costs[game].append(cost)
    return [
        compare("all forbidden points, corpus", "positions/s", speeds),
        compare("a random move with mask, 15x15", "ns", costs[renju], "freestyle", costs[freestyle]),
    ]
