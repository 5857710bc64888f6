"""In training somebody wins at the limit of moves, where men move: else three players learn to block each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.state import States
from amoba_env.games import Game


def nearest(game: Game, states: States) -> NDArray[np.int64]:
    """Who wins these positions, [N]: the nearest player; of three or more, of those without a man in another's goal.

    NOBODY: there is none, or several.
    """
    cells, goals, far = game.cells(states), ru.table(game.rules, ru.GOALS), game.distances(states).astype(float)
    for seat in range(game.players if game.players > 2 else 0):
        others = np.delete(goals, seat, axis=0).ravel()
        far[(cells[:, others] == seat).any(1), seat] = np.inf
    best = far.min(1, keepdims=True)
    alone = np.isfinite(best[:, 0]) & ((far == best).sum(1) == 1)
    return np.where(alone, far.argmin(1), st.NOBODY)


def rewards_at_limit(players: int, winners: NDArray[np.int64]) -> NDArray[np.float32]:
    """What each seat gets, [N, players]: 1 the winner, the others as much as losers; where NOBODY wins, all lose.

    If such a game were a draw, blocking would save a player who is about to lose.
    """
    found = np.full((len(winners), players), -1 / (players - 1), np.float32)
    won = np.flatnonzero(winners != st.NOBODY)
    found[won, winners[won]] = 1
    return found
