"""A package of one player, as others would write it."""

import numpy as np

from amoba_env.agent import Actions, Agent, Memory, Streams
from amoba_env.core.state import States
from amoba_env.games import Game


class Centre(Agent):
    """The free cell nearest to a point of the board; with far=true the farthest."""

    def __init__(self, column: int = 0, far: bool = False) -> None:
        self.name = f"centre:{column}" + (",far=true" if far else "")
        self.column, self.far = column, far

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        """See Agent."""
        x, y = game.board.coords.T
        distance = (x - self.column) ** 2 + (y - y.mean()) ** 2
        order = np.where(game.cells(states) >= 0, np.inf, -distance if self.far else distance)
        return order.argmin(axis=1).astype(np.int32)
