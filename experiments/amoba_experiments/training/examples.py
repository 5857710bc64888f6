"""Positions to learn from, as the player to move sees them, turned and mirrored."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_env import symmetry
from amoba_env.core import state as st
from amoba_env.core.state import States
from amoba_env.games import Game


class Examples(NamedTuple):
    """Positions, the moves to learn, and the result for the player to move."""

    states: States  # int16 [N, S]
    targets: NDArray[np.signedinteger[Any]]  # [N] or [N, M] board actions; NOWHERE: none
    results: NDArray[np.float32]  # [N]; NaN: unknown
    weights: NDArray[np.floating[Any]] | None = None  # [N, M] of the actions; a row adds up to 1

    def rows(self, rows: NDArray[np.intp]) -> Examples:
        """A selection of the examples."""
        return Examples(*(None if column is None else column[rows] for column in self))  # type: ignore[arg-type]


def joined(parts: list[Examples]) -> Examples:
    """All examples, concatenated."""
    columns = zip(*parts, strict=True)
    return Examples(*(None if column[0] is None else np.concatenate(column) for column in columns))  # type: ignore[arg-type]


def as_seen(game: Game, states: States, targets: NDArray[np.signedinteger[Any]]) -> NDArray[np.int64]:
    """Actions [N] or [N, M], relative to the players to move; NOWHERE becomes some action."""
    seats = states[:, st.TO_MOVE] if targets.ndim == 1 else states[:, st.TO_MOVE, None]
    found: NDArray[np.int64] = game.seen_numbers[seats, np.maximum(targets, 0)]
    return found


def turned(
    game: Game, states: States, targets: NDArray[np.signedinteger[Any]], rng: np.random.Generator
) -> tuple[States, NDArray[np.signedinteger[Any]]]:
    """Each position and its targets, [N] or [N, M], under a random symmetry that leaves every seat its place.

    Other symmetries would show nothing new: where men move, all seats already see the board in the same way.
    """
    group = symmetry.symmetries(game)
    own = np.flatnonzero((group.seats == np.arange(game.players)).all(axis=1))
    if len(own) == 1:
        return states, targets
    drawn = own[rng.integers(len(own), size=len(states))]
    moved = states.copy()
    np.put_along_axis(moved[:, st.CELLS :], group.cells[drawn].astype(np.int64), states[:, st.CELLS :], axis=1)
    images = group.cells if game.moves_men else group.actions  # stones have no origin, and TO may be a choice
    for slot in (st.FROM, st.TO):
        last = states[:, slot]
        moved[:, slot] = np.where(last == st.NOWHERE, st.NOWHERE, images[drawn, np.maximum(last, 0)])
    number = drawn if targets.ndim == 1 else drawn[:, None]
    return moved, np.where(targets < 0, st.NOWHERE, group.actions[number, np.maximum(targets, 0)]).astype(np.int64)
