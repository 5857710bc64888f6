"""What a network says of the leaves of a search, and a prover before it.

A position is evaluated once in a search, however many orders of moves lead to it.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_agents.mcts.tree import Floats, Integers
from amoba_env.core.state import FROM, NOBODY, NOWHERE, TO, States
from amoba_env.games import Game

# Positions [K, S] -> logits [K, A], actions numbered as the player to move sees them, and values [K, players].
Evaluate = Callable[[Game, States], tuple[Floats, Floats]]
# Positions [K, S] of a game of two -> the proven winner or NOBODY, int32[K]; and its winning move if it is to move.
Prove = Callable[[Game, States], tuple[Integers, Integers]]


class Evaluations(NamedTuple):
    """Of K positions."""

    winners: Integers  # [K] the proven winner or NOBODY
    winning: Integers  # [K] the winning move where the winner is to move
    logits: Floats  # [K, A] 0 where the network was not asked
    values: Floats  # [K, players]


class Evaluator:
    """Asks the prover, and then the network about all that is not proven. Neither may look at the last move."""

    def __init__(self, game: Game, evaluate: Evaluate, prove: Prove | None) -> None:
        self.game, self.evaluate, self.prove = game, evaluate, prove
        self._known: dict[bytes, Evaluations] = {}

    def __call__(self, states: States, roots: NDArray[np.bool_]) -> Evaluations:
        """Evaluate positions that are not over, int16[K, S]. The network sees `roots`, bool[K], even if proven."""
        alike = states.copy()
        alike[:, [FROM, TO]] = NOWHERE
        keys = [row.tobytes() for row in alike]
        new = sorted({key: row for row, key in enumerate(keys) if key not in self._known}.values())
        if new:
            found = self._ask(states[new], roots[new])
            for row, *parts in zip(new, *found, strict=True):
                self._known[keys[row]] = Evaluations(*parts)
        columns = zip(*(self._known[key] for key in keys), strict=True)
        return Evaluations(*(np.array(column) for column in columns))

    def _ask(self, states: States, roots: NDArray[np.bool_]) -> Evaluations:
        game, count = self.game, len(states)
        winners, winning = np.full(count, NOBODY, np.int32), np.zeros(count, np.int32)
        logits, values = np.zeros((count, game.n_actions), np.float32), np.zeros((count, game.players), np.float32)
        if self.prove is not None:
            winners, winning = self.prove(game, states)
        open_rows = np.flatnonzero((winners == NOBODY) | roots)
        if open_rows.size:
            logits[open_rows], values[open_rows] = self.evaluate(game, states[open_rows])
        return Evaluations(winners, winning, logits, values)
