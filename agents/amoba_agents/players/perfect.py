"""The perfect player, for games that are small enough to solve."""

import numpy as np

from amoba_agents.values.exact import solver
from amoba_env.agent import Actions, Agent, Memory, Streams
from amoba_env.core.rng import below
from amoba_env.core.state import States
from amoba_env.games import Game


class Perfect(Agent):
    """A random move among those that keep the exact value of the position; only for games that can be solved."""

    name = "perfect"
    rowwise = True  # the solver has its own lock

    def memory(self, game: Game) -> int:
        """Return 0. ValueError for a game that cannot be solved."""
        solver(game)
        return 0

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        """See Agent. Raises ValueError for a position that takes too long to solve."""
        values = solver(game).move_values(states)
        best = values == values.max(axis=1, keepdims=True)
        chosen = [np.flatnonzero(row)[below(rng[b : b + 1], int(row.sum()))] for b, row in enumerate(best)]
        return np.array(chosen, np.int32)
