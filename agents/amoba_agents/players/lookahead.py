"""Greedy and lookahead, the players of the thesis, for every game.

Where men move (halma) they consider only their own moves, see halma/plan.py. Where stones are placed, greedy wins if it
can, else stops the opponent's win, else takes the move with the best score, and lookahead is an alpha-beta search, see
values/line_scores.py.
"""

from typing import Annotated, Literal

import numpy as np

from amoba_agents.halma.halma_players import MOVES_PER_MAN, Depth
from amoba_agents.halma.plan import plan
from amoba_agents.values.line_scores import choose
from amoba_env.agent import Actions, Agent, Memory, Streams
from amoba_env.checks import warn_of_depth
from amoba_env.core import rules as ru
from amoba_env.core.interrupt import call
from amoba_env.core.state import States
from amoba_env.games import Game
from amoba_env.options import Option, named

Ties = Annotated[Literal["uniform", "thesis"], Option("choice among equal moves; `thesis`: by the thesis's rule")]


class Lookahead(Agent):
    """The first move of the best line of `depth` moves: own moves in halma, moves of all players elsewhere."""

    rowwise = True

    @named("lookahead")
    def __init__(self, depth: Depth = 2, ties: Ties = "uniform") -> None:
        self.depth, self.ties, self.greedy = depth, ties, False

    def memory(self, game: Game) -> int:
        """The numbers of the men, for the thesis's rule for ties. Warns if the depth takes too long."""
        if game.moves_men:
            positions = float(MOVES_PER_MAN * int(game.rules[ru.MEN])) ** (self.depth - 2)
        else:
            positions = float(game.n_cells) ** -(-self.depth // 2)  # alpha-beta with good ordering
        warn_of_depth(self.name, game.name, positions)
        return int(game.rules[ru.MEN]) if self.ties == "thesis" else 0

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        """See Agent."""
        actions = np.empty(len(states), np.int32)
        thesis = self.ties == "thesis"
        if game.moves_men:
            call(plan, game.rules, states, rng, memory, self.depth, self.greedy, thesis, actions)
        else:
            call(choose, game.rules, states, rng, self.depth, self.greedy, thesis, actions)
        return actions


class Greedy(Lookahead):
    """Halma: the move that leaves the least own distance; elsewhere: win, stop a win, or take the best score."""

    @named("greedy")
    def __init__(self, *, ties: Ties = "uniform") -> None:
        super().__init__(1, ties)
        self.greedy = True
