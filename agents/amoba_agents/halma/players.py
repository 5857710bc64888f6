"""Players of the halma family that mind the others: maxn, paranoid, brs, hinder, robust.

Where no other man can come in the way any more they bring theirs home by a shortest way, see home.py.
"""

import numpy as np

from amoba_agents.halma import hinder, replies
from amoba_env.agent import Actions, Memory, StatelessAgent, Streams
from amoba_env.checks import whole
from amoba_env.core.state import States
from amoba_env.games import Game

MAX_DEPTH = 20
MAX_WEIGHT = 10_000  # per cent
ALL = 1 << 14  # more than the moves of any position


class Walker(StatelessAgent):
    """Base of players for games where men move."""

    rowwise = True

    def __init__(self, name: str, depth: int) -> None:
        depth = whole(f"{name}: depth", depth, 1, MAX_DEPTH)
        self.name, self.depth = f"{name}:{depth}", depth

    def memory(self, game: Game) -> int:
        """Nothing. Raises ValueError where stones are placed."""
        if not game.moves_men:
            raise ValueError(f"{self.name} plays games where men move, such as halma, not {game.name}")
        return 0


class Replies(Walker):
    """Base of the searches of replies.py; of each position only the `width` moves that gain most, 0: all."""

    def __init__(self, name: str, kind: int, depth: int, width: int) -> None:
        super().__init__(name, depth)
        width = whole(f"{name}: width", width, 0, ALL)
        self.name += f",width={width}" if width else ""
        self.kind, self.width = kind, width or ALL

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        """See Agent."""
        actions = np.empty(len(states), np.int32)
        replies.choose(game.rules, states, rng, self.kind, self.depth, self.width, actions)
        return actions


class MaxN(Replies):
    """Halma: `depth` moves of all players, each taken to do what is best for itself."""

    def __init__(self, depth: int = 3, width: int = 0) -> None:
        super().__init__("maxn", replies.MAXN, depth, width)


class Paranoid(Replies):
    """Halma: `depth` moves of all players, all others taken to play against the one to move."""

    def __init__(self, depth: int = 4, width: int = 0) -> None:
        super().__init__("paranoid", replies.PARANOID, depth, width)


class BestReply(Replies):
    """Halma: best-reply search, own moves and the strongest single replies of any other in turn."""

    def __init__(self, depth: int = 4, width: int = 0) -> None:
        super().__init__("brs", replies.BEST_REPLY, depth, width)


class Hinder(Walker):
    """Halma: own next moves as lookahead, less `weight` per cent of what the others can gain in one move each."""

    robust = False

    def __init__(self, depth: int = 2, weight: int = 25) -> None:
        name = "robust" if self.robust else "hinder"
        super().__init__(name, depth)
        weight = whole(f"{name}: weight", weight, 0, MAX_WEIGHT)
        self.name += f",weight={weight}"
        self.weight = weight / 100

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        """See Agent."""
        actions = np.empty(len(states), np.int32)
        hinder.choose(game.rules, states, rng, self.depth, self.weight, self.robust, actions)
        return actions


class Robust(Hinder):
    """Halma: as hinder, and the own next moves are counted as they are after the likely replies of the others."""

    robust = True

    def __init__(self, depth: int = 2, weight: int = 40) -> None:
        super().__init__(depth, weight)
