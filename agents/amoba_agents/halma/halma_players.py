"""Players of the halma family that consider their opponents: maxn, paranoid, brs, hinder and robust.

In a race without contact they bring their men home by a shortest way, see home.py.
"""

from typing import Annotated

import numpy as np

from amoba_agents.halma.choose import HINDER, ROBUST, choose
from amoba_agents.halma.replies import BEST_REPLY, MAXN, PARANOID
from amoba_env.agent import Actions, Agent, Memory, Streams
from amoba_env.checks import warn_of_depth
from amoba_env.core import rules as ru
from amoba_env.core.interrupt import call
from amoba_env.core.state import States
from amoba_env.games import Game
from amoba_env.options import Option, named

MAX_DEPTH = 20
MOVES_PER_MAN = 4  # roughly
MAX_WEIGHT = 10_000  # per cent
MAX_WIDTH = 1 << 14  # more than the moves of any position

Depth = Annotated[int, Option("moves ahead", 1, MAX_DEPTH)]
Width = Annotated[int, Option("number of best moves that are searched at each ply; 0: all", 0, MAX_WIDTH)]
Weight = Annotated[int, Option("per cent of an opponent's gain that is subtracted", 0, MAX_WEIGHT)]


class HalmaPlayer(Agent):
    """Base of players for games in which men move."""

    rowwise = True

    def __init__(self, kind: int, depth: int, width: int = 0, weight: int = 0) -> None:
        """Set the kind of search and its parameters, see choose(). Width 0: all moves."""
        self.kind, self.depth, self.width, self.weight = kind, depth, width or MAX_WIDTH, weight / 100

    def memory(self, game: Game) -> int:
        """Return 0. ValueError for a game in which stones are placed. Warns if the depth takes too long."""
        if not game.moves_men:
            raise ValueError(f"{self.name}: expected a game where men move, such as halma, got {game.name}")
        moves, plies = min(self.width, MOVES_PER_MAN * int(game.rules[ru.MEN])), float(self.depth - 1)
        if self.kind == PARANOID:
            plies = self.depth * (1 - 1 / game.players)  # plies that alpha-beta leaves
        elif self.kind == BEST_REPLY:
            plies = self.depth / 2
        elif self.kind == ROBUST:
            plies = self.depth
        warn_of_depth(self.name, game.name, float(moves) ** plies)
        return 0

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        """See Agent."""
        actions = np.empty(len(states), np.int32)
        call(choose, game.rules, states, rng, self.kind, self.depth, self.width, self.weight, actions)
        return actions


class MaxN(HalmaPlayer):
    """Halma: searches `depth` moves of all players; each is assumed to play for itself (max^n)."""

    @named("maxn")
    def __init__(self, depth: Depth = 3, width: Width = 0) -> None:
        super().__init__(MAXN, depth, width)


class Paranoid(HalmaPlayer):
    """Halma: searches `depth` moves of all players; all others are assumed to play against this one (paranoid)."""

    @named("paranoid")
    def __init__(self, depth: Depth = 4, width: Width = 0) -> None:
        super().__init__(PARANOID, depth, width)


class BestReply(HalmaPlayer):
    """Halma: best-reply search of `depth` moves: own moves and the strongest single reply of any opponent in turn."""

    @named("brs")
    def __init__(self, depth: Depth = 4, width: Width = 0) -> None:
        super().__init__(BEST_REPLY, depth, width)


class Hinder(HalmaPlayer):
    """Halma: like lookahead, minus `weight` per cent of what each opponent can gain in one move."""

    @named("hinder")
    def __init__(self, depth: Depth = 2, weight: Weight = 25) -> None:
        super().__init__(HINDER, depth, weight=weight)


class Robust(HalmaPlayer):
    """Halma: like hinder, but own later moves are evaluated after the opponents' likely replies."""

    @named("robust")
    def __init__(self, depth: Depth = 2, weight: Weight = 40) -> None:
        super().__init__(ROBUST, depth, weight=weight)
