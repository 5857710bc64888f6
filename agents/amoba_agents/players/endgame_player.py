"""The player `endgame`."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from amoba_agents.alphabeta.alphabeta_player import MOST_NODES, MOVES_TRIED, NODES
from amoba_agents.endgame import chances
from amoba_agents.endgame.race_search import MOST_PLY, choose
from amoba_agents.endgame.race_tables import check_size, tables_for
from amoba_agents.mcts.leaf_chances import fits
from amoba_agents.mcts.leaves import foresight
from amoba_agents.mcts.tree_search import searched
from amoba_agents.sources import Values
from amoba_env.agent import Actions, Agent, Memory, Streams
from amoba_env.checks import warn_of_depth
from amoba_env.core import rules as ru
from amoba_env.core.interrupt import call
from amoba_env.core.state import States
from amoba_env.games import Game
from amoba_env.options import Option, named

NODES_OF_A_SIMULATION = 100  # with three players: its own moves and those of two replies, roughly
MOST_SIMULATIONS = 100_000
EXPLORATION = 0.75
VALUE_UNIT = 1000  # the value of a win, with three players


class Endgame(Agent):
    """Halma, two or three players: a search that knows how many moves each seat needs; a limit of `nodes` or `depth`.

    With three players it expects likely replies of the others, see amoba_agents.mcts.leaf_foresight. The same
    seed gives the same moves, in a batch of any size.
    """

    rowwise = True

    @named("endgame")
    def __init__(
        self,
        *,
        nodes: Annotated[
            int,
            Option(
                "positions searched for a move; 0: 20,000, but no limit with two players and `depth`",
                0,
                MOST_NODES,
            ),
        ] = 0,
        depth: Annotated[
            int, Option("plies to look ahead; with three players rounded up to whole rounds; 0: no limit", 0, MOST_PLY)
        ] = 0,
        values: Values = "",
    ) -> None:
        """Set the limits. With three players it makes a simulation for each hundred `nodes`, at most 100,000.

        Raises:
            ValueError: a number that is negative or too large.
        """
        self.simulations = min(max(1, (nodes or NODES) // NODES_OF_A_SIMULATION), MOST_SIMULATIONS)
        self.nodes, self.depth = nodes or (MOST_NODES if depth else NODES), depth or MOST_PLY
        self.values = values

    def memory(self, game: Game) -> int:
        """Return 0. ValueError for a game that this player does not play."""
        refused = f"endgame: expected halma with two or three players, without anti_spoiling, got {game}"
        if not game.moves_men or game.rules[ru.ANTI_SPOILING] or (game.players != 2 and not fits(game.rules)):
            raise ValueError(refused)
        try:
            check_size(game.rules)
        except ValueError as error:
            raise ValueError(f"{refused}: {error}") from None
        if game.players == 2 and self.values:
            raise ValueError("endgame: values: expected halma with three players")
        if game.players == 2 and self.nodes == MOST_NODES:
            warn_of_depth(self.name, game.name, MOVES_TRIED**self.depth)
        return 0

    def load(self, game: Game) -> chances.ChanceNetwork | None:
        """The network, with three players."""
        return None if game.players == 2 else chances.network(self.values)

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        """See Agent."""
        return self.think(game, states, rng)[0]

    def think(self, game: Game, states: States, rng: Streams) -> tuple[Actions, NDArray[np.int32]]:
        """Search positions.

        Args:
            game: the rules.
            states: int16[B, S].
            rng: uint64[B], advanced in place.

        Returns:
            The best actions, int32[B], and the values for the players to move, int32[B]. With two players see
            race_search.py; with three a value is the chance to win, in thousandths.
        """
        if game.players > 2:
            return self._think_of_three(game, states, rng)
        actions, values = np.empty(len(states), np.int32), np.empty(len(states), np.int32)
        keys = np.random.default_rng(0).integers(1, 1 << 62, (game.players, game.n_cells), np.int64)
        size = 1 << min(20, max(10, self.nodes.bit_length()))
        what = tables_for(game.rules), game.rules, states, rng, keys
        call(choose, *what, self.nodes, self.depth, size, actions, values)
        return actions, values

    def _think_of_three(self, game: Game, states: States, rng: Streams) -> tuple[Actions, NDArray[np.int32]]:
        actions, values = np.empty(len(states), np.int32), np.empty(len(states), np.int32)
        rounds = -(-self.depth // game.players)
        leaf = foresight(game, chances.network(self.values))
        for part, search in searched(game, states, rng, self.simulations, leaf, c=EXPLORATION, length=rounds):
            root = search.root()
            actions[part] = root.best()
            worth = root.values[root.actions == actions[part, None]]
            values[part] = np.round((worth * (game.players - 1) + 1) / game.players * VALUE_UNIT)
        return actions, values
