"""In training somebody wins at the limit of moves, where men move: else three players learn to block each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.state import States
from amoba_env.games import Game, make_from


def limited(game: Game, most: int) -> Game:
    """The game with at most this many moves, where men move; 0: with its own limit."""
    return make_from(game.name, {**game.options, "max_plies": most}) if most and game.moves_men else game


def nearest(game: Game, states: States) -> NDArray[np.int64]:
    """Who wins at the limit, int64 [N]: the nearest player; of three or more, only one without a man in another's goal.

    NOBODY wins if no player may, or if two are equally near. `states`: int16 [N, S].
    """
    cells, goals, far = game.cells(states), ru.table(game.rules, ru.GOALS), game.distances(states).astype(float)
    for seat in range(game.players if game.players > 2 else 0):
        others = np.delete(goals, seat, axis=0).ravel()
        far[(cells[:, others] == seat).any(1), seat] = np.inf
    best = far.min(1, keepdims=True)
    alone = np.isfinite(best[:, 0]) & ((far == best).sum(1) == 1)
    return np.where(alone, far.argmin(1), st.NOBODY)


def rewards_at_limit(players: int, winners: NDArray[np.int64]) -> NDArray[np.float32]:
    """The reward of each seat, float32 [N, players]: 1 for the winner, that of a loss for the others.

    Where NOBODY wins, all lose: in a draw, blocking would save a player who is about to lose. `winners`: [N], seats.
    """
    found = np.full((len(winners), players), -1 / (players - 1), np.float32)
    won = np.flatnonzero(winners != st.NOBODY)
    found[won, winners[won]] = 1
    return found
