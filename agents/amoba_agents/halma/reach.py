"""Halma: the cells that each man can reach, updated as men move.

Each cell has two sets of directions: `near`, in which a man stands next to the cell, and `far`, in which the cell
behind that neighbour is not free. So near & ~far is the set of possible jumps.
"""

import numpy as np
from numpy.typing import NDArray

from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.jit import jit
from amoba_env.core.lookup import goal, steps
from amoba_env.core.rules import Rules
from amoba_env.core.state import State

MenWork = NDArray[np.int32]  # one row of integers: the blocks below, then those of the search, from LEVELS on

MEN_MAX, SEATS_MAX, DIRECTIONS_MAX = 64, 6, 8
CELLS_MAX = 256 + 16  # not a power of two, so that blocks do not compete for the same sets of the processor's cache
TOGGLES = 4 * DIRECTIONS_MAX

# The work row. Blocks of CELLS_MAX are by cell.
STAMP = 0  # number of the last sweep over the board, for SEEN
DISTANCES = 1  # offset of the seat's step distances in the rules
FORWARD_AT, IN_GOAL_AT = 2, 3  # offsets of its blocks of FORWARD and IN_GOAL
DUMMY = 4  # receives the changes of TOGGLE off the board
MAN = 5  # [MEN_MAX] the cells of the own men, in the order of their numbers
NEAR = MAN + MEN_MAX
FAR = NEAR + CELLS_MAX
SEEN = FAR + CELLS_MAX
QUEUE = SEEN + CELLS_MAX
# Blocks that depend on the game alone:
CLASS = QUEUE + CELLS_MAX
RIM_NEAR = CLASS + CELLS_MAX  # NEAR and FAR of the empty board
RIM_FAR = RIM_NEAR + CELLS_MAX
TOGGLE = RIM_FAR + CELLS_MAX  # [cells, TOGGLES] the bits that a man on the cell flips: slot, bit, slot, bit, ...
FORWARD = TOGGLE + TOGGLES * CELLS_MAX  # [seats, cells] directions of steps that gain
IN_GOAL = FORWARD + SEATS_MAX * CELLS_MAX  # [seats, cells]
LOWEST = IN_GOAL + SEATS_MAX * CELLS_MAX  # [1 << DIRECTIONS_MAX] the first direction of a set
LEVELS = LOWEST + (1 << DIRECTIONS_MAX)


@jit
def toggle(rules: Rules, w: MenWork, cell: int) -> None:
    """Update NEAR and FAR for a man that enters or leaves the cell."""
    at = TOGGLE + cell * TOGGLES
    for i in range(at, at + 4 * rules[ru.DIRECTIONS], 2):
        w[w[i]] ^= w[i + 1]


@jit
def load_position(rules: Rules, s: State, w: MenWork) -> None:
    """Fill everything that depends on the position, except MAN."""
    n, seat = rules[ru.N_CELLS], s[st.TO_MOVE]
    w[DISTANCES] = rules[ru.STEPS] + seat * n
    w[FORWARD_AT] = FORWARD + seat * CELLS_MAX
    w[IN_GOAL_AT] = IN_GOAL + seat * CELLS_MAX
    for cell in range(n):
        w[NEAR + cell] = w[RIM_NEAR + cell]
        w[FAR + cell] = w[RIM_FAR + cell]
    for cell in range(n):
        if s[st.CELLS + cell] != st.EMPTY:
            toggle(rules, w, cell)


@jit
def precompute_board(rules: Rules, w: MenWork) -> None:
    """Fill the blocks that depend on the game alone, except CLASS."""
    n_dirs = rules[ru.DIRECTIONS]
    half = n_dirs // 2
    for cell in range(rules[ru.N_CELLS]):
        at = TOGGLE + cell * TOGGLES
        for d in range(n_dirs):
            back = 1 << (d + half if d < half else d - half)
            one = rules[rules[ru.NEIGHBOR] + cell * n_dirs + d]
            two = rules[rules[ru.NEIGHBOR] + one * n_dirs + d] if one >= 0 else st.NOWHERE
            w[at + 4 * d] = NEAR + one if one >= 0 else DUMMY
            w[at + 4 * d + 1] = back
            w[at + 4 * d + 2] = FAR + two if two >= 0 else DUMMY
            w[at + 4 * d + 3] = back
            if one < 0:
                w[RIM_NEAR + cell] |= 1 << d  # no cell to step to
            if two < 0:
                w[RIM_FAR + cell] |= 1 << d  # no cell to land on
            for seat in range(rules[ru.PLAYERS]):
                if one >= 0 and steps(rules, seat, one) < steps(rules, seat, cell):
                    w[FORWARD + seat * CELLS_MAX + cell] |= 1 << d
    for directions in range(1, 1 << n_dirs):
        while not (directions >> w[LOWEST + directions]) & 1:
            w[LOWEST + directions] += 1
    for seat in range(rules[ru.PLAYERS]):
        for i in range(rules[ru.MEN]):
            w[IN_GOAL + seat * CELLS_MAX + goal(rules, seat, i)] = 1


@jit
def find_jump_classes(rules: Rules, w: MenWork) -> None:
    """Number the classes of cells that jumps can connect."""
    n, n_dirs = rules[ru.N_CELLS], rules[ru.DIRECTIONS]
    for cell in range(n):
        w[CLASS + cell] = st.NOWHERE
    for start in range(n):
        if w[CLASS + start] != st.NOWHERE:
            continue
        w[CLASS + start] = start
        w[QUEUE] = start
        head, tail = 0, 1
        while head < tail:
            cell = w[QUEUE + head]
            head += 1
            for d in range(n_dirs):
                one = rules[rules[ru.NEIGHBOR] + cell * n_dirs + d]
                two = rules[rules[ru.NEIGHBOR] + one * n_dirs + d] if one >= 0 else st.NOWHERE
                if two >= 0 and w[CLASS + two] == st.NOWHERE:
                    w[CLASS + two] = start
                    w[QUEUE + tail] = two
                    tail += 1


@jit
def jumps(rules: Rules, w: MenWork, origin: int, out: int) -> int:
    """Write to w[out:] the ends of jump chains from `origin`, and mark them SEEN; return their number."""
    n_dirs, near_at = rules[ru.DIRECTIONS], rules[ru.NEIGHBOR]
    w[STAMP] += 1
    stamp = w[STAMP]
    w[SEEN + origin] = stamp
    count = head = 0
    cell = origin
    while True:
        directions = w[NEAR + cell] & ~w[FAR + cell]
        while directions:
            d = w[LOWEST + directions]
            directions &= directions - 1
            over = rules[near_at + cell * n_dirs + d]
            to = rules[near_at + over * n_dirs + d]
            if w[SEEN + to] != stamp:
                w[SEEN + to] = stamp
                w[out + count] = to
                count += 1
        if head == count:
            return count
        cell = w[out + head]
        head += 1


@jit
def reach(rules: Rules, w: MenWork, origin: int, out: int) -> int:
    """Write to w[out:] the cells where the man on `origin` can end its turn; return their number."""
    count = jumps(rules, w, origin, out)
    row = rules[ru.NEIGHBOR] + origin * rules[ru.DIRECTIONS]
    directions = ~w[NEAR + origin] & ((1 << rules[ru.DIRECTIONS]) - 1)
    while directions:
        to = rules[row + w[LOWEST + directions]]
        directions &= directions - 1
        if w[SEEN + to] != w[STAMP]:
            w[out + count] = to
            count += 1
    return count
