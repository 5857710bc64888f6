"""The PettingZoo environments: the core's games, seen through the AEC interface as libraries expect it."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from environments import (
    Variant,
    after,
    check,
    every_variant,
    one_of_each,
)
from gymnasium.spaces import Box
from pettingzoo.utils import wrappers

from amoba_env import games, halma_v0
from amoba_env.aec import BoardGameEnv

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # PettingZoo's checks import its games by their old names
    from pettingzoo.test import api_test, seed_test
    from pettingzoo.test.render_test import render_test

either_maker = pytest.mark.parametrize("maker", ["env", "raw_env"])

# PettingZoo's checks warn about dictionaries, which its own board games have too (they are on a list of exceptions).
dictionaries_allowed = pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array:UserWarning",
    "ignore:Observation space for each agent probably should be gymnasium.spaces.box:UserWarning",
)


# --- PettingZoo's own checks ------------------------------------------------------------------------------------


@every_variant
@either_maker
@dictionaries_allowed
def test_api(variant: Variant, maker: str) -> None:
    api_test(getattr(variant, maker)())


@every_variant
@either_maker
def test_seed(variant: Variant, maker: str) -> None:
    seed_test(getattr(variant, maker))


@one_of_each
def test_rendering(variant: Variant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("amoba_env.rendering.FPS", 10_000)  # the window does not wait between moves
    render_test(variant.env, custom_tests={"ansi": lambda picture: picture.count("\n") > variant.game.board.height})


@pytest.mark.parametrize(
    "wrap",
    [
        wrappers.BaseWrapper,
        wrappers.OrderEnforcingWrapper,
        wrappers.AssertOutOfBoundsWrapper,
        lambda env: wrappers.TerminateIllegalWrapper(env, illegal_reward=-1),
    ],
    ids=["base", "order", "bounds", "illegal"],
)
@one_of_each
@dictionaries_allowed
def test_the_standard_wrappers_go_around_it(variant: Variant, wrap: Callable[[BoardGameEnv], Any]) -> None:
    api_test(wrap(variant.raw_env()))


# --- Positions -----------------------------------------------------------------------------------------------

# Red has two moves to spare; white can neither step nor jump, as long as red and green stand as they do.
WHITE_IS_SHUT_IN = "1/2/3rrww/3rrw/3gg/3ggw/3ggww/1r/r r 7 -"


def test_an_agent_that_cannot_move_is_skipped() -> None:
    env = halma_v0.raw_env()
    env.reset(options={"position": WHITE_IS_SHUT_IN})
    position = env.position
    for move, agent in [("g1-f2", "player_2"), ("g3-e3", "player_0"), ("f2-g1", "player_1")]:
        env.step(env.encode(env.agent_selection, move))
        position = position.play(move)
        check(env, position)
        assert env.agent_selection == agent


@pytest.mark.plain
def test_the_limit_of_plies_counts_those_before_the_position() -> None:
    env = halma_v0.env(max_plies=9)
    env.reset(options={"position": WHITE_IS_SHUT_IN})
    for move in ("g1-f2", "g3-e3"):
        assert env.outcome is None
        env.step(env.encode(env.agent_selection, move))
    assert env.outcome is not None
    assert env.outcome.truncated


# --- Spaces and arrays ------------------------------------------------------------------------------------------


@every_variant
def test_spaces(variant: Variant) -> None:
    env, other, game = variant.env(), variant.env(), variant.game
    for space in (BoardGameEnv.observation_space, BoardGameEnv.action_space):
        first = space(env, "player_0")
        assert space(other, "player_0") == first
        assert space(other, "player_0") is not first
        assert space(env.clone(), "player_0") is not first
        for agent in env.possible_agents:
            assert space(env, agent) is space(env, agent)
            assert space(env, agent) == first
    parts = env.observation_space("player_0").spaces
    assert set(parts) == {"observation", "action_mask"}
    most = 10 if game.options.get("opening") in ("taraguchi10", "yamaguchi") else 8
    planes, high = (7, most) if game.choices else (4, 1) if game.name == "renju" else (game.players + 1, 1)
    assert parts["observation"] == Box(0, high, (game.board.height, game.board.width, planes), np.int8)
    assert parts["observation"].shape[2] == min(parts["observation"].shape)  # by which clients tell the channels
    assert parts["action_mask"] == Box(0, 1, (game.n_actions,), np.int8)
    assert env.action_space("player_0").n == game.n_actions


@pytest.mark.plain
def test_a_clone_has_the_class_of_its_environment() -> None:
    class Own(BoardGameEnv):
        """With an attribute of its own."""

        more = 1

    env = Own("own_v0", games.make("tictactoe"))
    env.more = 2
    env.reset(seed=0)
    twin = env.clone()
    assert (type(twin), vars(twin)["more"]) == (Own, 2)
    twin.step(4)
    assert (env.position.ply, twin.position.ply) == (0, 1)


@pytest.mark.plain
@one_of_each
def test_spaces_of_all_agents_and_the_state(variant: Variant) -> None:
    env = variant.env()
    assert env.observation_spaces == {agent: env.observation_space(agent) for agent in env.possible_agents}
    assert env.action_spaces == {agent: env.action_space(agent) for agent in env.possible_agents}
    with pytest.raises(RuntimeError, match="no game has begun"):
        env.state()
    env.reset(seed=1)
    while env.agents:
        assert env.state_space.contains(env.state())
        assert np.array_equal(env.state(), env.observe("player_0")["observation"])
        over = env.terminations[env.agent_selection] or env.truncations[env.agent_selection]
        env.step(None if over else int(env.last()[0]["action_mask"].argmax()))


@pytest.mark.plain
@one_of_each
def test_the_action_space_samples_by_the_mask(variant: Variant) -> None:
    env = after(variant.env())
    mask = env.observe("player_0")["action_mask"]
    env.action_space("player_0").seed(1)
    assert all(mask[env.action_space("player_0").sample(mask)] for _ in range(20))


@one_of_each
def test_arrays_belong_to_the_client(variant: Variant) -> None:
    env = after(variant.env())
    position = env.position
    for seen in (env.observe("player_0"), env.observe("player_0"), env.last()[0]):
        for array in seen.values():
            assert array.flags.writeable
            assert array.flags.c_contiguous
            array += 5
        check(env, position)
    env.position.state[:] = 0
    check(env, position)
    env.infos["player_0"]["note"] = 1.0
    assert "note" not in env.infos["player_1"]
    env.reset()
    check(env, position)


@one_of_each
def test_what_exists_before_reset(variant: Variant) -> None:
    env = variant.env()
    assert env.possible_agents == [f"player_{seat}" for seat in range(variant.game.players)]
    assert env.max_num_agents == variant.game.players
    assert env.agents == []
    assert env.metadata["name"] == str(env) == str(env.unwrapped) == variant.name
    assert env.metadata["render_modes"] == ["ansi", "svg", "rgb_array", "human"]
    assert env.metadata["is_parallelizable"] is False
    assert env.metadata["render_fps"] > 0
    assert not hasattr(variant.module, "parallel_env")
    assert (variant.env().on_illegal, variant.raw_env().on_illegal) == ("lose", "raise")
    assert env.render_mode is None
    assert env.close() is None
