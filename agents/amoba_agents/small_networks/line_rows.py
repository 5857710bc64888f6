"""The line patterns through the cells of a board, as rows of a table.

A pattern is the cells up to `reach` to both sides of an empty cell, each empty, own, the opponent's or off the board.
Cells behind the first one that is off the board do not count, nor does the order of sides.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.jit import jit
from amoba_env.core.rules import Rules
from amoba_env.core.state import State
from amoba_env.games import Game

FREE, OWN, OTHER, OFF = range(4)  # what a cell is to the player to move
BITS = 2
DIRECTIONS = 4


class LineGrid(NamedTuple):
    """A board as a grid with a border of one cell around it."""

    points: NDArray[np.int32]  # [cells] the point of each cell
    steps: NDArray[np.int32]  # [DIRECTIONS] to the next point
    size: int  # points of the grid
    reach: int  # cells to each side
    sides: NDArray[np.int32]  # [4 ** reach] the number of each side, by its code
    patterns: int  # how many there are


NO_GRID = LineGrid(np.zeros(1, np.int32), np.zeros(DIRECTIONS, np.int32), 1, 1, np.zeros(4, np.int32), 1)


def side_codes(reach: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The number of each side by its code, int32[4 ** reach], and a code for each number.

    A code has two bits for each cell, the nearest cell lowest.
    """
    codes = np.arange(4**reach)
    for place in range(reach):
        beyond = codes >> BITS * place & OFF == OFF
        codes[beyond] |= 4**reach - 4**place
    found, numbers = np.unique(codes, return_inverse=True)
    return numbers.reshape(-1).astype(np.int32), found


def patterns(reach: int) -> NDArray[np.int64]:
    """The codes of both sides of each pattern, int64[patterns, 2], in the order of the table's rows."""
    _, codes = side_codes(reach)
    more, less = np.tril_indices(len(codes))
    return np.stack([codes[more], codes[less]], 1)


def reach_of(game: Game) -> int:
    """How far a pattern reaches: one cell less than a winning set has, at most 4."""
    return min(int(game.rules[ru.SET_SIZE]) - 1, 4)


def grid_for(game: Game) -> LineGrid:
    """The grid of a game whose winning sets are lines on squares."""
    x, y = (np.asarray(game.board.coords).T - np.asarray(game.board.coords).min(0)[:, None]).astype(np.int64)
    width = int(x.max()) + 3
    sides, codes = side_codes(reach_of(game))
    return LineGrid(
        ((y + 1) * width + x + 1).astype(np.int32),
        np.array([1, width, width + 1, width - 1], np.int32),
        int((y.max() + 3) * width),
        reach_of(game),
        sides,
        len(codes) * (len(codes) + 1) // 2,
    )


@jit
def write_rows(
    rules: Rules, s: State, grid: LineGrid, symbols: NDArray[np.int32], codes: NDArray[np.int32], out: NDArray[np.int32]
) -> None:
    """Write the rows of the patterns through each cell for the player to move.

    In games where colours matter White's rows follow Black's.

    Args:
        rules: of the game.
        s: the position.
        grid: of the board.
        symbols: int32[points], room.
        codes: int32[points, DIRECTIONS], room.
        out: int32[cells, DIRECTIONS].
    """
    seat, n, last = s[st.TO_MOVE], rules[ru.N_CELLS], np.int32((1 << BITS * grid.reach) - 1)
    for point in range(grid.size):
        symbols[point] = OFF
        for d in range(DIRECTIONS):
            codes[point, d] = last
    for cell in range(n):
        owner = s[st.CELLS + cell]
        symbols[grid.points[cell]] = FREE if owner < 0 else OWN if owner == seat else OTHER
    first = np.int32(grid.patterns if rules[ru.COLORED] and seat != s[st.BLACK] else 0)
    for i in range(n):  # what lies before each cell
        point = grid.points[i]
        for d in range(DIRECTIONS):
            near = point - grid.steps[d]
            codes[point, d] = (symbols[near] | codes[near, d] << BITS) & last if symbols[near] != OFF else last
    for i in range(n):
        for d in range(DIRECTIONS):
            out[i, d] = grid.sides[codes[grid.points[i], d]]
    for i in range(n):  # and behind it
        point = grid.points[n - 1 - i]
        for d in range(DIRECTIONS):
            near = point + grid.steps[d]
            codes[point, d] = (symbols[near] | codes[near, d] << BITS) & last if symbols[near] != OFF else last
            side, other = grid.sides[codes[point, d]], out[n - 1 - i, d]
            more, less = max(side, other), min(side, other)
            out[n - 1 - i, d] = first + more * (more + 1) // 2 + less
