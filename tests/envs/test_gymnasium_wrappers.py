"""Every wrapper of Gymnasium that applies goes around environments of each family, single and vector.

Not here: wrappers for Box actions (ClipAction, RescaleAction, DiscretizeAction), for Dict observations
(FilterObservation) and for pictures of 0 to 255 (AtariPreprocessing, GrayscaleObservation, ResizeObservation,
ObstructView), none of which takes these spaces; DiscretizeObservation, for which there are too many observations;
conversions to other arrays (they want array_api_compat); and HumanRendering of vectors (it wants OpenCV).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import wrappers
from gymnasium.wrappers import vector

from amoba_env.single import SingleEnv  # and registers all ids

pytestmark = pytest.mark.filterwarnings("error")

FAMILIES = ["amoba/TicTacToe-v0", "amoba/Renju-v0", "amoba/Halma-v0"]
N = 4
Wrap = Callable[[Any], Any]

NEW = "RepeatAction" in wrappers.__all__  # not in Gymnasium 1.2
SINGLE: dict[str, Wrap] = {
    "AddWhiteNoise": functools.partial(wrappers.AddWhiteNoise, probability_of_noise_per_pixel=0.1),
    "Autoreset": wrappers.Autoreset,
    "ClipReward": functools.partial(wrappers.ClipReward, min_reward=-0.5, max_reward=0.5),
    "DelayObservation": functools.partial(wrappers.DelayObservation, delay=1),
    "DtypeObservation": functools.partial(wrappers.DtypeObservation, dtype=np.float32),
    "FlattenObservation": wrappers.FlattenObservation,
    "FrameStackObservation": functools.partial(wrappers.FrameStackObservation, stack_size=3),
    "MaxAndSkipObservation": functools.partial(wrappers.MaxAndSkipObservation, skip=2),
    "NormalizeObservation": wrappers.NormalizeObservation,
    "NormalizeReward": wrappers.NormalizeReward,
    "OrderEnforcing": wrappers.OrderEnforcing,
    "PassiveEnvChecker": wrappers.PassiveEnvChecker,
    "RecordEpisodeStatistics": wrappers.RecordEpisodeStatistics,
    **({"RepeatAction": functools.partial(wrappers.RepeatAction, num_repeats=2)} if NEW else {}),
    "RescaleObservation": functools.partial(wrappers.RescaleObservation, min_obs=np.float32(-1), max_obs=np.float32(1)),
    "ReshapeObservation": lambda env: wrappers.ReshapeObservation(env, env.observation_space.shape[::-1]),
    "StickyAction": functools.partial(wrappers.StickyAction, repeat_action_probability=0.2),
    "TimeAwareObservation": lambda env: wrappers.TimeAwareObservation(wrappers.TimeLimit(env, 3)),
    "TimeLimit": functools.partial(wrappers.TimeLimit, max_episode_steps=3),
    "TransformAction": lambda env: wrappers.TransformAction(env, int, env.action_space),
    "TransformObservation": lambda env: wrappers.TransformObservation(env, np.copy, env.observation_space),
    "TransformReward": functools.partial(wrappers.TransformReward, func=float),
}
VECTOR: dict[str, Wrap] = {
    "ClipReward": functools.partial(vector.ClipReward, min_reward=-0.5, max_reward=0.5),
    "DictInfoToList": vector.DictInfoToList,
    "DtypeObservation": functools.partial(vector.DtypeObservation, dtype=np.float32),
    "FlattenObservation": vector.FlattenObservation,
    "NormalizeObservation": vector.NormalizeObservation,
    "NormalizeReward": vector.NormalizeReward,
    "RecordEpisodeStatistics": vector.RecordEpisodeStatistics,
    "RescaleObservation": functools.partial(vector.RescaleObservation, min_obs=np.float32(-1), max_obs=np.float32(1)),
    "ReshapeObservation": lambda envs: vector.ReshapeObservation(envs, envs.single_observation_space.shape[::-1]),
    "TransformAction": lambda envs: vector.TransformAction(envs, np.array),
    "TransformObservation": lambda envs: vector.TransformObservation(envs, np.copy),
    "TransformReward": lambda envs: vector.TransformReward(envs, np.copy),
    "VectorizeTransformAction": lambda envs: vector.VectorizeTransformAction(
        envs, wrappers.TransformAction, func=int, action_space=envs.single_action_space
    ),
    "VectorizeTransformObservation": lambda envs: vector.VectorizeTransformObservation(
        envs, wrappers.FlattenObservation
    ),
    "VectorizeTransformReward": lambda envs: vector.VectorizeTransformReward(
        envs, wrappers.TransformReward, func=float
    ),
}


def walk(env: Any, steps: int = 8) -> None:
    """First legal moves, and a new episode after an end."""
    observation, info = env.reset(seed=1)
    for _ in range(steps):
        assert env.observation_space.contains(observation)
        legal = np.flatnonzero(info["action_mask"])
        observation, reward, terminated, truncated, info = env.step(int(legal[0]) if legal.size else 0)
        assert isinstance(float(reward), float)
        if (terminated or truncated) and not isinstance(env, wrappers.Autoreset):
            observation, info = env.reset()
    env.close()


def walk_all(envs: Any, steps: int = 8) -> None:
    """The same with N games."""
    observations, infos = envs.reset(seed=1)
    for _ in range(steps):
        if not isinstance(
            envs, vector.NormalizeObservation
        ):  # before Gymnasium 1.2.1 with the space of the environment
            assert envs.observation_space.contains(observations)
        masks = [info["action_mask"] for info in infos] if isinstance(infos, list) else infos["action_mask"]
        observations, rewards, terminated, truncated, infos = envs.step(np.argmax(masks, axis=1))
        assert (rewards.dtype, rewards.shape) == (np.float64, (N,))
        assert terminated.shape == truncated.shape == (N,)
    envs.close()


@pytest.mark.parametrize("id", FAMILIES)
@pytest.mark.parametrize("name", SINGLE)
def test_around_single_environments(name: str, id: str) -> None:
    walk(SINGLE[name](gymnasium.make(id)))


@pytest.mark.parametrize("opponent", ["random", None])
@pytest.mark.parametrize("id", FAMILIES)
@pytest.mark.parametrize("name", VECTOR)
def test_around_vector_environments(name: str, id: str, opponent: str | None) -> None:
    walk_all(VECTOR[name](gymnasium.make_vec(id, N, opponent=opponent)))


@pytest.mark.parametrize("id", FAMILIES)
def test_with_pictures(id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SingleEnv.metadata, "render_fps", 10_000)  # HumanRendering waits between pictures
    for wrap in (
        functools.partial(wrappers.AddRenderObservation, render_only=False),
        wrappers.HumanRendering,
        wrappers.RenderCollection,
    ):
        walk(wrap(gymnasium.make(id, render_mode="rgb_array")), steps=3)


def test_with_films(tmp_path: Path) -> None:
    """Of one game: the pictures of others differ in size only, and a film takes seconds."""
    id = FAMILIES[0]
    env = gymnasium.make(id, render_mode="rgb_array")
    walk(wrappers.RecordVideo(env, str(tmp_path / "single"), lambda _: True), steps=3)
    envs = gymnasium.make_vec(id, N, opponent=None, render_mode="rgb_array")
    walk_all(vector.RecordVideo(envs, str(tmp_path / "vector"), step_trigger=lambda step: step == 0), steps=3)
    for name in ("single", "vector"):
        assert {path.suffix for path in (tmp_path / name).iterdir()} == {".mp4"}


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_episode_statistics_of_everybody(mode: str) -> None:
    """The return of an episode is the sum of the rewards of those who moved: 1 if anybody won."""
    envs = gymnasium.make_vec("amoba/TicTacToe-v0", 50, opponent=None, autoreset_mode=mode)
    envs = vector.RecordEpisodeStatistics(envs)
    dice, returns = np.random.default_rng(2), []
    _, infos = envs.reset(seed=3)
    for _ in range(40):
        legal = [np.flatnonzero(mask) for mask in infos["action_mask"]]
        _, rewards, terminated, _, infos = envs.step(np.array([dice.choice(own) if own.size else 0 for own in legal]))
        if terminated.any():
            assert np.array_equal(infos["episode"]["r"][terminated], rewards[terminated])
            assert infos["episode"]["l"][terminated].min() >= 5 - (mode == "SameStep")  # before Gymnasium 1.4 one less
            returns += infos["episode"]["r"][terminated].tolist()
    assert set(returns) == {0.0, 1.0}
