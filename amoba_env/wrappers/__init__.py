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
from gymnasium.vector import VectorEnv
from pettingzoo import AECEnv

from amoba_env import checks
from amoba_env.wrappers.images import Symmetric, SymmetricAec, SymmetricVector
from amoba_env.wrappers.seen import MASK, Seen, SeenAec, SeenVector
from amoba_env.wrappers.shaping import Shaped, ShapedAec, ShapedVector

__all__ = ["channels_first", "flat", "floats", "shaped", "symmetric", "with_mask"]

E = TypeVar("E")  # AECEnv, gymnasium.Env or VectorEnv


def floats(env: E) -> E:
    """Observations as float32."""
    return _seeing(env, "floats")


def channels_first(env: E) -> E:
    """Observations (C, H, W), as convolutions of PyTorch take them. ValueError where they are not (H, W, C)."""
    return _seeing(env, "channels_first")


def flat(env: E) -> E:
    """Observations as vectors (H * W * C,). ValueError where they are not (H, W, C)."""
    return _seeing(env, "flat")


def with_mask(env: E) -> E:
    """Gymnasium's observations as PettingZoo's are: {"observation": planes, "action_mask": int8 (A,)}.

    Raises:
        ValueError: an environment of PettingZoo, whose observations have the mask; one of another package; one that has
            this wrapper already.
    """
    inner: Any = getattr(env, "unwrapped", env)
    if isinstance(env, AECEnv) or not hasattr(inner, "game"):
        raise ValueError(f"expected an environment of amoba for Gymnasium, got {checks.brief(env)}")
    return _seeing(env, MASK)


def symmetric(env: E) -> E:
    """Show each episode under a random symmetry of the game, turned or reflected; actions are mapped back.

    A policy trained this way cannot prefer a corner. Only symmetries that keep every seat in its place are drawn: most
    games with men have none. `position` is not turned; encode() and decode() convert between its moves and the actions
    that are seen. The seed of reset() determines the symmetry; without one it is random.

    Raises:
        ValueError: not an environment of this package, one that has this wrapper already, or one whose observations
            another wrapper has changed.
    """
    return _next_to(env, {AECEnv: SymmetricAec, VectorEnv: SymmetricVector, gymnasium.Env: Symmetric})


def shaped(env: E, weight: float = 1.0, gamma: float = 1.0) -> E:
    """Reward shaping in games where men move: adds weight * (gamma * potential(after) - potential(before)).

    The potential is that of amoba_env.progress.Progress. It is 0 after the end, but not where a game is truncated. If
    `gamma` is the learner's discount, optimal policies remain optimal.

    Raises:
        ValueError: a game in which stones are placed; a batch without opponents; an infinite `weight`; a `gamma` that
            is not in 0..1; see also `symmetric`.
    """
    kinds = {AECEnv: ShapedAec, VectorEnv: ShapedVector, gymnasium.Env: Shaped}
    return _next_to(env, kinds, checks.real("weight", weight), checks.real("gamma", gamma, 0, 1))


def _around(env: Any, kinds: Mapping[Any, Callable[..., Any]], *more: Any) -> Any:
    for kind, wrapper in kinds.items():
        if isinstance(env, kind):
            return wrapper(env, *more)
    raise ValueError(f"expected an environment of PettingZoo or Gymnasium, got {checks.brief(env)}")


def _next_to(env: Any, kinds: Mapping[Any, type[Any]], *more: Any) -> Any:
    """A wrapper that reads the game's own planes."""
    inner = getattr(env, "unwrapped", env)
    if not hasattr(inner, "game") or _seen_space(env) is not _seen_space(inner):
        raise ValueError(f"expected an environment of amoba with its own observations, got {checks.brief(env)}")
    _refuse_another(env, lambda layer: isinstance(layer, tuple(kinds.values())))
    return _around(env, kinds, *more)


def _seen_space(env: Any) -> Any:
    if isinstance(env, AECEnv):
        return env.observation_space(env.possible_agents[0])
    return env.single_observation_space if isinstance(env, VectorEnv) else env.observation_space


def _refuse_another(env: Any, same: Callable[[Any], bool]) -> None:
    """Raise ValueError if the environment, or one that it is wrapped around, is the same wrapper."""
    layer = env
    while layer is not None:
        if same(layer):
            raise ValueError(f"expected an environment without this wrapper, got {checks.brief(env)}")
        layer = getattr(layer, "env", None)


def _seeing(env: Any, kind: str) -> Any:
    _refuse_another(env, lambda layer: getattr(layer, "_kind", None) == kind)
    return _around(env, {AECEnv: SeenAec, VectorEnv: SeenVector, gymnasium.Env: Seen}, kind)
