"""How much players lose against perfect play, in games that are small enough to solve."""

import threading
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoba_agents.values.exact import solver
from amoba_env.core.batch import step_rows
from amoba_env.core.state import TO_MOVE, States
from amoba_env.games import Game
from amoba_experiments.analysis.summary import mean, share


class Regrets:
    """Counts what the moves of each agent lose (amoba_agents.values.exact.regret). An illegal move loses the game."""

    def __init__(self, game: Game, agents: int) -> None:
        """Raises ValueError for a game that is too large to solve."""
        self._game = game
        self._solver = solver(game)
        self._solver.values(self._game.batch(1))
        self._counts = np.zeros((agents, 3), np.int64)  # moves that lose 0, 1 and 2
        self._lock = threading.Lock()

    def watch(self, agents: NDArray[np.int8], states: States, actions: NDArray[np.int32]) -> None:
        """Count moves, before they are played, see arena.Watch."""
        after = states.copy()
        rows = np.arange(len(states))
        step_rows(self._game.rules, after, rows, actions)
        values = self._solver.values(np.concatenate([states, after]))
        illegal = after[:, TO_MOVE] == states[:, TO_MOVE]  # elsewhere `after` has the value for the other player
        lost = values[: len(states)] - (2 * illegal.astype(np.int64) - 1) * values[len(states) :]
        with self._lock:
            np.add.at(self._counts, (agents, lost), 1)

    def enter(self, agents: Iterable[dict[str, Any]]) -> None:
        """Add the counts to the statistics of each agent.

        `moves`: how many; `lost_1`, `lost_2`: how many of them lost 1 and 2; `mean`: the regret of a move, `se` its
        standard error; `share`: the share of moves that lost something, with its 95 % interval.
        """
        for counts, row in zip(self._counts.tolist(), agents, strict=True):
            average, error = mean(np.repeat(np.arange(3), counts))
            lossy = share(counts[1] + counts[2], sum(counts))
            row["regret"] = {
                "moves": sum(counts),
                "mean": average,
                "se": error,
                "lost_1": counts[1],
                "lost_2": counts[2],
                "share": lossy["share"],
                "ci95": lossy["ci95"],
            }
