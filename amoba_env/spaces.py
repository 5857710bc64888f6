"""The Gymnasium spaces of a game."""

from __future__ import annotations

import numpy as np
from gymnasium import spaces

from amoba_env.games import Game


def spaces_of(game: Game) -> tuple[spaces.Box[np.int8], spaces.Discrete]:
    """The spaces of observations, int8 (H, W, C), and of actions."""
    return spaces.Box(0, game.observation_high, game.observation_shape, np.int8), spaces.Discrete(game.n_actions)
