"""What an agent would play in positions of others' games, kept beside them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from agents import make_agent
from amoba_env.core.state import States
from amoba_env.games import Game

SIZE = 256  # positions at a time
KEEP = 16  # times as many are asked between two times the file is written


def advised(
    game: Game, states: States, advice: str, folder: Path, progress: Callable[[int, int], None]
) -> NDArray[np.int64]:
    """What an agent would play in each position, as read from a file in a folder, and asked where it is not there.

    A learner's own positions with an expert's moves are what it needs to get out of its own mistakes: S. Ross,
    G. Gordon, D. Bagnell, "A reduction of imitation learning and structured prediction to no-regret online learning",
    AISTATS 2011.

    Args:
        game: the rules.
        states: the positions, int16 [N, S]; none needs to be another one than the rest.
        advice: the agent. The position alone seeds its random numbers, so its moves do not depend on who asked when.
        folder: its file advice-AGENT.npz has all moves ever asked, and is written on the way; without the file, as
            after a change of the agent, all are asked again.
        progress: called with how many of how many moves are known.

    Returns:
        The moves in the board's own numbers, int64 [N].
    """
    agent = make_agent(advice)
    file = folder / f"advice-{quote(advice, safe='')}.npz"
    known: dict[int, int] = {}
    if file.exists():
        with np.load(file) as kept:
            known = dict(zip(kept["digests"].tolist(), kept["moves"].tolist(), strict=True))
    unique, first, back = np.unique(digests(states), return_index=True, return_inverse=True)
    asked = np.flatnonzero([digest not in known for digest in unique.tolist()])
    for begin in range(0, len(asked), SIZE):
        part = asked[begin : begin + SIZE]
        memory = np.zeros((len(part), agent.memory(game)), np.int16)
        moves = agent.act(game, states[first[part]], unique[part], memory)
        known.update(zip(unique[part].tolist(), moves.tolist(), strict=True))
        if begin // SIZE % KEEP == KEEP - 1 or part[-1] == asked[-1]:
            write(file, known)
        progress(len(unique) - len(asked) + begin + len(part), len(unique))
    return np.array([known[digest] for digest in unique.tolist()], np.int64)[back]


def digests(states: States) -> NDArray[np.uint64]:
    """A hash of 64 bits of each position, the same on every machine. uint64 [N]."""
    rows = (hashlib.blake2b(row.tobytes(), digest_size=8).digest() for row in states.astype("<i2"))
    return np.frombuffer(b"".join(rows), "<u8").astype(np.uint64)


def write(file: Path, known: dict[int, int]) -> None:
    """Digests and moves into a file, whole or not at all."""
    part = file.with_name(f".{file.name}.{os.getpid()}")
    with part.open("wb") as out:
        np.savez(out, digests=np.array([*known], np.uint64), moves=np.array([*known.values()], np.int64))
    part.replace(file)
