"""The player `mcts`: Monte-Carlo tree search in every game, with playouts, a network, or learned chances."""

from pathlib import Path
from typing import Literal, get_args

import numpy as np

from amoba_agents.alphabeta import AlphaBeta
from amoba_agents.mcts.leaf import POLICIES, Leaf, Playout, has_learned, learned, playouts
from amoba_agents.mcts.search import C, Evaluate, searched
from amoba_agents.networks.trained import PolicyAgent, Trained
from amoba_env.agent import Actions, Agent, Memory, Streams
from amoba_env.checks import one_of, real, text, whole
from amoba_env.core import state as st
from amoba_env.core.state import States
from amoba_env.games import Game

MOST_SIMS, MOST_LEAVES, MOST_C, MOST_CUT = 1_000_000, 10_000, 1e6, 32767

Evaluation = Literal["playouts", "learned"]


class Mcts(Agent):
    """Monte-Carlo tree search; prior=greedy, none (UCT), or trained or PATH for a network that replaces the playouts.

    With evaluation=learned a small network takes the place of playouts: in halma with two or three players it gives
    chances (chances.py), in five in a row `alphabeta`'s values and order of moves (stones.py).
    """

    rowwise = True
    values_file: Path | None = None  # of what was learned; None: the package's

    def __init__(
        self,
        sims: int = 400,
        c: float = C,
        playout: Playout = "greedy",
        prior: str = "greedy",
        cut: int = -1,
        leaves: int = 1,
        evaluation: Evaluation = "playouts",
    ) -> None:
        sims, leaves = whole("mcts: sims", sims, 1, MOST_SIMS), whole("mcts: leaves", leaves, 1, MOST_LEAVES)
        c, cut = real("mcts: c", c, 0, MOST_C), whole("mcts: cut (-1: as suits the game)", cut, -1, MOST_CUT)
        playout, prior = one_of("mcts: playout", playout, POLICIES), text("mcts: prior", prior)
        self.sims, self.c, self.playout, self.cut, self.leaves = sims, c, playout, cut, leaves
        self.uct = prior == "none"
        self.network = None if prior in ("none", "greedy") else Trained("" if prior == "trained" else prior)
        evaluation = one_of("mcts: evaluation", evaluation, get_args(Evaluation))
        if evaluation == "learned" and self.network is not None:
            raise ValueError("mcts: evaluation=learned and a network's prior are two ways to evaluate; choose one")
        self.evaluation = evaluation
        given = {"c": (c, C), "playout": (playout, "greedy"), "prior": (prior, "greedy"), "cut": (cut, -1)}
        more = {"leaves": (leaves, 1), "evaluation": (evaluation, "playouts")}
        changes = {**given, **more}.items()
        self.name = f"mcts:{sims}" + "".join(f",{key}={value}" for key, (value, usual) in changes if value != usual)

    def memory(self, game: Game) -> int:
        """Returns 0.

        Raises:
            ValueError: the network belongs to another board, or nothing was learned for this game.
        """
        if self.evaluation == "learned" and not has_learned(game):
            raise ValueError(
                "mcts: evaluation=learned is for five in a row with two players, and for halma with two or three "
                f"players on the small star, not for this game of {game.name}"
            )
        if self.evaluation == "learned" and not game.moves_men:
            AlphaBeta().memory(game)  # the search has its limits
        return 0 if self.network is None else self.network.memory(game)

    def load(self, game: Game) -> object:
        """The network, or what was learned."""
        if self.evaluation == "learned":
            return self._leaf(game)
        return None if self.network is None else self.network.load(game)

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        """See Agent."""
        actions = np.empty(len(states), np.int32)
        leaf, opening = self._leaf(game), np.zeros(len(states), np.bool_)
        if self.evaluation == "learned" and not game.moves_men:
            opening = states[:, st.PHASE] != 0  # `alphabeta` decides there
            own = rng[opening]
            actions[opening] = AlphaBeta().act(game, states[opening], own, memory[opening])
            rng[opening] = own
        rows = np.flatnonzero(~opening)
        own = rng[rows]
        for part, root in searched(game, states[rows], own, self.sims, leaf, self.leaves, c=self.c, uct=self.uct):
            actions[rows[part]] = root.best()
        rng[rows] = own
        return actions

    def _leaf(self, game: Game) -> Leaf | Evaluate:
        if self.network is not None:  # the file is looked for once, not at each leaf
            return PolicyAgent(self.network.network_for(game), self.network.name).evaluate
        if self.evaluation == "learned":
            return learned(game, self.values_file)
        return playouts(game, self.playout, self.cut)
