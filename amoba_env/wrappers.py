"""Wrappers that learners need again and again, for PettingZoo, Gymnasium and its vector environments.

    from amoba_env import gomoku_v0, wrappers

    env = wrappers.flat(wrappers.floats(gomoku_v0.env()))            # observations float32 (H * W * C,)
    env = wrappers.with_mask(gymnasium.make("amoba/Gomoku-v0"))      # {"observation": ..., "action_mask": ...}
    env = wrappers.shaped(gymnasium.make("amoba/Halma-v0"), gamma=0.99)

Put `symmetric` and `shaped` next to the environment; they take no vector environments. `with_mask`, `floats`,
`channels_first` and `flat` follow, in this order; an action mask beside the planes stays as it is. Gymnasium's own
wrappers (frame stacks, statistics, videos) fit around all of these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import VectorEnv, VectorWrapper
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import BaseWrapper

from amoba_env import checks
from amoba_env.core import rules as ru
from amoba_env.position import Position
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
        ValueError: a vector environment.
    """
    return _around(env, _Symmetric, _SymmetricAec)


def shaped(env: E, weight: float = 1.0, gamma: float = 1.0) -> E:
    """Progress is rewarded in games where men move: adds weight * (gamma * potential(after) - potential(before)).

    The potential of a seat is minus the steps that its men have left, scaled: -1 at the start, 0 when all are home. It
    is 0 after the end, but not where a game is truncated. If `gamma` is the learner's discount, optimal policies remain
    optimal (Ng, Harada, Russell: "Policy invariance under reward transformations", ICML 1999).

    Raises:
        ValueError: a game in which stones are placed; a vector environment.
    """
    return _around(env, _Shaped, _ShapedAec, float(weight), float(gamma))


def potential(position: Position, seat: int) -> float:
    """The potential of `shaped`. ValueError for a game in which stones are placed, or an unknown seat."""
    game = position.game
    if not game.moves_men:
        raise ValueError(f"reward shaping: expected a game where men move, got {game.name}")
    steps, first, goal = (ru.table(game.rules, slot)[0] for slot in (ru.STEPS, ru.HOMES, ru.GOALS))
    least = int(steps[goal].sum())
    return (least - position.distance(seat)) / float(steps[first].sum() - least)


def _around(env: Any, single: Callable[..., Any], aec: Callable[..., Any], *more: float) -> Any:
    if isinstance(env, AECEnv):
        return aec(env, *more)
    if isinstance(env, gymnasium.Env):
        return single(env, *more)
    raise ValueError(f"expected a single environment of PettingZoo or Gymnasium, got {checks.brief(env)}")


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
    kinds: dict[Any, Any] = {AECEnv: _SeeingAec, VectorEnv: _SeeingVector, gymnasium.Env: _Seeing}
    for kind, wrapper in kinds.items():
        if isinstance(env, kind):
            return wrapper(env, see, space)
    raise ValueError(f"expected an environment of PettingZoo or Gymnasium, got {checks.brief(env)}")


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


class _Symmetry:
    """What is drawn for an episode; every array below is new."""

    def __init__(self, game: Any) -> None:
        self.all, self.number = seen_symmetries(game), 0

    def draw(self, rng: np.random.Generator) -> None:
        self.number = int(rng.integers(len(self.all.actions)))

    def planes(self, seen: NDArray[Any]) -> NDArray[Any]:
        return seen.reshape(-1, seen.shape[-1])[self.all.points[self.number]].reshape(seen.shape)

    def mask(self, mask: NDArray[Any]) -> NDArray[Any]:
        return mask[self.all.actions[self.number]]

    def action(self, action: Any) -> Any:
        """The action of the game for an action that was chosen from what is seen."""
        there = self.all.actions[self.number]
        return action if action is None else int(there[checks.action(action, len(there))])


class _Symmetric(gymnasium.Wrapper[Any, Any, Any, Any]):
    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        self._symmetry = _Symmetry(env.unwrapped.game)  # type: ignore[attr-defined]

    def reset(self, **given: Any) -> tuple[Any, dict[str, Any]]:
        seen, info = self.env.reset(**given)
        self._symmetry.draw(self.np_random)
        return self._symmetry.planes(seen), self._info(info)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        seen, reward, terminated, truncated, info = self.env.step(self._symmetry.action(action))
        return self._symmetry.planes(seen), reward, terminated, truncated, self._info(info)

    def action_masks(self) -> NDArray[np.bool_]:
        return self._symmetry.mask(self.env.get_wrapper_attr("action_masks")())

    def _info(self, info: dict[str, Any]) -> dict[str, Any]:
        return {**info, "action_mask": self._symmetry.mask(info["action_mask"])}


class _SymmetricAec(BaseWrapper):
    def __init__(self, env: AECEnv) -> None:
        super().__init__(env)
        self._symmetry, self._rng = _Symmetry(env.unwrapped.game), np.random.default_rng()

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
        potential(Position.start(env.unwrapped.game), 0)  # type: ignore[attr-defined]

    def _potential(self) -> float:
        env: Any = self.env.unwrapped
        return potential(env.position, env.seat)

    def reset(self, **given: Any) -> tuple[Any, dict[str, Any]]:
        result = self.env.reset(**given)
        self._before = self._potential()
        return result

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        seen, reward, terminated, truncated, info = self.env.step(action)
        after = 0.0 if terminated else self._potential()
        reward = float(reward) + self._weight * (self._gamma * after - self._before)
        self._before = after
        return seen, reward, terminated, truncated, info


class _ShapedAec(BaseWrapper):
    def __init__(self, env: AECEnv, weight: float, gamma: float) -> None:
        super().__init__(env)
        self._weight, self._gamma = weight, gamma
        self._potentials(Position.start(env.unwrapped.game))

    def _potentials(self, position: Position) -> dict[str, float]:
        return {agent: potential(position, seat) for seat, agent in enumerate(self.possible_agents)}

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
