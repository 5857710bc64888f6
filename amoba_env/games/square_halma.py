"""Halma on a square board: men race from their corner to the opposite one."""

import numpy as np

from amoba_env.core import board as boards
from amoba_env.core.board import SQUARE, STRAIGHT
from amoba_env.games.game import Game
from amoba_env.games.race import Point, Seats, race, seats_around, steps_to
from amoba_env.options import Options

MAX_PLIES = 1200  # by default: 300 rounds of four players

# (size, players): the camp in a corner, row by row from the rim.
CAMPS = {
    (8, 2): (4, 3, 2, 1),
    (10, 2): (5, 4, 3, 2, 1),
    (10, 4): (4, 3, 2, 1),
    (16, 2): (5, 5, 4, 3, 2),
    (16, 4): (4, 4, 3, 2),
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
    """Men race from corner to corner in 8 or 4 directions; anti_spoiling: a full goal with one own man in it wins."""
    if (size, players) not in CAMPS:
        raise ValueError(
            "square_halma: players must be 2 with size=8, and 2 or 4 with size=10 or size=16, "
            f"not players={players} with size={size}"
        )
    if directions not in (4, 8):
        raise ValueError(f"square_halma: directions must be 4 or 8, not {directions}")
    options: Options = {
        "size": size,
        "players": players,
        "directions": directions,
        "anti_spoiling": anti_spoiling,
        "max_plies": max_plies,
        "adjudicate": adjudicate,
    }
    board = boards.square(size, size, SQUARE if directions == 8 else STRAIGHT)
    return race("square_halma", options, board, corner_seats(board, CORNERS[players], CAMPS[size, players]))


def corner_seats(board: boards.Board, corners: tuple[int, ...], camp: tuple[int, ...]) -> Seats:
    """Seats in these corners, numbered clockwise from the bottom left, where seat 0 is; its goal is at the top right.

    The step distance counts the steps that a lone man needs into its goal, and one less for each step that a goal
    cell lies deeper inside, from 0 in the corner on. With steps along rows and columns and camps that are triangles
    it is the distance to the corner itself. In eight directions that one would not do: a square of men in the corner
    would come out nearer than the triangle that wins.
    """
    size = board.width

    def turn(x: int, y: int) -> Point:
        return size - 1 - y, x

    camp_points = [(x, y) for y, row in enumerate(camp) for x in range(row)]  # of a camp at the top left
    home = np.array([(size - 1 - y) * size + x for x, y in camp_points])
    goal = np.array([y * size + size - 1 - x for x, y in camp_points])
    elsewhere = np.setdiff1d(np.arange(board.n_cells), goal)
    steps = steps_to(board, goal) - np.maximum(steps_to(board, elsewhere) - 1, 0)
    return seats_around(board, turn, corners, home, goal, steps - steps.min())
