"""MaskablePPO learns gomoku against a copy of itself: on SelfPlayVecEnv, and on single PettingZoo environments."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from amoba_env import gomoku_v0
from amoba_env.extras import needs
from amoba_experiments.bench import Result, compare, seconds

ENVS, STEPS = 128, 8  # games in lockstep; moves of each game between two updates
UPDATES, OTHERS = 16, 2  # measured updates of our environment, and of the slower others
SHARE = 0.3  # share of the moves that our network learns from in each epoch


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


class Against(Wrapped):
    """A game against a policy that moves inside the environment, as in usual wrappers of PettingZoo environments."""

    def __init__(self, dice: np.random.Generator) -> None:
        super().__init__()
        self.dice = dice
        self.policy: Any  # set before the first game

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin a game. The policy moves first in half of the games."""
        seen, info = super().reset(seed=seed, options=options)
        if self.dice.random() < 0.5:
            seen, *_, info = super().step(self._reply(seen))
        return seen, info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play, and let the policy answer; the reward is the learner's."""
        seen, reward, terminated, truncated, info = super().step(action)
        if terminated or truncated:
            return seen, reward, terminated, truncated, info
        seen, reward, terminated, truncated, info = super().step(self._reply(seen))
        return seen, -reward, terminated, truncated, info

    def _reply(self, seen: Any) -> int:
        return int(self.policy.predict(seen, action_masks=self.action_masks())[0])


def rate(policy: Any, env: Any, settings: dict[str, Any], updates: int) -> float:
    """Transitions a second of learn() against a copy of the network, without the first update."""
    import torch
    from sb3_contrib import MaskablePPO

    from amoba_experiments.training.opponents import OpponentPool

    model = MaskablePPO(policy, env, n_steps=STEPS, batch_size=1024, device="cpu", seed=0, **settings)
    pool = OpponentPool((), copies=1)
    pool.freeze(0, model.policy)
    if hasattr(env, "set_opponents"):
        env.set_opponents(pool.opponents())
    else:
        env.set_attr("policy", pool.copies[0][2])
    torch.set_num_threads(1)
    model.learn(ENVS * STEPS)
    return updates * ENVS * STEPS / seconds(model.learn, updates * ENVS * STEPS)


def measure(runs: int) -> list[Result]:
    """Gomoku 10x10: Stable-Baselines3's MLP, and our network, which learns from SHARE of the moves as in training."""
    with needs("bench", "comparisons"):
        from stable_baselines3.common.vec_env import DummyVecEnv

        from amoba_agents.networks.board_policy import BoardPolicy, board_kwargs
        from amoba_env.sb3 import SelfPlayVecEnv
        from amoba_experiments.training.prioritized import prioritized
    dice = np.random.default_rng(0)
    batch, wrapped = SelfPlayVecEnv("gomoku", ENVS), DummyVecEnv([lambda: Against(dice)] * ENVS)
    results = []
    turns = range(runs + 1)  # the first compiles and does not count
    board = {"policy_kwargs": board_kwargs(batch.game), "n_epochs": 2, **prioritized(SHARE)}
    for name, policy, settings in (
        ("MlpPolicy", "MlpPolicy", {"n_epochs": 3}),
        (f"BoardPolicy, a share of {SHARE:g}", BoardPolicy, board),
    ):
        pairs = [(rate(policy, batch, settings, UPDATES), rate(policy, wrapped, settings, OTHERS)) for _ in turns]
        ours, theirs = zip(*pairs[1:], strict=True)
        what = f"learn() by self-play, gomoku 10x10, {name}"
        results.append(compare(what, "steps/s", ours, f"DummyVecEnv of {ENVS}", theirs))
    return results
