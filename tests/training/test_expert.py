"""Expert iteration: a small run from end to end, interrupted and gone on with, and what it learns from."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from commands import Run, refused
from stable_baselines3.common.save_util import load_from_zip_file
from test_trained import new, positions

from amoba_agents.networks.inference import Sb3Network
from amoba_agents.networks.trained import PolicyAgent
from amoba_env import games
from amoba_env.batch import observe
from amoba_env.core.state import RUNNING, STATUS, TO_MOVE
from amoba_experiments.training.expert_iteration import Expert, Positions, as_seen, improve, learn, self_play

pytestmark = pytest.mark.compiled

SMALL: dict[str, Any] = {
    "rounds": 2,
    "num_envs": 8,
    "positions": 60,
    "sims": 8,
    "random_plies": 1,
    "drawn": 2,
    "window": 100,
    "batch_size": 20,
    "evaluate_games": 10,
    "evaluate_against": "random",
    "threads": 1,
}


FILES = {"expert.json", "evaluations.jsonl", "policy.zip", "best.zip", "model.zip", "round-2"}


def assert_alike(one: Path, two: Path) -> None:
    """Two rounds have the same figures, but for seconds, and bit for bit the same positions, weights and optimizer."""
    states, arrays = [], []
    for folder in (one, two):
        states.append(json.loads((folder / "state.json").read_text()))
        for line in [states[-1], *states[-1]["evaluations"]]:
            del line["seconds"]
        with np.load(folder / "window.npz") as window:
            weights = load_from_zip_file(folder / "model.zip", device="cpu")[1]
            arrays.append([dict(window), weights["policy"], weights["policy.optimizer"]["state"]])
    assert states[0] == states[1]
    torch.testing.assert_close(*arrays, rtol=0, atol=0)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Expert, Path]:
    """A run that nobody stopped."""
    folder = tmp_path_factory.mktemp("whole")
    new("tictactoe", {}, layers=1).save(folder / "start.zip")
    what = Expert("tictactoe", {}, str(folder / "start.zip"), **SMALL)
    improve(what, folder / "run")
    return what, folder / "run"


def test_a_run_goes_on(whole: tuple[Expert, Path], tmp_path: Path) -> None:
    """To the same weights and state of the optimizer as without a stop, bit for bit."""
    what, other = whole
    lines: list[dict[str, Any]] = []
    improve(dataclasses.replace(what, rounds=1), tmp_path / "run", report=lines.append)
    improve(what, tmp_path / "run", report=lines.append)
    assert [line["steps"] for line in lines] == [1, 2]
    assert [json.loads(line) for line in (tmp_path / "run" / "evaluations.jsonl").read_text().splitlines()] == lines
    assert {each.name for each in (tmp_path / "run").iterdir()} == FILES
    with np.load(tmp_path / "run" / "round-2" / "window.npz") as window:
        assert len(window["states"]) == 100
        assert np.abs(window["visits"].sum(axis=1) - 1).max() < 0.01
    assert_alike(tmp_path / "run" / "round-2", other / "round-2")
    with pytest.raises(ValueError, match="was made with other settings: sims was 8, now 9"):
        improve(dataclasses.replace(what, sims=9), tmp_path / "run")


@pytest.mark.parametrize("file", ["policy.zip", "model.zip", "evaluations.jsonl", "round-2", "round-1"])
def test_killed_at_any_file(
    whole: tuple[Expert, Path], file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever file of the second round is next to be written or removed."""
    what, other = whole
    improve(dataclasses.replace(what, rounds=1), tmp_path / "run")
    with monkeypatch.context() as patch:
        for owner, name, at in ((os, "replace", 1), (Path, "rename", 1), (shutil, "rmtree", 0)):
            patch.setattr(owner, name, stopped(getattr(owner, name), at, file))
        with pytest.raises(KeyboardInterrupt):
            improve(what, tmp_path / "run")
    improve(what, tmp_path / "run")
    assert {each.name for each in (tmp_path / "run").iterdir()} - {"round-1"} == FILES
    assert_alike(tmp_path / "run" / "round-2", other / "round-2")


def stopped(function: Callable[..., Any], at: int, file: str) -> Callable[..., Any]:
    """The function, which stops the process where its argument at this place is the file."""

    def until(*args: Any, **kwargs: Any) -> Any:
        if Path(args[at]).name == file:
            raise KeyboardInterrupt
        return function(*args, **kwargs)

    return until


@pytest.mark.parametrize("name", ["tictactoe", "halma"])
def test_what_it_learns_from(name: str) -> None:
    """Positions of whole games: shares of legal moves as the mover numbers them, and the results of the movers."""
    options = {"max_plies": 20} if name == "halma" else {}
    game = games.make(name, **options)
    what = Expert(name, options, "", **{**SMALL, "num_envs": 3})
    player = PolicyAgent(Sb3Network(new(name, options, layers=1).policy), "here")
    found = self_play(game, player, what, 0, lambda done: None)
    assert len(found.states) >= 60
    assert (found.states[:, STATUS] == RUNNING).all()
    _, masks = observe(game, found.states, found.states[:, TO_MOVE])
    assert (found.visits[masks == 0] == 0).all()
    assert np.abs(found.visits.astype(float).sum(axis=1) - 1).max() < 0.01
    assert set(np.sign(found.results)) <= {-1, 0, 1}
    again = self_play(game, player, what, 0, lambda done: None)
    assert (again.states == found.states).all()
    other = self_play(game, player, what, 1, lambda done: None)
    assert other.states.shape != found.states.shape or (other.states != found.states).any()


def test_shares_are_numbered_as_the_mover_sees() -> None:
    game = games.make("halma")
    states = positions(game, 30)
    shares = np.zeros((30, game.n_actions))
    player = PolicyAgent(Sb3Network(new("halma", {}, layers=1).policy), "here", 0)
    moves = player.act(game, states, np.ones(30, np.uint64), np.zeros((30, 0), np.int16))
    shares[np.arange(30), moves] = 1
    planes, masks = observe(game, states, states[:, TO_MOVE])
    logits = np.where(masks, player.network(planes)[0], -np.inf)  # type: ignore[misc]
    assert (as_seen(game, states, shares).argmax(axis=1) == logits.argmax(axis=1)).mean() > 0.9


def test_it_learns() -> None:
    """From one position, again and again: the move that the search tried, and who won."""
    model = new("tictactoe", {}, layers=1)
    game = games.make("tictactoe")
    states = np.tile(positions(game, 2)[1], (200, 1))
    visits = np.zeros((200, 9), np.float16)
    free = int(np.flatnonzero(observe(game, states[:1], states[:1, TO_MOVE])[1][0])[0])
    visits[:, free] = 1
    known = Positions(states, visits, np.full(200, -1, np.float32))
    what = Expert("tictactoe", {}, "", passes=20, batch_size=50)
    optimizer = torch.optim.Adam(model.policy.parameters(), lr=3e-3)
    told: list[tuple[int, int]] = []
    rng = np.random.default_rng(0)
    model.policy.set_training_mode(True)
    first = learn(game, model.policy, optimizer, known, dataclasses.replace(what, passes=0.5), rng, lambda *at: None)
    learn(game, model.policy, optimizer, known, what, rng, lambda *at: told.append(at))
    assert told[-1] == (4000, 4000)
    last = learn(game, model.policy, optimizer, known, dataclasses.replace(what, passes=0.5), rng, lambda *at: None)
    assert last < first / 1.5


def test_the_command(run: Run, tmp_path: Path) -> None:
    new("tictactoe", {}, layers=1).save(tmp_path / "start.zip")
    changes = " ".join(f"--set {name}={value}" for name, value in {**SMALL, "rounds": 1}.items())
    code, out, _ = run(f"expert tictactoe --start start.zip --out run {changes}")
    assert code == 0
    assert out.splitlines()[-1] == "The player is trained:run/model.zip"
    refused(run, "expert gomoku --start start.zip --out other", "trained on another board")
    assert not (tmp_path / "other").exists()
    refused(run, "expert tictactoe --start none.zip --out other", "amoba: trained: no such file: none.zip\n")
    refused(run, "expert tictactoe --start s --out o --set speed=2", "no setting 'speed=2'")
