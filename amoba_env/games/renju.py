"""Renju: five in a row on a square board, 15x15 by default, with forbidden points for Black.

Two players put stones on empty cells in turn; Black begins. Black wins with exactly five in a row. Black must not make
an overline (six or more in a row), a double-four or a double-three; the full recursive definition is in
`amoba_env.core.renju`. If a move makes exactly five, Black wins even if the point would be forbidden. White wins with
five or more in a row and has no forbidden points. `amoba_env.explain` says why a point is forbidden.

With `forbidden="lose"` Black may play a forbidden point, and loses (ending `forbidden`). With `"mask"`, if Black is
to move and every empty cell is forbidden, the game is a draw (ending `no_moves`).

### Opening rules

With an opening rule the game has phases before normal play. Each phase is played by ordinary actions with masks, so
agents can learn them. The same agent may have to act several times in a row.

| Phase | Who acts | What the agent does | Actions |
|---|---|---|---|
| 1 put_three | the agent that begins; it has Black for now | puts a black, a white and a black stone | cells |
| 6 declare | the same agent (yamaguchi only) | says how many cells Black has to offer | n + 2 .. n + 11: 1 .. 10 |
| 2 choose | the other agent | stays (keeps White) or swaps colours | n: stay, n + 1: swap |
| 5 fourth | White | puts the fourth stone | cells |
| 6 declare | White (soosyrv8 only) | says how many cells Black has to offer | n + 2 .. n + 9: 1 .. 8 |
| 4 choose_again | Black (soosyrv8 only) | stays or swaps colours | n: stay, n + 1: swap |
| 7 offer | Black | offers cells for the fifth stone: two (rif26), ten (taraguchi10), or as many as declared | cells |
| 8 pick | White | picks one of the offered cells; Black's fifth stone is put there | cells |
| 0 play | | normal play, White puts the sixth stone | cells |

`taraguchi10`, the rule of today's championships, begins with two phases in turn, five times. In place of the fourth
choice, and of the fifth stone, the agent that has Black may offer ten cells:

| Phase | Who acts | What the agent does | Actions |
|---|---|---|---|
| 9 put_one | Black and White in turn | puts a stone: in the centre, then within 1, 2, 3 and 4 cells of it | cells |
| 2 choose | the agent that did not put it | stays, swaps, or (after four) offers | n: stay, n + 1: swap, n + 2: offer |

Here n = size * size. A swap exchanges the owners of all stones: the agent that had the black stones now has the white
ones. The first three stones make one of the 26 canonical openings: the first stone is in the centre, the second next to
it, the third within two cells of the centre. No two offered cells may be mirror images of each other. In yamaguchi,
whose rule sets no limit, at most ten fifth stones can be declared.
"""

from typing import Annotated, Literal

from amoba_env.core import board as boards
from amoba_env.core import rules as ru
from amoba_env.core.line_windows import codes, line_windows
from amoba_env.core.patterns import rows_of
from amoba_env.games.game import Game
from amoba_env.games.rows import opening_numbers, stones
from amoba_env.options import Option, Options

Size = Annotated[int, Option("cells on a side", 9, 40)]
Forbidden = Annotated[
    Literal["mask", "lose"], Option("mask: Black cannot play a forbidden point; lose: Black loses by playing one")
]
OpeningRule = Annotated[
    Literal["none", "rif26", "soosyrv8", "taraguchi10", "yamaguchi"],
    Option("how the first stones and the colours are chosen; none: normal play from the first move"),
]


def renju(size: Size = 15, forbidden: Forbidden = "mask", opening: OpeningRule = "none") -> Game:
    """Black wins with exactly five and has forbidden points (masked or losing); White wins with five or more."""
    board = boards.square(size, size)
    numbers = {
        ru.FAMILY: ru.RENJU,
        ru.COLORED: 1,
        ru.BLACK_ONLY: 1,
        ru.FORBIDDEN_LOSES: int(forbidden == "lose"),
    } | opening_numbers(opening, board.n_cells)
    options: Options = {"size": size, "forbidden": forbidden, "opening": opening}
    more_tables = {ru.CODES: codes(), ru.WINDOWS: line_windows()}
    return stones("renju", options, board, *rows_of(board, 5, guarded=True), 2, numbers, more_tables)
