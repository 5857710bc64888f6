"""A reward for coming nearer, while training: the environments themselves reward only the end of a game."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper

from amoba_env.core import rules as tables
from amoba_env.games import Game


class Shaped(VecEnvWrapper):
    """Adds weight * (gamma * potential(after) - potential(before)) to the rewards of a game where men move.

    The potential is minus the own men's steps to go, 0 when all are home and -1 at the start; after a game has ended
    it is 0. So the best policies remain the best (Ng, Harada, Russell: "Policy invariance under reward
    transformations", ICML 1999). Seats see the board alike, so the observation tells all.
    """

    def __init__(self, venv: VecEnv, game: Game, weight: float, gamma: float) -> None:
        """Raises ValueError for a game where no men move."""
        if not game.moves_men:
            raise ValueError(f"shaping is for games where men move; in {game.name} stones are placed")
        super().__init__(venv)
        self.weight, self.gamma = weight, gamma
        steps, view, home, goal = (
            tables.table(game.rules, slot)[0] for slot in (tables.STEPS, tables.VIEW, tables.HOME, tables.GOAL)
        )
        x, y = game.board.coords.T.astype(np.int64)
        self._points = (y * game.observation_shape[1] + x)[view]  # of each cell, as seat 0 sees it
        self._steps, self._home = steps, int(steps[goal].sum())
        self._span = float(steps[home].sum() - self._home)
        self._potential = np.zeros(self.num_envs)

    def potential(self, observations: NDArray[np.int8]) -> NDArray[np.float64]:
        """Of what the learner sees, [N, H, W, C] -> [N]."""
        own = observations[..., 0].reshape(len(observations), -1)[:, self._points]
        return (self._home - own @ self._steps.astype(np.int64)) / self._span

    def reset(self) -> Any:
        """Begin."""
        seen = self.venv.reset()
        self._potential = self.potential(np.asarray(seen))
        return seen

    def step_wait(self) -> Any:
        """Play, and add what the way was worth."""
        seen, rewards, over, infos = self.venv.step_wait()
        after = self.potential(np.asarray(seen))
        reached = np.where(over, 0.0, after)
        for row in np.flatnonzero(over):
            if infos[row]["TimeLimit.truncated"]:  # cut off, not ended: its value goes on from there
                reached[row] = self.potential(infos[row]["terminal_observation"][None])[0]
        shaped = rewards + self.weight * (self.gamma * reached - self._potential)
        self._potential = after
        return seen, shaped.astype(np.float32), over, infos
