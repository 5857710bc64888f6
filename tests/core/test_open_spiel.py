"""OpenSpiel as the outside judge of the placing games: the same random games, compared move by move."""

import random

import numpy as np
import pyspiel
import pytest

from amoba_env import games
from amoba_env.core import play
from amoba_env.core import state as st
from amoba_env.games import Game
from amoba_env.games.rows import k_in_a_row


class Table:
    """One of our games beside one of theirs; both number the cells row by row. They play freestyle only."""

    def __init__(self, ours: Game, theirs: str) -> None:
        self.game = ours
        self.state = ours.start()
        self.judge = pyspiel.load_game(theirs).new_initial_state()
        self.legal = np.empty(ours.n_actions, np.int32)
        self.compare()

    def compare(self) -> None:
        found = play.moves(self.game.rules, self.state, self.legal)
        assert self.legal[:found].tolist() == self.judge.legal_actions()
        assert (self.state[st.STATUS] != st.RUNNING) == self.judge.is_terminal()
        rewards = np.empty(2)
        play.rewards(self.game.rules, self.state, True, rewards)
        assert rewards.tolist() == self.judge.returns()

    def play(self, action: int) -> None:
        assert play.step(self.game.rules, self.state, action)
        self.judge.apply_action(action)
        self.compare()

    def play_out(self, dice: random.Random) -> float:
        """Play random moves to the end; return what the first player gets."""
        while not self.judge.is_terminal():
            self.play(dice.choice(self.judge.legal_actions()))
        return self.judge.returns()[0]


def rows(width: int, height: int, k: int) -> Game:
    return k_in_a_row("rows", {}, width, height, k)


TABLES = {
    "mnk(m=3,n=3,k=3)": games.make("tictactoe"),
    "gomoku(size=5)": games.make("gomoku", size=5),
    "gomoku(size=7)": games.make("gomoku", size=7),
    "gomoku(size=10)": games.make("gomoku"),
    "mnk(m=6,n=6,k=5)": games.make("gomoku", size=6),
    "mnk(m=10,n=10,k=5)": games.make("gomoku", size=10),
    "mnk(m=4,n=3,k=3)": rows(4, 3, 3),
    "mnk(m=5,n=7,k=4)": rows(5, 7, 4),
    "mnk(m=9,n=4,k=4)": rows(9, 4, 4),
    "mnk(m=12,n=5,k=5)": rows(12, 5, 5),
    "gomoku(size=15)": games.make("gomoku", size=15),
}


@pytest.mark.parametrize("theirs", TABLES)
def test_random_games(theirs: str) -> None:
    dice = random.Random(theirs)
    results = [Table(TABLES[theirs], theirs).play_out(dice) for _ in range(40)]
    assert {-1.0, 1.0} <= set(results), "too few games to meet a win of either side"


@pytest.mark.parametrize("theirs", ["gomoku(size=10)", "mnk(m=10,n=10,k=5)"])
@pytest.mark.parametrize(("x", "y", "dx", "dy"), [(2, 0, 1, 0), (9, 3, 0, 1), (4, 4, 1, 1), (6, 3, -1, 1)])
def test_six_in_a_row_wins(theirs: str, x: int, y: int, dx: int, dy: int) -> None:
    table = Table(TABLES[theirs], theirs)
    row = [(y + i * dy) * 10 + x + i * dx for i in range(6)]
    replies = [90, 92, 94, 96, 98]
    for black, white in zip([*row[:3], *row[4:]], replies, strict=True):
        table.play(black)
        table.play(white)
    table.play(row[3])
    assert table.judge.returns() == [1.0, -1.0]
