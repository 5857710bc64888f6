"""The PettingZoo environments: illegal actions, calls in a wrong order, and the options of reset()."""

import random
import re
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from environments import (
    Variant,
    after,
    check,
    check_dead_steps,
    choose,
    every_variant,
    first_illegal,
    first_legal,
    one_of_each,
    opening,
    snapshot,
)
from errors import bad_value
from pettingzoo.utils.wrappers import TerminateIllegalWrapper

from amoba_env import Position, games, gomoku_v0, halma_v0, tictactoe_v0
from amoba_env.aec import BoardGameEnv, OnIllegal

# --- Actions ----------------------------------------------------------------------------------------------------

ILLEGAL = [
    # The moves before, the action (or the move that it stands for), and why it is not legal.
    (tictactoe_v0, "b2", "b2", "illegal move b2: the cell is taken"),
    (gomoku_v0, "h8 j1", "j1", "illegal move j1: the cell is taken"),
    (halma_v0, "", "g1-g9", "illegal move g1-g9: the man on g1 cannot move"),
    (halma_v0, "", "f2-f8", "illegal move f2-f8: the man on f2 can go to d4, h4"),
    (halma_v0, "", "f2-f2", "illegal move f2-f2: the man on f2 can go to d4, h4"),
    (halma_v0, "f2-d4", "d4-f4", "illegal move d4-f4: white has no man on d4"),
    (halma_v0, "f2-d4", "g5-e5", "illegal move g5-e5: white has no man on g5"),
    (halma_v0, "f2-d4 k5-i5", "c5-a3", "illegal move c5-a3: the man on c5 can go to e5, b4"),
]
illegal_actions = pytest.mark.parametrize(
    ("module", "moves", "action", "reason"),
    ILLEGAL,
    ids=[f"{module.__name__.rpartition('.')[2]}-{moves}-{action}" for module, moves, action, _ in ILLEGAL],
)


def number_of(env: BoardGameEnv, action: int | str) -> int:
    return env.encode(env.agent_selection, action) if isinstance(action, str) else action


@illegal_actions
def test_an_illegal_action_raises(module: ModuleType, moves: str, action: int | str, reason: str) -> None:
    env = after(module.raw_env(), *moves.split())
    before, agent, number = snapshot(env), env.agent_selection, number_of(env, action)
    with pytest.raises(ValueError, match=re.escape(f"{agent}, action {number}: {reason}") + "$"):
        env.step(number)
    assert snapshot(env) == before


@pytest.mark.parametrize("on_illegal", ["lose", "zero_sum"])
@illegal_actions
def test_an_illegal_action_loses(
    module: ModuleType, moves: str, action: int | str, reason: str, on_illegal: OnIllegal
) -> None:
    env = after(module.env() if on_illegal == "lose" else module.raw_env(on_illegal=on_illegal), *moves.split())
    before, agent = env.position, env.agent_selection
    env.step(number_of(env, action))
    assert env.outcome is not None
    assert (env.outcome.ending, env.outcome.truncated) == ("illegal", False)
    assert env.position.text == before.text
    share = 1 / (len(env.possible_agents) - 1) if on_illegal == "zero_sum" else 0.0
    rewards = {other: -1.0 if other == agent else share for other in env.possible_agents}
    assert env.rewards == rewards
    assert env.outcome.rewards == tuple(rewards.values())
    assert sum(env.rewards.values()) == (0 if on_illegal == "zero_sum" else -1)
    assert {type(reward) for reward in env.rewards.values()} == {float}
    assert env.terminations == dict.fromkeys(env.possible_agents, True)
    assert env.truncations == dict.fromkeys(env.possible_agents, False)
    check_dead_steps(env, rewards)


def rewards_without_a_mask(env: Any, games: int, seed: int) -> list[dict[str, float]]:
    """What each agent is told at the end of games in which every action is drawn from all."""
    env.action_space("player_0").seed(seed)
    told = []
    for _ in range(games):
        env.reset()
        told.append(dict.fromkeys(env.possible_agents, 0.0))
        for agent in env.agent_iter():
            _, reward, terminated, truncated, _ = env.last()
            told[-1][agent] += reward
            env.step(None if terminated or truncated else env.action_space(agent).sample())
    return told


@every_variant
def test_play_without_a_mask_never_raises(variant: Variant) -> None:
    told = rewards_without_a_mask(variant.env(), 20, 3)
    assert -1 in {round(sum(rewards.values()), 9) for rewards in told} <= {0, -1}
    for rewards in rewards_without_a_mask(variant.env(on_illegal="zero_sum"), 20, 3):
        assert sum(rewards.values()) == pytest.approx(0)


@every_variant
def test_the_rewards_are_those_of_pettingzoos_own_wrapper(variant: Variant) -> None:
    theirs = TerminateIllegalWrapper(variant.raw_env(), illegal_reward=-1)
    assert rewards_without_a_mask(variant.env(), 10, 4) == rewards_without_a_mask(theirs, 10, 4)


TOO_LARGE = 2**70  # to contains() an OverflowError before Gymnasium 1.4
OUTSIDE = [1.0, 0.5, "4", "b2", None, [4], np.array([4, 4]), np.array([4.0]), np.float32(4), -1, 9, TOO_LARGE]
OUTSIDE += [np.int64(-1)]


@pytest.mark.parametrize("action", OUTSIDE, ids=repr)
@pytest.mark.parametrize("maker", [tictactoe_v0.env, tictactoe_v0.raw_env])
def test_an_action_is_one_of_the_action_space(action: object, maker: Callable[[], BoardGameEnv]) -> None:
    """It is the caller's mistake, not the player's: an error even where illegal actions lose."""
    env = after(maker())
    before = snapshot(env)
    assert action is TOO_LARGE or not env.action_space("player_0").contains(action)
    with pytest.raises(ValueError, match="player_0: .*" + re.escape(repr(action))):
        env.step(action)
    assert snapshot(env) == before


@pytest.mark.parametrize("kind", [int, np.int16, np.uint16, np.int32, np.int64, np.uint64, np.array])
@one_of_each
def test_any_kind_of_integer(variant: Variant, kind: Callable[[int], Any]) -> None:
    env, other = after(variant.raw_env()), after(variant.raw_env())
    env.step(kind(first_legal(env)))
    other.step(first_legal(other))
    assert snapshot(env) == snapshot(other)


# --- The order of calls -----------------------------------------------------------------------------------------

NEEDS_A_GAME: dict[str, Callable[[BoardGameEnv], object]] = {
    "step": lambda env: env.step(0),
    "last": lambda env: env.last(),
    "agent_iter": lambda env: env.agent_iter(),
    "observe": lambda env: env.observe("player_0"),
    "render": lambda env: env.render(),
    "position": lambda env: env.position,
    "outcome": lambda env: env.outcome,
}


@pytest.mark.parametrize("call", NEEDS_A_GAME.values(), ids=NEEDS_A_GAME)
@one_of_each
def test_before_reset(variant: Variant, call: Callable[[BoardGameEnv], object]) -> None:
    with pytest.raises(RuntimeError, match="no game has begun"):
        call(variant.env(render_mode="ansi"))


@pytest.mark.plain
@one_of_each
def test_after_the_end(variant: Variant) -> None:
    env = after(variant.env())
    env.step(first_legal(env))
    env.step(first_illegal(env))
    with pytest.raises(ValueError, match="the only valid action is None"):
        env.step(0)
    for _ in env.agent_iter():
        env.step(None)
    for call in (lambda: env.step(None), lambda: env.step(0), lambda: env.last()):
        with pytest.raises(RuntimeError, match="the game is over"):
            call()
    assert list(env.agent_iter()) == []
    env.reset()
    check(env, Position.start(variant.game))


# --- Options of reset -------------------------------------------------------------------------------------------


def test_unknown_options_are_ignored() -> None:
    env = after(tictactoe_v0.env())
    env.reset(seed=1, options={"options": 1, "colour": "red"})
    check(env, Position.start(env.game))


@one_of_each
def test_first(variant: Variant) -> None:
    env = variant.env()
    for seat, agent in enumerate(env.possible_agents):
        env.reset(options={"first": seat})
        assert env.agent_selection == agent
        check(env, Position.start(variant.game, first=seat))


@every_variant
def test_position(variant: Variant) -> None:
    env, dice = variant.env(), random.Random(1)
    given = Position.start(variant.game, first=1)
    for _ in range(5):
        given = given.play(choose(given, dice))
        text = given.text
        for position in (given, text):
            env.reset(options={"position": position})
            check(env, given)
            env.step(first_legal(env))
            assert given.text == text


@every_variant
def test_random_plies(variant: Variant) -> None:
    env, other = variant.env(), variant.env()
    openings = [opening(env, seed, random_plies=3) for seed in range(10)]
    assert [opening(other, seed, random_plies=3) for seed in range(10)] == openings
    assert {position.ply for position in openings} == {3}
    assert len(set(openings)) > 5
    check(env, openings[-1])
    following = [opening(env, random_plies=3) for _ in range(10)]  # without a seed the stream goes on
    assert [opening(other, random_plies=3) for _ in range(10)] == following
    assert len(set(following)) > 5
    assert opening(env, 1, random_plies=0) == Position.start(variant.game)


@one_of_each
def test_random_plies_from_a_position(variant: Variant) -> None:
    env, given = variant.env(), Position.start(variant.game, first=1)
    children = {given.play(action) for action in given.legal_actions().tolist()}
    assert {opening(env, seed, random_plies=1, first=1) for seed in range(300)} == children
    assert {opening(env, seed, random_plies=1, position=given) for seed in range(300)} == children


def test_unseeded_environments_differ() -> None:
    assert len({opening(gomoku_v0.env(), random_plies=4) for _ in range(3)}) > 1


def test_no_global_generator_is_used() -> None:
    before = np.random.get_state()[1].tolist(), random.getstate()  # noqa: NPY002
    opening(gomoku_v0.env(), 1, random_plies=5)
    assert (np.random.get_state()[1].tolist(), random.getstate()) == before  # noqa: NPY002


@pytest.mark.plain
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"first": 2, "position": None}, "expected a seat of tictactoe, 0..1, got 2"),
        ({"first": -1}, "expected a seat of tictactoe, 0..1, got -1"),
        ({"position": 3}, "options['position']: expected a text or a Position of tictactoe"),
        ({"position": Position.start(games.make("gomoku"))}, "a Position of tictactoe"),
        ({"position": "3/3"}, "board '3/3' has 2 rows, tictactoe has 3"),
        ({"position": "xxx/oo1/3"}, "options['position']: expected a position with a move, got the end of a game"),
        ({"position": "3/3/3", "first": 1}, "give options['first'] or options['position'], not both"),
        ({"random_plies": -1}, "options['random_plies']: expected 0..32767, got -1"),
        ({"random_plies": 9}, "options['random_plies']: in 100 tries every game ended within 9 random moves"),
    ],
)
def test_bad_options(options: dict[str, Any], message: str) -> None:
    env = after(tictactoe_v0.env(), "b2")
    before = snapshot(env)
    with pytest.raises(ValueError, match=re.escape(message)):
        env.reset(options=options)
    assert snapshot(env) == before


def test_a_reset_that_fails_changes_nothing() -> None:
    env, other = (gomoku_v0.env() for _ in range(2))
    for each in (env, other):
        each.reset(seed=1, options={"random_plies": 3})
    with bad_value("options['random_plies']"):
        env.reset(seed=2, options={"random_plies": -1})
    assert env.position == other.position
    for each in (env, other):
        each.reset(options={"random_plies": 5})
    assert env.position == other.position


@pytest.mark.plain
def test_no_such_agent() -> None:
    env = tictactoe_v0.env()
    env.reset()
    with pytest.raises(ValueError, match="expected an agent, one of player_0, player_1, got 'nobody'"):
        env.observe("nobody")


def test_the_space_is_in_the_order_of_the_observation() -> None:
    env = tictactoe_v0.env()
    env.reset()
    assert list(env.observation_space("player_0")) == list(env.observe("player_0")) == ["observation", "action_mask"]
