"""Chinese checkers: ten or fifteen men race across the star of 121 cells, by steps and chains of jumps.

A man steps to an empty neighbouring cell, or jumps in a straight line over one man of any colour to the empty cell
beyond, and may go on jumping in the same move. Nothing is captured. Men may stop in any point of the star and may leave
their goal again. The first player with all men in the opposite point wins. A player without a legal move is skipped; if
nobody has one, the game is a draw.

Two players sit at opposite points, three at every second point, four at two pairs of opposite points. They move
clockwise; red sits at the bottom. Each has 10 men, or 15 with two or three players: with more players, neighbouring
triangles of 15 would share a cell. The default limit, 1200 moves, is 200 rounds of six players; good players need 30 to
60 rounds.

Without `anti_spoiling` a goal must be full of the player's own men, so a player who leaves a man at home keeps the
opposite player from winning. With it a player wins as soon as men of any colour fill its goal and at least one of them
is its own, whoever moved last. This is David Parlett's rule for halma (The Oxford History of Board
Games, 1999).
"""

from typing import Annotated, Literal

from amoba_env.core import board as boards
from amoba_env.games.game import Game
from amoba_env.games.race import Adjudicate, AntiSpoiling, MaxPlies, race
from amoba_env.games.star import star_seats
from amoba_env.options import Option, Options

Players = Annotated[Literal[2, 3, 4, 6], Option("number of players")]
Men = Annotated[Literal[10, 15], Option("men of each player")]

# The points of the star, clockwise from the bottom: opposite ones, every second one, two opposite pairs, all.
POINTS = {2: (0, 3), 3: (0, 2, 4), 4: (0, 1, 3, 4), 6: (0, 1, 2, 3, 4, 5)}


def chinese_checkers(
    players: Players = 2,
    men: Men = 10,
    anti_spoiling: AntiSpoiling = False,
    max_plies: MaxPlies = 1200,
    adjudicate: Adjudicate = False,
) -> Game:
    """Ten or fifteen men race across a star of 121 cells; anti_spoiling: a full goal wins with one own man in it."""
    # Triangles of 15 cells at neighbouring points would share a cell.
    if men == 15 and players > 3:
        raise ValueError(
            "chinese_checkers: expected 2, 3, 4 or 6 players with men=10, 2 or 3 with men=15, "
            f"got players={players} with men={men}"
        )
    options: Options = {
        "players": players,
        "men": men,
        "anti_spoiling": anti_spoiling,
        "max_plies": max_plies,
        "adjudicate": adjudicate,
    }
    board = boards.hexagram(4)
    return race("chinese_checkers", options, board, star_seats(board, POINTS[players], men))
