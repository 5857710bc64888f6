"""OpenSpiel as the outside judge of Chinese checkers: the same random games, compared move by move.

Its actions are single hops and its first player sits at the top: a move of ours is a chain of its actions, upside
down. It plays ten men and ends a game when a goal is full of own men.
"""

import random

import numpy as np
import pyspiel
import pytest

from amoba_env import Position, games
from amoba_env.core.state import EMPTY

pytestmark = pytest.mark.compiled

LAST = 120  # cell
HOPS = 6  # directions
PASS = 726  # ends a chain of hops


def moves(judge: pyspiel.State) -> dict[int, pyspiel.State]:
    """Our actions, and where each leads in theirs."""
    me, found, seen = judge.current_player(), dict[int, pyspiel.State](), set[int]()

    def follow(state: pyspiel.State, origin: int, action: int) -> None:
        after = state.child(action)
        (to,) = set(men(after, me)) - set(men(state, me))
        ongoing = not after.is_terminal() and PASS in after.legal_actions()
        if to not in seen:
            seen.add(to)
            found[(LAST - origin) * 121 + LAST - to] = after.child(PASS) if ongoing else after
            if ongoing:
                for hop in after.legal_actions()[:-1]:
                    follow(after, origin, hop)

    for origin in men(judge, me):
        seen = {origin}
        for action in judge.legal_actions():
            if action // HOPS == origin:
                follow(judge, origin, action)
    return found


def men(state: pyspiel.State, seat: int) -> list[int]:
    """Where the men of a seat stand, in their numbers."""
    return [cell for cell, owner in enumerate(board(state)) if owner == seat]


def board(state: pyspiel.State) -> list[int]:
    """The owners of the cells, from their drawing."""
    drawing = str(state).partition("Player:")[0]
    return [EMPTY if char == "." else int(char) - 1 for char in drawing if not char.isspace()]


@pytest.mark.parametrize("players", [2, 3, 4, 6])
def test_random_games(players: int) -> None:
    dice = random.Random(players)
    for _ in range(3):
        position = Position.start(games.make("chinese_checkers", players=players))
        judge = pyspiel.load_game(f"chinese_checkers(players={players})").new_initial_state()
        for _ in range(60):
            theirs = moves(judge)
            assert position.cells.tolist()[::-1] == board(judge)
            assert position.to_move == judge.current_player()
            assert position.legal_actions().tolist() == sorted(theirs)
            action = dice.choice(sorted(theirs))
            position, judge = position.play(action), theirs[action]


@pytest.mark.parametrize("players", [2, 3, 4, 6])
def test_the_winner(players: int) -> None:
    dice = random.Random(players)
    position = Position.start(games.make("chinese_checkers", players=players))
    judge = pyspiel.load_game(f"chinese_checkers(players={players})").new_initial_state()
    while not position.over:
        assert not judge.is_terminal()
        theirs = moves(judge)
        assert position.legal_actions().tolist() == sorted(theirs)
        left = {action: position.play(action).distance(position.to_move) for action in theirs}
        best = [action for action in sorted(theirs) if left[action] == min(left.values())]
        action = dice.choice(best if dice.random() < 0.9 else sorted(theirs))
        position, judge = position.play(action), theirs[action]
    assert judge.is_terminal()
    assert position.outcome is not None
    assert np.argmax(judge.returns()) == position.outcome.winner
