"""Playing while learning, the average of weights, and going on from what was exported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from training import SMALL, small

from amoba_agents.networks.inference import evaluate, load
from amoba_agents.networks.policy import BoardPolicy, board_kwargs
from amoba_agents.networks.trained import POLICIES
from amoba_env import games
from amoba_env.sb3 import SelfPlayVecEnv
from amoba_experiments.training import settings as files
from amoba_experiments.training.asynchronous import Ahead
from amoba_experiments.training.onnx_files import anatomy, export, weights
from amoba_experiments.training.prioritized import prioritized
from amoba_experiments.training.train import train
from amoba_experiments.training.weight_averaging import Average

pytestmark = pytest.mark.compiled


def learner(**more: Any) -> Ahead:
    env = SelfPlayVecEnv("tictactoe", 16)
    env.seed(3)
    kwargs = board_kwargs(env.game, body="mlp", channels=4, hidden=16)
    return Ahead(BoardPolicy, env, n_steps=8, batch_size=32, seed=0, device="cpu", policy_kwargs=kwargs, **more)


def same(one: dict[str, Any], two: dict[str, Any]) -> bool:
    assert one.keys() == two.keys()
    return all(torch.equal(array, two[name]) for name, array in one.items())


def test_the_next_moves_are_by_the_policy_of_before() -> None:
    """What has been played meanwhile has the probabilities of the weights with which the update began."""
    model = learner(learning_rate=0.1, n_epochs=1)
    model.learn(128)
    before = {name: array.clone() for name, array in model.policy.state_dict().items()}
    model.learn(128, reset_num_timesteps=False)
    assert model.player is not None
    assert model.num_timesteps == 256
    assert not same(before, model.policy.state_dict())
    assert same(before, model.player.policy.state_dict())
    for part in model.player.rollout_buffer.get(64):
        actions = part.actions.long().flatten()
        by_before, by_now = (
            policy.evaluate_actions(part.observations, actions, action_masks=part.action_masks)[1]
            for policy in (model.player.policy, model.policy)
        )
        assert torch.allclose(by_before, part.old_log_prob, atol=1e-5)
        assert not torch.allclose(by_now, part.old_log_prob, atol=1e-3)


@pytest.mark.parametrize("settings", [{}, prioritized(0.4)])
def test_two_threads_leave_nothing_to_chance(settings: dict[str, Any]) -> None:
    models = [learner(**settings).learn(128 * 6) for _ in range(2)]
    assert same(models[0].policy.state_dict(), models[1].policy.state_dict())


def test_its_files_are_those_of_maskable_ppo(tmp_path: Path) -> None:
    model = learner().learn(256)
    model.save(tmp_path / "model.zip")
    assert same(MaskablePPO.load(tmp_path / "model.zip").policy.state_dict(), model.policy.state_dict())


def test_an_error_while_playing_is_raised() -> None:
    model = learner().learn(128)
    assert model.env is not None
    model.env.set_opponents([Broken()])  # type: ignore[attr-defined]
    with pytest.raises(RuntimeError, match="out of order"):
        model.learn(1280, reset_num_timesteps=False)


class Broken:
    name = "broken"

    def memory(self, game: Any) -> int:
        return 0

    def begin(self, game: Any, seats: Any) -> Any:
        return np.zeros((len(seats), 0), np.int64)

    def act(self, *_: Any) -> Any:
        raise RuntimeError("out of order")


def test_average() -> None:
    """Half of what it was, half of what is learned; shown, the policy has these weights, and then its own again."""
    model = learner()
    policy = model.policy
    average = Average(policy, 0.5)
    first = {name: array.clone() for name, array in policy.state_dict().items()}
    model.learn(256)
    average.update()
    learned = {name: array.clone() for name, array in policy.state_dict().items()}
    with average.shown():
        for name, array in policy.state_dict().items():
            assert torch.allclose(array, (first[name] + learned[name]) / 2, atol=1e-6)
    assert same(policy.state_dict(), learned)


def test_a_run_that_plays_ahead_and_keeps_an_average(tmp_path: Path) -> None:
    """It goes on with both; what is saved is the average."""
    chosen = ("ahead=1", "average=0.9", "learn_share=0.5")
    train(small("tictactoe", "steps=128", *chosen), tmp_path)
    train(small("tictactoe", "steps=320", *chosen), tmp_path, resume=True)
    last = tmp_path / "checkpoint-320"
    model, policy = (
        MaskablePPO.load(file).policy.state_dict() for file in (last / "model.zip", tmp_path / "model.zip")
    )
    assert same(policy, torch.load(last / "average.pt", weights_only=True))
    assert not same(policy, model)
    (tmp_path / "model.zip").unlink()
    train(small("tictactoe", "steps=320", *chosen), tmp_path, resume=True)
    assert same(policy, MaskablePPO.load(tmp_path / "model.zip").policy.state_dict())
    for wrong in ("ahead=2", "average=1", "ahead=-1"):
        with pytest.raises(ValueError, match=f"{wrong.partition('=')[0]} (is|must be)"):
            small("tictactoe", wrong)


SIZES = {
    "tictactoe": {"body": "mlp", "channels": 16, "hidden": 256},
    "gomoku": {"body": "lines", "layers": 6},
    "renju": {"body": "lines", "layers": 6},
    "halma": {"body": "mlp", "channels": 16, "hidden": 256},
}


@pytest.mark.parametrize("name", SIZES)
def test_going_on_from_the_package(name: str, tmp_path: Path) -> None:
    """The weights in an ONNX file are those of a network that learns; it judges positions alike, and again exported."""
    game, file = games.make(name), POLICIES / f"{name}.onnx"
    settings = {"n_steps": 2, "device": "cpu", "policy_kwargs": board_kwargs(game, **SIZES[name])}
    model = MaskablePPO(BoardPolicy, SelfPlayVecEnv(name, 2), **settings)  # type: ignore[arg-type]
    model.policy.load_state_dict(weights(file, model.policy))
    model.save(tmp_path / "model.zip")
    export(tmp_path / "model.zip", tmp_path / "again.onnx")
    planes = np.random.default_rng(0).integers(0, 2, (32, *game.observation_shape), np.int8)
    logits, values = evaluate(load(file), planes)
    for copied in ("model.zip", "again.onnx"):
        found = evaluate(load(tmp_path / copied), planes)
        assert np.abs(found[0] - logits).max() < 1e-3
        assert np.abs(found[1] - values).max() < 1e-3


@pytest.mark.parametrize("name", SIZES)
def test_start_takes_over_the_network(name: str, tmp_path: Path) -> None:
    """Whatever suits the game else: what goes on from a network is like it."""
    found = files.fresh(name, (), ["start=trained"])
    assert {key: getattr(found, key) for key in SIZES[name]} == SIZES[name]
    files.check(found, tmp_path / "new", False)
    assert files.fresh(name, (), [f"start={POLICIES / name}.onnx", f"body={found.body}"]).layers == found.layers
    other = "mlp" if found.body == "lines" else "cnn"
    for wrong, said in ((f"body={other}", f"body={found.body}"), ("channels=7", f"channels={found.channels}")):
        with pytest.raises(ValueError, match=rf"the network 'trained' has {said}.*, but the settings say {wrong}"):
            files.check(files.fresh(name, (), ["start=trained", wrong]), tmp_path / "new", False)


@pytest.mark.parametrize("suffix", [".zip", ".onnx"])
@pytest.mark.parametrize("body", ["lines", "rows", "cnn", "mlp"])
def test_the_sizes_of_a_network_in_a_file(body: str, suffix: str, tmp_path: Path) -> None:
    size = {"body": body, "channels": 8, "layers": 3, **({"hidden": 24} if body == "mlp" else {})}
    game = games.make("tictactoe")
    settings = {"n_steps": 2, "device": "cpu", "policy_kwargs": board_kwargs(game, **size)}
    model = MaskablePPO(BoardPolicy, SelfPlayVecEnv("tictactoe", 2), **settings)  # type: ignore[arg-type]
    for array in model.policy.parameters():  # as after training: an exporter keeps one of arrays that are equal
        torch.nn.init.normal_(array, std=0.1)
    model.save(tmp_path / "model.zip")
    if suffix == ".onnx":
        export(tmp_path / "model.zip", tmp_path / "model.onnx")
    assert anatomy(tmp_path / f"model{suffix}", game) == size
    with pytest.raises(ValueError, match="was trained on another board"):
        anatomy(tmp_path / f"model{suffix}", games.make("gomoku"))


def test_a_start_without_such_a_network(tmp_path: Path) -> None:
    MaskablePPO("MlpPolicy", SelfPlayVecEnv("tictactoe", 2), n_steps=2, device="cpu").save(tmp_path / "other.zip")
    with pytest.raises(ValueError, match="has no network of `amoba train` in it"):
        anatomy(tmp_path / "other.zip", games.make("tictactoe"))


def test_starting_from_the_package(tmp_path: Path) -> None:
    changes = [each for each in SMALL if not each.startswith("hidden")]
    train(files.fresh("tictactoe", (), [*changes, "steps=1", "start=trained", "learning_rate=0"]), tmp_path)
    planes = games.make("tictactoe").batch(3)[:, :9].reshape(3, 3, 3, 1).repeat(3, axis=3).astype(np.int8)
    found, shipped = (evaluate(load(file), planes)[0] for file in (tmp_path / "model.zip", POLICIES / "tictactoe.onnx"))
    assert np.abs(found - shipped).max() < 1e-3
    with pytest.raises(ValueError, match="the network 'trained' has hidden=256, but the settings say hidden=8"):
        train(small("tictactoe", "start=trained", "hidden=8"), tmp_path / "other")
    assert not (tmp_path / "other").exists()
    with pytest.raises(ValueError, match="the package has policies for gomoku, halma, renju, tictactoe, not for amoba"):
        train(small("amoba", "start=trained"), tmp_path / "none")
