"""Players for the halma family that look at the others' moves too."""

import numpy as np

from agents.halma.replies import BEST_REPLY, MAXN, PARANOID, choose
from amoba_env.agent import Actions, Forgetful, Memory, Streams
from amoba_env.core.state import States
from amoba_env.games import Game

ALL = 1 << 14


class Search(Forgetful):
    """Base of the searches of replies.py."""

    kind: int

    def __init__(self, depth: int = 3, width: int = 0) -> None:
        self.depth, self.width = depth, width
        self.name = f"x:{depth}"

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        """See Agent."""
        actions = np.empty(len(states), np.int32)
        choose(game.rules, states, rng, self.kind, self.depth, self.width or ALL, actions)
        return actions


class MaxN(Search):
    """Each player takes the move that is best for itself."""

    kind = MAXN


class Paranoid(Search):
    """All others play against the mover."""

    kind = PARANOID


class BestReply(Search):
    """Best reply."""

    kind = BEST_REPLY
