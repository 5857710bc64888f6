"""Seats at the points of a hexagram; the goal of each is the opposite point."""

from collections.abc import Sequence

import numpy as np

from amoba_env.core import board as boards
from amoba_env.games.race import Point, Seats, seats_around


def star_seats(board: boards.Board, points: Sequence[int], men: int) -> Seats:
    """Seats at these points, numbered clockwise from the bottom, where seat 0 is. The goal is the opposite point.

    The step distance is the number of steps to the tip of the goal. Men are numbered from the tip of their home, row by
    row.
    """
    side = board.height // 4

    def turn(x: int, y: int) -> Point:
        # Axial coordinates around the centre (3 side, 2 side) are x = 2 q + r, y = r.
        q, r = (x - 3 * side - (y - 2 * side)) // 2, y - 2 * side
        q, r = -r, q + r
        return 2 * q + r + 3 * side, r + 2 * side

    x, y = np.abs(board.coords.T.astype(int) - [[3 * side], [0]])
    steps = np.where(x > y, (x + y) // 2, y)
    goal = np.argsort(steps, kind="stable")[:men]
    home = np.argsort(steps[::-1], kind="stable")[:men]  # the star is the same upside down
    return seats_around(board, turn, points, home, goal, steps)
