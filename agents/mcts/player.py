"""Monte-Carlo tree search as a player of every game, with playouts or with a trained network."""

import numpy as np

from agents.mcts.search import PLAYOUTS, C, Evaluate, Playout, Search, width
from agents.trained import Trained
from amoba_env.agent import Actions, Forgetful, Memory, Streams
from amoba_env.core.state import States
from amoba_env.games import Game

EDGES = 4_000_000  # of all trees at a time: some 100 MB


class Mcts(Forgetful):
    """Monte-Carlo tree search; prior=greedy, none (UCT), or for a network's, without playouts, trained or PATH."""

    def __init__(
        self,
        sims: int = 400,
        c: float = C,
        playout: Playout = "greedy",
        prior: str = "greedy",
        cut: int = -1,
        leaves: int = 1,
    ) -> None:
        if sims < 1:
            raise ValueError(f"mcts: sims must be 1 or more, not {sims}")
        if not c >= 0:
            raise ValueError(f"mcts: c must be 0 or more, not {c}")
        if playout not in PLAYOUTS:
            raise ValueError(f"mcts: playout must be one of {', '.join(PLAYOUTS)}, not {playout!r}")
        if cut < -1:
            raise ValueError(f"mcts: cut must be 0 or more moves, or -1 (as suits the game), not {cut}")
        if leaves < 1:
            raise ValueError(f"mcts: leaves must be 1 or more, not {leaves}")
        self.sims, self.c, self.playout, self.cut, self.leaves = sims, c, playout, cut, leaves
        self.uct = prior == "none"
        self.network = None if prior in ("none", "greedy") else Trained("" if prior == "trained" else prior)
        given = {"c": (c, C), "playout": (playout, "greedy"), "prior": (prior, "greedy"), "cut": (cut, -1)}
        changes = {**given, "leaves": (leaves, 1)}.items()
        self.name = f"mcts:{sims}" + "".join(f",{key}={value}" for key, (value, usual) in changes if value != usual)

    def memory(self, game: Game) -> int:
        """Nothing. Raises ValueError if the network belongs to another board."""
        return 0 if self.network is None else self.network.memory(game)

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        """See Agent."""
        actions = np.empty(len(states), np.int32)
        evaluate: Evaluate | None = None if self.network is None else self.network.evaluate
        step = max(1, EDGES // (width(game, states) * (self.sims + 2 * self.leaves + 1)))
        for first in range(0, len(states), step):
            rows = slice(first, first + step)
            search = Search(
                game,
                states[rows],
                rng[rows],
                self.sims,
                self.c,
                self.uct,
                self.playout,
                self.cut,
                evaluate,
                self.leaves,
            )
            search.run(self.sims)
            actions[rows] = search.best()
        return actions
