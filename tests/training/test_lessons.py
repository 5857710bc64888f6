"""What is learned from games: moves in runs, advice, blunders."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from training import small

from amoba_agents.alphabeta.search import PROVEN
from amoba_env import games
from amoba_env.core.batch import step_rows
from amoba_env.core.state import PLY, RUNNING, STATUS, TO_MOVE, States
from amoba_experiments.arena.match import Match
from amoba_experiments.runs.replay import decisions, replay
from amoba_experiments.runs.store import load, write_run
from amoba_experiments.training.behaviour_cloning import turned
from amoba_experiments.training.dagger import Adviser, blunders, digests, missed
from amoba_experiments.training.demonstrations import Lessons, recorded, shown
from amoba_experiments.training.train import train

pytestmark = pytest.mark.compiled


def test_shown_moves_are_the_players() -> None:
    """Turned and mirrored positions have the moves turned and mirrored, and results are those of who moves."""
    for name in ("tictactoe", "halma"):
        game = games.make(name)
        states, actions, returns = shown(game, "greedy", 300, 0.9, 1)
        assert len(states) >= 300
        assert set(np.sign(returns)) >= {-1, 1}
        planes, masks, moves = turned(game, states, actions, np.random.default_rng(0))
        assert masks[np.arange(len(moves)), moves].all()
        assert planes.shape == (len(states), *game.observation_shape)


def test_moves_in_runs(tmp_path: Path) -> None:
    """The same as a replay, game by game, says; of one agent only; a run of another game is refused."""
    match = Match("gomoku", ("greedy", "random"), 12, 3, rotate=True, options={"size": 6}, openings=("random:2",))
    write_run(tmp_path / "a" / "run", match, batch=5)
    game = games.make("gomoku", size=6)
    states, actions, results = learned(game, tmp_path / "a", "greedy")
    expected = []
    for row in load(tmp_path / "a" / "run").to_pylist():
        for position, move in zip(replay(game, row)[2:], row["moves"][2:], strict=False):
            if row["seats"][position.to_move] == "greedy":
                result = 0 if row["winner"] is None else 1 if row["winner"] == position.to_move else -1
                expected.append((position.state.tobytes(), move, result))
    assert sorted(zip(map(np.ndarray.tobytes, states), actions, results, strict=True)) == sorted(expected)
    assert len(learned(game, tmp_path / "a", "greedy", positions=5)[0]) == 5
    everyone = len(learned(game, tmp_path / "a")[0])
    assert len(states) < everyone == len(learned(game, tmp_path / "a", "random", "greedy")[0])
    with pytest.raises(ValueError, match="has no moves of 'perfect'"):
        learned(game, tmp_path / "a", "perfect")
    with pytest.raises(ValueError, match="has games of gomoku"):
        learned(games.make("gomoku", size=7), tmp_path / "a")
    settings = small("gomoku", f"imitate={tmp_path / 'a'}", "teachers=greedy", "steps=0", "imitate_positions=100")
    train(dataclasses.replace(settings, options=game.options), tmp_path / "b")
    assert (tmp_path / "b" / "model.zip").exists()


def learned(game: games.Game, folder: Path, *teachers: str, positions: int = 10_000, **more: Any) -> Lessons:
    return recorded(game, folder, np.random.default_rng(0), positions, teachers, **more)


def test_advice(tmp_path: Path) -> None:
    """In runs where the adviser played its own moves count, elsewhere what it would play; it takes a win at hand."""
    for name, agents in (("a", ("alphabeta:depth=1", "random")), ("b", ("greedy", "random"))):
        match = Match("gomoku", agents, 6, 3, rotate=True, options={"size": 6}, openings=("random:2",))
        write_run(tmp_path / name, match, batch=6)
    game = games.make("gomoku", size=6)
    advice = "alphabeta:depth=1"
    own, played = learned(game, tmp_path / "a", advice), learned(game, tmp_path / "b", "random")
    both = learned(game, tmp_path, "random", advice=advice)
    texts = dict(zip(map(np.ndarray.tobytes, both.states), both.actions, strict=True))
    assert sorted(texts) == sorted({state.tobytes() for state in np.concatenate([own.states, played.states])})
    assert all(texts[state.tobytes()] == action for state, action in zip(own.states, own.actions, strict=True))

    done: list[tuple[int, int]] = []
    greedy = learned(game, tmp_path / "b", "greedy")
    told = Adviser(game, advice, tmp_path / "b", lambda *at: done.append(at)).ask(greedy.states)[0]
    assert done[-1][0] == done[-1][1] == len(np.unique(greedy.states, axis=0))
    after = greedy.states.copy()
    step_rows(game.rules, after, np.arange(len(after)), greedy.actions)
    wins = (after[:, STATUS] != RUNNING) & (greedy.returns == 1)
    assert wins.sum() >= 5
    after = greedy.states.copy()
    step_rows(game.rules, after, np.arange(len(after)), told)
    assert (after[wins, STATUS] != RUNNING).all()


def test_advice_in_games_that_were_not_won(tmp_path: Path) -> None:
    """What was played stays in as many positions of games that were won."""
    match = Match("gomoku", ("random", "greedy"), 30, 3, rotate=True, options={"size": 6}, openings=("random:2",))
    write_run(tmp_path / "a", match, batch=6)
    game = games.make("gomoku", size=6)
    played = learned(game, tmp_path, "greedy", "random")
    moves = {state.tobytes(): action for state, action in zip(played.states, played.actions, strict=True)}
    unwon = learned(game, tmp_path, "greedy", "random", advice="alphabeta:depth=1", advise="unwon")
    assert (unwon.returns > 0).sum() == (unwon.returns <= 0).sum() == (played.returns <= 0).sum()
    won = unwon.returns > 0
    same = np.array([moves[s.tobytes()] == a for s, a in zip(unwon.states, unwon.actions, strict=True)])
    assert same[won].all()
    assert same[~won].mean() < 0.5
    write_run(tmp_path / "b", Match("gomoku", ("greedy", "random"), 4, 3), batch=4)
    with pytest.raises(ValueError, match="has nothing that alphabeta:depth=1 would have played otherwise"):
        learned(games.make("gomoku"), tmp_path / "b", "greedy", advice="alphabeta:depth=1", advise="unwon")


def test_blunders(tmp_path: Path) -> None:
    """The move of a lost game after which a search, and not before which it, says that all is lost; and missed wins."""
    match = Match("gomoku", ("random", "random"), 40, 3, options={"size": 7}, openings=("random:2",))
    write_run(tmp_path / "a", match, batch=40)
    game = games.make("gomoku", size=7)
    states, actions, results, numbers = decisions(tmp_path / "a")
    adviser = Adviser(game, "alphabeta:nodes=1000", tmp_path, lambda *at: None)
    moves, values = adviser.ask(states)
    later = [
        np.flatnonzero((numbers == number) & (states[:, TO_MOVE] == state[TO_MOVE]) & (states[:, PLY] > state[PLY]))
        for number, state in zip(numbers, states, strict=True)
    ]
    found = blunders(adviser, states, actions, numbers, results)
    lost = len(np.unique(numbers[results < 0]))
    assert lost / 2 < len(found) == len(np.unique(numbers[found])) <= lost
    assert (results[found] < 0).all()
    for row in found:
        assert values[row] > -PROVEN
        assert moves[row] != actions[row]
        assert not len(later[row]) or values[later[row][0]] <= -PROVEN

    unwon = np.flatnonzero(results <= 0)
    let_go = unwon[missed(adviser, states[unwon], actions[unwon], numbers[unwon])]
    expected = [
        row
        for row in unwon
        if values[row] >= PROVEN > max(values[later[row][:1]], default=0) and moves[row] != actions[row]
    ]
    assert sorted(let_go) == expected
    assert len(expected) > 0

    learn = learned(game, tmp_path, "random", advice="alphabeta:nodes=1000", advise="blunders")
    wrong = len(np.union1d(found, let_go))
    assert np.isnan(learn.returns).all()
    assert len(learn.states) - wrong == min(4 * wrong, (results > 0).sum())
    won = {state.tobytes(): action for state, action in zip(states[results > 0], actions[results > 0], strict=True)}
    same = [won.get(state.tobytes()) == action for state, action in zip(learn.states, learn.actions, strict=True)]
    assert sum(same) >= len(learn.states) - wrong


def test_advice_is_kept(tmp_path: Path) -> None:
    """The same in any order and whoever asks; what is in the file is not asked again."""
    game = games.make("gomoku", size=6)
    states = shown(game, "random", 200, 1.0, 5).states
    some = np.random.default_rng(0).permutation(len(states))

    def ask(states: States) -> NDArray[np.int64]:
        return Adviser(game, "greedy", tmp_path, lambda *at: None).ask(states)[0]

    want = ask(states)
    file = tmp_path / "advice-greedy.npz"
    file.unlink()
    known = some[:100]
    assert (ask(states[known]) == want[known]).all()
    assert list(tmp_path.iterdir()) == [file]
    with np.load(file) as kept:
        np.savez(file, digests=kept["digests"], moves=kept["moves"] + 1000, values=kept["values"])
    there = np.isin(digests(states), digests(states[known]))
    assert 100 <= there.sum() < len(states)
    assert (ask(states[some]) == (want + 1000 * there)[some]).all()
