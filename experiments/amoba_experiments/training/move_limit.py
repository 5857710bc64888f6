"""In training somebody wins at the limit of moves, where men move: else three players learn to block each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.state import States
from amoba_env.games import Game, make_from

FARTHEST = 1e6  # more than all men together can be away from their goal


def limited(game: Game, most: int) -> Game:
    """The game with at most this many moves, where men move, and never more than its own limit; 0: with that limit."""
    if not most or not game.moves_men:
        return game
    return make_from(game.name, {**game.options, "max_plies": min(most, game.most_plies)})


def usual_limit(game: Game) -> int:
    """A limit for games in which men move: three quarters of the steps that the men of all players need at the start.

    In halma with two players that is 60 moves, and a good game has about 40. Networks depend on it: if you change it,
    increase recipes.FORMAT.
    """
    return int(0.75 * game.distances(game.batch(1)).sum())


def winners_at_limit(game: Game, states: States, draw: np.random.Generator) -> NDArray[np.int64]:
    """Who wins at the limit, int64 [N]: the nearest player to its goal; of three or more, who blocks least.

    Of three or more players those with the fewest men in the goals of others come first, of these the nearest, and of
    these `draw` takes one: if nobody won, blocking would save a player who is about to lose. NOBODY wins if two players
    are equally near. `states`: int16 [N, S].
    """
    far = game.distances(states).astype(float)
    if game.players > 2:
        cells, goals = game.cells(states), ru.table(game.rules, ru.GOALS)
        for seat in range(game.players):
            others = np.delete(goals, seat, axis=0).ravel()
            far[:, seat] += FARTHEST * (cells[:, others] == seat).sum(1)
        far += draw.random(far.shape) / 2
    best = far.min(1, keepdims=True)
    return np.where((far == best).sum(1) == 1, far.argmin(1), st.NOBODY)


def rewards_at_limit(players: int, winners: NDArray[np.int64]) -> NDArray[np.float32]:
    """The reward of each seat, float32 [N, players]: 1 for the winner, that of a loss for the others.

    Where NOBODY wins, all lose: in a draw, blocking would save a player who is about to lose. `winners`: [N], seats.
    """
    found = np.full((len(winners), players), -1 / (players - 1), np.float32)
    won = np.flatnonzero(winners != st.NOBODY)
    found[won, winners[won]] = 1
    return found
