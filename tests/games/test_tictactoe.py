"""Tic-tac-toe has few enough positions to visit them all through the core."""

from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from amoba_env import games
from amoba_env.core import play
from amoba_env.core import state as st
from amoba_env.core.state import State

GAME = games.make("tictactoe")


class Tree(NamedTuple):
    """What lies below a position: complete games by winner, and the value for the first player."""

    won: int
    lost: int
    drawn: int
    value: int


class Walk:
    """Every position that can be reached, each visited once: a position is its cells."""

    def __init__(self) -> None:
        self.trees: dict[bytes, Tree] = {}

    def below(self, state: State) -> Tree:
        key = state[st.CELLS :].tobytes()
        if key not in self.trees:
            self.trees[key] = self.explore(state)
        return self.trees[key]

    def explore(self, state: State) -> Tree:
        if state[st.STATUS] != st.RUNNING:
            won, lost, drawn = (state[st.STATUS] == outcome for outcome in (0, 1, st.NOBODY))
            return Tree(int(won), int(lost), int(drawn), int(won) - int(lost))
        legal = np.empty(GAME.n_actions, np.int32)
        children = []
        for action in legal[: play.moves(GAME.rules, state, legal)].tolist():
            child = state.copy()
            assert play.step(GAME.rules, child, action)
            children.append(self.below(child))
        best = max if state[st.TO_MOVE] == 0 else min
        won, lost, drawn, values = zip(*children, strict=True)
        return Tree(sum(won), sum(lost), sum(drawn), best(values))


@cache
def whole_tree() -> tuple[Tree, int]:
    walk = Walk()
    return walk.below(GAME.start()), len(walk.trees)


def test_complete_games() -> None:
    tree, _ = whole_tree()
    assert (tree.won, tree.lost, tree.drawn) == (131184, 77904, 46080)
    assert tree.won + tree.lost + tree.drawn == 255168


def test_positions() -> None:
    assert whole_tree()[1] == 5478


def test_value_is_a_draw() -> None:
    assert whole_tree()[0].value == 0


@pytest.mark.parametrize(("opening", "value"), [([0], 0), ([0, 1], 1), ([0, 4], 0), ([4, 0], 0), ([4, 1], 1)])
def test_value_after_an_opening(opening: list[int], value: int) -> None:
    # The only answer to a corner that holds is the centre, and to the centre a corner.
    state = GAME.start()
    for action in opening:
        assert play.step(GAME.rules, state, action)
    assert Walk().below(state).value == value
