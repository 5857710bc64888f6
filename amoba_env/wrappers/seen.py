"""Environments whose observations are changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils import RecordConstructorArgs
from gymnasium.vector import VectorEnv, VectorWrapper
from gymnasium.vector.utils import batch_space
from pettingzoo import AECEnv

from amoba_env.wrappers.wrapped import AecWrapper

See = Callable[[Any, Mapping[str, Any]], Any]  # an observation, or those of a batch, and its info -> what is seen


class SeenAec(AecWrapper):
    """Its observations are what `see` makes of them."""

    def __init__(self, env: AECEnv, see: See, space: Callable[[Any], Any]) -> None:
        super().__init__(env)
        self.observation_spaces = {agent: space(env.observation_space(agent)) for agent in env.possible_agents}
        self._see = see

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def observe(self, agent: str) -> Any:
        return self._see(self.env.observe(agent), {})


class Seen(gymnasium.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """The same in Gymnasium."""

    def __init__(self, env: gymnasium.Env[Any, Any], see: See, space: Callable[[Any], Any]) -> None:
        RecordConstructorArgs.__init__(self, see=see, space=space)
        super().__init__(env)
        self.observation_space = space(env.observation_space)
        self._see = see

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        seen, info = self.env.reset(seed=seed, options=options)
        return self._see(seen, info), info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        seen, reward, terminated, truncated, info = self.env.step(action)
        return self._see(seen, info), reward, terminated, truncated, info


class SeenVector(VectorWrapper):  # not generic in Gymnasium 1.2
    """The same in a batch.

    Gymnasium's own wrappers of observations refuse the mode SAME_STEP, which has more of them, in final_obs.
    """

    def __init__(self, env: VectorEnv[Any, Any, Any], see: See, space: Callable[[Any], Any]) -> None:
        super().__init__(env)
        self.single_observation_space = space(env.single_observation_space)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self._see = see

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        seen, infos = self.env.reset(seed=seed, options=options)
        return self._see(seen, infos), infos

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        seen, rewards, terminated, truncated, infos = self.env.step(actions)
        for row in np.flatnonzero(infos.get("_final_obs", ())):
            info = {"action_mask": infos["final_info"]["action_mask"][row]}
            infos["final_obs"][row] = self._see(infos["final_obs"][row], info)
        return self._see(seen, infos), rewards, terminated, truncated, infos
