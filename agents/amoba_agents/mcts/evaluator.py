"""What a network says of the leaves of a search.

A position is evaluated once in a search, however many orders of moves lead to it.
"""

from collections.abc import Callable

import numpy as np

from amoba_agents.mcts.tree import Floats
from amoba_env.core.state import FROM, NOWHERE, TO, States
from amoba_env.games import Game

# Positions [K, S] -> logits [K, A], actions numbered as the player to move sees them, and values [K, players].
Evaluate = Callable[[Game, States], tuple[Floats, Floats]]


class Evaluator:
    """Asks the network, which may not look at the last move."""

    def __init__(self, game: Game, evaluate: Evaluate) -> None:
        self.game, self.evaluate = game, evaluate
        self._known: dict[bytes, tuple[Floats, Floats]] = {}

    def __call__(self, states: States) -> tuple[Floats, Floats]:
        """The logits and values of positions that are not over, int16[K, S]."""
        alike = states.copy()
        alike[:, [FROM, TO]] = NOWHERE
        keys = [row.tobytes() for row in alike]
        new = sorted({key: row for row, key in enumerate(keys) if key not in self._known}.values())
        if new:
            for row, *found in zip(new, *self.evaluate(self.game, states[new]), strict=True):
                self._known[keys[row]] = found[0], found[1]
        logits, values = zip(*(self._known[key] for key in keys), strict=True)
        return np.array(logits), np.array(values)
