"""Winning sets: the sets of cells that win when one player owns them all.

SETS has the cells of each set, padded with NOWHERE to equal size; GUARDS the two cells of each set whose stones can
keep it from winning, or NOWHERE; THROUGH the sets through each cell. The rules say what a stone on a guard weighs; a
set whose guards weigh TOO_MUCH (2) does not win:

                own stone  other's
    exact       2          0        a longer row does not win
    caro        0          1        a row between two stones of the opponent does not win
    exact-caro  2          1        both

The win test of a move reads only the sets through its cell, so its cost does not grow with the board. The sets are
stored as offsets from that cell. Cells with equal offsets, such as all cells in the middle of a square board, share one
list, which stays in the processor's nearest cache on any board. REST has a row for each set through a cell:

    [ other, other, ..., guard, guard ]

It holds the offsets of the other cells of the set and of its guards; 0 means none. The rows are grouped by their first
`other`. PROBES has [ other, first row, end of rows ] for each group: if the player does not own that cell, the group is
skipped. On a square board 20 fives go through a cell, and 8 probes are enough for all of them.
"""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_env.core import state as st
from amoba_env.core.board import Board

Sets = list[tuple[int, ...]]
Guards = list[tuple[int, int]]
Shape = tuple[tuple[int, int], ...]  # (x, y) of its cells, in reading order; the least x and y are 0
OffsetSet = tuple[tuple[int, ...], tuple[int, int]]  # the other cells and the guards, as offsets
OffsetSets = tuple[OffsetSet, ...]


def rows_of(board: Board, k: int, guarded: bool = False) -> tuple[Sets, Guards]:
    """Every run of k cells along an axis, with the two cells at its ends (`guarded`) as guards."""
    sets: Sets = []
    guards: Guards = []
    neighbor = board.neighbor.tolist()
    axes = board.neighbor.shape[1] // 2
    for start in range(board.n_cells):
        for d in range(axes):
            run = [start]
            while len(run) < k and neighbor[run[-1]][d] != st.NOWHERE:
                run.append(neighbor[run[-1]][d])
            if len(run) == k:
                sets.append(tuple(run))
                guards.append(
                    (neighbor[start][d + axes], neighbor[run[-1]][d]) if guarded else (st.NOWHERE, st.NOWHERE)
                )
    return sets, guards


def orientations_of(shape: Shape, rotations: bool, reflections: bool) -> list[Shape]:
    """The distinct images of a shape: itself, its rotations, its reflections."""
    images = []
    for mirrored in (False, True)[: 1 + reflections]:
        image = [(-x, y) for x, y in shape] if mirrored else list(shape)
        for _ in range(4 if rotations else 1):
            left, top = (min(point[axis] for point in image) for axis in (0, 1))
            images.append(tuple(sorted(((x - left, y - top) for x, y in image), key=lambda point: point[::-1])))
            image = [(-y, x) for x, y in image]
    return list(dict.fromkeys(images))


def placements(board: Board, shape: Shape) -> Sets:
    """Every place of a shape, as drawn, with all its cells on the board."""
    index = {(x, y): cell for cell, (x, y) in enumerate(board.coords.tolist())}
    (first_x, first_y), *_ = shape
    places = (
        [index.get((x - first_x + dx, y - first_y + dy), st.NOWHERE) for dx, dy in shape]
        for x, y in board.coords.tolist()
    )
    return [tuple(cells) for cells in places if st.NOWHERE not in cells]


class SetTables(NamedTuple):
    """Tables of rules.py."""

    sets: NDArray[np.int32]  # [sets, size]
    guards: NDArray[np.int32]  # [sets, 2]
    through_index: NDArray[np.int32]  # [n + 1] THROUGH of cell c: through_index[c] .. through_index[c + 1]
    through: NDArray[np.int32]
    probe_index: NDArray[np.int32]  # [n, 2] PROBES of a cell: first, end
    probes: NDArray[np.int32]  # [probes, 3]
    rest: NDArray[np.int32]  # [rows, size + 1]


def sets_table(n_cells: int, sets: Sets, guards: Guards) -> SetTables:
    """The tables of these winning sets: the sets, those through each cell, and the probes of the win test."""
    size = max(2, *map(len, sets)) if sets else 2
    through: list[list[int]] = [[] for _ in range(n_cells)]
    for i, cells in enumerate(sets):
        for cell in cells:
            through[cell].append(i)
    probes: list[tuple[int, int, int]] = []
    rest: list[tuple[int, ...]] = []
    known: dict[OffsetSets, tuple[int, int]] = {}
    probe_index = []
    for cell, own in enumerate(through):
        offsets = tuple(_offsets_from(cell, sets[i], guards[i]) for i in own)
        if offsets not in known:
            first_probe = len(probes)
            for group in _grouped(list(offsets)):
                probes.append((group[0][0][0] if group[0][0] else 0, len(rest), len(rest) + len(group)))
                rest += [(*cells, *(0,) * (size - 1 - len(cells)), *pair) for cells, pair in group]
            known[offsets] = first_probe, len(probes)
        probe_index.append(known[offsets])
    return SetTables(
        np.array([(*cells, *(st.NOWHERE,) * (size - len(cells))) for cells in sets], np.int32).reshape(-1, size),
        np.array(guards, np.int32).reshape(-1, 2),
        np.cumsum([0, *map(len, through)], dtype=np.int32),
        np.array([i for own in through for i in own], np.int32),
        np.array(probe_index, np.int32).reshape(-1, 2),
        np.array(probes, np.int32).reshape(-1, 3),
        np.array(rest, np.int32).reshape(-1, size + 1),
    )


def _offsets_from(cell: int, cells: tuple[int, ...], guards: tuple[int, int]) -> OffsetSet:
    """The offsets of a set's other cells, and of its guards."""
    before, after = (0 if guard == st.NOWHERE else guard - cell for guard in guards)
    return tuple(c - cell for c in cells if c != cell), (before, after)


def _grouped(rows: list[OffsetSet]) -> Iterator[list[OffsetSet]]:
    """Split sets into few groups, each with a common cell, and put that cell first."""
    while rows:
        count = Counter(c for cells, _ in rows for c in cells)
        if not count:  # sets of one cell
            yield rows
            return
        most = max(count.values())
        shared = min(c for c in count if count[c] == most)
        yield [((shared, *(c for c in cells if c != shared)), pair) for cells, pair in rows if shared in cells]
        rows = [row for row in rows if shared not in row[0]]
