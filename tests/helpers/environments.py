"""What the tests of the PettingZoo environments share: ways to make them, and all that one must tell of a position.

The rewards are worked out here in plain Python, from a Position.
"""

import copy
import random
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest

import amoba_env
from amoba_env import (
    Position,
    amoba_v0,
    chinese_checkers_v0,
    games,
    gomoku_v0,
    halma_v0,
    omok_v0,
    renju_v0,
    square_halma_v0,
    tictactoe_v0,
)
from amoba_env.aec import BoardGameEnv
from amoba_env.core.endings import NAMES as ENDINGS
from amoba_env.games import Game


class Variant(NamedTuple):
    """A way to make an environment."""

    module: ModuleType
    options: dict[str, Any]

    @property
    def name(self) -> str:
        return self.module.__name__.rpartition(".")[2]

    @property
    def game(self) -> Game:
        return games.make(self.name.removesuffix("_v0"), **self.options)

    def env(self, **more: Any) -> BoardGameEnv:
        return self.module.env(**self.options, **more)

    def raw_env(self, **more: Any) -> BoardGameEnv:
        return self.module.raw_env(**self.options, **more)

    def __str__(self) -> str:
        return f"{self.name}({','.join(f'{key}={value}' for key, value in self.options.items())})"


VARIANTS = [
    Variant(tictactoe_v0, {}),
    Variant(gomoku_v0, {}),
    Variant(gomoku_v0, {"size": 5}),
    Variant(gomoku_v0, {"size": 6, "rule": "exact"}),
    Variant(gomoku_v0, {"size": 15}),
    Variant(gomoku_v0, {"size": 6, "rule": "caro"}),
    Variant(halma_v0, {}),
    Variant(halma_v0, {"players": 2}),
    Variant(halma_v0, {"max_plies": 30}),
    Variant(halma_v0, {"max_plies": 10, "adjudicate": True}),
    Variant(gomoku_v0, {"size": 7, "opening": "swap"}),
    Variant(gomoku_v0, {"size": 7, "opening": "swap2"}),
    Variant(renju_v0, {"size": 9}),
    Variant(renju_v0, {"size": 9, "opening": "rif26"}),
    Variant(renju_v0, {"size": 9, "opening": "soosyrv8", "forbidden": "lose"}),
    Variant(renju_v0, {"size": 9, "opening": "taraguchi10"}),
    Variant(renju_v0, {"size": 9, "opening": "yamaguchi"}),
    Variant(omok_v0, {"size": 9, "forbidden": "lose"}),
    Variant(chinese_checkers_v0, {"max_plies": 9, "adjudicate": True}),
    Variant(chinese_checkers_v0, {"players": 3, "men": 15, "max_plies": 7}),
    Variant(chinese_checkers_v0, {"players": 6, "anti_spoiling": True, "max_plies": 13}),
    Variant(square_halma_v0, {"max_plies": 9, "adjudicate": True}),
    Variant(square_halma_v0, {"size": 16, "players": 2, "directions": 4, "max_plies": 8}),
    Variant(amoba_v0, {}),
    Variant(amoba_v0, {"board": "hexagon", "patterns": "5 exact,xxx/.x."}),
    Variant(
        amoba_v0,
        {"board": "...#/..../.#../....", "patterns": "4,x.x/.x.", "players": 3},
    ),
    Variant(
        amoba_v0,
        {"board": "#...#/...../..#../...../#...#", "patterns": "xxx,x...x", "orientations": "rotations", "players": 4},
    ),
]
VARIANTS += [  # games that are not above
    Variant(getattr(amoba_env, name), {})
    for name in amoba_env.ENVIRONMENTS
    if name not in {each.name for each in VARIANTS}
]
every_variant = pytest.mark.parametrize("variant", VARIANTS, ids=str)
one_of_each = pytest.mark.parametrize("variant", [VARIANTS[i] for i in (0, 2, 8, 14)], ids=str)


# --- What each agent sees ---------------------------------------------------------------------------------------


def check_observations(env: BoardGameEnv, position: Position) -> None:
    """What each agent sees, also those that are not to move, done, or gone."""
    for seat, agent in enumerate(env.possible_agents):
        seen = env.observe(agent)
        assert list(seen) == ["observation", "action_mask"]
        assert [array.dtype for array in seen.values()] == [np.int8, np.int8]
        assert np.array_equal(seen["observation"], position.observation(seat))
        assert np.array_equal(seen["action_mask"], position.action_mask(seat, relative=True))
        assert seen["action_mask"].any() == (seat == position.to_move and not position.over)
        assert env.observation_space(agent).contains(seen)


# --- What all are told ------------------------------------------------------------------------------------------


def expected_rewards(position: Position) -> dict[str, float]:
    winner, players = position.outcome.winner if position.outcome else None, position.game.players
    lose = -1 / (players - 1) if winner is not None else 0.0
    return {f"player_{seat}": 1.0 if seat == winner else lose for seat in range(players)}


def expected_infos(env: BoardGameEnv, position: Position) -> dict[str, dict[str, int]]:
    """Numbers only. The opening is what it was."""
    ended = position.outcome
    winner = -1 if ended is None or ended.winner is None else ended.winner
    ending = ENDINGS.index(ended.ending if ended else "")
    opening = env.infos["player_0"]["opening"]
    facts = {"plies": position.ply if ended else 0, "opening": opening, "winner": winner, "ending": ending}
    return {agent: {"seat": seat, **facts} for seat, agent in enumerate(env.possible_agents)}


def check(env: BoardGameEnv, position: Position) -> None:
    """All that an environment tells its clients of this position, before the first agent is done."""
    assert env.position == position
    assert env.outcome == position.outcome
    check_observations(env, position)
    assert env.agents == env.possible_agents == list(expected_rewards(position))
    assert env.rewards == env._cumulative_rewards == expected_rewards(position)
    assert sum(env.rewards.values()) == pytest.approx(0)
    truncated = position.outcome is not None and position.outcome.truncated
    assert env.truncations == dict.fromkeys(env.agents, truncated)
    assert env.terminations == dict.fromkeys(env.agents, position.over and not truncated)
    assert env.infos == expected_infos(env, position)
    assert {type(reward) for reward in env.rewards.values()} == {float}
    assert {type(flag) for flags in (env.terminations, env.truncations) for flag in flags.values()} == {bool}
    if not position.over:
        assert env.agent_selection == env.possible_agents[position.to_move]
    check_last(env)


def check_last(env: BoardGameEnv) -> None:
    agent = env.agent_selection
    observation, *rest = env.last()
    assert all(np.array_equal(observation[key], value) for key, value in env.observe(agent).items())
    assert rest == [env._cumulative_rewards[agent], env.terminations[agent], env.truncations[agent], env.infos[agent]]
    assert env.last(observe=False)[0] is None


def check_dead_steps(env: BoardGameEnv, rewards: dict[str, float]) -> None:
    """Every agent is told the end once, and leaves."""
    position, left = env.position, list(env.possible_agents)
    for agent in env.agent_iter():
        for told in (env.agents, env.rewards, env.terminations, env.truncations, env.infos):
            assert list(told) == left
        assert env.last()[1] == rewards[agent]
        check_last(env)
        env.step(None)
        left.remove(agent)
        check_observations(env, position)
    assert left == env.agents == []


def snapshot(env: BoardGameEnv) -> object:
    """All that a client can see, as a value."""
    seen = [{key: array.tolist() for key, array in env.observe(agent).items()} for agent in env.possible_agents]
    told = (env.agents, env.agent_selection, env.rewards, env.terminations, env.truncations, env.infos)
    return copy.deepcopy((env.position, told, env._cumulative_rewards, seen))


# --- Playing ----------------------------------------------------------------------------------------------------


def after(env: BoardGameEnv, *moves: str) -> BoardGameEnv:
    """The environment after these moves from the start."""
    env.reset()
    for move in moves:
        env.step(env.encode(env.agent_selection, move))
    return env


def first_legal(env: BoardGameEnv) -> int:
    """The first action that the mask allows."""
    return int(env.observe(env.agent_selection)["action_mask"].argmax())


def first_illegal(env: BoardGameEnv) -> int:
    """The first action that the mask does not allow."""
    return int(env.observe(env.agent_selection)["action_mask"].argmin())


def choose(position: Position, dice: random.Random) -> int:
    """Any move; in halma mostly one that leaves the least distance, or games would not end."""
    legal = position.legal_actions().tolist()
    if position.game.moves_men and dice.random() < 0.9:
        left = {action: position.play(action).distance(position.to_move) for action in legal}
        legal = [action for action in legal if left[action] == min(left.values())]
    return dice.choice(legal)


def play_on(env: BoardGameEnv, seed: int, steps: int = 10_000) -> list[object]:
    """Play random moves to the end, dead steps too, or at most this many; return all that could be seen."""
    dice, story = random.Random(seed), [snapshot(env)]
    for _ in env.agent_iter(steps):
        observation, _, terminated, truncated, _ = env.last()
        legal = np.flatnonzero(observation["action_mask"]).tolist()
        env.step(None if terminated or truncated else dice.choice(legal))
        story.append(snapshot(env))
    return story


def opening(env: BoardGameEnv, seed: int | None = None, **options: Any) -> Position:
    """The position after reset() with these options."""
    env.reset(seed, options)
    assert not env.position.over
    return env.position


def same(ours: Any, theirs: Any) -> None:
    """Equal, whatever it is made of."""
    if isinstance(theirs, (dict, tuple, list)):
        assert len(ours) == len(theirs)
        for key in theirs if isinstance(theirs, dict) else range(len(theirs)):
            same(ours[key], theirs[key])
    elif isinstance(theirs, np.ndarray) and theirs.dtype == object:
        same(list(ours), list(theirs))
    elif isinstance(theirs, np.ndarray):
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
        assert np.array_equal(ours, theirs)
    else:
        assert ours == theirs


def drawn(masks: np.ndarray, dice: np.random.Generator) -> np.ndarray:
    """Mostly legal actions; 0 where none is."""
    legal = [np.flatnonzero(mask) for mask in masks]
    return np.array([dice.choice(own) if own.size and dice.random() < 0.97 else 0 for own in legal])
