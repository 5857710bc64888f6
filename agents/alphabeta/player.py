"""The player."""

import numpy as np

from agents.alphabeta.lines import MAX_PLY, hash_table, workspace
from agents.alphabeta.search import think
from amoba_env.agent import Actions, Memory, Streams
from amoba_env.core.state import States
from amoba_env.games import Game

UNLIMITED = 1 << 40
NODES = 20_000


class AlphaBeta:
    """Searches placing games of two players: alpha-beta, with wins by fours and by threes; so many stones a move."""

    def __init__(self, nodes: int = 0, ms: int = 0, depth: int = 0) -> None:
        self.nodes, self.ms, self.depth = nodes, ms, depth
        given = [f"{key}={value}" for key, value in (("nodes", nodes), ("ms", ms), ("depth", depth)) if value]
        self.name = "alphabeta" + (":" + ",".join(given) if given else "")

    def memory(self, game: Game) -> int:
        """Nothing."""
        return 0

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        """See Agent."""
        actions, values = np.empty(len(states), np.int32), np.empty(len(states), np.int32)
        nodes = self.nodes or (UNLIMITED if self.ms or self.depth else NODES)
        w = workspace(game.rules)
        t = hash_table(w, game.n_cells, min(20, nodes.bit_length()))
        think(game.rules, states, rng, w, t, self.depth or MAX_PLY, nodes, actions, values)
        self.values = values
        return actions
