"""Environments that are seen under a symmetry of the game: turned or reflected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils import RecordConstructorArgs
from gymnasium.vector import VectorEnv, VectorWrapper
from numpy.typing import NDArray
from pettingzoo import AECEnv

from amoba_env import checks
from amoba_env.symmetry import seen_symmetries
from amoba_env.wrappers.wrapped import AecWrapper, Begins, game_of


class _Symmetry:
    """The symmetry drawn for each of `count` games. A single game has no batch axis. Returned arrays are new."""

    def __init__(self, game: Any, count: int = 1) -> None:
        self._all, self._numbers = seen_symmetries(game), np.zeros(count, np.intp)

    def draw(self, rng: np.random.Generator, row: int = 0) -> None:
        self._numbers[row] = rng.integers(len(self._all.actions))

    def planes(self, seen: NDArray[Any], rows: Any = slice(None)) -> NDArray[Any]:
        points = self._all.points[self._numbers[rows]]
        return np.take_along_axis(seen.reshape(*points.shape, -1), points[:, :, None], 1).reshape(seen.shape)

    def info(self, info: Mapping[str, Any]) -> dict[str, Any]:
        return {**info, "action_mask": self.mask(info["action_mask"])}

    def mask(self, mask: NDArray[Any]) -> NDArray[Any]:
        there = self._all.actions[self._numbers]
        return np.take_along_axis(mask.reshape(there.shape), there, 1).reshape(mask.shape)

    def action(self, action: Any) -> Any:
        """The action of the game for an action that was chosen from what is seen."""
        there = self._all.actions[self._numbers[0]]
        return action if action is None else int(there[checks.action(action, len(there))])

    def seen(self, action: int) -> int:
        """The action as it is seen, for an action of the game: the opposite of action()."""
        return int(np.flatnonzero(self._all.actions[self._numbers[0]] == action)[0])

    def actions(self, actions: Any) -> Any:
        """The same for each game; the environment refuses values that are not actions."""
        chosen = checks.array("actions", actions)
        if chosen.shape != self._numbers.shape or chosen.dtype.kind not in "iu":
            return actions
        inside = (chosen >= 0) & (chosen < self._all.actions.shape[1])
        return np.where(inside, self._all.actions[self._numbers, np.where(inside, chosen, 0)], chosen)


class Symmetric(gymnasium.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """One image for an episode; see symmetric()."""

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)
        self._symmetry = _Symmetry(game_of(env))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        seen, info = self.env.reset(seed=seed, options=options)
        self._symmetry.draw(self.np_random)
        return self._symmetry.planes(seen), self._symmetry.info(info)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        seen, reward, terminated, truncated, info = self.env.step(self._symmetry.action(action))
        return self._symmetry.planes(seen), reward, terminated, truncated, self._symmetry.info(info)

    def action_masks(self) -> NDArray[np.bool_]:
        return self._symmetry.mask(self.env.get_wrapper_attr("action_masks")())


class SymmetricVector(VectorWrapper):
    """One image for each game of a batch."""

    def __init__(self, env: VectorEnv[Any, Any, Any]) -> None:
        super().__init__(env)
        self._symmetry, self._rows = _Symmetry(game_of(env), self.num_envs), Begins(env)
        self._rngs = [np.random.default_rng() for _ in range(self.num_envs)]

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        seen, infos = self.env.reset(seed=seed, options=options)
        begun, seeds = self._rows.reset(options), checks.seeds(seed, self.num_envs)
        for row in begun:
            if (own := seeds[row]) is not None:
                self._rngs[row] = np.random.default_rng(own)
        return self._begin(begun, seen, infos)

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        symmetry = self._symmetry
        seen, rewards, terminated, truncated, infos = self.env.step(symmetry.actions(actions))
        over = terminated | truncated
        if "final_obs" in infos:
            rows, ends = np.flatnonzero(over), infos["final_obs"]
            for row, planes in zip(rows, symmetry.planes(np.stack(ends[rows]), rows), strict=True):
                ends[row] = planes
            infos["final_info"] = symmetry.info(infos["final_info"])
        seen, infos = self._begin(np.flatnonzero(self._rows.step(over)), seen, infos)
        return seen, rewards, terminated, truncated, infos

    def _begin(self, rows: NDArray[np.intp], seen: Any, infos: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        for row in rows:
            self._symmetry.draw(self._rngs[row], row)
        return self._symmetry.planes(seen), self._symmetry.info(infos)

    def action_masks(self) -> NDArray[np.bool_]:
        return self._symmetry.mask(self.unwrapped.action_masks())  # type: ignore[attr-defined]


class SymmetricAec(AecWrapper):
    """One image for all agents of an episode."""

    SAVED = ("_symmetry", "_rng")

    def __init__(self, env: AECEnv) -> None:
        super().__init__(env)
        self._symmetry, self._rng = _Symmetry(game_of(env)), np.random.default_rng()

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        self.env.reset(seed=seed, options=options)
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        self._symmetry.draw(self._rng)

    def observe(self, agent: str) -> Any:
        planes, mask = self.env.observe(agent).values()
        return {"observation": self._symmetry.planes(planes), "action_mask": self._symmetry.mask(mask)}

    def step(self, action: Any) -> None:
        self.env.step(self._symmetry.action(action))

    def encode(self, agent: str, move: int | str) -> int:
        """The action, as it is seen, of a move on the board. ValueError for no move of this game."""
        return self._symmetry.seen(self.env.encode(agent, move))

    def decode(self, agent: str, action: int) -> str:
        """The move on the board of an action, as it is seen. ValueError for no action of this game."""
        return str(self.env.decode(agent, self._symmetry.action(action)))
