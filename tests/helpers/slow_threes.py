"""Wins by threes and fours (VCT), as a person would define them: every reply of the other side is tried.

A threat is a stone after which its owner would win by fours if the other side passed. Wins by fours come from the
search by fours, which naive_fours.py judges. Slow, though it is compiled: it is for positions that the search by threes
is asked about.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from amoba_agents.alphabeta import lines as li
from amoba_agents.alphabeta.fours import forbidden, wins_by_fours
from amoba_agents.alphabeta.lines import HashTable, StoneWork
from amoba_agents.alphabeta.stones import put, remove
from amoba_env import Position
from amoba_env.core import state as st
from amoba_env.core.rules import Rules
from amoba_env.core.state import State

FOURS_NODES = np.int64(5000)
ENOUGH = np.int64(1 << 40)
NO_WIN = -1


class TooLong(Exception):
    """There are too many positions to look at."""


@njit(error_model="numpy")
def by_fours_in(rules: Rules, s: State, w: StoneWork, t: HashTable, seat: int) -> int:
    """In how many plies the seat, to move, wins by fours alone; 0 if it does not."""
    return 2 * w[li.SEQUENCE_LENGTH] + 1 if wins_by_fours(rules, s, w, t, seat, FOURS_NODES) else 0


@njit(error_model="numpy")
def may_put(rules: Rules, s: State, seat: int, cell: int) -> bool:
    """May the seat put a stone on the cell?"""
    return s[st.CELLS + cell] == st.EMPTY and not forbidden(rules, s, seat, cell)


@njit(error_model="numpy")
def win(rules: Rules, s: State, w: StoneWork, t: HashTable, seat: int, plies: int, left: NDArray[np.int64]) -> int:
    """The first stone of a win of the seat, which is to move, in at most this many plies, or NO_WIN.

    left[0] positions may be looked at. If it falls below 0, the answer means nothing.
    """
    left[0] -= 1
    if left[0] < 0:
        return np.int64(NO_WIN)
    other = 1 - seat
    for stone in range(len(s) - st.CELLS):
        cell = np.int64(stone)
        if not may_put(rules, s, seat, cell):
            continue
        put(rules, s, w, t, seat, cell)
        won = w[w[li.LIST_LENGTH] + other] == 0 and 0 < by_fours_in(rules, s, w, t, seat) <= plies - 2
        for answer in range(len(s) - st.CELLS):
            reply = np.int64(answer)
            if won and may_put(rules, s, other, reply):
                put(rules, s, w, t, other, reply)
                won = 0 < by_fours_in(rules, s, w, t, seat) <= plies - 2
                if not won and plies > 5:
                    won = win(rules, s, w, t, seat, plies - 2, left) != NO_WIN
                remove(rules, s, w, t, other, reply)
        remove(rules, s, w, t, seat, cell)
        if won:
            return cell
    return np.int64(NO_WIN)


class Threats:
    """A position, and its wins."""

    def __init__(self, position: Position, most: int) -> None:
        """`most`: how many positions are looked at before TooLong is raised."""
        game = position.game
        self.rules, self.state = game.rules, game.start()
        self.w = li.workspace(self.rules)
        self.t = li.hash_table(self.w, game.n_cells, 12)
        self.w[li.LIMIT] = ENOUGH
        self.left = np.array([most])
        for cell, seat in enumerate(position.cells.tolist()):
            if seat != st.EMPTY:
                put(self.rules, self.state, self.w, self.t, np.int64(seat), np.int64(cell))

    def wins_at_once(self, seat: int) -> bool:
        """Does a stone of the seat win?"""
        return bool(self.w[self.w[li.LIST_LENGTH] + seat] > 0)

    def by_fours(self, seat: int) -> int:
        """In how many plies the seat, to move, wins by fours alone; 0 if it does not."""
        return int(by_fours_in(self.rules, self.state, self.w, self.t, np.int64(seat)))

    def win(self, seat: int, plies: int) -> int | None:
        """The first stone of a win of the seat, which is to move, in at most this many plies, or None."""
        cell = int(win(self.rules, self.state, self.w, self.t, np.int64(seat), np.int64(plies), self.left))
        if self.left[0] < 0:
            raise TooLong
        return None if cell == NO_WIN else cell
