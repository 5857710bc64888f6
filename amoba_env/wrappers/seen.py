"""Environments whose observations are changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from gymnasium.vector import VectorEnv, VectorWrapper
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray
from pettingzoo import AECEnv

from amoba_env.wrappers.wrapped import AecWrapper

Change = Callable[[NDArray[Any]], NDArray[Any]]  # of planes [..., H, W, C]

CHANGES: dict[str, Change] = {  # by name, which specifications of environments store
    "floats": lambda planes: planes.astype(np.float32),
    "channels_first": lambda planes: np.ascontiguousarray(np.moveaxis(planes, -1, -3)),
    "flat": lambda planes: planes.reshape(*planes.shape[:-3], -1),
}
MASK = "with_mask"  # the other kind


def see(kind: str, seen: Any, info: Mapping[str, Any]) -> Any:
    """An observation, or those of a batch, as they are seen."""
    if kind == MASK:
        return {"observation": seen, "action_mask": info["action_mask"].copy()}
    change = CHANGES[kind]
    return {**seen, "observation": change(seen["observation"])} if isinstance(seen, dict) else change(seen)


def space_of(kind: str, old: Any, env: Any) -> Any:
    """The space of what is seen. ValueError: planes that this kind does not take."""
    if kind == MASK:
        mask: Any = spaces.Box(0, 1, (env.unwrapped.game.n_actions,), np.int8)
        return spaces.Dict([("observation", old), ("action_mask", mask)])
    if isinstance(old, spaces.Dict):
        parts = {**old, "observation": space_of(kind, old["observation"], env)}
        return spaces.Dict(list(parts.items()))  # spaces.Dict sorts a dict
    if len(old.shape) != 3 and kind != "floats":
        raise ValueError(f"expected observations (H, W, C), got the shape {old.shape}")
    low, high = map(CHANGES[kind], (old.low, old.high))
    return spaces.Box(low, high, low.shape, low.dtype.type)


class SeenAec(AecWrapper):
    """Applies see() to the observations; `kind` is a key of CHANGES."""

    def __init__(self, env: AECEnv, kind: str) -> None:
        super().__init__(env)
        self.observation_spaces = {
            agent: space_of(kind, env.observation_space(agent), env) for agent in env.possible_agents
        }
        self._kind = kind

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def observe(self, agent: str) -> Any:
        return see(self._kind, self.env.observe(agent), {})


class Seen(gymnasium.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """The same in Gymnasium."""

    def __init__(self, env: gymnasium.Env[Any, Any], kind: str) -> None:
        RecordConstructorArgs.__init__(self, kind=kind)
        super().__init__(env)
        self.observation_space = space_of(kind, env.observation_space, env)
        self._kind = kind

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        seen, info = self.env.reset(seed=seed, options=options)
        return see(self._kind, seen, info), info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        seen, reward, terminated, truncated, info = self.env.step(action)
        return see(self._kind, seen, info), reward, terminated, truncated, info


class SeenVector(VectorWrapper):  # not generic in Gymnasium 1.2
    """The same in a batch.

    Gymnasium's own observation wrappers refuse SAME_STEP, where infos["final_obs"] holds observations too.
    """

    def __init__(self, env: VectorEnv[Any, Any, Any], kind: str) -> None:
        super().__init__(env)
        self.single_observation_space = space_of(kind, env.single_observation_space, env)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self._kind = kind

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        seen, infos = self.env.reset(seed=seed, options=options)
        return see(self._kind, seen, infos), infos

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        seen, rewards, terminated, truncated, infos = self.env.step(actions)
        for row in np.flatnonzero(infos.get("_final_obs", ())):
            info = {"action_mask": infos["final_info"]["action_mask"][row]}
            infos["final_obs"][row] = see(self._kind, infos["final_obs"][row], info)
        return see(self._kind, seen, infos), rewards, terminated, truncated, infos
