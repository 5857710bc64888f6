"""How far the men of a game have come, in numbers: what reward shaping adds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from amoba_env.core import rules as ru
from amoba_env.games import Game


class Progress:
    """The potential of a seat: minus the steps that its men have left, scaled: -1 at the start, 0 in the goal.

    Learning from gamma * progress(after) - progress(before) leaves optimal policies optimal (Ng, Harada, Russell:
    "Policy invariance under reward transformations", ICML 1999), and is the same as learning from the value plus the
    progress (Wiewiora: "Potential-based shaping and Q-value initialization are equivalent", JAIR 2003). Every seat sees
    the board in the same way, so the observation is enough.
    """

    def __init__(self, game: Game) -> None:
        """ValueError for a game in which stones are placed."""
        if not game.moves_men:
            raise ValueError(f"reward shaping: expected a game where men move, got {game.name}")
        steps, site, home, goal = (ru.table(game.rules, slot)[0] for slot in (ru.STEPS, ru.SITE, ru.HOMES, ru.GOALS))
        self._points = site  # of each cell, as seat 0 sees it
        self._steps, self._home = steps.astype(np.int64), int(steps[goal].sum())
        self._span = float(steps[home].sum() - self._home)

    def __call__(self, planes: NDArray[np.int8]) -> NDArray[np.float64]:
        """The progress of the seat that sees each of these observations, int8 [N, H, W, C] -> [N]."""
        own = planes[..., 0].reshape(len(planes), -1)[:, self._points]
        progress: NDArray[np.float64] = (self._home - own @ self._steps) / self._span
        return progress
