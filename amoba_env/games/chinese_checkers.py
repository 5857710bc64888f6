"""Chinese checkers (star halma): the 121-cell star for two to six players."""

from amoba_env.core import board as boards
from amoba_env.games.game import Game
from amoba_env.games.race import race
from amoba_env.games.star import star_seats
from amoba_env.options import Options

MAX_PLIES = 1200  # by default: 200 rounds of six players

# The points of the star, clockwise from the bottom: opposite ones, every second one, two opposite pairs, all.
POINTS = {2: (0, 3), 3: (0, 2, 4), 4: (0, 1, 3, 4), 6: (0, 1, 2, 3, 4, 5)}


def chinese_checkers(
    players: int = 2,
    men: int = 10,
    anti_spoiling: bool = False,
    max_plies: int = MAX_PLIES,
    adjudicate: bool = False,
) -> Game:
    """Ten or fifteen men race across the 121-cell star; anti_spoiling: a full goal wins with one own man in it."""
    # Triangles of 15 cells at neighbouring points would share a cell.
    if men not in (10, 15) or players not in POINTS or (men, players) in ((15, 4), (15, 6)):
        raise ValueError(
            "chinese_checkers: players must be 2, 3, 4 or 6 with men=10, and 2 or 3 with men=15, "
            f"not players={players} with men={men}"
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
