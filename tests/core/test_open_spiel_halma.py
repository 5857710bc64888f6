"""OpenSpiel as the outside judge of Chinese checkers: the same random games, compared move by move.

Its actions are single hops and its first player sits at the top: a move of ours is a chain of its actions, upside
down. It plays ten men and ends a game when a goal is full of own men.
"""

import random

import numpy as np
import pyspiel
import pytest

from amoba_env import Position, games
from amoba_env.core import state as st

LAST = 120  # cell
HOPS = 6  # directions
PASS = 726  # ends a chain of hops


def moves(judge: pyspiel.State) -> dict[int, list[int]]:
    """Our actions, and the chain of theirs that each is. The judge plays each and takes it back."""
    me, found, seen = judge.current_player(), dict[int, list[int]](), set[int]()

    def follow(standing: set[int], origin: int, chain: list[int]) -> None:
        """Play the last of a chain; my men stand here before it."""
        judge.apply_action(chain[-1])
        reached = men(judge, me)
        (to,) = reached - standing
        if to not in seen:
            seen.add(to)
            onward = [] if judge.is_terminal() else judge.legal_actions()
            ongoing = PASS in onward
            found[(LAST - origin) * 121 + LAST - to] = [*chain, PASS] if ongoing else chain
            if ongoing:
                for hop in onward[:-1]:
                    follow(reached, origin, [*chain, hop])
        judge.undo_action(me, chain[-1])

    standing, actions = men(judge, me), judge.legal_actions()
    for origin in standing:
        seen = {origin}
        for action in actions:
            if action // HOPS == origin:
                follow(standing, origin, [action])
    return found


def play(judge: pyspiel.State, chain: list[int]) -> None:
    for action in chain:
        judge.apply_action(action)


def men(state: pyspiel.State, seat: int) -> set[int]:
    """Where the men of a seat stand, in their numbers."""
    mine = str(seat + 1)
    return {cell for cell, char in enumerate(drawing(state)) if char == mine}


def board(state: pyspiel.State) -> list[int]:
    """The owners of the cells."""
    return [st.EMPTY if char == "." else int(char) - 1 for char in drawing(state)]


def drawing(state: pyspiel.State) -> str:
    """A character for each cell: a point, or whose man stands there, from 1."""
    return "".join(str(state).partition("Player:")[0].split())


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
            position = position.play(action)
            play(judge, theirs[action])


@pytest.mark.parametrize("players", [2, 3, 6])
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
        position = position.play(action)
        play(judge, theirs[action])
        assert position.cells.tolist()[::-1] == board(judge)
    assert judge.is_terminal()
    assert position.outcome is not None
    assert np.argmax(judge.returns()) == position.outcome.winner
