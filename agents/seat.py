"""One player in one game: keeps the random stream and the memory that a player wants."""

import numpy as np

from amoba_env.agent import Agent
from amoba_env.core.rng import SEAT, streams
from amoba_env.position import Position


class Seat:
    """A player bound to a single game, for scripts, terminals and environments of one game."""

    def __init__(self, agent: Agent, position: Position, seed: int = 0, number: int = 0) -> None:
        """Sit an agent down at a game; the same seed and number give the same moves, others independent ones."""
        self.agent = agent
        self._rng = streams(seed, number, 1, SEAT)
        self._memory = np.zeros((1, agent.memory(position.game)), np.int16)

    def act(self, position: Position) -> int:
        """The agent's move, as an action in the board's own numbering."""
        return int(self.agent.act(position.game, position.state[None].copy(), self._rng, self._memory)[0])
