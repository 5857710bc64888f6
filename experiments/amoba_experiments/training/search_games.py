"""The games that alphabeta's values and policy are learned from, see search_values.py.

They begin with some random stones near the centre; a random move now and then makes them differ, and only what comes
after the last one is kept.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoba_agents.alphabeta import AlphaBeta
from amoba_env.core import state as st
from amoba_env.core.play import apply
from amoba_env.core.rng import TRAINING, streams
from amoba_env.files import written_whole
from amoba_env.games import Game, make_from

# Games, and how many of them are played in each round.
PLAYED: tuple[tuple[str, dict[str, Any], tuple[int, ...]], ...] = (
    ("gomoku", {"size": 15}, (8_000, 24_000, 24_000)),
    ("gomoku", {"size": 15, "rule": "exact"}, (2_000, 8_000, 8_000)),
    ("renju", {}, (4_000, 16_000, 16_000)),
    ("gomoku", {"size": 10}, (2_000, 6_000, 6_000)),
    ("gomoku", {"size": 20}, (2_000, 6_000, 6_000)),
)
PLAYER_NODES = 2000
SHARD = 500  # games in a file
BATCH_GAMES = 50
STONES = range(2, 7)  # random ones at the beginning,
NEAR = 7  # in a square of this many cells around the centre
RANDOM_MOVES = 0.03  # share of the moves that are random, within REACH of a stone
REACH = 2


def player(file: Path | None) -> AlphaBeta:
    """The player of the games, with the values of a file, or with counted ones."""
    return AlphaBeta(nodes=PLAYER_NODES, evaluation="learned" if file else "counted", values=str(file or ""))


def play(player: AlphaBeta, game: Game, games: int, seed: np.random.SeedSequence) -> dict[str, NDArray[Any]]:
    """Positions of games of the player against itself: states, actions, values and results for who is to move."""
    draw = np.random.default_rng(seed)
    stream = streams(int(seed.generate_state(1)[0]), 0, games)
    found: dict[str, list[Any]] = {"states": [], "values": [], "results": [], "actions": [], "games": []}
    for first in range(0, games, BATCH_GAMES):
        rows = np.arange(first, min(first + BATCH_GAMES, games))
        for number, (kept, winner) in zip(rows, _batch(player, game, stream[rows], draw), strict=True):
            for state, value, action in kept:
                found["states"].append(state)
                found["values"].append(value)
                found["actions"].append(action)
                found["results"].append(0.5 if winner == st.NOBODY else float(winner == state[st.TO_MOVE]))
                found["games"].append(number)
    return {name: np.array(column) for name, column in found.items()}


def _batch(
    player: AlphaBeta, game: Game, stream: NDArray[np.uint64], draw: np.random.Generator
) -> list[tuple[list[Any], int]]:
    """Games side by side: of each the positions to learn from, with the search's values and actions, and the winner."""
    states = game.batch(len(stream))
    x, y = game.board.coords.T.astype(int)
    centre = np.flatnonzero(np.maximum(abs(x - x.max() // 2), abs(y - y.max() // 2)) <= NEAR // 2)
    for state in states:
        for cell in draw.choice(centre, draw.choice(STONES), replace=False):
            apply(game.rules, state, int(cell))
    kept: list[list[Any]] = [[] for _ in states]
    while (rows := np.flatnonzero(states[:, st.STATUS] == st.RUNNING)).size:
        own = stream[rows]
        actions, values = player.think(game, states[rows], own)
        stream[rows] = own
        for row, action, value in zip(rows, actions, values, strict=True):
            state = states[row]
            kept[row].append((state.copy(), int(value), int(action)))
            if draw.random() < RANDOM_MOVES:
                action, kept[row] = _random_cell(x, y, state, draw), []
            apply(game.rules, state, int(action))
    return [(positions, int(state[st.STATUS])) for positions, state in zip(kept, states, strict=True)]


def _random_cell(x: NDArray[np.int64], y: NDArray[np.int64], state: Any, draw: np.random.Generator) -> int:
    free, stones = np.flatnonzero(state[st.CELLS :] == st.EMPTY), np.flatnonzero(state[st.CELLS :] >= 0)
    away = np.maximum(abs(x[free, None] - x[stones]), abs(y[free, None] - y[stones])).min(axis=1)
    return int(draw.choice(free[away <= REACH] if (away <= REACH).any() else free))


def file_of(folder: Path, number: int, part: int) -> Path:
    """The file of a part of the games of PLAYED[number]."""
    return folder / f"{number}-{part}.npz"


def shard(folder: Path, values: Path | None, number: int, part: int, seed: int) -> Path:
    """Let a player with these values play a part of the games of PLAYED[number], unless that was done; the file."""
    name, options, _ = PLAYED[number]
    file = file_of(folder, number, part)
    if not file.exists():
        draws = np.random.SeedSequence(seed, spawn_key=(TRAINING, number, part))
        found = play(player(values), make_from(name, options), SHARD, draws)
        with written_whole(file) as temporary, temporary.open("wb") as out:
            np.savez_compressed(out, **found)  # type: ignore[arg-type]
    return file
