"""Halma on a square board: men race from their corner to the opposite one."""

from collections.abc import Sequence

import numpy as np

from amoba_env.checks import BadValue
from amoba_env.core import board as boards
from amoba_env.core.board import SQUARE, STRAIGHT
from amoba_env.games.game import Game
from amoba_env.games.race import Point, Seats, race, seats_around
from amoba_env.options import Options

MAX_PLIES = 1200  # by default: 300 rounds of four players

# (size, players): how far a cell of a home or goal may be from the corner, in columns or rows, and in their sum.
CAMPS = {
    (8, 2): (3, 3),  # 4 + 3 + 2 + 1 men
    (10, 2): (4, 4),  # 5 + 4 + 3 + 2 + 1
    (10, 4): (3, 3),
    (16, 2): (4, 5),  # 5 + 5 + 4 + 3 + 2
    (16, 4): (3, 4),  # 4 + 4 + 3 + 2
}
CORNERS = {2: (0, 2), 4: (0, 1, 2, 3)}  # clockwise from the bottom left


def square_halma(
    size: int = 10,
    players: int = 4,
    directions: int = 8,
    anti_spoiling: bool = False,
    max_plies: int = MAX_PLIES,
    adjudicate: bool = False,
) -> Game:
    """Men race from corner to corner in 8 or 4 directions; anti_spoiling: a full goal wins with one own man in it."""
    if (size, players) not in CAMPS:
        raise ValueError(
            "square_halma: players must be 2 with size=8, and 2 or 4 with size=10 or size=16, "
            f"not players={players} with size={size}"
        )
    if directions not in (4, 8):
        raise BadValue("square_halma: directions", f"must be 4 or 8, not {directions}")
    options: Options = {
        "size": size,
        "players": players,
        "directions": directions,
        "anti_spoiling": anti_spoiling,
        "max_plies": max_plies,
        "adjudicate": adjudicate,
    }
    board = boards.square(size, size, SQUARE if directions == 8 else STRAIGHT)
    return race("square_halma", options, board, corner_seats(board, CORNERS[players], *CAMPS[size, players]))


def corner_seats(board: boards.Board, corners: Sequence[int], rim: int, reach: int) -> Seats:
    """Seats in these corners, numbered clockwise from the bottom left, where seat 0 is; its goal is at the top right.

    With four directions the step distance is the number of steps to the corner. With eight directions that would be
    wrong: a square of men in the corner would have a smaller sum than the triangle that wins. There the step distance
    is the number of steps into the goal; inside the goal it goes on falling, to 0 in the corner.
    """
    size = board.width

    def turn(x: int, y: int) -> Point:
        return size - 1 - y, x

    x, y = board.coords.T.astype(int)
    right, down = size - 1 - x, y  # how far from the corner at the top right
    steps, far = right + down, np.maximum(right, down)
    goal = np.flatnonzero((steps <= reach) & (far <= rim))
    home = (board.n_cells - 1 - goal)[::-1]  # the board is the same upside down
    if board.neighbor.shape[1] == 8:
        steps = np.maximum((steps - reach + 1) // 2, far - rim)
    return seats_around(board, turn, corners, home, goal, steps - steps.min())
