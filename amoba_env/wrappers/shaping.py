"""Environments in which progress is rewarded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils import RecordConstructorArgs
from gymnasium.vector import VectorEnv, VectorWrapper
from pettingzoo import AECEnv

from amoba_env.position import Position
from amoba_env.progress import Progress
from amoba_env.wrappers.wrapped import AecWrapper, Begins, game_of


class Shaped(gymnasium.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """The learner's progress is rewarded; see shaped()."""

    def __init__(self, env: gymnasium.Env[Any, Any], weight: float, gamma: float) -> None:
        RecordConstructorArgs.__init__(self, weight=weight, gamma=gamma)
        super().__init__(env)
        self._weight, self._gamma, self._before = weight, gamma, -1.0
        self._progress = Progress(game_of(env))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        seen, info = self.env.reset(seed=seed, options=options)
        self._before = float(self._progress(seen[None])[0])
        return seen, info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        seen, reward, terminated, truncated, info = self.env.step(action)
        after = 0.0 if terminated else float(self._progress(seen[None])[0])
        reward = float(reward) + self._weight * (self._gamma * after - self._before)
        self._before = after
        return seen, reward, terminated, truncated, info


class ShapedVector(VectorWrapper):
    """The same in a batch."""

    def __init__(self, env: VectorEnv[Any, Any, Any], weight: float, gamma: float) -> None:
        super().__init__(env)
        self._weight, self._gamma, self._rows = weight, gamma, Begins(env)
        self._progress, self._before = Progress(game_of(env)), np.full(self.num_envs, -1.0)
        if env.unwrapped.opponent is None:  # type: ignore[attr-defined]
            raise ValueError("shaped: expected a batch with opponents, got opponent=None")

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        seen, infos = self.env.reset(seed=seed, options=options)
        self._rows.reset(options)
        self._before = self._progress(seen)
        return seen, infos

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        seen, rewards, terminated, truncated, infos = self.env.step(actions)
        before, over, self._before = self._before, terminated | truncated, self._progress(seen)
        after = self._before.copy()
        if "final_obs" in infos:
            after[over] = self._progress(np.stack(infos["final_obs"][over]))
        after[terminated] = 0
        added = self._weight * (self._gamma * after - before)
        added[self._rows.resting] = 0
        self._rows.step(over)
        return seen, rewards + added, terminated, truncated, infos


class ShapedAec(AecWrapper):
    """The progress of every agent is rewarded."""

    SAVED = ("_owed",)

    def __init__(self, env: AECEnv, weight: float, gamma: float) -> None:
        super().__init__(env)
        self._weight, self._gamma = weight, gamma
        self._progress = Progress(game_of(env))
        self._owed = dict.fromkeys(self.possible_agents, 0.0)

    def _potentials(self, position: Position) -> dict[str, float]:
        seen = np.stack([position.observation(seat) for seat in range(position.game.players)])
        return dict(zip(self.possible_agents, self._progress(seen).tolist(), strict=True))

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        self.env.reset(seed=seed, options=options)
        self._owed = dict.fromkeys(self.possible_agents, 0.0)

    def step(self, action: Any) -> None:
        """The mover's progress is rewarded at once. When the game terminates, all potentials become 0."""
        env = self.unwrapped
        if not env.agents or env.position.over:
            self.env.step(action)
            return
        potentials, mover = self._potentials(env.position), self.agent_selection
        self.env.step(action)
        paid = dict(env.rewards) if env.position.over else dict.fromkeys(env.agents, 0.0)
        after = dict.fromkeys(env.agents, 0.0) if env.terminations[mover] else self._potentials(env.position)
        self._owed[mover] = 0.0
        for agent, before in potentials.items():
            known = before if agent == mover else self._gamma * before
            added = self._weight * (self._gamma * after[agent] - known)
            self._owed[agent] += added
            env.rewards[agent] = paid[agent] + added
            env._cumulative_rewards[agent] = paid[agent] + self._owed[agent]
