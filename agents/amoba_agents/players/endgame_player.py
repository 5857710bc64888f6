"""The player `endgame`."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from amoba_agents.alphabeta.alphabeta_player import MOST_NODES, MOVES_TRIED, NODES
from amoba_agents.endgame.race_search import MOST_PLY, choose
from amoba_agents.endgame.race_tables import check_size, tables_for
from amoba_env.agent import Actions, Agent, Memory, Streams
from amoba_env.checks import warn_of_depth
from amoba_env.core import rules as ru
from amoba_env.core.interrupt import call
from amoba_env.core.state import States
from amoba_env.games import Game
from amoba_env.options import Option, named


class Endgame(Agent):
    """Halma, two players: a search that knows how many moves each seat needs; a limit of `nodes` or `depth`.

    The same seed gives the same moves, in a batch of any size.
    """

    rowwise = True

    @named("endgame")
    def __init__(
        self,
        *,
        nodes: Annotated[
            int, Option("positions searched for a move; 0: no limit, or 20,000 without `depth`", 0, MOST_NODES)
        ] = 0,
        depth: Annotated[int, Option("plies to look ahead; 0: no limit", 0, MOST_PLY)] = 0,
    ) -> None:
        """Set the limits. 0 means no limit; without any limit it searches 20,000 positions.

        Raises:
            ValueError: a number that is negative or too large.
        """
        self.nodes, self.depth = nodes or (MOST_NODES if depth else NODES), depth or MOST_PLY

    def memory(self, game: Game) -> int:
        """0. ValueError for a game that this player does not play."""
        refused = f"endgame: expected halma with two players, got {game!r}"
        if not game.moves_men or game.players != 2 or game.rules[ru.ANTI_SPOILING]:
            raise ValueError(refused)
        try:
            check_size(game.rules)
        except ValueError as error:
            raise ValueError(f"{refused}: {error}") from None
        if self.nodes == MOST_NODES:
            warn_of_depth(self.name, game.name, MOVES_TRIED**self.depth)
        return 0

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
            The best actions, int32[B], and the values for the players to move, int32[B], see race_search.py.
        """
        actions, values = np.empty(len(states), np.int32), np.empty(len(states), np.int32)
        keys = np.random.default_rng(0).integers(1, 1 << 62, (game.players, game.n_cells), np.int64)
        size = 1 << min(20, max(10, self.nodes.bit_length()))
        what = tables_for(game.rules), game.rules, states, rng, keys
        call(choose, *what, self.nodes, self.depth, size, actions, values)
        return actions, values
