"""Halma on the 37-cell star, after Zoltán Vécsey's thesis (JATE): men race to the opposite point."""

import numpy as np

from amoba_env.checks import BadValue
from amoba_env.core import board as boards
from amoba_env.games.game import Game
from amoba_env.games.race import cells_of, race
from amoba_env.games.star import star_seats
from amoba_env.options import Options

MAX_PLIES = 600  # by default; without a limit players who block each other could play forever

# First cells (x, y) of the men in the order of their numbers.
RED = ((6, 8), (5, 7), (7, 7), (4, 6), (6, 6), (8, 6))
WHITE = ((8, 2), (10, 2), (12, 2), (9, 3), (11, 3), (10, 4))
GREEN = ((0, 2), (2, 2), (4, 2), (1, 3), (3, 3), (2, 4))
POINTS = (0, 4, 2)  # numbered clockwise from the bottom; the order of play is counterclockwise, as in the thesis


def halma(players: int = 3, max_plies: int = MAX_PLIES, adjudicate: bool = False) -> Game:
    """Six men race across the star; adjudicate: at max_plies the least step distance wins instead of nobody."""
    if players not in (2, 3):
        raise BadValue("halma: players", f"must be 2 or 3, not {players}")
    options: Options = {"players": players, "max_plies": max_plies, "adjudicate": adjudicate}
    board = boards.hexagram(2)
    home = np.array([cells_of(board, men) for men in (RED, WHITE, GREEN)[:players]])
    seats = star_seats(board, POINTS[:players], men=6)
    return race("halma", options, board, seats._replace(home=home))
