"""Renju and omok: what a stone makes in one line, for every window of five cells on either side of it.

In renju that is a black stone; in omok the mover's stones count as black and the opponent's as stops.

Only cells within five steps of the new stone matter in a line, so a table of 3 ** 10 windows covers every case. The
shapes that the stone makes in a line are packed into one number, with counts in separate bits. The numbers of the four
lines through a cell can be added; the fields do not overflow into each other:

    bits 0-2    lines with a three, real or false
    bits 3-6    fours
    bits 7-9    overlines
    bits 10-12  fives
    bits 16-21  the cells that make the three a straight four, at -3 -2 -1 +1 +2 +3 from the stone

The definitions are the rules of the Renju International Federation; see core/renju.py for how they are put together.
"""

import functools

import numpy as np
from numpy.typing import NDArray

REACH = 5  # cells on either side
FREE, BLACK_STONE, STOP = range(3)  # STOP: a white stone, or no cell

THREES, FOURS, OVERLINES, FIVES = 0, 3, 7, 10  # the first bits of the fields
COUNTS = (1 << 13) - 1  # all of these fields
OFFSETS = 16  # first bit of the six cells that make a straight four
N_WINDOWS = 3 ** (2 * REACH)


@functools.cache
def codes() -> NDArray[np.int32]:
    """A table, int32[1024]: five cells as bits (stops << 5 | blacks) -> the same cells as five base-3 digits."""
    bits = np.arange(1 << 2 * REACH)[:, None] >> np.arange(2 * REACH) & 1
    digits = BLACK_STONE * bits[:, :REACH] + STOP * bits[:, REACH:]
    code: NDArray[np.int32] = (digits @ 3 ** np.arange(REACH)).astype(np.int32)
    return code


@functools.cache
def line_windows(exact: bool = True, threes_alone: bool = False) -> NDArray[np.int32]:
    """The shapes in each window, int32[3 ** 10], by code of the left five cells * 3 ** 5 + code of the right five.

    Args:
        exact: fives are exactly five; otherwise more stones in a row are a five too, and there are no overlines.
        threes_alone: leave out what only renju forbids, fours and overlines.
    """
    number = np.arange(N_WINDOWS)
    left, right = number // 3**REACH, number % 3**REACH
    cells = np.full((N_WINDOWS, 2 * REACH + 1), BLACK_STONE, np.int8)
    for i in range(REACH):
        cells[:, i] = left // 3**i % 3
        cells[:, REACH + 1 + i] = right // 3**i % 3
    before, after = _run(cells)
    length = before + 1 + after
    fours = np.zeros(N_WINDOWS, np.int64)
    to_straight_four = np.zeros(N_WINDOWS, np.int64)
    longest = 5 if exact else 2 * REACH + 1  # of a five
    for side in (-1, 1):
        # Only the cell at either end of the run can lengthen it.
        end, free = _end(cells, before if side < 0 else after, side)
        longer = _with(cells, end, free)
        fours += free & (_length(longer) == 5)
        offset = end - REACH
        bit = np.where(offset < 0, offset + 3, offset + 2)
        to_straight_four |= (free & _is_straight_four(longer, longest)).astype(np.int64) << np.clip(bit, 0, 5)
    fours = np.where(length == 4, np.minimum(fours, 1), fours)  # a straight four is one four with two ends
    shapes = (
        (to_straight_four > 0).astype(np.int64) << THREES
        | ((length >= 5) & (length <= longest)).astype(np.int64) << FIVES
        | to_straight_four << OFFSETS
    )
    if not threes_alone:
        shapes |= fours << FOURS | (length > longest).astype(np.int64) << OVERLINES
    return shapes.astype(np.int32)


Windows = NDArray[np.int8]  # [windows, 11]
Numbers = NDArray[np.int64]
Truths = NDArray[np.bool_]


def _run(cells: Windows) -> tuple[Numbers, Numbers]:
    """The numbers of black stones that adjoin the middle one on its left and on its right."""
    black = (cells == BLACK_STONE).astype(np.int64)
    left = np.cumprod(black[:, :REACH][:, ::-1], axis=1).sum(axis=1)
    right = np.cumprod(black[:, REACH + 1 :], axis=1).sum(axis=1)
    return left, right


def _length(cells: Windows) -> Numbers:
    left, right = _run(cells)
    return left + 1 + right


def _end(cells: Windows, stones: Numbers, side: int) -> tuple[Numbers, Truths]:
    """For each window, the first cell beyond the run on this side, and whether it is free and in the window."""
    end = np.clip(REACH + side * (stones + 1), 0, 2 * REACH)
    return end, (stones < REACH) & (cells[np.arange(len(cells)), end] == FREE)


def _with(cells: Windows, where: Numbers, free: Truths) -> Windows:
    """The windows with a black stone added at `where`, if `free`."""
    put = cells.copy()
    rows = np.flatnonzero(free)
    put[rows, where[rows]] = BLACK_STONE
    return put


def _is_straight_four(cells: Windows, longest: int) -> Truths:
    """Is the run exactly four stones long, and does a stone at either end make a five, of at most `longest` stones?"""
    straight = _length(cells) == 4
    for side, stones in zip((-1, 1), _run(cells), strict=True):
        end, free = _end(cells, stones, side)
        straight &= free & (_length(_with(cells, end, free)) <= longest)
    return straight
