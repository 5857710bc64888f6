"""One player in one game: keeps the random stream and the memory that a player wants."""

import numpy as np

from amoba_env.agent import Agent
from amoba_env.core.rng import SEAT, streams
from amoba_env.position import Position


class Seat:
    """A player bound to a single game, for scripts, terminals and environments of one game."""

    def __init__(self, agent: Agent, position: Position, seed: int = 0, number: int = 0) -> None:
        """Sit an agent down at a game; the same seed and number give the same moves, others independent ones.

        Raises:
            ValueError: the agent cannot play this game.
        """
        self.agent = agent
        self.game = position.game
        self._rng = streams(seed, number, 1, SEAT)
        self._memory = np.zeros((1, agent.memory(position.game)), np.int16)

    def act(self, position: Position) -> int:
        """The agent's move, as an action in the board's own numbering. ValueError: the game is over, or another one."""
        if position.game != self.game:
            raise ValueError(f"a seat at {self.game!r} has no move in {position.game!r}")
        if position.over:
            raise ValueError("the game is over")
        return int(self.agent.act(position.game, position.state[None], self._rng, self._memory)[0])
