"""Gomoku: five in a row on a square board."""

from typing import Literal, get_args

from amoba_env import checks
from amoba_env.games.game import Game
from amoba_env.games.rows import k_in_a_row
from amoba_env.options import Options

Rule = Literal["freestyle", "exact"]
Opening = Literal["none", "swap", "swap2"]
MAX_SIZE = 100


def gomoku(size: int = 10, rule: Rule = "freestyle", opening: Opening = "none") -> Game:
    """Five in a row on size x size cells; six or more win too (freestyle) or do not count (exact)."""
    size = checks.whole("gomoku: size", size, 5, MAX_SIZE)
    checks.one_of("gomoku: rule", rule, get_args(Rule))
    checks.one_of("gomoku: opening", opening, get_args(Opening))
    options: Options = {"size": size, "rule": rule, "opening": opening}
    return k_in_a_row("gomoku", options, size, size, 5, rule == "exact", opening)
