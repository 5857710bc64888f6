"""What a player is."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from amoba_env.core.state import States
from amoba_env.games import Game

Streams = NDArray[np.uint64]
Memory = NDArray[np.int16]
Actions = NDArray[np.int32]


class Agent(Protocol):
    """A player acts on a batch of positions; a single game is a batch of one."""

    name: str  # its text, such as "lookahead:2"

    def memory(self, game: Game) -> int:
        """How many int16 words a game it wants kept for it between its moves; they are 0 at the start of a game.

        Raises:
            ValueError: it cannot play this game, and why.
        """

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        """Choose a move for each position.

        Args:
            game: the rules.
            states: int16[B, S], none of them over. Left as they are.
            rng: uint64[B], the random stream of each game, advanced in place (amoba_env.core.rng).
            memory: int16[B, memory(game)], kept from move to move of this player, changed in place.

        Returns:
            Legal actions in the board's own numbering, int32[B].
        """


class Forgetful:
    """Base of players that keep nothing between moves."""

    def memory(self, game: Game) -> int:
        """Nothing."""
        return 0
