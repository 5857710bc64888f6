"""Gomoku: five in a row on a square board."""

from typing import Literal, get_args

from amoba_env.games.game import Game
from amoba_env.games.rows import k_in_a_row
from amoba_env.options import Options

Rule = Literal["freestyle", "exact"]
Opening = Literal["none", "swap", "swap2"]
MAX_SIZE = 100


def gomoku(size: int = 10, rule: Rule = "freestyle", opening: Opening = "none") -> Game:
    """Five in a row on size x size cells; six or more win too (freestyle) or do not count (exact)."""
    if not 5 <= size <= MAX_SIZE:
        raise ValueError(f"gomoku: size must be 5..{MAX_SIZE}, not {size}")
    if rule not in get_args(Rule):
        raise ValueError(f"gomoku: rule must be one of {', '.join(get_args(Rule))}, not {rule!r}")
    if opening not in get_args(Opening):
        raise ValueError(f"gomoku: opening must be one of {', '.join(get_args(Opening))}, not {opening!r}")
    options: Options = {"size": size, "rule": rule, "opening": opening}
    return k_in_a_row("gomoku", options, size, size, 5, rule == "exact", opening)
