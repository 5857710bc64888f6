"""One player in one game: keeps the random stream and the memory that a player wants."""

import numpy as np

from amoba_env.agent import Agent
from amoba_env.core.rng import streams
from amoba_env.position import Position


class Seat:
    """A player bound to a single game, for scripts, terminals and environments of one game."""

    def __init__(self, agent: Agent, position: Position, seed: int = 0) -> None:
        """Sit an agent down at a game; the same seed gives the same moves."""
        self.agent = agent
        self._rng = streams(seed, 0, 1)
        self._memory = np.zeros((1, agent.memory(position.game)), np.int16)

    def act(self, position: Position) -> int:
        """The agent's move, as an action in the board's own numbering."""
        return int(self.agent.act(position.game, position.state[None].copy(), self._rng, self._memory)[0])
