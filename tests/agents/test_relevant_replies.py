"""Replies to a threat of fours that alphabeta does not search: after each of them the attacker still wins by fours."""

import random
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

import numpy as np
import pytest
from fours_puzzles import GAMES, positions

from amoba_agents.alphabeta import fours
from amoba_agents.alphabeta import lines as li
from amoba_agents.alphabeta.stones import put, put_all, remove
from amoba_agents.alphabeta.threes import relevant_replies
from amoba_env import Position, games
from amoba_env.core import state as st
from amoba_env.notation import cell_name

FEW, ENOUGH = 200, 200_000  # nodes of the search for the threat, and after a reply
# The first player threatens to win by fours. Three of the forced answers are in row 8, which is empty.
ATTACKER = [(8, 5), (8, 4), (8, 3), (4, 5), (3, 4), (2, 3), (7, 5), (9, 3)]
DEFENDER = [(8, 2), (1, 2), (10, 2), (6, 5), (0, 14), (14, 14), (14, 0)]
FOURS_WITH_ANSWERS = {"e8", "h8", "j8"}  # each makes a four of these answers


def with_stones(rule: str, attacker: list[tuple[int, int]], defender: list[tuple[int, int]]) -> Position:
    """The first player attacks, the second is to move."""
    cells = np.full((15, 15), st.EMPTY)
    for seat, points in enumerate((attacker, defender)):
        for x, y in points:
            cells[y, x] = seat
    return Position.from_cells(games.make("gomoku", size=15, rule=rule), cells, 1)


def with_more_stones(rule: str, draw: random.Random) -> Iterator[Position]:
    """The position with up to three more stones of each player."""
    free = [(x, y) for x in range(15) for y in range(15) if (x, y) not in {*ATTACKER, *DEFENDER}]
    while True:
        half = draw.randrange(4)
        more = draw.sample(free, 2 * half)
        with suppress(ValueError):  # both have won
            yield with_stones(rule, ATTACKER + more[:half], DEFENDER + more[half:])


class Replies:
    """The relevant replies of the player to move to a win by fours of the other, and the replies that leave no win."""

    def __init__(self, position: Position) -> None:
        self.position = position
        self.game, self.state, self.seat = position.game, position.state.copy(), position.to_move
        self.w = li.workspace(self.game.rules)
        self.t = li.hash_table(self.w, self.game.n_cells, 0, log_failed=12)
        put_all(self.game.rules, self.state, self.w, self.t)
        self.w[li.LIMIT] = 1 << 40
        over = position.over or any(self.w[self.w[li.LIST_LENGTH] + seat] > 0 for seat in (0, 1))
        self.threat = not over and self.attacker_wins(FEW)
        self.fours = int(self.w[li.SEQUENCE_LENGTH])
        self.relevant = self.listed() if self.threat else set()

    def listed(self) -> set[str]:
        """The relevant replies to the threat that was found last."""
        end = relevant_replies(self.game.rules, self.state, self.w, np.int64(self.seat))
        return {cell_name(self.game, cell) for cell in self.w[self.w[li.TOP] : end].tolist()}

    def attacker_wins(self, nodes: int) -> bool:
        """Does a search by fours find a win for the player who is not to move?"""
        attacker = np.int64(1 - self.seat)
        return bool(fours.wins_by_fours(self.game.rules, self.state, self.w, self.t, attacker, np.int64(nodes)))

    def missing(self) -> list[str]:
        """The replies that are not relevant, but after which the attacker has no win by fours."""
        found = []
        for cell in np.flatnonzero(self.state[st.CELLS :] == st.EMPTY).tolist():
            if cell_name(self.game, cell) not in self.relevant:
                put(self.game.rules, self.state, self.w, self.t, np.int64(self.seat), np.int64(cell))
                self.w[li.CUT] = 0
                if not self.attacker_wins(ENOUGH):
                    assert not self.w[li.CUT], "more nodes are needed"
                    found.append(cell_name(self.game, cell))
                remove(self.game.rules, self.state, self.w, self.t, np.int64(self.seat), np.int64(cell))
        return found


@pytest.mark.parametrize("rule", ["freestyle", "exact"])
def test_answers_in_an_empty_row(rule: str) -> None:
    """A stone that makes a four of three answers is relevant, and cells from which no four can come are not."""
    found = Replies(with_stones(rule, ATTACKER, DEFENDER))
    assert found.relevant == {"i9", "i8", "g9", "f8", "f9", "g8", "h9", "j9", "e9"} | FOURS_WITH_ANSWERS
    assert found.missing() == []


def test_answers_in_an_empty_row_of_a_half_random_game() -> None:
    position = Position.from_text(GAMES["freestyle"][0], "2xo6/10/6x3/2x2xo3/2x2xo3/6o3/6o3/6x3/10/5o4 o 13 g8")
    found = Replies(position)
    assert {"a5", "b5"} <= found.relevant
    assert found.missing() == []


@pytest.mark.parametrize("rule", ["freestyle", "exact"])
def test_no_reply_is_missing_among_more_stones(rule: str) -> None:
    found = (Replies(position) for position in with_more_stones(rule, random.Random(1)))
    threats = (replies for replies in found if replies.threat)
    for replies in islice(threats, 60):
        assert replies.missing() == [], replies.position.text


@pytest.mark.parametrize("name", GAMES)
def test_no_reply_is_missing_in_half_random_games(name: str) -> None:
    found = (Replies(position) for position in positions(name, random.Random(f"replies of {name}")))
    threats = (replies for replies in found if replies.threat and replies.fours > 1)
    for replies in islice(threats, 10):
        assert replies.missing() == [], replies.position.text
