"""Omok: five in a row on a square board, 15x15 by default, where nobody may make a double-three.

Two players put stones on empty cells in turn. The first with five in a row, a column or a diagonal wins. A move that
makes two threes at once is forbidden for both players, unless it makes a five. Double-fours are allowed. If the board
is full and nobody has won, the game is a draw.

A *three* becomes a straight four, a row of four that wins at either end, with one more stone that is not a double-three
itself; `amoba_env.core.renju` has the full recursive definition. `amoba_env.explain` says why a point is forbidden.

With `rule="exact"`, as in Korea, six or more in a row do not win; they are not forbidden either. With
`rule="freestyle"` they win. Sources: the rules of omok (ilban-rul) in Namuwiki, "오목/룰의 종류", a page about kinds of
rules; "Gomoku" in the English Wikipedia, which describes the freestyle variant on 19x19.

With `forbidden="lose"` forbidden points may be played, and lose (ending `forbidden`). With `"mask"`, if every empty
cell is forbidden for the player to move, the game is a draw (ending `no_moves`).
"""

from typing import Annotated, Literal

from amoba_env.core import board as boards
from amoba_env.core import rules as ru
from amoba_env.core.line_windows import codes, line_windows
from amoba_env.core.patterns import rows_of
from amoba_env.games.game import Game
from amoba_env.games.rows import GUARD_WEIGHTS, stones
from amoba_env.options import Option, Options

Size = Annotated[int, Option("cells on a side", 9, 40)]
Rule = Annotated[
    Literal["exact", "freestyle"], Option("exact: only exactly five wins; freestyle: five or more in a row win")
]
Forbidden = Annotated[
    Literal["mask", "lose"], Option("mask: double-threes cannot be played; lose: a player loses by making one")
]


def omok(size: Size = 15, rule: Rule = "exact", forbidden: Forbidden = "mask") -> Game:
    """Five in a row, exactly or freestyle; double-threes are forbidden to both players (masked or losing)."""
    board, exact = boards.square(size, size), rule == "exact"
    own, _ = GUARD_WEIGHTS[rule]
    numbers = {ru.FAMILY: ru.RENJU, ru.OWN_GUARD: own, ru.FORBIDDEN_LOSES: int(forbidden == "lose")}
    options: Options = {"size": size, "rule": rule, "forbidden": forbidden}
    more_tables = {ru.CODES: codes(), ru.WINDOWS: line_windows(exact, threes_alone=True)}
    return stones("omok", options, board, *rows_of(board, 5, guarded=exact), 2, numbers, more_tables)
