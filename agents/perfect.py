"""The player without a fault, in games that are small enough to solve."""

import numpy as np

from agents.agent import Actions, Forgetful, Memory, Streams
from agents.values import solver
from amoba_env.core.rng import below
from amoba_env.core.state import States
from amoba_env.games import Game


class Perfect(Forgetful):
    """Any of the moves that keep the value of the position, all equally likely; for games that can be solved."""

    name = "perfect"

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        """See Agent. Raises ValueError where the game is too large to solve."""
        values = solver(game).move_values(states)
        best = values == values.max(axis=1, keepdims=True)
        chosen = [np.flatnonzero(row)[below(rng[b : b + 1], int(row.sum()))] for b, row in enumerate(best)]
        return np.array(chosen, np.int32)
