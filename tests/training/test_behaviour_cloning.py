"""Learning known moves: from a teacher's games, from runs on disk."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from training import IMITATE, NetworkSettings, job

from amoba_agents.networks.inference import Sb3Network, forward
from amoba_agents.networks.trained import PolicyAgent
from amoba_env import Position, games
from amoba_env.batch import observe
from amoba_env.core import state as st
from amoba_env.symmetry import images
from amoba_experiments.arena.match import Match
from amoba_experiments.runs.play_match import play_match
from amoba_experiments.runs.replay import positions_of
from amoba_experiments.runs.store import load
from amoba_experiments.training import behaviour_cloning
from amoba_experiments.training.behaviour_cloning import fit, imitate
from amoba_experiments.training.demonstrations import demonstrations
from amoba_experiments.training.examples import as_seen, turned
from amoba_experiments.training.job import Job

LEARNS: dict[str, Any] = {"network": NetworkSettings(body="rows", channels=16)}


@pytest.mark.parametrize(
    ("name", "teacher", "games"),
    [("tictactoe", "random", 20), ("halma", "greedy", 3), ("chinese_checkers", "greedy", 2)],
)
def test_moves_of_a_teacher(name: str, teacher: str, games: int, tmp_path: Path) -> None:
    """Turned and mirrored positions have the moves turned and mirrored, and results are those of who moves."""
    work = job(tmp_path, IMITATE, game=name)
    examples = demonstrations(dataclasses.replace(IMITATE, teacher=teacher, games=games), work)
    assert set(np.sign(examples.results)) >= {-1, 1}
    states, targets = turned(work.game, examples.states, examples.targets, np.random.default_rng(0))
    _, masks = observe(work.game, states, states[:, st.TO_MOVE])
    assert masks[np.arange(len(states)), as_seen(work.game, states, targets)].all()


@pytest.mark.parametrize(
    ("name", "options", "number"),
    [
        ("gomoku", {"size": 6}, 8),
        ("chinese_checkers", {"players": 2}, 2),
        ("halma", {}, 1),
        ("halma", {"players": 2}, 1),
    ],
)
def test_positions_are_turned(name: str, options: dict[str, int], number: int) -> None:
    """Into every image of the position that leaves the seats their places, and each with its own moves."""
    game, draw = games.make(name, **options), np.random.default_rng(0)
    position = Position.start(game)
    for _ in range(7):
        position = position.play(int(draw.choice(position.legal_actions())))
    legal = np.tile(position.legal_actions(), (100, 1))
    turned_states, moves = turned(game, np.tile(position.state, (100, 1)), legal, draw)
    own = [image for image in images(game, position.state) if image[st.TO_MOVE] == position.to_move]
    assert {row.tobytes() for row in turned_states} == {image.tobytes() for image in own}
    assert len({row.tobytes() for row in turned_states}) == number
    for state, row in zip(turned_states, moves, strict=True):
        assert sorted(row) == sorted(Position(game, state).legal_actions())


def test_moves_are_numbered_as_the_mover_sees(tmp_path: Path) -> None:
    """As the network itself numbers them, on each seat of halma."""
    work = job(tmp_path, IMITATE, game="halma")
    states, *_ = demonstrations(dataclasses.replace(IMITATE, games=2), work)
    player = PolicyAgent(Sb3Network(work.policy), "here", 0)
    none = np.zeros((len(states), 0), np.int16)
    moves = player.act(work.game, states, np.ones(len(states), np.uint64), none).astype(np.int64)
    planes, masks = observe(work.game, states, states[:, st.TO_MOVE])
    logits = np.where(masks, player.network(planes)[0], -np.inf)  # type: ignore[misc]
    assert set(states[:, st.TO_MOVE]) == {0, 1, 2}
    assert (as_seen(work.game, states, moves) == logits.argmax(axis=1)).mean() > 0.9


def test_moves_in_runs(tmp_path: Path) -> None:
    """The same as a replay, game by game, says; of the teacher only; a run of another game is refused."""
    match = Match("gomoku", ("greedy", "random"), 12, 3, rotate=True, options={"size": 6}, openings=("random:2",))
    play_match(match, tmp_path / "a" / "run", batch=5)
    game = games.make("gomoku", size=6)
    settings = dataclasses.replace(IMITATE, runs=str(tmp_path / "a"))
    work = job(tmp_path / "b", settings, game="gomoku", options=game.options)
    states, actions, results, _ = demonstrations(settings, work)
    expected = []
    for row in load(tmp_path / "a" / "run").to_pylist():
        for position, move in zip(positions_of(game, row)[2:], row["moves"][2:], strict=False):
            if row["seats"][position.to_move] == "greedy":
                result = 0 if row["winner"] is None else 1 if row["winner"] == position.to_move else -1
                expected.append((position.state.tobytes(), move, result))
    assert sorted(zip(map(np.ndarray.tobytes, states), actions, results, strict=True)) == sorted(expected)
    assert len(demonstrations(dataclasses.replace(settings, positions=5), work).states) == 5
    with pytest.raises(ValueError, match="unknown agent 'nobody'"):
        dataclasses.replace(settings, teacher="nobody").check(game)  # it would be asked about others' positions
    with pytest.raises(ValueError, match="got gomoku"):
        demonstrations(settings, job(tmp_path / "c", settings, game="gomoku", options={"size": 7}))


def test_runs_that_grow_during_a_training(tmp_path: Path) -> None:
    """A stage keeps its folder; the next training has another."""
    runs = tmp_path / "runs"
    play_match(Match("tictactoe", ("greedy", "random"), 2), runs / "one")
    settings = dataclasses.replace(IMITATE, runs=str(runs))
    work = job(tmp_path / "a", settings)
    folder = work.folder
    play_match(Match("tictactoe", ("greedy", "random"), 2, 1), runs / "two")
    assert work.folder == folder != job(tmp_path / "a", settings).folder


def test_a_teacher_that_did_not_play_is_asked(tmp_path: Path) -> None:
    """In games of others: it takes a win at hand, which random players do not."""
    settings = dataclasses.replace(IMITATE, teacher="perfect", players=("random",))
    work = job(tmp_path, settings)
    states, actions, *_ = demonstrations(settings, work)
    own = demonstrations(dataclasses.replace(settings, teacher="random", players=()), work)
    assert sorted(map(np.ndarray.tobytes, states)) == sorted(map(np.ndarray.tobytes, own.states))
    moves = dict(zip(map(np.ndarray.tobytes, own.states), own.targets, strict=True))
    same = [moves[state.tobytes()] == action for state, action in zip(states, actions, strict=True)]
    assert 0 < np.mean(same) < 0.8


@pytest.mark.parametrize("half", [False, True])
def test_it_learns(half: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tic-tac-toe's greedy player: far more often than any of the legal moves by chance, also in bfloat16."""
    monkeypatch.setattr(behaviour_cloning, "multiplies_bfloat16", lambda device: half)
    settings = dataclasses.replace(IMITATE, games=600, passes=3, batch_size=256)
    found = imitate(settings, job(tmp_path, settings, **LEARNS))
    assert found["agreed"] > 0.6


def said(work: Job) -> list[torch.Tensor]:
    """Logits and a weight of the value."""
    planes = torch.as_tensor(observe(work.game, work.game.batch(1), np.zeros(1, np.int64))[0])
    with torch.no_grad():
        return [forward(work.policy, planes)[0], next(work.policy.value_net.parameters()).clone()]


def test_learning_that_diverges_ends_with_advice(tmp_path: Path) -> None:
    """And does not spoil the network more."""
    work = job(tmp_path, IMITATE)
    with torch.no_grad():
        next(iter(work.policy.value_net.parameters())).fill_(torch.nan)
    before = {name: array.clone() for name, array in work.policy.state_dict().items()}
    with pytest.raises(ValueError, match="try a smaller learning_rate"):
        imitate(IMITATE, work)
    after = work.policy.state_dict()
    assert all(torch.equal(array, after[name]) for name, array in before.items() if "value_net" not in name)


def test_results_that_are_not_known_teach_nothing(tmp_path: Path) -> None:
    work = job(tmp_path, IMITATE)
    before = said(work)
    examples = demonstrations(IMITATE, work)
    fit(examples._replace(results=np.full_like(examples.results, np.nan)), IMITATE, work, "")
    assert [one.equal(two) for one, two in zip(before, said(work), strict=True)] == [False, True]
