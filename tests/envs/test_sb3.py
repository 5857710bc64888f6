"""Self-play for Stable-Baselines3: rewards of the seats, whose turn it is, opponents that change, MaskablePPO."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from errors import bad_value
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecMonitor, VecVideoRecorder

from amoba_env import games
from amoba_env.agent import Actions, Agent, Memory, Players, Streams
from amoba_env.games import Game
from amoba_env.sb3 import SelfPlayVecEnv


class Always(Agent):
    """The legal action at one end of the list, and a note of the games in which it was asked."""

    def __init__(self, name: str, last: bool = False) -> None:
        self.name, self.last, self.asked = name, last, 0

    def act(self, game: Game, states: NDArray[np.int16], rng: Streams, memory: Memory) -> Actions:
        self.asked += len(states)
        cells = game.cells(states) < 0
        return np.array([np.flatnonzero(row)[-1 if self.last else 0] for row in cells], np.int32)


@pytest.mark.plain
def test_before_the_first_reset() -> None:
    env = SelfPlayVecEnv("tictactoe", 2)
    with pytest.raises(RuntimeError, match=r"call reset\(\) first"):
        env.step(np.zeros(2, int))
    assert (env.states == games.make("tictactoe").start()).all()


@pytest.mark.plain
def test_there_are_opponents() -> None:
    """The value of the next position would be another player's, which learners of Stable-Baselines3 do not know."""
    with pytest.raises(ValueError, match="opponent"):
        SelfPlayVecEnv("tictactoe", 2, None)  # type: ignore[arg-type]
    env = SelfPlayVecEnv("tictactoe", 2)
    env.reset()
    with pytest.raises(ValueError, match="opponent"):
        env.set_opponents(None)  # type: ignore[arg-type]


@pytest.mark.plain
def test_an_action_outside_the_action_space() -> None:
    env = SelfPlayVecEnv("tictactoe", 2)
    env.reset()
    before = env.states
    for actions in ([0, 9], [-1, 0], [0, 100]):
        with pytest.raises(ValueError, match=r"0\.\.8"):
            env.step(np.array(actions))
        assert np.array_equal(env.states, before)


@pytest.mark.plain
def test_opponents_change_when_an_episode_begins() -> None:
    first, second = Always("first"), Always("second", last=True)
    env = SelfPlayVecEnv("tictactoe", 8, first, seat=0)
    env.seed(0)
    env.reset()
    middle = np.full(8, 4)
    env.step(middle)
    assert first.asked == 8
    env.set_opponents(second)
    env.step(np.array([env.env_method("action_masks")[i].argmax() for i in range(8)]))
    assert (first.asked, second.asked) == (16, 0)  # games that have begun are played to their end
    over = np.zeros(8, bool)
    while not over.all():
        _, _, now, _ = env.step(env.env_method("action_masks").argmax(axis=1))
        over |= now
    asked = first.asked
    env.step(env.env_method("action_masks").argmax(axis=1))
    assert first.asked == asked
    assert second.asked > 0


def test_hired_and_kept() -> None:
    """Players who are in a game keep their numbers' memory; those who are in none go."""
    game = games.make("tictactoe")
    a, b, c = (Always(name) for name in "abc")
    players = Players(game, [a, b], 4)
    hired, kept = players.replaced_by([c, a], [0, 1], 4)
    assert [agent.name for agent in hired.agents] == ["c", "a", "b"]
    assert kept == [1, 2]
    assert players.replaced_by([c], [], 4)[0].agents == [c]


@pytest.mark.parametrize("opponents", [["random", "greedy"], "random"])
def test_seeds(opponents: Any) -> None:
    stories = []
    for seed in (5, 5, 6):
        env = SelfPlayVecEnv("halma", 6, opponents, max_plies=20)
        env.seed(seed)
        story = [env.reset().tobytes()]
        for _ in range(15):
            seen, rewards, over, _ = env.step(env.env_method("action_masks").argmax(axis=1))
            story += [seen.tobytes(), rewards.tobytes(), over.tobytes(), env.seats.tobytes()]
        stories.append(story)
    assert stories[0] == stories[1] != stories[2]


def test_stock_maskable_ppo_learns() -> None:
    """Without a wrapper, and without a warning: pytest makes errors of them."""
    env = SelfPlayVecEnv("tictactoe", 16, ["random", "greedy"])
    model = MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=64, seed=0, device="cpu").learn(512)
    assert model.num_timesteps == 512
    assert len(model.ep_info_buffer) > 0
    action, _ = model.predict(env.reset(), action_masks=env.env_method("action_masks"))
    assert env.env_method("action_masks")[np.arange(16), action].all()


@pytest.mark.plain
@pytest.mark.parametrize(
    ("options", "begun"),
    [
        (None, [0, 0, 0]),
        ({"random_plies": 2}, [2, 2, 2]),
        ([{}, {"random_plies": 3}, {"position": "3/1x1/3 o"}], [0, 3, 1]),
    ],
)
def test_options_of_the_next_reset(options: Any, begun: list[int]) -> None:
    env = SelfPlayVecEnv("tictactoe", 3)
    env.set_options(options)
    env.seed(4)
    env.reset()
    assert [info["opening"] != 0 for info in env.reset_infos] == [plies > 0 for plies in begun]
    told = zip(env.reset_infos, begun, strict=True)
    assert all(info["plies"] in (plies, plies + 1) for info, plies in told)  # + 1: the opponent's first move
    env.reset()
    assert {info["opening"] for info in env.reset_infos} == {0}
    env.set_options([{}])
    with pytest.raises(ValueError, match="a list of 3"):
        env.reset()
    assert env.reset().shape == (3, *env.observation_space.shape)  # refused options are forgotten


@pytest.mark.plain
def test_attributes_of_single_games() -> None:
    env = SelfPlayVecEnv("tictactoe", 4)
    env.seed(1)
    env.reset()
    assert env.get_attr("seats", [2, 0]) == [env.seats[2], env.seats[0]]
    assert np.array_equal(env.get_attr("states", 1)[0], env.states[1])
    assert env.get_attr("spec") == [None] * 4
    assert env.get_attr("game", 0) == [env.game]
    with pytest.raises(AttributeError):
        env.get_attr("none")


def test_the_facts_of_a_game_are_there_from_its_beginning() -> None:
    env = SelfPlayVecEnv("tictactoe", 8, "random")
    env.seed(2)
    env.reset()
    for _ in range(12):
        env.step(np.array([np.flatnonzero(row)[0] for row in env.action_masks()]))
        assert [facts["seat"] for facts in env.reset_infos] == env.seats.tolist()


def test_monitors_and_videos(tmp_path: Path) -> None:
    """SB3's own wrappers go around it without a warning; pytest makes errors of them."""
    assert env_of().env_is_wrapped(Monitor) == [False] * 5
    env = VecMonitor(env_of(), info_keywords=("winner", "ending"))
    assert evaluate_policy(MaskablePPO("MlpPolicy", env, device="cpu"), env, n_eval_episodes=5)[0] <= 1
    film = VecVideoRecorder(env_of(render_mode="rgb_array"), str(tmp_path), lambda step: step == 0, video_length=3)
    film.reset()
    picture = film.render()
    assert isinstance(picture, np.ndarray)
    height, width, _ = film.get_images()[0].shape
    assert picture.shape == (3 * height, 2 * width, 3)  # five games, and an empty place
    for _ in range(4):
        film.step(film.env_method("action_masks").argmax(axis=1))
    film.close()
    assert [path.suffix for path in tmp_path.iterdir()] == [".mp4"]
    with bad_value("render_mode", "'rgb_array'"):
        env_of(render_mode="human")


def env_of(**more: Any) -> SelfPlayVecEnv:
    return SelfPlayVecEnv("tictactoe", 5, **more)
