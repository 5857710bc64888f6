"""Networks carry what they are: in files of weights and in ONNX files, from which training goes on."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from commands import Run, refused
from training import IMITATE, recipe

from amoba_agents.networks import architecture as networks
from amoba_agents.networks.inference import Sb3Network, evaluate, load
from amoba_agents.networks.trained import POLICIES
from amoba_env import games
from amoba_experiments.training import recipes
from amoba_experiments.training.network_files import write_pt
from amoba_experiments.training.recipes import NetworkSettings, Recipe
from amoba_experiments.training.train import chosen_network, first_network

SIZES = {
    "tictactoe": {"body": "mlp", "channels": 16, "layers": 2, "hidden": 256},
    "gomoku": {"body": "lines", "channels": 64, "layers": 6},
    "renju": {"body": "lines", "channels": 64, "layers": 6},
    "halma": {"body": "mlp", "channels": 16, "layers": 3, "hidden": 512},
}


def begun(name: str, start: str = "trained", **sizes: Any) -> Recipe:
    return recipe(IMITATE, game=name, network=NetworkSettings(start=start, **sizes))


@pytest.mark.parametrize("name", SIZES)
def test_going_on_from_the_package(name: str, tmp_path: Path) -> None:
    """The weights in an ONNX file are those of a network that learns; it judges positions alike, and again exported."""
    game, file = games.make(name), POLICIES / f"{name}.onnx"
    policy, what = first_network(begun(name))
    assert what.sizes == SIZES[name]
    shipped = load(file).architecture
    assert shipped is not None
    assert dataclasses.replace(shipped, version=what.version, options=what.options) == what
    assert games.make_from(name, shipped.options).observation_shape == game.observation_shape
    write_pt(policy, what, tmp_path / "policy.pt")
    planes = np.random.default_rng(0).integers(0, 2, (32, *game.observation_shape), np.int8)
    logits, values = evaluate(load(file), planes)
    assert load(tmp_path / "policy.pt").architecture == what
    found = evaluate(load(tmp_path / "policy.pt"), planes)
    assert np.abs(found[0] - logits).max() < 1e-3
    assert np.abs(found[1] - values).max() < 1e-3


@pytest.mark.parametrize("name", SIZES)
def test_another_network_is_refused(name: str) -> None:
    """With both named."""
    sizes = SIZES[name]
    assert chosen_network(begun(name, **sizes))[0].sizes == sizes
    with pytest.raises(
        ValueError, match=rf"'trained' is a network of {name} \(body={sizes['body']}, .*says channels=7"
    ):
        chosen_network(begun(name, channels=7))
    other = "renju" if name == "gomoku" else "gomoku"
    with pytest.raises(ValueError, match=rf"was trained for {other} \(.*, not for {name}"):
        chosen_network(begun(name, start=str(POLICIES / f"{other}.onnx")))


@pytest.mark.parametrize("body", ["lines", "rows", "cnn", "mlp"])
def test_written_and_read_again(body: str, tmp_path: Path) -> None:
    sizes = {"body": body, "channels": 8, "layers": 3, **({"hidden": 24} if body == "mlp" else {})}
    game = games.make("tictactoe")
    what = networks.architecture_of(game, **sizes)
    policy = networks.build(what)
    assert networks.from_texts(what.to_texts()) == what
    write_pt(policy, what, tmp_path / "policy.pt")
    again, weights = networks.read(tmp_path / "policy.pt")
    assert again == what
    assert all(torch.equal(array, weights[name]) for name, array in policy.state_dict().items())
    with pytest.raises(ValueError, match="was trained for tictactoe"):
        chosen_network(begun("gomoku", start=str(tmp_path / "policy.pt")))


def test_other_sizes_of_the_board_are_refused(tmp_path: Path) -> None:
    small = games.make("gomoku", size=7)
    what = networks.architecture_of(small, body="cnn", channels=4, layers=1)
    write_pt(networks.build(what), what, tmp_path / "policy.pt")
    with pytest.raises(ValueError, match="was trained on another board"):
        chosen_network(begun("gomoku", start=str(tmp_path / "policy.pt")))


def test_a_start_from_another_size_of_the_board() -> None:
    """Where all cells share the weights a larger board begins with them: the same logits as the file gives."""
    start = recipes.load(recipes.find("gomoku"), "gomoku", ["size=12"], ["network.start=trained"])
    policy, what = first_network(start)
    assert what.options["size"] == 12
    planes = np.zeros((1, 12, 12, 3), np.int8)
    planes[..., 2] = 1
    shipped = evaluate(load(POLICIES / "gomoku.onnx"), planes)[0]
    assert np.abs(evaluate(Sb3Network(policy), planes)[0] - shipped).max() < 1e-4


def test_a_file_of_another_kind(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.pt").write_bytes(b"no weights")
    torch.save({"weights": {}}, tmp_path / "empty.pt")
    for file in ("bad.pt", "empty.pt"):
        refused(run, f"train gomoku --out s --set network.start={file}", f"{file} is not a file of weights that")
    with pytest.raises(ValueError, match=r"the package has policies for chinese_checkers, .*, not for amoba"):
        chosen_network(begun("amoba"))
