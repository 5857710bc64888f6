"""Square halma: men race from their corner of a square board to the opposite one, by steps and chains of jumps.

A man steps to an empty neighbouring cell, or jumps in a straight line over one man of any colour to the empty cell
beyond, and may go on jumping in the same move. Nothing is captured. Men may leave their goal again. The first player
with all men in the opposite corner wins. A player without a legal move is skipped; if nobody has one, the game is a
draw.

The players move clockwise. Red sits at the bottom left; with two players white sits at the top right. These sizes and
numbers of players are possible:

| Men each | two players | four players |
|---|---|---|
| size=8 | 10 | |
| size=10 | 15 | 10 |
| size=16 | 19 | 13 |

The default limit, 1200 moves, is 300 rounds of four players; good players need 20 to 120 rounds, on 16x16 with 4
directions up to 400. Vécsey's thesis has both 8 and 4 directions, on 10x10.

Without `anti_spoiling` a goal must be full of the player's own men, so a player who leaves a man at home keeps the
opposite player from winning. With it a player wins as soon as men of any colour fill its goal and at least one of them
is its own, whoever moved last. This is David Parlett's rule for halma (The Oxford History of Board
Games, 1999).
"""

from collections.abc import Sequence
from typing import Annotated, Literal

import numpy as np

from amoba_env.core import board as boards
from amoba_env.core.board import SQUARE, STRAIGHT
from amoba_env.games.game import Game
from amoba_env.games.race import Adjudicate, AntiSpoiling, MaxPlies, Point, Seats, race, seats_around
from amoba_env.options import Option, Options

Size = Annotated[Literal[8, 10, 16], Option("cells on a side")]
Players = Annotated[Literal[2, 4], Option("number of players")]
Directions = Annotated[Literal[4, 8], Option("in which men step and jump: 8, or 4 (along rows and columns)")]

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
    size: Size = 10,
    players: Players = 4,
    directions: Directions = 8,
    anti_spoiling: AntiSpoiling = False,
    max_plies: MaxPlies = 1200,
    adjudicate: Adjudicate = False,
) -> Game:
    """Men race from corner to corner in 8 or 4 directions; anti_spoiling: a full goal wins with one own man in it."""
    if (size, players) not in CAMPS:
        raise ValueError(
            "square_halma: expected 2 players with size=8, 2 or 4 with size=10 or size=16, "
            f"got players={players} with size={size}"
        )
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
    is the number of steps into the goal; inside the goal it falls further, to 0 in the corner.
    """
    size = board.width

    def turn(x: int, y: int) -> Point:
        return size - 1 - y, x

    x, y = board.coords.T.astype(int)
    right, down = size - 1 - x, y  # distances from the corner at the top right
    steps, far = right + down, np.maximum(right, down)
    goal = np.flatnonzero((steps <= reach) & (far <= rim))
    home = (board.n_cells - 1 - goal)[::-1]  # the board is the same upside down
    if board.neighbor.shape[1] == 8:
        steps = np.maximum((steps - reach + 1) // 2, far - rim)
    return seats_around(board, turn, corners, home, goal, steps - steps.min())
