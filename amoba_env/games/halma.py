"""Halma on a star of 37 cells: six men race to the opposite point, by steps and chains of jumps.

A man steps to an empty neighbouring cell, or jumps in a straight line over one man of any colour to the empty cell
beyond, and may go on jumping in the same move. Nothing is captured. The first player with all six men in the opposite
point wins; with `anti_spoiling` a goal that is full wins with one own man in it. A player without a legal move is
skipped; if nobody has one, the game is a draw. The game is from Zoltán Vécsey's thesis (JATE).

The players move counterclockwise; red sits at the bottom. The default limit, 600 moves, is 200 rounds of three players;
good players need some 40 moves.
"""

from typing import Annotated, Literal

import numpy as np

from amoba_env.core import board as boards
from amoba_env.games.game import Game
from amoba_env.games.race import Adjudicate, AntiSpoiling, MaxPlies, cells_of, race
from amoba_env.games.star import star_seats
from amoba_env.options import Option, Options

Players = Annotated[Literal[2, 3], Option("number of players")]

# First cells (x, y) of the men in the order of their numbers.
RED = ((6, 8), (5, 7), (7, 7), (4, 6), (6, 6), (8, 6))
WHITE = ((8, 2), (10, 2), (12, 2), (9, 3), (11, 3), (10, 4))
GREEN = ((0, 2), (2, 2), (4, 2), (1, 3), (3, 3), (2, 4))
POINTS = (0, 4, 2)  # numbered clockwise from the bottom; the order of play is counterclockwise, as in the thesis


def halma(
    players: Players = 3, anti_spoiling: AntiSpoiling = False, max_plies: MaxPlies = 600, adjudicate: Adjudicate = False
) -> Game:
    """Six men race across the star; anti_spoiling: a full goal wins with one own man in it."""
    options: Options = {
        "players": players,
        "anti_spoiling": anti_spoiling,
        "max_plies": max_plies,
        "adjudicate": adjudicate,
    }
    board = boards.hexagram(2)
    home = np.array([cells_of(board, men) for men in (RED, WHITE, GREEN)[:players]])
    seats = star_seats(board, POINTS[:players], men=6)
    return race("halma", options, board, seats._replace(home=home))
