"""Wrappers that learners need again and again, for PettingZoo, Gymnasium and its vector environments.

    from amoba_env import gomoku_v0, wrappers

    env = wrappers.flat(wrappers.floats(gomoku_v0.env()))            # observations float32 (H * W * C,)
    env = wrappers.with_mask(gymnasium.make("amoba/Gomoku-v0"))      # {"observation": ..., "action_mask": ...}
    env = wrappers.shaped(gymnasium.make("amoba/Halma-v0"), gamma=0.99)

Put `symmetric` and `shaped` next to the environment. `with_mask`, `floats`, `channels_first` and `flat` follow, in this
order; an action mask beside the planes stays as it is. Gymnasium's own wrappers (frame stacks, statistics, videos) fit
around all of these. Row i of a batch after `reset(seed=s)` equals the single environment after `reset(seed=s + i)`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv, VectorWrapper
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import BaseWrapper

from amoba_env import checks
from amoba_env.games import Game
from amoba_env.position import Position
from amoba_env.progress import Progress
from amoba_env.symmetry import seen_symmetries

E = TypeVar("E")  # AECEnv, gymnasium.Env or VectorEnv
Change = Callable[[NDArray[Any]], NDArray[Any]]  # of planes [..., H, W, C]
See = Callable[[Any, Mapping[str, Any]], Any]  # an observation, or those of a batch, and its info -> what is seen


def floats(env: E) -> E:
    """Observations as float32."""
    return _changed(env, lambda planes: planes.astype(np.float32))


def channels_first(env: E) -> E:
    """Observations (C, H, W), as convolutions of PyTorch take them."""
    return _changed(env, lambda planes: np.ascontiguousarray(np.moveaxis(planes, -1, -3)))


def flat(env: E) -> E:
    """Observations as vectors (H * W * C,)."""
    return _changed(env, lambda planes: planes.reshape(*planes.shape[:-3], -1))


def with_mask(env: E) -> E:
    """Gymnasium's observations as PettingZoo's are: {"observation": planes, "action_mask": int8 (A,)}.

    Raises:
        ValueError: an environment of PettingZoo, whose observations have the mask.
    """
    if isinstance(env, AECEnv):
        raise ValueError(f"expected an environment of Gymnasium, got {checks.brief(env)}")
    inner: Any = env

    def see(seen: Any, info: Mapping[str, Any]) -> Any:
        return {"observation": seen, "action_mask": info["action_mask"].copy()}

    def space(planes: Any) -> Any:
        mask: Any = spaces.Box(0, 1, (inner.unwrapped.game.n_actions,), np.int8)
        return spaces.Dict([("observation", planes), ("action_mask", mask)])  # a mapping would be sorted

    return _seeing(env, see, space)


def symmetric(env: E) -> E:
    """Each episode is seen under a symmetry of the game, drawn at random: turned or reflected; actions too.

    A policy that learns so cannot prefer a corner. `position` and the moves of `encode()` are not turned. In Gymnasium
    the seed of reset() determines the symmetry, in PettingZoo too; without one it is random.

    Raises:
        ValueError: not an environment of this package, or one whose observations another wrapper has changed.
    """
    return _next_to(env, {AECEnv: _SymmetricAec, VectorEnv: _SymmetricVector, gymnasium.Env: _Symmetric})


def shaped(env: E, weight: float = 1.0, gamma: float = 1.0) -> E:
    """Progress is rewarded in games where men move: adds weight * (gamma * potential(after) - potential(before)).

    The potential is that of amoba_env.progress.Progress. It is 0 after the end, but not where a game is truncated. If
    `gamma` is the learner's discount, optimal policies remain optimal.

    Raises:
        ValueError: a game in which stones are placed; a batch without opponents; see also `symmetric`.
    """
    kinds = {AECEnv: _ShapedAec, VectorEnv: _ShapedVector, gymnasium.Env: _Shaped}
    return _next_to(env, kinds, float(weight), float(gamma))


def _around(env: Any, kinds: Mapping[Any, Callable[..., Any]], *more: Any) -> Any:
    for kind, wrapper in kinds.items():
        if isinstance(env, kind):
            return wrapper(env, *more)
    raise ValueError(f"expected an environment of PettingZoo or Gymnasium, got {checks.brief(env)}")


def _next_to(env: Any, kinds: Mapping[Any, Callable[..., Any]], *more: Any) -> Any:
    """A wrapper that reads the game's own planes."""
    inner = getattr(env, "unwrapped", env)
    if not hasattr(inner, "game") or _seen_space(env) is not _seen_space(inner):
        raise ValueError(f"expected an environment of amoba with its own observations, got {checks.brief(env)}")
    return _around(env, kinds, *more)


def _seen_space(env: Any) -> Any:
    if isinstance(env, AECEnv):
        return env.observation_space(env.possible_agents[0])
    return env.single_observation_space if isinstance(env, VectorEnv) else env.observation_space


def _game(env: Any) -> Game:
    game: Game = env.unwrapped.game
    return game


def _changed(env: Any, change: Change) -> Any:
    """The environment with other planes."""

    def see(seen: Any, info: object) -> Any:
        return {**seen, "observation": change(seen["observation"])} if isinstance(seen, dict) else change(seen)

    def space(old: Any) -> Any:
        if isinstance(old, spaces.Dict):
            return spaces.Dict([(key, space(each) if key == "observation" else each) for key, each in old.items()])
        low = change(old.low)
        return spaces.Box(low, change(old.high), low.shape, low.dtype.type)

    return _seeing(env, see, space)


def _seeing(env: Any, see: See, space: Callable[[Any], Any]) -> Any:
    return _around(env, {AECEnv: _SeeingAec, VectorEnv: _SeeingVector, gymnasium.Env: _Seeing}, see, space)


class _SeeingAec(BaseWrapper):
    def __init__(self, env: AECEnv, see: See, space: Callable[[Any], Any]) -> None:
        super().__init__(env)
        self.observation_spaces = {agent: space(env.observation_space(agent)) for agent in env.possible_agents}
        self._see = see

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def observe(self, agent: str) -> Any:
        return self._see(self.env.observe(agent), {})


class _Seeing(gymnasium.Wrapper[Any, Any, Any, Any]):
    def __init__(self, env: gymnasium.Env[Any, Any], see: See, space: Callable[[Any], Any]) -> None:
        super().__init__(env)
        self.observation_space = space(env.observation_space)
        self._see = see

    def reset(self, **given: Any) -> tuple[Any, dict[str, Any]]:
        seen, info = self.env.reset(**given)
        return self._see(seen, info), info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        seen, reward, terminated, truncated, info = self.env.step(action)
        return self._see(seen, info), reward, terminated, truncated, info


class _SeeingVector(VectorWrapper):  # not generic in Gymnasium 1.2
    """Gymnasium's own wrappers of observations refuse the mode SAME_STEP, which has more of them, in final_obs."""

    def __init__(self, env: VectorEnv[Any, Any, Any], see: See, space: Callable[[Any], Any]) -> None:
        super().__init__(env)
        self.single_observation_space = space(env.single_observation_space)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self._see = see

    def reset(self, **given: Any) -> tuple[Any, dict[str, Any]]:
        seen, infos = self.env.reset(**given)
        return self._see(seen, infos), infos

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        seen, rewards, terminated, truncated, infos = self.env.step(actions)
        for row in np.flatnonzero(infos.get("_final_obs", ())):
            info = {"action_mask": infos["final_info"]["action_mask"][row]}
            infos["final_obs"][row] = self._see(infos["final_obs"][row], info)
        return self._see(seen, infos), rewards, terminated, truncated, infos


class _Rows:
    """Which games of a batch begin."""

    def __init__(self, env: VectorEnv[Any, Any, Any]) -> None:
        self._mode = env.metadata["autoreset_mode"]
        self.resting = np.zeros(env.num_envs, np.bool_)  # whose next step begins a game, and plays nothing

    def reset(self, options: Mapping[str, Any] | None) -> NDArray[np.intp]:
        """The rows that a reset() with these options has begun."""
        mask = (options or {}).get("reset_mask")
        begun = np.ones_like(self.resting) if mask is None else mask
        self.resting = self.resting & ~begun
        return np.flatnonzero(begun)

    def step(self, over: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The rows that a step has begun in which these games ended."""
        if self._mode == AutoresetMode.SAME_STEP:
            return over
        begun, self.resting = self.resting, over
        return begun


class _Symmetry:
    """What is drawn for the episode of each game, `count` of them, or one without an axis; all arrays are new."""

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

    def actions(self, actions: Any) -> Any:
        """The same for each game; the environment refuses what are no actions."""
        chosen = checks.array("actions", actions)
        if chosen.shape != self._numbers.shape or chosen.dtype.kind not in "iu":
            return actions
        inside = (chosen >= 0) & (chosen < self._all.actions.shape[1])
        return np.where(inside, self._all.actions[self._numbers, np.where(inside, chosen, 0)], chosen)


class _Symmetric(gymnasium.Wrapper[Any, Any, Any, Any]):
    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        self._symmetry = _Symmetry(_game(env))

    def reset(self, **given: Any) -> tuple[Any, dict[str, Any]]:
        seen, info = self.env.reset(**given)
        self._symmetry.draw(self.np_random)
        return self._symmetry.planes(seen), self._symmetry.info(info)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        seen, reward, terminated, truncated, info = self.env.step(self._symmetry.action(action))
        return self._symmetry.planes(seen), reward, terminated, truncated, self._symmetry.info(info)

    def action_masks(self) -> NDArray[np.bool_]:
        return self._symmetry.mask(self.env.get_wrapper_attr("action_masks")())


class _SymmetricVector(VectorWrapper):
    def __init__(self, env: VectorEnv[Any, Any, Any]) -> None:
        super().__init__(env)
        self._symmetry, self._rows = _Symmetry(_game(env), self.num_envs), _Rows(env)
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


class _SymmetricAec(BaseWrapper):
    def __init__(self, env: AECEnv) -> None:
        super().__init__(env)
        self._symmetry, self._rng = _Symmetry(_game(env)), np.random.default_rng()

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


class _Shaped(gymnasium.Wrapper[Any, Any, Any, Any]):
    def __init__(self, env: gymnasium.Env[Any, Any], weight: float, gamma: float) -> None:
        super().__init__(env)
        self._weight, self._gamma, self._before = weight, gamma, -1.0
        self._progress = Progress(_game(env))

    def reset(self, **given: Any) -> tuple[Any, dict[str, Any]]:
        seen, info = self.env.reset(**given)
        self._before = float(self._progress(seen[None])[0])
        return seen, info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        seen, reward, terminated, truncated, info = self.env.step(action)
        after = 0.0 if terminated else float(self._progress(seen[None])[0])
        reward = float(reward) + self._weight * (self._gamma * after - self._before)
        self._before = after
        return seen, reward, terminated, truncated, info


class _ShapedVector(VectorWrapper):
    def __init__(self, env: VectorEnv[Any, Any, Any], weight: float, gamma: float) -> None:
        super().__init__(env)
        self._weight, self._gamma, self._rows = weight, gamma, _Rows(env)
        self._progress, self._before = Progress(_game(env)), np.full(self.num_envs, -1.0)
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


class _ShapedAec(BaseWrapper):
    def __init__(self, env: AECEnv, weight: float, gamma: float) -> None:
        super().__init__(env)
        self._weight, self._gamma = weight, gamma
        self._progress = Progress(_game(env))

    def _potentials(self, position: Position) -> dict[str, float]:
        seen = np.stack([position.observation(seat) for seat in range(position.game.players)])
        return dict(zip(self.possible_agents, self._progress(seen).tolist(), strict=True))

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        self.env.reset(seed=seed, options=options)
        self._before, self._owed = self._potentials(self.unwrapped.position), dict.fromkeys(self.possible_agents, 0.0)

    def step(self, action: Any) -> None:
        """A move pays its agent at once; the others lose what they were paid for positions that the end takes away."""
        env, mover = self.unwrapped, self.agent_selection
        if env.terminations[mover] or env.truncations[mover]:
            self.env.step(action)
            return
        self.env.step(action)
        paid = dict(env.rewards) if env.position.over else dict.fromkeys(env.agents, 0.0)
        after = dict.fromkeys(env.agents, 0.0) if env.terminations[mover] else self._potentials(env.position)
        self._owed[mover] = 0.0
        for agent, before in self._before.items():
            known = before if agent == mover else self._gamma * before
            added = self._weight * (self._gamma * after[agent] - known)
            self._owed[agent] += added
            env.rewards[agent] = paid[agent] + added
            env._cumulative_rewards[agent] = paid[agent] + self._owed[agent]
        self._before = after
