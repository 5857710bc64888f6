"""Environments with wrappers: copies, what they save, and what critics see."""

from __future__ import annotations

import copy
import json
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from environments import same
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from amoba_env import gomoku_v0, halma_v0
from amoba_env.wrappers import channels_first, flat, floats, shaped, symmetric, with_mask

COPIES: dict[str, Callable[[Any], Any]] = {
    "clone": lambda env: env.clone(),
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    "state": lambda env: told(wrapped_halma(), env.get_state()),
}


def wrapped_halma() -> Any:
    return floats(shaped(symmetric(halma_v0.env()), 2.0, 0.9))


def told(env: Any, state: Any) -> Any:
    env.reset(seed=8)
    env.set_state(state)
    return env


@pytest.mark.plain
@pytest.mark.parametrize("copied", COPIES)
def test_a_copy_goes_on_as_the_environment_does(copied: str) -> None:
    """With its wrappers: what it sees, what it is paid, and the images of the next episodes."""
    env = wrapped_halma()
    env.reset(seed=1)
    for _ in range(4):
        env.step(int(env.last()[0]["action_mask"].argmax()))
    twin = COPIES[copied](env)
    assert [type(twin), type(twin.env), type(twin.env.env)] == [type(env), type(env.env), type(env.env.env)]
    for turn in range(12):
        if turn == 8:
            env.reset()
            twin.reset()
        one, other = env.last(), twin.last()
        same(one, other)
        assert env.rewards == twin.rewards
        action = int(one[0]["action_mask"].argmax())
        env.step(action)
        if turn in (3, 10):  # they do not share anything
            assert env.unwrapped.position != twin.unwrapped.position
        twin.step(action)


def test_a_state_before_the_first_game() -> None:
    env = wrapped_halma()
    assert told(env, env.get_state()).agents == []


@pytest.mark.plain
def test_the_board_for_critics_is_seen_as_the_agents_see_it() -> None:
    env = flat(floats(symmetric(gomoku_v0.env(size=7))))
    for seed in range(8):
        env.reset(seed=seed)
        env.step(env.last()[0]["action_mask"].argmax())
        assert np.array_equal(env.state(), env.observe("player_0")["observation"])
        assert env.state_space.contains(env.state())


@pytest.mark.plain
def test_environments_are_made_again_from_their_specification() -> None:
    env = with_mask(shaped(symmetric(gymnasium.make("amoba/Halma-v0", opponent="random")), 2.0, 0.9))
    twin = gymnasium.make(env.spec)
    same(env.reset(seed=4), twin.reset(seed=4))
    action = int(env.reset(seed=4)[1]["action_mask"].argmax())
    twin.reset(seed=4)
    same(env.step(action), twin.step(action))


@pytest.mark.parametrize("wrap", [floats, channels_first, flat, with_mask, symmetric, shaped])
def test_gymnasiums_checker_takes_wrapped_environments(wrap: Callable[[Any], Any]) -> None:
    """It asks for a parameter `seed` of reset()."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*render_mode.*|.*spec.*|.*unwrapped version.*")
        env = wrap(gymnasium.make("amoba/Halma-v0", disable_env_checker=True))
        check_env(env, skip_render_check=True)
    wrapper = json.loads(env.spec.to_json())["additional_wrappers"][-1]
    assert wrapper["name"] == type(env).__name__


def test_the_specification_of_a_batch_is_json() -> None:
    envs = gymnasium.make_vec("amoba/Gomoku-v0", 3, autoreset_mode=AutoresetMode.SAME_STEP)
    assert envs.spec is not None
    assert json.loads(envs.spec.to_json())["kwargs"]["autoreset_mode"] == "SameStep"


@pytest.mark.plain
@pytest.mark.parametrize("make", [gymnasium.make, gymnasium.make_vec])
def test_environments_of_gymnasium_are_pickled_with_their_wrappers(make: Callable[[str], Any]) -> None:
    env = flat(channels_first(floats(with_mask(make("amoba/Gomoku-v0")))))
    twin = pickle.loads(pickle.dumps(env))
    same(env.reset(seed=4), twin.reset(seed=4))
