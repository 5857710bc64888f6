"""What the wrappers share."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from numpy.typing import NDArray
from pettingzoo.utils import BaseWrapper

from amoba_env import checks
from amoba_env.games import Game


def game_of(env: Any) -> Game:
    """The game of a wrapped environment of this package."""
    game: Game = env.unwrapped.game
    return game


class AecWrapper(BaseWrapper):
    """A wrapper that is copied, saved and restored with its environment."""

    SAVED: tuple[str, ...] = ()  # attributes that change during a game

    def last(self, observe: bool = True) -> Any:
        """As in PettingZoo. RuntimeError before the first reset(), and when all agents are done."""
        _, *more = self.env.last(False)
        return (self.observe(self.agent_selection) if observe else None, *more)

    def agent_iter(self, max_iter: int = 2**63) -> Any:
        """The agents in the order of their turns. RuntimeError before the first reset()."""
        return self.env.agent_iter(max_iter)

    @property
    def state_space(self) -> Any:
        """The space of state()."""
        return self.observation_space(self.possible_agents[0])["observation"]

    def state(self) -> Any:
        """The board as player_0 sees it. RuntimeError before the first reset()."""
        return self.observe(self.possible_agents[0])["observation"]

    def clone(self) -> Self:
        """An independent copy, which continues exactly as this environment would."""
        return copy.deepcopy(self)

    def get_state(self) -> dict[str, Any]:
        """All that changes during a game, to restore with set_state(). It can be pickled."""
        own = {f"{type(self).__name__}.{name}": copy.deepcopy(getattr(self, name)) for name in self.SAVED}
        return self.env.get_state() | own

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restore what get_state() returned, of an environment with the same game, options and wrappers.

        Raises:
            ValueError: `state` is something else; the message says what.
        """
        own = [f"{type(self).__name__}.{name}" for name in self.SAVED]
        if not isinstance(state, Mapping) or not set(own) <= set(state):
            raise ValueError(f"expected what get_state() of the same wrappers returns, got {checks.brief(state)}")
        self.env.set_state(state)
        self.__dict__.update({name: copy.deepcopy(state[key]) for name, key in zip(self.SAVED, own, strict=True)})


class Begins:
    """Tracks in which rows of a batch a game begins."""

    def __init__(self, env: VectorEnv[Any, Any, Any]) -> None:
        self._mode = env.metadata["autoreset_mode"]
        self.resting = np.zeros(env.num_envs, np.bool_)  # rows whose next step only begins a game

    def reset(self, options: Mapping[str, Any] | None) -> NDArray[np.intp]:
        """The rows that a reset() with these options has begun."""
        mask = (options or {}).get("reset_mask")
        begun = np.ones_like(self.resting) if mask is None else mask
        self.resting = self.resting & ~begun
        return np.flatnonzero(begun)

    def step(self, over: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Where a step began a game, bool[N]; `over`, bool[N]: where this step ended one."""
        if self._mode == AutoresetMode.SAME_STEP:
            return over
        begun, self.resting = self.resting, over
        return begun
