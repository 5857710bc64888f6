"""The player `mcts`: Monte-Carlo tree search in every game, with playouts, a network, or learned chances."""

from pathlib import Path
from typing import Annotated, Literal

import numpy as np

from amoba_agents.alphabeta import AlphaBeta
from amoba_agents.mcts.leaves import Leaf, has_learned, learned, playouts, small_file
from amoba_agents.mcts.tree_search import Evaluate, searched
from amoba_agents.networks.trained import PolicyAgent, Trained
from amoba_agents.small_networks.network import small_network
from amoba_agents.sources import Values
from amoba_env.agent import Actions, Agent, Memory, Streams
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.state import States
from amoba_env.games import Game
from amoba_env.options import Option, named

LeafEvaluation = Literal["playouts", "learned"]
RootSearch = Literal["puct", "halving", "drawn"]


class Mcts(Agent):
    """Monte-Carlo tree search with playouts; with prior=trained or prior=PATH a network replaces the playouts.

    With evaluation=learned a small network replaces the playouts, in five in a row, halma and Chinese checkers
    (leaves.py).
    """

    rowwise = True

    @named("mcts")
    def __init__(
        self,
        sims: Annotated[int, Option("simulations for a move", 1, 1_000_000)] = 400,
        c: Annotated[
            float | None,
            Option("weight of exploration; by default 1 with learned chances of halma, elsewhere 2", 0, 1e6),
        ] = None,
        prior: Annotated[
            str,
            Option(
                "prior weights of moves; `greedy`: the scores of `greedy`; `trained`, or the path of a network: its "
                "probabilities, and its values instead of playouts"
            ),
        ] = "greedy",
        leaves: Annotated[
            int,
            Option("leaves evaluated together by the network of `prior`; with 8 each takes half the time", 1, 10_000),
        ] = 1,
        evaluation: Annotated[
            LeafEvaluation,
            Option("how leaves are evaluated; `playouts`: by playing on from the leaf; `learned`: by a small network"),
        ] = "playouts",
        values: Values = "",
        root: Annotated[
            RootSearch | None,
            Option(
                "how the root is searched; by default `halving` (sequential halving) with a network of a stage "
                "`search`, elsewhere `puct`; `drawn`: as `halving`, but moves are drawn by their probabilities first, "
                "for self-play"
            ),
        ] = None,
    ) -> None:
        self.sims, self.c, self.leaves = sims, c, leaves
        self.network = None if prior == "greedy" else Trained("" if prior == "trained" else prior)
        if evaluation == "learned" and self.network is not None:
            raise ValueError("mcts: expected evaluation=learned or a network as prior, got both")
        if leaves > 1 and self.network is None:
            raise ValueError("mcts: leaves: expected a network as prior too")
        if values and evaluation != "learned":
            raise ValueError("mcts: values: expected evaluation=learned too")
        self.evaluation, self.values, self.root = evaluation, values, root

    def memory(self, game: Game) -> int:
        """Returns 0.

        Raises:
            ValueError: the network is for another board, or the package has no learned values for this game.
        """
        if small := self._small(game):
            small_network(game, small)
            return 0
        if self.root not in (None, "puct"):
            raise ValueError(
                f"mcts: root={self.root}: expected evaluation=learned with a network of a stage `search` of "
                "`amoba train`: values=FILE, or in Chinese checkers the package's"
            )
        if self.evaluation == "learned" and not has_learned(game):
            raise ValueError(
                "mcts: evaluation=learned: expected five in a row with two players, halma with two or three players on "
                "the small star without anti_spoiling, or Chinese checkers with two players and ten men, "
                f"got {game}"
            )
        if self.evaluation == "learned" and not game.moves_men:
            AlphaBeta().memory(game)  # the search has its limits
        return 0 if self.network is None else self.network.memory(game)

    def load(self, game: Game) -> object:
        """The network, or the learned values."""
        if self._small(game) and self._asks_alphabeta(game):
            AlphaBeta().load(game)
        if self.evaluation == "learned":
            return self._leaf(game)
        return None if self.network is None else self.network.load(game)

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        """See Agent."""
        actions = np.empty(len(states), np.int32)
        leaf, opening, small = self._leaf(game), np.zeros(len(states), np.bool_), self._small(game)
        root = self.root or ("halving" if small else "puct")
        if self._asks_alphabeta(game):
            opening = states[:, st.PHASE] != 0
            own = rng[opening]
            actions[opening] = AlphaBeta(values="" if small else self.values).act(
                game, states[opening], own, memory[opening]
            )
            rng[opening] = own
        rows = np.flatnonzero(~opening)
        own = rng[rows]
        how = {"c": self.c, "gumbel": root != "puct", "noise": root == "drawn"}
        for part, search in searched(game, states[rows], own, self.sims, leaf, self.leaves, **how):
            actions[rows[part]] = search.best() if root == "puct" else search.improved().chosen
        rng[rows] = own
        return actions

    def _small(self, game: Game) -> Path | None:
        """The file of the small network that plays this game, if one does."""
        return small_file(game, self.values) if self.evaluation == "learned" else None

    def _asks_alphabeta(self, game: Game) -> bool:
        """Whether `alphabeta` chooses in the phases of an opening."""
        return self.evaluation == "learned" and bool(game.rules[ru.OPENING_RULE])

    def _leaf(self, game: Game) -> Leaf | Evaluate:
        if self.network is not None:  # find the file once, not at each leaf
            return PolicyAgent(self.network.network_for(game), self.network.name).evaluate
        return learned(game, self.values) if self.evaluation == "learned" else playouts(game)
