"""Expert iteration: a small run from end to end, interrupted and gone on with, and what it learns from."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from test_cli import amoba
from test_trained import new, positions

from agents.inference import Sb3Network
from agents.trained import PolicyAgent
from amoba_env import games
from amoba_env.batch import observe
from amoba_env.core.state import RUNNING, STATUS, TO_MOVE
from experiments.expert import Expert, Positions, as_seen, improve, learn, self_play

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


def test_a_run_goes_on(tmp_path: Path) -> None:
    new("tictactoe", {}, layers=1).save(tmp_path / "start.zip")
    what = Expert("tictactoe", {}, str(tmp_path / "start.zip"), **SMALL)
    lines: list[dict[str, Any]] = []
    improve(dataclasses.replace(what, rounds=1), tmp_path / "run", report=lines.append)
    improve(what, tmp_path / "run", report=lines.append)
    assert [line["steps"] for line in lines] == [1, 2]
    assert [json.loads(line) for line in (tmp_path / "run" / "evaluations.jsonl").read_text().splitlines()] == lines
    with np.load(tmp_path / "run" / "window.npz") as kept:
        assert len(kept["states"]) == 100
        assert np.abs(kept["visits"].sum(axis=1) - 1).max() < 0.01
    assert {"best.zip", "model.zip"} <= {each.name for each in (tmp_path / "run").iterdir()}
    assert not list((tmp_path / "run").glob("*part*"))
    with pytest.raises(ValueError, match="was made with other settings: sims was 8, now 9"):
        improve(dataclasses.replace(what, sims=9), tmp_path / "run")


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


def test_the_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    new("tictactoe", {}, layers=1).save(tmp_path / "start.zip")
    monkeypatch.chdir(tmp_path)
    changes = " ".join(f"--set {name}={value}" for name, value in {**SMALL, "rounds": 1}.items())
    code, out, _ = amoba(capsys, monkeypatch, f"expert tictactoe --start start.zip --out run {changes}")
    assert code == 0
    assert out.splitlines()[-1] == "The player is trained:run/model.zip"
    code, _, err = amoba(capsys, monkeypatch, "expert gomoku --start start.zip --out other")
    assert (code, len(err.splitlines())) == (2, 1)
    assert "trained on another board" in err
    assert not (tmp_path / "other").exists()
    code, _, err = amoba(capsys, monkeypatch, "expert tictactoe --start none.zip --out other")
    assert (code, err) == (2, "amoba: trained: no such file: none.zip\n")
    assert "no setting 'speed=2'" in amoba(capsys, monkeypatch, "expert tictactoe --start s --out o --set speed=2")[2]
