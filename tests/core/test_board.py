"""Boards and their tables: cells, neighbours, winning sets."""

from collections import Counter
from itertools import product

import naive_races as races
import numpy as np
import pytest
from effort import cases
from hypothesis import given, settings
from hypothesis import strategies as hs

from amoba_env.core import board as boards
from amoba_env.core import place
from amoba_env.core import state as st
from amoba_env.core.patterns import rows_of, sets_table
from amoba_env.games.rows import stones

STAR = boards.hexagram(2)
BOARDS = {
    **{f"hexagram {side}": boards.hexagram(side) for side in (1, 2, 3, 4)},
    **{f"{w}x{h}": boards.square(w, h) for w, h in ((1, 1), (3, 3), (10, 10), (7, 2))},
}
every_board = pytest.mark.parametrize("board", BOARDS.values(), ids=BOARDS.keys())


@pytest.mark.parametrize(("side", "cells"), [(1, 13), (2, 37), (3, 73), (4, 121)])
def test_hexagram_cells(side: int, cells: int) -> None:
    board = boards.hexagram(side)
    assert board.n_cells == cells
    assert (board.width, board.height) == (6 * side + 1, 4 * side + 1)


@every_board
def test_neighbours_are_mutual(board: boards.Board) -> None:
    directions = board.neighbor.shape[1]
    for cell, d in product(range(board.n_cells), range(directions)):
        other = board.neighbor[cell, d]
        if other != st.NOWHERE:
            assert board.neighbor[other, (d + directions // 2) % directions] == cell


@pytest.mark.parametrize(
    ("board", "steps"),
    [
        (STAR, races.HEX),
        (boards.square(4, 3), [step for step in product((-1, 0, 1), repeat=2) if step != (0, 0)]),
    ],
)
def test_neighbours_are_those_of_the_grid(board: boards.Board, steps: list[races.Point]) -> None:
    cells = {tuple(point) for point in board.coords.tolist()}
    for (x, y), row in zip(board.coords.tolist(), board.neighbor, strict=True):
        found = [tuple(point) for point in board.coords[row[row != st.NOWHERE]].tolist()]
        assert len(found) == len(set(found))
        assert set(found) == {(x + dx, y + dy) for dx, dy in steps} & cells


# --- Winning sets -----------------------------------------------------------------------------------------------


def test_winning_sets_of_gomoku() -> None:
    sets, guards = rows_of(boards.square(10, 10), 5)
    assert len(sets) == len(set(map(frozenset, sets))) == 192
    assert set(guards) == {(st.NOWHERE, st.NOWHERE)}
    steps = Counter(cells[1] - cells[0] for cells in sets)
    assert sorted(steps.values()) == [36, 36, 60, 60]


@hs.composite
def stones_and_sets(draw: hs.DrawFn) -> tuple[int, list[tuple[int, ...]], list[tuple[int, int]], list[int]]:
    """A board with any winning sets of 1 to 5 cells, any guards outside them, and stones nearly everywhere."""
    n = draw(hs.integers(5, 12))
    cells = hs.integers(0, n - 1)
    sets = draw(hs.lists(hs.lists(cells, min_size=1, max_size=5, unique=True).map(tuple), min_size=1, max_size=12))
    guard = hs.one_of(hs.just(st.NOWHERE), cells)
    guards = [draw(hs.tuples(guard, guard).filter(lambda pair, own=own: not set(pair) & set(own))) for own in sets]
    owner = draw(hs.lists(hs.sampled_from([0, 0, 0, 0, 1, st.EMPTY]), min_size=n, max_size=n))
    return n, sets, guards, owner


@given(stones_and_sets())
@settings(max_examples=cases(150))
def test_any_winning_sets(position: tuple[int, list[tuple[int, ...]], list[tuple[int, int]], list[int]]) -> None:
    n, sets, guards, owner = position
    rules = stones("any", {}, boards.square(n, 1), sets, guards, 2).rules
    state = np.zeros(st.CELLS + n, np.int16)
    state[st.CELLS :] = owner
    for cell in range(n):
        if owner[cell] == st.EMPTY:
            continue
        full = [
            all(owner[c] == owner[cell] for c in own) and all(g == st.NOWHERE or owner[g] != owner[cell] for g in pair)
            for own, pair in zip(sets, guards, strict=True)
            if cell in own
        ]
        assert place.wins(rules, state, cell) == any(full)


def test_a_move_looks_at_few_cells() -> None:
    # Twenty fives go through a cell in the middle; if none of their stones is ours, eight probes tell.
    tables = sets_table(100, *rows_of(boards.square(10, 10), 5))
    assert tables.through_index[45] - tables.through_index[44] == 20
    probes = tables.probes[slice(*tables.probe_index[44])]
    assert len(probes) == 8
    # The groups follow each other and hold all the sets.
    assert probes[-1, 2] - probes[0, 1] == 20
    assert (probes[1:, 1] == probes[:-1, 2]).all()


def test_cells_whose_sets_lie_alike_share_a_list() -> None:
    # Five in a row sees four cells each way: on any larger board, 9 x 9 kinds of place.
    for size in (10, 30):
        tables = sets_table(size * size, *rows_of(boards.square(size, size), 5))
        assert len(np.unique(tables.probe_index, axis=0)) == 81
        assert len(tables.rest) == len(sets_table(81, *rows_of(boards.square(9, 9), 5)).through)
