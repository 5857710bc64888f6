"""Positions to learn from, as the player to move sees them, turned and mirrored."""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_env import symmetry
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.rules import table
from amoba_env.core.state import States
from amoba_env.games import Game


class Examples(NamedTuple):
    """Positions, what to play there, and how the game ended for the player to move."""

    states: States  # int16 [N, S]
    targets: NDArray[np.int64]  # [N] or [N, M] actions, in the board's own numbers; NOWHERE: none
    results: NDArray[np.float32]  # [N]; NaN: not known
    weights: NDArray[np.float32] | None = None  # [N, M] of the actions; a row adds up to 1

    def rows(self, rows: NDArray[np.intp]) -> Examples:
        """Some of them."""
        return Examples(*(None if column is None else column[rows] for column in self))  # type: ignore[arg-type]


def joined(parts: list[Examples]) -> Examples:
    """All of them, one after the other."""
    return Examples(*map(np.concatenate, zip(*parts, strict=True)))


@functools.lru_cache(maxsize=16)
def seen_numbers(game: Game) -> NDArray[np.int64]:
    """The number that each seat gives to each action of the board. int64 [players, A]."""
    actions = np.arange(game.n_actions)
    if not game.moves_men:
        return np.tile(actions, (game.players, 1))
    view = np.stack([table(game.rules, ru.VIEW)[seat] for seat in range(game.players)]).astype(np.int64)
    origin, target = np.divmod(actions, game.n_cells)
    return view[:, origin] * game.n_cells + view[:, target]


def as_seen(game: Game, states: States, targets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Actions [N] or [N, M] as the players to move number them; NOWHERE becomes some action."""
    seats = states[:, st.TO_MOVE] if targets.ndim == 1 else states[:, st.TO_MOVE, None]
    found: NDArray[np.int64] = seen_numbers(game)[seats, np.maximum(targets, 0)]
    return found


def turned(
    game: Game, states: States, targets: NDArray[np.int64], rng: np.random.Generator
) -> tuple[States, NDArray[np.int64]]:
    """Each position under a symmetry drawn at random, with what to play there, [N] or [N, M].

    Where men move nothing is turned: all seats see the board alike already.
    """
    if game.moves_men:
        return states, targets
    group = symmetry.symmetries(game)
    drawn = rng.integers(len(group.cells), size=len(states))
    moved = states.copy()
    np.put_along_axis(moved[:, st.CELLS :], group.cells[drawn].astype(np.int64), states[:, st.CELLS :], axis=1)
    last = states[:, st.TO]
    moved[:, st.TO] = np.where(last == st.NOWHERE, st.NOWHERE, group.actions[drawn, np.maximum(last, 0)])
    number = drawn if targets.ndim == 1 else drawn[:, None]
    return moved, np.where(targets < 0, st.NOWHERE, group.actions[number, np.maximum(targets, 0)]).astype(np.int64)
