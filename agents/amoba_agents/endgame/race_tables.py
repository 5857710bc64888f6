"""The number of moves that a side needs to get home alone on the board: a table of all placings of its men.

This is a pattern database (Culberson and Schaeffer, "Pattern databases", Computational Intelligence 14, 1998). Six men
on 37 cells have 2,324,784 placings. The table is filled breadth first, backwards from the goal: steps and chains of
jumps can be reversed.

A placing is a set of cells as the seat sees the board, one bit a cell. Its number is its rank among all sets of this
size (the combinatorial number system), looked up for thirteen bits at a time.
"""

import functools
import threading
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.jit import jit
from amoba_env.core.rules import Rules, table

PART_BITS = 13  # bits of a placing that are looked up at once
PART_MASK = (1 << PART_BITS) - 1
PARTS = 3
MOST_CELLS = PART_BITS * PARTS
MOST_PLACINGS = 5_000_000
UNKNOWN = 255  # a distance: no way home, or not found yet

_making = threading.Lock()


class RaceTables(NamedTuple):
    """Tables of a game with D directions, n cells and P players."""

    near: NDArray[np.int64]  # [n, D] the neighbour, or -1
    jump: NDArray[np.int64]  # [n, D] the cell behind it, or -1
    relative: NDArray[np.int64]  # [P, n] the number of a cell as the seat sees it
    steps: NDArray[np.int64]  # [P, n] step distance to the seat's tip
    goals: NDArray[np.int64]  # [P] the cells of the seat's goal, one bit each
    rank: NDArray[np.int32]  # [PARTS, men + 1, 1 << PART_BITS] see rank_of
    ones: NDArray[np.int8]  # [1 << PART_BITS] the number of set bits
    distances: NDArray[np.uint8]  # [placings] moves to get home alone, or UNKNOWN


def check_size(rules: Rules) -> None:
    """Raise ValueError for a game with too many placings."""
    n, men = int(rules[ru.N_CELLS]), int(rules[ru.MEN])
    if n > MOST_CELLS or comb(n, men) > MOST_PLACINGS:
        raise ValueError(f"{men} men on {n} cells have {comb(n, men):,} placings, more than {MOST_PLACINGS:,}")


def tables_for(rules: Rules) -> RaceTables:
    """The tables of a game, made once in a process, which takes about a second.

    Raises:
        ValueError: see check_size.
    """
    check_size(rules)
    with _making:
        return _made(rules.tobytes())


@functools.lru_cache(maxsize=4)
def _made(numbers: bytes) -> RaceTables:
    rules = np.frombuffer(numbers, np.int32)
    n, men = int(rules[ru.N_CELLS]), int(rules[ru.MEN])
    near = table(rules, ru.NEIGHBOR).reshape(n, -1).astype(np.int64)
    jump = np.where(near >= 0, near[near, np.arange(near.shape[1])], st.NOWHERE).astype(np.int64)
    choose = np.array([[comb(cell, size) for size in range(men + 1)] for cell in range(MOST_CELLS)])
    rank = np.zeros((PARTS, men + 1, 1 << PART_BITS), np.int32)
    fill_rank(choose, rank)
    ones = np.array([bits.bit_count() for bits in range(1 << PART_BITS)], np.int8)
    distances = np.full(comb(n, men), UNKNOWN, np.uint8)
    goals = np.array([sum(1 << int(cell) for cell in cells) for cells in table(rules, ru.GOALS)], np.int64)
    fill_distances(near, jump, rank, ones, goals[0], distances, np.empty(len(distances), np.int64))
    relative, far = (table(rules, slot).astype(np.int64) for slot in (ru.VIEW, ru.STEPS))
    return RaceTables(near, jump, relative, far, goals, rank, ones, distances)


@jit
def fill_rank(choose: NDArray[np.int64], rank: NDArray[np.int32]) -> None:
    """Fill rank[part, k, bits]: the part of the rank that comes from these bits, with k men on cells before them."""
    for part in range(rank.shape[0]):
        for before in range(rank.shape[1]):
            for bits in range(rank.shape[2]):
                size = before
                for bit in range(PART_BITS):
                    if bits >> bit & 1 and size < rank.shape[1] - 1:
                        size += 1
                        rank[part, before, bits] += choose[part * PART_BITS + bit, size]


@jit
def rank_of(rank: NDArray[np.int32], ones: NDArray[np.int8], placing: int) -> int:
    """The number of a placing, 0 .. placings - 1."""
    first, second = placing & PART_MASK, placing >> PART_BITS & PART_MASK
    before = ones[first]
    return rank[0, 0, first] + rank[1, before, second] + rank[2, before + ones[second], placing >> 2 * PART_BITS]


@jit
def targets(near: NDArray[np.int64], jump: NDArray[np.int64], men: int, origin: int, out: NDArray[np.int64]) -> int:
    """Write to `out` where the man on `origin` can end its turn; return their number. `men` are all men on the board.

    The man stays on `origin`: a jump moves by two cells, so no jump of the chain goes over `origin`.
    """
    taken = men
    count = head = 0
    cell = origin
    while True:
        for d in range(near.shape[1]):
            to = jump[cell, d]
            if to >= 0 and men >> near[cell, d] & 1 and not taken >> to & 1:
                taken |= 1 << to
                out[count] = to
                count += 1
        if head == count:
            break
        cell = out[head]
        head += 1
    for d in range(near.shape[1]):
        to = near[origin, d]
        if to >= 0 and not taken >> to & 1:
            out[count] = to
            count += 1
    return count


@jit
def fill_distances(
    near: NDArray[np.int64],
    jump: NDArray[np.int64],
    rank: NDArray[np.int32],
    ones: NDArray[np.int8],
    home: int,
    distances: NDArray[np.uint8],
    queue: NDArray[np.int64],
) -> None:
    """Fill the moves from each placing to the placing `home`, breadth first; `queue` is [placings]."""
    out = np.empty(near.shape[0], np.int64)
    queue[0] = home
    distances[rank_of(rank, ones, home)] = 0
    head, tail = 0, 1
    while head < tail:
        men = queue[head]
        head += 1
        further = distances[rank_of(rank, ones, men)] + 1
        for origin in range(near.shape[0]):
            if men >> origin & 1:
                for i in range(targets(near, jump, men, origin, out)):
                    after = men ^ (1 << origin) ^ (1 << out[i])
                    at = rank_of(rank, ones, after)
                    if distances[at] == UNKNOWN:
                        distances[at] = further
                        queue[tail] = after
                        tail += 1
