"""Boards as graphs: cells 0..n-1 in reading order, a table of neighbours, and a grid point for each cell.

Directions d and d + D/2 are opposite. Where a cell has no neighbour the table holds NOWHERE, so holes, islands
and concave borders need no special cases elsewhere.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_env.core import state as st

# Steps as (dx, dy), y downwards; the second half of each list is the opposite of the first.
SQUARE = ((1, 0), (0, 1), (1, 1), (-1, 1), (-1, 0), (0, -1), (-1, -1), (1, -1))
STRAIGHT = ((1, 0), (0, 1), (-1, 0), (0, -1))
HEX = ((2, 0), (1, 1), (-1, 1), (-2, 0), (-1, -1), (1, -1))  # on a grid of double width


class Board(NamedTuple):
    """A set of cells, and which cells are neighbours."""

    coords: NDArray[np.int16]  # [n, 2] x (column) and y (row from the top) of each cell
    neighbor: NDArray[np.int16]  # [n, D]

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return len(self.coords)

    @property
    def width(self) -> int:
        """Columns of the grid."""
        return int(self.coords[:, 0].max()) + 1

    @property
    def height(self) -> int:
        """Rows of the grid."""
        return int(self.coords[:, 1].max()) + 1

    @property
    def double_width(self) -> bool:
        """Whether neighbours in a row are two columns apart, as on a star."""
        return self.neighbor.shape[1] == len(HEX)


def from_cells(cells: Iterable[tuple[int, int]], steps: tuple[tuple[int, int], ...]) -> Board:
    """The board of these (x, y) points, connected along `steps`; cells are numbered row by row."""
    ordered = sorted(cells, key=lambda cell: (cell[1], cell[0]))
    index = {cell: i for i, cell in enumerate(ordered)}
    neighbor = [[index.get((x + dx, y + dy), st.NOWHERE) for dx, dy in steps] for x, y in ordered]
    return Board(np.array(ordered, np.int16), np.array(neighbor, np.int16))


def square(width: int, height: int, steps: tuple[tuple[int, int], ...] = SQUARE) -> Board:
    """A rectangle with rows, columns and diagonals, or only rows and columns (STRAIGHT)."""
    return from_cells([(x, y) for y in range(height) for x in range(width)], steps)


def hexagram(side: int) -> Board:
    """The six-pointed star whose points are triangles of `side` rows: 13, 37, 73, 121 cells.

    It is the union of two triangles. Rows are y = 0 .. 4 * side; a step along a row is two columns:

        side 1:     o         y=0, x=3
                 o o o o      y=1, x=0 2 4 6
                  o o o
                 o o o o
                    o
    """
    cells = set()
    for y in range(4 * side + 1):
        for half in (y, 4 * side - y):  # the triangle that points up, and the one that points down
            if half <= 3 * side:
                cells |= {(3 * side - half + 2 * i, y) for i in range(half + 1)}
    return from_cells(cells, HEX)
