"""Dataset aggregation: what an expert says in the policy's own games; blunders."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from training import CORRECT, job

from amoba_agents.alphabeta.alphabeta_search import PROVEN
from amoba_env import games
from amoba_env.core import state as st
from amoba_env.core.batch import step_rows
from amoba_env.core.state import States
from amoba_experiments.arena.match import Match
from amoba_experiments.runs.play_match import play_match
from amoba_experiments.runs.replay import decisions
from amoba_experiments.training.answers import Answers, digests
from amoba_experiments.training.dagger import aggregate, blunders, missed
from amoba_experiments.training.job import Job
from amoba_experiments.training.settings import Correct

SIX = {"size": 6}
EXPERT = "alphabeta:depth=1"


def lost(folder: Path, games: int = 30) -> tuple[Path, str]:
    """Games of `random` against itself."""
    match = Match("gomoku", ("random", "random"), games, 3, options=SIX, openings=("random:2",))
    play_match(match, folder, batch=6)
    return folder, "random"


def corrected(folder: Path, **more: object) -> tuple[Correct, Job]:
    settings = dataclasses.replace(CORRECT, expert=EXPERT, **more)  # type: ignore[arg-type]
    return settings, job(folder, settings, game="gomoku", options=SIX)


def test_the_expert_is_asked_everywhere(tmp_path: Path) -> None:
    """It takes a win at hand in games that the policy won."""
    settings, work = corrected(tmp_path / "b")
    match = Match("gomoku", ("greedy", "random"), 12, 3, rotate=True, options=SIX, openings=("random:2",))
    play_match(match, tmp_path / "a", batch=6)
    states, actions, results, _ = aggregate(settings, work, [(tmp_path / "a", "greedy")])
    played = decisions(tmp_path / "a", ["greedy"])
    assert len(states) == len(played[0])
    after = played[0].copy()
    step_rows(work.game.rules, after, np.arange(len(after)), played[1].astype(np.int32))
    wins = {state.tobytes() for state in played[0][after[:, st.STATUS] != st.RUNNING]}
    at_hand = np.array([state.tobytes() in wins for state in states]) & (results > 0)
    assert at_hand.sum() >= 5
    after = states.copy()
    step_rows(work.game.rules, after, np.arange(len(after)), actions.astype(np.int32))
    assert (after[at_hand, st.STATUS] != st.RUNNING).all()


def test_games_that_were_not_won(tmp_path: Path) -> None:
    """What was played stays in as many positions of games that were won."""
    run = lost(tmp_path / "a")
    settings, work = corrected(tmp_path / "b", where="not_won")
    states, played, ended, _ = decisions(run[0], ["random"])
    moves = {state.tobytes(): action for state, action in zip(states, played, strict=True)}
    found = aggregate(settings, work, [run])
    assert (found.results <= 0).sum() == (ended <= 0).sum() > 0
    assert (found.results > 0).sum() == min((ended > 0).sum(), (ended <= 0).sum()) > 0
    won = found.results > 0
    same = np.array([moves[s.tobytes()] == a for s, a in zip(found.states, found.targets, strict=True)])
    assert same[won].all()
    assert same[~won].mean() < 0.5
    two = aggregate(settings, work, [run, lost(tmp_path / "c", 12)])
    assert len(two.states) > len(found.states)


def test_nothing_to_ask(tmp_path: Path) -> None:
    match = Match("gomoku", ("greedy", "random"), 4, 3, options=SIX)
    play_match(match, tmp_path / "a", batch=4)
    settings, work = corrected(tmp_path / "b", where="not_won")
    with pytest.raises(ValueError, match=r"no position where alphabeta:depth=1 is asked \(where=not_won\)"):
        aggregate(settings, work, [(tmp_path / "a", "greedy")])


def test_blunders(tmp_path: Path) -> None:
    """The move of a lost game after which a search, and not before which it, says that all is lost; and missed wins."""
    match = Match("gomoku", ("random", "random"), 40, 3, options={"size": 7}, openings=("random:2",))
    play_match(match, tmp_path / "a", batch=40)
    game = games.make("gomoku", size=7)
    states, actions, results, numbers = decisions(tmp_path / "a")
    answers = Answers(game, "alphabeta:nodes=1000", tmp_path, 2, lambda *at: None)
    moves, values = answers.ask(states)
    later = [
        np.flatnonzero(
            (numbers == number) & (states[:, st.TO_MOVE] == state[st.TO_MOVE]) & (states[:, st.PLY] > state[st.PLY])
        )
        for number, state in zip(numbers, states, strict=True)
    ]
    found = blunders(answers, states, actions, numbers, results)
    lost = len(np.unique(numbers[results < 0]))
    assert lost / 2 < len(found) == len(np.unique(numbers[found])) <= lost
    assert (results[found] < 0).all()
    for row in found:
        assert values[row] > -PROVEN
        assert moves[row] != actions[row]
        assert not len(later[row]) or values[later[row][0]] <= -PROVEN

    unwon = np.flatnonzero(results <= 0)
    let_go = unwon[missed(answers, states[unwon], actions[unwon], numbers[unwon])]
    expected = [
        row
        for row in unwon
        if values[row] >= PROVEN > max(values[later[row][:1]], default=0) and moves[row] != actions[row]
    ]
    assert sorted(let_go) == expected
    assert len(expected) > 0

    settings = dataclasses.replace(CORRECT, expert="alphabeta:nodes=1000", where="blunders")
    work = job(tmp_path / "b", settings, game="gomoku", options={"size": 7})
    learn = aggregate(settings, work, [(tmp_path / "a", "random")])
    wrong = len(np.union1d(found, let_go))
    assert np.isnan(learn.results).all()
    assert len(learn.states) - wrong == min(4 * wrong, (results > 0).sum())
    won = {state.tobytes(): action for state, action in zip(states[results > 0], actions[results > 0], strict=True)}
    same = [won.get(state.tobytes()) == action for state, action in zip(learn.states, learn.targets, strict=True)]
    assert sum(same) >= len(learn.states) - wrong


def test_answers_are_kept(tmp_path: Path) -> None:
    """The same in any order and whoever asks; what is in the file is not asked again."""
    game = games.make("gomoku", **SIX)
    states = decisions(lost(tmp_path / "a")[0])[0]
    some = np.random.default_rng(0).permutation(len(states))

    def ask(states: States, threads: int = 1) -> NDArray[np.int64]:
        return Answers(game, "greedy", tmp_path / "b", threads, lambda *at: None).ask(states)[0]

    want = ask(states)
    file = tmp_path / "b" / "answers-greedy.npz"
    file.unlink()
    known = some[:100]
    assert (ask(states[known], 2) == want[known]).all()
    assert list((tmp_path / "b").iterdir()) == [file]
    with np.load(file) as kept:
        np.savez(file, digests=kept["digests"], moves=kept["moves"] + 1000, values=kept["values"])
    there = np.isin(digests(states), digests(states[known]))
    assert 90 <= there.sum() < len(states)
    assert (ask(states[some]) == (want + 1000 * there)[some]).all()
