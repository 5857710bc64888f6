"""What an agent would play in positions of other games."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from amoba_agents import AGENTS
from amoba_env import Position, games
from amoba_env.agent import Actions, Agent, Memory, Streams
from amoba_env.core.state import States
from amoba_env.games import Game
from amoba_experiments.arena.match import Match
from amoba_experiments.runs.play_match import play_match
from amoba_experiments.runs.replay import decisions
from amoba_experiments.training import answers
from amoba_experiments.training.answers import Answers, digests

SIX = {"size": 6}


def test_other_rules_have_other_answers(tmp_path: Path) -> None:
    """In exact rules six in a row do not win."""
    found = []
    for rule in ("freestyle", "exact"):
        game = games.make("gomoku", size=7, rule=rule)
        state = Position.from_text(game, "7/7/7/xxx1xx1/7/ooo1oo1/7 x").state
        found.append(int(Answers(game, "greedy", tmp_path, 1, lambda *at: None).ask(state[None])[0]))
    assert found[0] == 3 * 7 + 3
    assert len(list(tmp_path.iterdir())) == 2


def test_answers_are_kept(tmp_path: Path) -> None:
    """The same in any order and whoever asks; what is in the file is not asked again."""
    game = games.make("gomoku", **SIX)
    match = Match("gomoku", ("random", "random"), 30, 3, options=SIX, openings=("random:2",))
    play_match(match, tmp_path / "a", batch=6)
    states = decisions(tmp_path / "a")[0]
    some = np.random.default_rng(0).permutation(len(states))

    def ask(states: States, threads: int = 1) -> NDArray[np.int64]:
        return Answers(game, "greedy", tmp_path / "b", threads, lambda *at: None).ask(states)

    want = ask(states)
    (file,) = (tmp_path / "b").glob("answers-greedy-*.npz")
    file.unlink()
    known = some[:100]
    assert (ask(states[known], 2) == want[known]).all()
    assert list((tmp_path / "b").iterdir()) == [file]
    with np.load(file) as kept:
        np.savez(file, digests=kept["digests"], moves=kept["moves"] + 1000)
    there = np.isin(digests(states), digests(states[known]))
    assert 90 <= there.sum() < len(states)
    assert (ask(states[some]) == (want + 1000 * there)[some]).all()


class Wrong(Agent):
    """Plays a cell that is taken, and notes in which threads."""

    name = "wrong"

    def __init__(self) -> None:
        self.threads: set[int] = set()

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        self.threads.add(threading.get_ident())
        time.sleep(0.01)  # meanwhile other threads would be asked
        return np.full(len(states), 4, np.int32)


def test_illegal_answers_are_not_learned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And an agent that is not `rowwise` is asked in one thread, whatever their number."""
    agent, game = Wrong(), games.make("gomoku", **SIX)
    monkeypatch.setitem(AGENTS, "wrong", lambda: agent)
    monkeypatch.setattr(answers, "SIZE", 1)
    starts = [Position.from_moves(game, f"{column}1").state for column in "abcdef"]
    Answers(game, "wrong", tmp_path, 4, lambda *at: None).ask(np.array(starts))
    assert len(agent.threads) == 1
    with pytest.raises(ValueError, match="a teacher has to answer, but: illegal move of wrong"):
        Answers(game, "wrong", tmp_path, 1, lambda *at: None).ask(Position.from_moves(game, [4]).state[None])
