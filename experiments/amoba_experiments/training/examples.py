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
    """Positions, the moves to learn, and the result for the player to move."""

    states: States  # int16 [N, S]
    targets: NDArray[np.int64]  # [N] board actions
    results: NDArray[np.float32]  # [N]; NaN: unknown

    def rows(self, rows: NDArray[np.intp]) -> Examples:
        """A selection of the examples."""
        return Examples(self.states[rows], self.targets[rows], self.results[rows])


def joined(parts: list[Examples]) -> Examples:
    """All examples, concatenated."""
    return Examples(*map(np.concatenate, zip(*parts, strict=True)))


@functools.lru_cache(maxsize=16)
def seen_numbers(game: Game) -> NDArray[np.int64]:
    """Board action -> action relative to each seat, int64 [players, A]."""
    actions = np.arange(game.n_actions)
    if not game.moves_men:
        return np.tile(actions, (game.players, 1))
    view = np.stack([table(game.rules, ru.VIEW)[seat] for seat in range(game.players)]).astype(np.int64)
    origin, target = np.divmod(actions, game.n_cells)
    return view[:, origin] * game.n_cells + view[:, target]


def as_seen(game: Game, states: States, targets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Actions [N], relative to the players to move."""
    found: NDArray[np.int64] = seen_numbers(game)[states[:, st.TO_MOVE], targets]
    return found


def turned(
    game: Game, states: States, targets: NDArray[np.int64], rng: np.random.Generator
) -> tuple[States, NDArray[np.int64]]:
    """Each position and its target under a random symmetry.

    Where men move nothing changes: all seats already see the board in the same way.
    """
    if game.moves_men:
        return states, targets
    group = symmetry.symmetries(game)
    drawn = rng.integers(len(group.cells), size=len(states))
    moved = states.copy()
    np.put_along_axis(moved[:, st.CELLS :], group.cells[drawn].astype(np.int64), states[:, st.CELLS :], axis=1)
    last = states[:, st.TO]
    moved[:, st.TO] = np.where(last == st.NOWHERE, st.NOWHERE, group.actions[drawn, np.maximum(last, 0)])
    return moved, group.actions[drawn, targets].astype(np.int64)
