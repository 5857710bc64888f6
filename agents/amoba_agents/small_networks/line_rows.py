"""The line patterns through the cells of a board, as rows of a table.

A pattern is the cells up to `reach` to both sides of an empty cell, each empty, own, the opponent's or off the board.
Cells behind the first one that is off the board do not count, nor does the order of sides.
"""

import functools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.jit import jit
from amoba_env.core.rules import Rules
from amoba_env.core.state import State
from amoba_env.games import Game

FREE, OWN, OTHER, OFF = range(4)  # what a cell is to the player to move; in the codes OWN is seat 0
BITS = 2
DIRECTIONS = 4


class LineGrid(NamedTuple):
    """A board as a grid with a border of one cell around it."""

    points: NDArray[np.int32]  # [cells] the point of each cell
    inside: NDArray[np.bool_]  # [points] whether it is a cell
    steps: NDArray[np.int32]  # [DIRECTIONS] to the next point
    empty: NDArray[np.int32]  # [points, DIRECTIONS, 2] the codes of both sides on the empty board
    reach: int  # cells to each side
    sides: NDArray[np.int32]  # [2, 4 ** reach] the number of each side, by the seat to move and the side's code
    patterns: int  # how many there are


NO_GRID = LineGrid(
    np.zeros(1, np.int32),
    np.zeros(1, np.bool_),
    np.zeros(DIRECTIONS, np.int32),
    np.zeros((1, DIRECTIONS, 2), np.int32),
    1,
    np.zeros((2, 4), np.int32),
    1,
)


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


@functools.lru_cache(maxsize=8)
def grid_for(game: Game) -> LineGrid:
    """The grid of a game whose winning sets are lines on squares."""
    reach = reach_of(game)
    x, y = (np.asarray(game.board.coords).T - np.asarray(game.board.coords).min(0)[:, None]).astype(np.int64)
    width = int(x.max()) + 3
    points, steps = (y + 1) * width + x + 1, (1, width, width + 1, width - 1)
    inside = np.zeros(int((y.max() + 3) * width), np.bool_)
    inside[points] = True
    empty = np.full((len(inside), DIRECTIONS, 2), 4**reach - 1)
    for d, step in enumerate(steps):
        for side, sign in enumerate((-1, 1)):
            near = inside[points]
            for place in range(reach):
                near = near & inside[np.where(near, points + sign * step * (place + 1), 0)]
                empty[points[near], d, side] &= ~(OFF << BITS * place)
    numbers, codes = side_codes(reach)
    all_codes, swapped = np.arange(4**reach), np.zeros(4**reach, np.int64)
    for place in range(reach):
        swapped |= np.array([FREE, OTHER, OWN, OFF])[all_codes >> BITS * place & OFF] << BITS * place
    sides = np.stack([numbers, numbers[swapped]])
    count = len(codes) * (len(codes) + 1) // 2
    return LineGrid(
        points.astype(np.int32), inside, np.array(steps, np.int32), empty.astype(np.int32), reach, sides, count
    )


@jit
def write_rows(
    rules: Rules, s: State, grid: LineGrid, board: NDArray[np.int16], codes: NDArray[np.int32], out: NDArray[np.int32]
) -> None:
    """Write the rows of the patterns through each empty cell for the player to move.

    In games where colours matter White's rows follow Black's.

    Args:
        rules: of the game.
        s: the position.
        grid: of the board.
        board: int16[cells], the cells of the position that was read before, overwritten by this one's.
        codes: int32[points, DIRECTIONS, 2], the codes of the position that was read before, changed with `board`.
        out: int32[cells, DIRECTIONS].
    """
    seat, n = np.int64(s[st.TO_MOVE]), rules[ru.N_CELLS]
    for cell in range(n):
        owner = max(s[st.CELLS + cell], np.int16(st.EMPTY))
        if board[cell] != owner:
            change = np.int32((board[cell] + 1) ^ (owner + 1))
            board[cell] = owner
            _change_codes(grid.inside, grid.steps, grid.reach, codes, grid.points[cell], change)
    first = grid.patterns if rules[ru.COLORED] and seat != s[st.BLACK] else 0
    points, sides = grid.points, grid.sides[seat]
    for cell in range(n):
        if s[st.CELLS + cell] < 0:
            point = points[cell]
            for d in range(DIRECTIONS):
                one, other = np.int64(sides[codes[point, d, 0]]), np.int64(sides[codes[point, d, 1]])
                more, less = max(one, other), min(one, other)
                out[cell, d] = first + more * (more + 1) // 2 + less


@jit
def _change_codes(
    inside: NDArray[np.bool_], steps: NDArray[np.int32], reach: int, codes: NDArray[np.int32], point: int, change: int
) -> None:
    """Change the codes of the points that see a point along a line."""
    for d in range(DIRECTIONS):
        for side in range(2):
            at, step = point, steps[d] if side == 0 else -steps[d]
            for place in range(reach):
                at += step
                if not inside[at]:
                    break
                codes[at, d, side] ^= change << BITS * place
