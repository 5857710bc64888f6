"""The loss of value against perfect play, in games that are small enough to solve."""

import threading
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoba_agents.values.exact import solver
from amoba_env.core import state as st
from amoba_env.core.batch import step_rows
from amoba_env.core.state import States
from amoba_env.games import Game
from amoba_experiments.statistics.clusters import share_interval, standard_error


class Regrets:
    """Adds up the regret of each agent's moves (amoba_agents.values.exact.regret). An illegal move loses the game."""

    def __init__(self, game: Game, agents: int) -> None:
        """Raises ValueError for a game that is too large to solve."""
        self._game = game
        self._solver = solver(game)
        self._solver.values(self._game.batch(1))
        self._agents = agents
        # Of each move: its game, its agent, what it lost.
        self._moves: list[tuple[NDArray[np.int64], NDArray[np.int8], NDArray[np.int8]]] = []
        self._lock = threading.Lock()

    def watch(
        self, index: NDArray[np.int64], agents: NDArray[np.int8], states: States, actions: NDArray[np.int32]
    ) -> None:
        """Count moves, before they are played, see arena.shard.Watch."""
        after = states.copy()
        rows = np.arange(len(states))
        step_rows(self._game.rules, after, rows, actions)
        values = self._solver.values(np.concatenate([states, after]))
        illegal = after[:, st.TO_MOVE] == states[:, st.TO_MOVE]  # elsewhere `after` has the value for the other player
        lost = values[: len(states)] - (2 * illegal.astype(np.int64) - 1) * values[len(states) :]
        with self._lock:
            self._moves.append((index, agents, lost.astype(np.int8)))

    def add_to(self, agents: Iterable[dict[str, Any]], clusters: NDArray[np.int64]) -> None:
        """Add the counts to the statistics of each agent.

        `moves`: the number of moves; `lost_1`, `lost_2`: the numbers that lost 1 and 2; `mean`: the mean regret of a
        move, `se` its standard error; `share`: the share of moves with a regret, with its 95 % interval. In both each
        opening is one observation, since its moves depend on each other. Without moves they are null.

        Args:
            agents: a row for each.
            clusters: int64[G], of each game, see openings.game_clusters.
        """
        none = np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int8)
        index, by, lost = (np.concatenate(column) for column in zip(none, *self._moves, strict=True))
        order = np.argsort(index, kind="stable")
        for number, row in zip(range(self._agents), agents, strict=True):
            own = order[by[order] == number]
            if not own.size:
                row["regret"] = {"moves": 0, "lost_1": 0, "lost_2": 0, **dict.fromkeys(("mean", "se", "share", "ci95"))}
                continue
            values, of = lost[own], clusters[index[own]]
            row["regret"] = {
                "moves": len(own),
                "mean": float(values.mean()),
                "se": standard_error(values, of),
                "lost_1": int((values == 1).sum()),
                "lost_2": int((values == 2).sum()),
                "share": float((values > 0).mean()),
                "ci95": share_interval(values > 0, of),
            }
