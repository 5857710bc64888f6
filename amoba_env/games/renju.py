"""Renju: five in a row on 15x15, with forbidden points for Black."""

from typing import Literal, get_args

from amoba_env import checks
from amoba_env.core import board as boards
from amoba_env.core import rules as ru
from amoba_env.core.line_windows import codes, line_windows
from amoba_env.core.patterns import rows_of
from amoba_env.games.game import Game
from amoba_env.games.rows import opening_numbers, stones
from amoba_env.options import Options

Forbidden = Literal["mask", "lose"]
Opening = Literal["none", "rif26", "soosyrv8"]
MIN_SIZE, MAX_SIZE = 9, 40


def renju(size: int = 15, forbidden: Forbidden = "mask", opening: Opening = "none") -> Game:
    """Black wins with exactly five and has forbidden points (masked, or they lose); White with five or more."""
    size = checks.whole("renju: size", size, MIN_SIZE, MAX_SIZE)
    checks.one_of("renju: forbidden", forbidden, get_args(Forbidden))
    checks.one_of("renju: opening", opening, get_args(Opening))
    board = boards.square(size, size)
    numbers = {
        ru.FAMILY: ru.RENJU,
        ru.COLORED: 1,
        ru.FORBIDDEN_LOSES: int(forbidden == "lose"),
        ru.PLANES: 4,
    } | opening_numbers(opening, board.n_cells)
    options: Options = {"size": size, "forbidden": forbidden, "opening": opening}
    more_tables = {ru.CODES: codes(), ru.WINDOWS: line_windows()}
    return stones("renju", options, board, *rows_of(board, 5, exact=True), 2, numbers, more_tables)
