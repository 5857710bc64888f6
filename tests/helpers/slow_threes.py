"""Wins by threes and fours (VCT), as a person would define them: every reply of the other side is tried.

A threat is a stone after which its owner would win by fours if the other side passed. Wins by fours come from the
search by fours, which naive_fours.py judges. Slow: it is for positions that the search by threes is asked about.
"""

from __future__ import annotations

import numpy as np

from amoba_agents.alphabeta.fours import forbidden, wins_by_fours
from amoba_agents.alphabeta.lines import LIMIT, LIST_LENGTH, SEQUENCE_LENGTH, hash_table, workspace
from amoba_agents.alphabeta.stones import put, remove
from amoba_env import Position
from amoba_env.core.state import CELLS, EMPTY

FOURS_NODES = np.int64(5000)
ENOUGH = np.int64(1 << 40)


class TooLong(Exception):
    """There are too many positions to look at."""


class Threats:
    """A position in which stones are put and taken."""

    def __init__(self, position: Position, most: int) -> None:
        """`most`: how many positions are looked at before TooLong is raised."""
        game = position.game
        self.rules, self.state = game.rules, game.start()
        self.w = workspace(self.rules)
        self.t = hash_table(self.w, game.n_cells, 12)
        self.w[LIMIT] = ENOUGH
        self.left = most
        for cell, seat in enumerate(position.cells.tolist()):
            if seat != EMPTY:
                self.put(seat, cell)

    def put(self, seat: int, cell: int) -> None:
        put(self.rules, self.state, self.w, self.t, np.int64(seat), np.int64(cell))

    def take(self, seat: int, cell: int) -> None:
        remove(self.rules, self.state, self.w, self.t, np.int64(seat), np.int64(cell))

    def legal(self, seat: int) -> list[int]:
        """The empty cells on which the seat may put a stone."""
        empty = np.flatnonzero(self.state[CELLS:] == EMPTY)
        return [
            cell for cell in empty.tolist() if not forbidden(self.rules, self.state, np.int64(seat), np.int64(cell))
        ]

    def wins_at_once(self, seat: int) -> bool:
        """Does a stone of the seat win?"""
        return bool(self.w[self.w[LIST_LENGTH] + seat] > 0)

    def by_fours(self, seat: int) -> int:
        """In how many plies the seat, to move, wins by fours alone; 0 if it does not."""
        if not wins_by_fours(self.rules, self.state, self.w, self.t, np.int64(seat), FOURS_NODES):
            return 0
        return int(2 * self.w[SEQUENCE_LENGTH] + 1)

    def win(self, seat: int, plies: int) -> int | None:
        """The first stone of a win of the seat, which is to move, in at most so many plies, or None."""
        self.left -= 1
        if self.left < 0:
            raise TooLong
        for cell in self.legal(seat):
            self.put(seat, cell)
            won = not self.wins_at_once(1 - seat) and 0 < self.by_fours(seat) <= plies - 2
            won = won and all(self.answered(seat, reply, plies - 2) for reply in self.legal(1 - seat))
            self.take(seat, cell)
            if won:
                return cell
        return None

    def answered(self, seat: int, reply: int, plies: int) -> bool:
        """Does the seat still win after this reply of the other side?"""
        self.put(1 - seat, reply)
        won = 0 < self.by_fours(seat) <= plies or (plies > 3 and self.win(seat, plies) is not None)
        self.take(1 - seat, reply)
        return won
