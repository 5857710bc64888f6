"""Winning sets: the sets of cells that win when one player owns them all.

SETS has the cells of each set, padded with NOWHERE where sets differ in size; GUARDS the cells that must *not* be
owned too (exact length), or NOWHERE; THROUGH the sets through each cell.

A move's win test looks only at the sets through its cell, so its cost does not grow with the board. It reads them
as offsets from that cell: cells whose sets lie alike, as all do in the middle of a square board, share one list,
which stays in the processor's nearest cache on any board. A row of REST, for a set through a cell:

    [ other, other, ..., guard, guard ]

with the offsets of its other cells, and of its guards; 0 where there is none. The rows are grouped by their first
`other`, and LOOKS has [ other, first row, end of rows ] for each group: if that cell is not ours, the group is passed
over. On a square board this leaves 8 looks of the 20 that five-in-a-row has through a cell.
"""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_env.core.board import Board
from amoba_env.core.state import NOWHERE

Sets = list[tuple[int, ...]]
Guards = list[tuple[int, int]]
Shape = tuple[tuple[int, int], ...]  # (x, y) of its cells, in reading order, the least x and y are 0
SeenSet = tuple[tuple[int, ...], tuple[int, int]]  # the other cells and the guards, as offsets
Seen = tuple[SeenSet, ...]


def rows_of(board: Board, k: int, exact: bool = False) -> tuple[Sets, Guards]:
    """Every run of k cells along an axis, with the two cells that would make it longer (`exact`) as guards."""
    sets: Sets = []
    guards: Guards = []
    neighbor = board.neighbor.tolist()
    axes = board.neighbor.shape[1] // 2
    for start in range(board.n_cells):
        for d in range(axes):
            run = [start]
            while len(run) < k and neighbor[run[-1]][d] != NOWHERE:
                run.append(neighbor[run[-1]][d])
            if len(run) == k:
                sets.append(tuple(run))
                guards.append((neighbor[start][d + axes], neighbor[run[-1]][d]) if exact else (NOWHERE, NOWHERE))
    return sets, guards


def orientations_of(shape: Shape, rotations: bool, reflections: bool) -> list[Shape]:
    """The shape and its different images under quarter turns, and under these and a mirror image."""
    images = []
    for mirrored in (False, True)[: 1 + reflections]:
        image = [(-x, y) for x, y in shape] if mirrored else list(shape)
        for _ in range(4 if rotations else 1):
            left, top = (min(point[axis] for point in image) for axis in (0, 1))
            images.append(tuple(sorted(((x - left, y - top) for x, y in image), key=lambda point: point[::-1])))
            image = [(-y, x) for x, y in image]
    return list(dict.fromkeys(images))


def placements(board: Board, shape: Shape) -> Sets:
    """Every place of a shape, as it lies, such that all its cells are on the board."""
    index = {(x, y): cell for cell, (x, y) in enumerate(board.coords.tolist())}
    (first_x, first_y), *_ = shape
    places = (
        [index.get((x - first_x + dx, y - first_y + dy), NOWHERE) for dx, dy in shape] for x, y in board.coords.tolist()
    )
    return [tuple(cells) for cells in places if NOWHERE not in cells]


class SetTables(NamedTuple):
    """Tables of rules.py."""

    sets: NDArray[np.int32]  # [sets, size]
    guards: NDArray[np.int32]  # [sets, 2]
    through_index: NDArray[np.int32]  # [n + 1] THROUGH of cell c: through_index[c] .. through_index[c + 1]
    through: NDArray[np.int32]
    look_index: NDArray[np.int32]  # [n, 2] LOOKS of a cell: first, end
    looks: NDArray[np.int32]  # [looks, 3]
    rest: NDArray[np.int32]  # [rows, size + 1]


def sets_table(n_cells: int, sets: Sets, guards: Guards) -> SetTables:
    """List the sets, those through each cell, and what a win test looks at from there."""
    size = max(2, *map(len, sets)) if sets else 2
    through: list[list[int]] = [[] for _ in range(n_cells)]
    for i, cells in enumerate(sets):
        for cell in cells:
            through[cell].append(i)
    looks: list[tuple[int, int, int]] = []
    rest: list[tuple[int, ...]] = []
    known: dict[Seen, tuple[int, int]] = {}
    look_index = []
    for cell, own in enumerate(through):
        seen = tuple(_seen_from(cell, sets[i], guards[i]) for i in own)
        if seen not in known:
            first_look = len(looks)
            for group in _grouped(list(seen)):
                looks.append((group[0][0][0] if group[0][0] else 0, len(rest), len(rest) + len(group)))
                rest += [(*cells, *(0,) * (size - 1 - len(cells)), *pair) for cells, pair in group]
            known[seen] = first_look, len(looks)
        look_index.append(known[seen])
    return SetTables(
        np.array([(*cells, *(NOWHERE,) * (size - len(cells))) for cells in sets], np.int32).reshape(-1, size),
        np.array(guards, np.int32).reshape(-1, 2),
        np.cumsum([0, *map(len, through)], dtype=np.int32),
        np.array([i for own in through for i in own], np.int32),
        np.array(look_index, np.int32).reshape(-1, 2),
        np.array(looks, np.int32).reshape(-1, 3),
        np.array(rest, np.int32).reshape(-1, size + 1),
    )


def _seen_from(cell: int, cells: tuple[int, ...], guards: tuple[int, int]) -> SeenSet:
    """The offsets of a set's other cells, and of its guards."""
    before, after = (0 if guard == NOWHERE else guard - cell for guard in guards)
    return tuple(c - cell for c in cells if c != cell), (before, after)


def _grouped(rows: list[SeenSet]) -> Iterator[list[SeenSet]]:
    """Split sets into few groups that share a cell, and put the shared cell first."""
    while rows:
        count = Counter(c for cells, _ in rows for c in cells)
        if not count:  # sets of one cell
            yield rows
            return
        most = max(count.values())
        shared = min(c for c in count if count[c] == most)
        yield [((shared, *(c for c in cells if c != shared)), pair) for cells, pair in rows if shared in cells]
        rows = [row for row in rows if shared not in row[0]]
