"""MaskablePPO collecting rollouts: on SelfPlayVecEnv, and on PettingZoo environments wrapped one by one."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from amoba_env import gomoku_v0
from amoba_experiments.bench import Result, compare, seconds

STEPS = 16


class Wrapped(gymnasium.Env[NDArray[np.int8], np.int64]):
    """A PettingZoo environment as a Gymnasium environment in which the learner plays every seat."""

    def __init__(self) -> None:
        self._env = gomoku_v0.env()
        agent = self._env.possible_agents[0]
        self.observation_space = self._env.observation_space(agent)["observation"]
        self.action_space = self._env.action_space(agent)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin a game."""
        self._env.reset(seed, options)
        return self._env.last()[0]["observation"], {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play a move of the seat to move; the reward is that seat's."""
        mover = self._env.agent_selection
        self._env.step(int(action))
        seen, _reward, terminated, truncated, info = self._env.last()
        return seen["observation"], self._env.rewards[mover], terminated, truncated, info

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions, bool (A,)."""
        return self._env.last()[0]["action_mask"].astype(np.bool_)


def rate(env: Any) -> float:
    """Transitions a second of collect_rollouts, with the MLP policy."""
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.callbacks import ConvertCallback

    model = MaskablePPO("MlpPolicy", env, n_steps=STEPS, batch_size=STEPS * env.num_envs, device="cpu")
    _, callback = model._setup_learn(10**9, ConvertCallback(None))

    def collect() -> None:
        model.collect_rollouts(env, callback, model.rollout_buffer, STEPS)

    collect()
    return float(STEPS * env.num_envs / seconds(collect))


def measure(runs: int) -> list[Result]:
    """Gomoku 10x10: 512 games in SelfPlayVecEnv, beside 64 environments in a DummyVecEnv."""
    try:
        from stable_baselines3.common.vec_env import DummyVecEnv

        from amoba_env.sb3 import SelfPlayVecEnv
    except ImportError as error:
        raise ImportError(f"Stable-Baselines3 is missing ({error}): pip install 'amoba[bench]'") from None
    batch, wrapped = SelfPlayVecEnv("gomoku", 512), DummyVecEnv([Wrapped] * 64)
    measured = [(rate(batch), rate(wrapped)) for _ in range(runs)]
    ours, theirs = [a for a, _ in measured], [b for _, b in measured]
    return [compare("MaskablePPO rollouts, gomoku 10x10, N=512", "steps/s", ours, "DummyVecEnv of 64", theirs)]
