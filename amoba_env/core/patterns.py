"""Winning sets: the sets of cells that win when one player owns them all.

The tables of a game list, for each cell, the sets through it, so that a move's win test looks only there and its
cost does not grow with the board. A row of SETS, for a set through cell c:

    [ other, other, ..., guard, guard, set ]

`other`: the remaining cells of the set (padded with c itself where sets differ in size); `guard`: a cell that
must *not* be owned too (exact length), or NOWHERE; `set`: its number. The rows of a cell are grouped by their first
`other`, and GROUPS has [ other, first row, end of rows ] for each group: if that cell is not ours, the group is
passed over. On a square board this leaves 8 looks of the 20 that five-in-a-row has through a cell.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_env.core.board import Board
from amoba_env.core.state import NOWHERE

Sets = list[tuple[int, ...]]
Guards = list[tuple[int, int]]


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


class SetTables(NamedTuple):
    """Tables of rules.py."""

    set_index: NDArray[np.int32]  # [n + 1] rows of SETS through cell c: set_index[c] .. set_index[c + 1]
    sets: NDArray[np.int32]  # [rows, k + 2]
    group_index: NDArray[np.int32]  # [n + 1] rows of GROUPS
    groups: NDArray[np.int32]  # [groups, 3]

    @property
    def n_sets(self) -> int:
        """How many winning sets."""
        return int(self.sets[:, -1].max(initial=-1)) + 1


def sets_table(n_cells: int, sets: Sets, guards: Guards) -> SetTables:
    """List the sets through each cell."""
    size = max([2, *map(len, sets)])
    through: list[list[int]] = [[] for _ in range(n_cells)]
    for i, cells in enumerate(sets):
        for cell in cells:
            through[cell].append(i)
    set_index, group_index = [0], [0]
    rows: list[tuple[int, ...]] = []
    groups: list[tuple[int, int, int]] = []
    for cell, own in enumerate(through):
        others = {i: tuple(c for c in sets[i] if c != cell) for i in own}
        for group in _grouped(others):
            first = len(rows)
            for i, cells in group:
                padding = (cell,) * (size - 1 - len(cells))
                rows.append((*cells, *padding, *guards[i], i))
            groups.append((rows[first][0], first, len(rows)))
        set_index.append(len(rows))
        group_index.append(len(groups))
    return SetTables(
        np.array(set_index, np.int32),
        np.array(rows, np.int32).reshape(-1, size + 2),
        np.array(group_index, np.int32),
        np.array(groups, np.int32).reshape(-1, 3),
    )


def _grouped(others: dict[int, tuple[int, ...]]) -> Sequence[list[tuple[int, tuple[int, ...]]]]:
    """Split sets into few groups that share a cell, and put the shared cell first."""
    groups = []
    while others:
        count = Counter(c for cells in others.values() for c in cells)
        if not count:  # a set of one cell
            groups.append(list(others.items()))
            break
        most = max(count.values())
        shared = min(c for c in count if count[c] == most)
        group = [(i, cells) for i, cells in others.items() if shared in cells]
        groups.append([(i, (shared, *(c for c in cells if c != shared))) for i, cells in group])
        for i, _ in group:
            del others[i]
    return groups
