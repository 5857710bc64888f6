"""Amoba, the general game in a row: any board, any winning patterns, two to four players.

The players put stones on empty cells in turn. The first to own all cells of a winning pattern wins. If the board is
full and nobody has won, the game is a draw.

### Boards

`board` is one of

* `"10x8"`: a rectangle, columns x rows, up to 100x100;
* `"cross"`, `"hexagon"`, `"islands"`, `"ring"`, `"strait"`: a built-in board;
* a drawing of several lines, or of one line with `/` between the rows: `.` is a cell, `#` or a space is not a cell. The
  board may be concave and may have holes. All its cells must be connected by sides or corners;
* the path of a file with a drawing. The file is read once, when the environment is made.

### Patterns

`patterns` says what wins; commas separate several patterns:

* `"5"`: five or more in a row, a column or a diagonal; `"5 exact"`: exactly five;
* `"xx/.xx"`, `"x.x"`: a shape of two cells or more, in one line with `/` between its rows or in several lines. `x` is a
  cell of the shape; `.`, or a space in several lines, is any cell or none.

A pattern that fits nowhere on the board raises `ValueError`, and so do patterns that fit in too many ways (on 100x100
cells, rows of 29 to 89).

`orientations` says how shapes may be turned. `"fixed"`: as drawn. `"rotations"`: also in quarter turns.
`"rotations+reflections"`: also mirrored.
"""

from typing import Annotated, Literal

from amoba_env.core import board as boards
from amoba_env.core import state as st
from amoba_env.core.patterns import Guards, Sets, orientations_of, placements, rows_of
from amoba_env.games.board_text import RowPattern, normal_board, normal_patterns, read_board, read_patterns
from amoba_env.games.game import Game
from amoba_env.games.rows import stones
from amoba_env.options import Option, Options

BoardText = Annotated[str, Option("columns x rows, the name of a built-in board, a drawing or its file"), normal_board]
PatternsText = Annotated[
    str,
    Option("5: five or more in a row; 5 exact: no more; a shape such as xx/.xx; separated by commas"),
    normal_patterns,
]
Orientations = Annotated[Literal["fixed", "rotations", "rotations+reflections"], Option("how shapes may be turned")]
Players = Annotated[int, Option("number of players", 2, 4)]

MAX_WORK = 20_000_000  # cells of all winning sets times cells of the largest: some seconds and 100 MB


def amoba(
    board: BoardText = "10x10",
    patterns: PatternsText = "5",
    orientations: Orientations = "rotations+reflections",
    players: Players = 2,
) -> Game:
    """The first to own a pattern wins: rows of k or drawn shapes, on a rectangle, a built-in board or a drawing.

    board_text.py describes the texts of boards and patterns.

    Raises:
        ValueError: an impossible board, pattern, orientation or number of players; a pattern that fits nowhere;
            too many winning sets.
    """
    board, cells = read_board(board)
    patterns, wanted = read_patterns(patterns)
    grid = boards.from_cells(cells, boards.SQUARE)
    sets: Sets = []
    guards: Guards = []
    for name, pattern in zip(patterns.split(","), wanted, strict=True):
        if isinstance(pattern, RowPattern):
            found, around = rows_of(grid, pattern.k, pattern.exact)
        else:
            images = orientations_of(pattern, orientations != "fixed", orientations == "rotations+reflections")
            found = [cells for image in images for cells in placements(grid, image)]
            around = [(st.NOWHERE, st.NOWHERE)] * len(found)
        if not found:
            extent = f"{grid.n_cells} cells in {grid.width} columns and {grid.height} rows"
            raise ValueError(f"amoba: pattern {name!r} fits nowhere on this board of {extent}")
        sets += found
        guards += around
        largest = max(map(len, sets))
        if sum(map(len, sets)) * largest > MAX_WORK:
            ways = f"{len(sets):,} ways, of up to {largest} cells"
            raise ValueError(f"amoba: the patterns fit in {ways}: take smaller or fewer patterns, or a smaller board")
    sets, guards = _distinct(sets, guards)
    options: Options = {"board": board, "patterns": patterns, "orientations": orientations, "players": players}
    return stones("amoba", options, grid, sets, guards, players)


def _distinct(sets: Sets, guards: Guards) -> tuple[Sets, Guards]:
    """The winning sets without duplicates, and without guarded copies of sets that win without guards."""
    free = (st.NOWHERE, st.NOWHERE)
    both = list(dict.fromkeys(zip((tuple(sorted(cells)) for cells in sets), guards, strict=True)))
    always = {cells for cells, pair in both if pair == free}
    kept = [(cells, pair) for cells, pair in both if pair == free or cells not in always]
    return [cells for cells, _ in kept], [pair for _, pair in kept]
