"""One player in one game, with its random stream and its memory."""

from amoba_env.agent import Agent, ask, new_memory
from amoba_env.core.rng import SEAT, streams
from amoba_env.position import Position


class Seat:
    """A player bound to a single game, for scripts and terminals."""

    def __init__(self, agent: Agent, position: Position, seed: int = 0, number: int = 0) -> None:
        """Bind a player to the game of this position.

        Args:
            agent: the player.
            position: any position of the game; only its game is used.
            seed: the same seed and number give the same moves.
            number: different numbers give independent random streams.

        Raises:
            ValueError: the player cannot play this game.
        """
        self.agent = agent
        self.game = position.game
        self._rng = streams(seed, number, 1, SEAT)
        self._memory = new_memory(agent, position.game, 1)

    def act(self, position: Position) -> int:
        """The player's move, a board action.

        Raises:
            ValueError: the game is over, the position belongs to another game, or the player did not return an integer.
        """
        if position.game != self.game:
            raise ValueError(f"expected a position of {self.game!r}, got one of {position.game!r}")
        if position.over:
            raise ValueError("the game is over")
        return int(ask(self.agent, position.game, position.state[None], self._rng, self._memory)[0])
