"""The same games through every door: core, PettingZoo, Gymnasium for one seat and for many, Stable-Baselines3.

A script chooses every move from the position and a number of the game, so whoever asks it gets the same game. Every
observation, mask, reward and ending is compared with what the core says.
"""

from __future__ import annotations

from typing import Any, NamedTuple, get_args

import gymnasium
import numpy as np
import pytest
from environments import VARIANTS, Variant, check_dead_steps
from numpy.typing import NDArray
from scripts import Script, choose

from amoba_env.batch import Batch, Loses
from amoba_env.core import endings as en
from amoba_env.core import play
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.rng import streams
from amoba_env.games import Game
from amoba_env.sb3 import SelfPlayVecEnv

SEED = 1000
GAMES = 16  # of each variant and seat


class Turn(NamedTuple):
    """What a seat sees at its turn, and what it does, as it numbers actions."""

    seat: int
    planes: bytes
    mask: bytes
    action: int


class Story(NamedTuple):
    """A game: its turns, its end as each seat sees it, rewards, ending."""

    turns: list[Turn]
    last: list[bytes]
    rewards: list[float]
    truncated: bool
    facts: dict[str, Any]  # what infos say, without the seat

    @property
    def ending(self) -> str:
        return str(self.facts["ending"])

    def of(self, seat: int) -> list[Turn]:
        return [turn for turn in self.turns if turn.seat == seat]


def keys() -> list[int]:
    return [int(streams(SEED + i, 0, 1)[0]) for i in range(GAMES)]


def seen(game: Game, state: NDArray[np.int16], seat: int) -> tuple[bytes, bytes]:
    height, width, channels = game.observation_shape
    planes, mask = np.empty((channels, height, width), np.int8), np.empty(game.n_actions, np.int8)
    play.observe(game.rules, state, seat, planes, mask)
    return planes.transpose(1, 2, 0).tobytes(), mask.tobytes()


def story_of(game: Game, key: int, careless: bool, on_illegal: Loses) -> Story:
    """The game as the core plays it."""
    state, turns = game.start(), []
    while state[st.STATUS] == st.RUNNING:
        seat = int(state[st.TO_MOVE])
        action = choose(game, state, key, careless)
        turns.append(Turn(seat, *seen(game, state, seat), play.renumber(game.rules, seat, action, ru.VIEW)))
        if not play.step(game.rules, state, action):
            assert careless
            play.forfeit(game.rules, state, en.ILLEGAL)
    rewards = np.zeros(game.players)
    play.rewards(game.rules, state, on_illegal == "zero_sum", rewards)
    pays = state[st.ENDING] == en.ILLEGAL and on_illegal == "lose"
    assert abs(rewards.sum() + pays) < 1e-12
    last = [seen(game, state, seat)[0] for seat in range(game.players)]
    winner, ending = max(int(state[st.STATUS]), -1), en.NAMES[state[st.ENDING]]
    facts = {"winner": winner, "ending": ending, "opening": 0, "plies": int(state[st.PLY])}
    return Story(turns, last, rewards.tolist(), bool(state[st.ENDING] == en.MAX_PLIES), facts)


class Played(NamedTuple):
    """Games of a variant, by players who are careless or not, and what an illegal action does in it."""

    variant: Variant
    careless: bool
    on_illegal: Loses
    stories: list[Story]

    @property
    def options(self) -> dict[str, Any]:
        return {**self.variant.options, "on_illegal": self.on_illegal}


CASES: list[tuple[Variant, bool, Loses]] = [(variant, False, "lose") for variant in VARIANTS]
CASES += [(VARIANTS[i], True, each) for i in (0, 2, 5, 7, 13, 21) for each in get_args(Loses)]


@pytest.fixture(scope="module", params=CASES, ids=lambda case: f"{case[0]}{f'-{case[2]}' * case[1]}")
def played(request: pytest.FixtureRequest) -> Played:
    variant, careless, on_illegal = request.param
    return Played(*request.param, [story_of(variant.game, key, careless, on_illegal) for key in keys()])


def test_the_games_differ(played: Played) -> None:
    stories = played.stories
    assert len({tuple(turn.action for turn in story.turns) for story in stories}) >= GAMES * 3 // 4
    assert ("illegal" in {story.ending for story in stories}) == played.careless


def test_pettingzoo(played: Played) -> None:
    variant, stories = played.variant, played.stories
    env = variant.env(on_illegal=played.on_illegal)
    for story in stories:
        env.reset()
        for turn in story.turns:
            observation, reward, terminated, truncated, _info = env.last()
            assert (env.agent_selection, reward, terminated, truncated) == (f"player_{turn.seat}", 0, False, False)
            assert observation["observation"].tobytes() == turn.planes
            assert observation["action_mask"].tobytes() == turn.mask
            if played.careless:
                env.step(turn.action)
                continue
            move = env.decode(env.agent_selection, turn.action)
            assert env.encode(env.agent_selection, move) == turn.action
            env.step(turn.action)
            assert env.position.last_move == move
        ends = [env.observe(agent)["observation"].tobytes() for agent in env.possible_agents]
        assert ends == story.last
        assert list(env.rewards.values()) == story.rewards
        assert set(env.truncations.values()) == {story.truncated}
        assert set(env.terminations.values()) == {not story.truncated}
        assert env.outcome is not None
        assert env.outcome.ending == story.ending
        told = story.facts | {"ending": en.NAMES.index(story.ending)}
        assert env.infos == {agent: {"seat": seat, **told} for seat, agent in enumerate(env.possible_agents)}
        check_dead_steps(env, dict(zip(env.possible_agents, story.rewards, strict=True)))


def id_of(variant: Variant) -> str:
    return next(
        id
        for id, spec in gymnasium.registry.items()
        if id.startswith("amoba/") and spec.kwargs["game"] == variant.game.name
    )


def test_gymnasium_single(played: Played) -> None:
    variant, stories = played.variant, played.stories
    for seat in range(variant.game.players):
        env = gymnasium.make(id_of(variant), opponent=Script(played.careless), seat=seat, **played.options)
        for i, story in enumerate(stories):
            observation, info = env.reset(seed=SEED + i)
            reward, terminated, truncated = 0.0, False, False
            for turn in story.of(seat):
                assert (reward, terminated, truncated) == (0, False, False)
                assert observation.tobytes() == turn.planes
                assert info["action_mask"].tobytes() == turn.mask
                assert np.array_equal(env.get_wrapper_attr("action_masks")(), info["action_mask"])
                assert (info["seat"], info["winner"], info["ending"], info["opening"]) == (seat, -1, "", 0)
                observation, reward, terminated, truncated, info = env.step(turn.action)
            assert observation.tobytes() == story.last[seat]
            assert not info["action_mask"].any()
            assert (reward, terminated, truncated) == (story.rewards[seat], not story.truncated, story.truncated)
            assert env.get_wrapper_attr("outcome").ending == story.ending
            del info["action_mask"]
            assert info == {"seat": seat, **story.facts}


def turns_at(turns: list[list[Turn]], step: int) -> tuple[list[Turn], list[bool]]:
    """The turn of each game, and whether it is its last; games that have ended are played again."""
    return [own[step % len(own)] for own in turns], [step % len(own) == len(own) - 1 for own in turns]


def actions_of(turns: list[Turn]) -> NDArray[np.int64]:
    return np.array([turn.action for turn in turns])


def test_gymnasium_vector(played: Played) -> None:
    variant, stories = played.variant, played.stories
    for seat in range(variant.game.players):
        envs = gymnasium.make_vec(
            id_of(variant),
            GAMES,
            opponent=Script(played.careless),
            seat=seat,
            autoreset_mode="Disabled",
            **played.options,
        )
        turns = [story.of(seat) for story in stories]
        observations, info = envs.reset(seed=SEED)
        for step in range(max(map(len, turns))):
            now, is_last = turns_at(turns, step)
            for i, turn in enumerate(now):
                assert observations[i].tobytes() == turn.planes
                assert info["action_mask"][i].tobytes() == turn.mask
            observations, rewards, terminated, truncated, info = envs.step(actions_of(now))
            assert (terminated | truncated).tolist() == is_last
            for i, story in enumerate(stories):
                assert rewards[i] == (story.rewards[seat] if is_last[i] else 0)
                if is_last[i]:
                    assert (bool(truncated[i]), observations[i].tobytes()) == (story.truncated, story.last[seat])
                    assert {name: info[name][i] for name in story.facts} == story.facts
            if any(is_last):
                observations, info = envs.reset(options={"reset_mask": np.array(is_last)})


def test_gymnasium_vector_of_all_seats(played: Played) -> None:
    variant, stories = played.variant, played.stories
    envs = gymnasium.make_vec(id_of(variant), GAMES, opponent=None, autoreset_mode="SameStep", **played.options)
    observations, info = envs.reset(seed=SEED)
    for step in range(max(len(story.turns) for story in stories)):
        now, is_last = turns_at([story.turns for story in stories], step)
        for i, turn in enumerate(now):
            assert (info["to_move"][i], observations[i].tobytes()) == (turn.seat, turn.planes)
            assert info["action_mask"][i].tobytes() == turn.mask
        observations, rewards, terminated, truncated, info = envs.step(actions_of(now))
        assert (terminated | truncated).tolist() == is_last
        for i, story in enumerate(stories):
            assert rewards[i] == (story.rewards[now[i].seat] if is_last[i] else 0)
            assert info["rewards"][i].tolist() == (story.rewards if is_last[i] else [0] * variant.game.players)
            if is_last[i]:
                assert info["final_info"]["rewards"][i].tolist() == story.rewards
                assert {name: info["final_info"][name][i] for name in story.facts} == story.facts
                assert info["ending"][i] == ""
                assert truncated[i] == story.truncated
                seat = info["final_info"]["to_move"][i]
                assert info["final_obs"][i].tobytes() == story.last[seat]


def test_stable_baselines3(played: Played) -> None:
    variant, stories = played.variant, played.stories
    for seat in range(variant.game.players):
        env = SelfPlayVecEnv(variant.game.name, GAMES, Script(played.careless), seat, **played.options)
        env.seed(SEED)
        turns = [story.of(seat) for story in stories]
        observations = env.reset()
        for step in range(max(map(len, turns))):
            now, is_last = turns_at(turns, step)
            masks = env.env_method("action_masks")
            for i, turn in enumerate(now):
                assert observations[i].tobytes() == turn.planes
                assert masks[i].astype(np.int8).tobytes() == turn.mask
            observations, rewards, over, infos = env.step(actions_of(now))
            assert over.tolist() == is_last
            for i, story in enumerate(stories):
                if is_last[i]:
                    assert rewards[i] == np.float32(story.rewards[seat])
                    assert infos[i]["terminal_observation"].tobytes() == story.last[seat]
                    assert infos[i]["TimeLimit.truncated"] == story.truncated
                    assert infos[i]["episode"]["l"] == len(turns[i])
                    assert infos[i].items() >= {"seat": seat, **story.facts}.items()
                else:
                    assert (rewards[i], infos[i]) == (0, {})


def test_a_batch_ends_as_the_core_does(played: Played) -> None:
    """What the learner is not told: why a game ended, and the rewards of all seats."""
    variant, stories = played.variant, played.stories
    batch = Batch(variant.game, GAMES, Script(played.careless), seat=0, on_illegal=played.on_illegal)
    batch.seed(range(GAMES), range(SEED, SEED + GAMES))
    batch.begin(np.arange(GAMES))
    turns = [story.of(0) for story in stories]
    for step in range(max(map(len, turns))):
        batch.step(actions_of(turns_at(turns, step)[0]))  # those that are over stay as they are
    assert [en.NAMES[ending] for ending in batch.states[:, st.ENDING]] == [story.ending for story in stories]
    assert batch.rewards().tolist() == [story.rewards for story in stories]
