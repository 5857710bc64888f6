"""Halma: the men of all seats, their ordered moves, and how a move changes the work row.

A search makes and unmakes moves on one work row. A move is one integer, its key. Keys sort by progress, the most first,
then by from and to.
"""

import numpy as np

from amoba_agents.halma import reach as rc
from amoba_agents.halma.reach import MenWork
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.jit import jit
from amoba_env.core.lookup import steps
from amoba_env.core.rules import Rules
from amoba_env.core.state import State

# After the blocks of reach.py:
MEN_CELLS = rc.LEVELS  # [seats, MEN_MAX] the cells of a seat's men, in any order
MAN_AT = MEN_CELLS + rc.SEATS_MAX * rc.MEN_MAX  # [cells] seat * MEN_MAX + index of the man on the cell, or NOWHERE
DISTANCE_LEFT = MAN_AT + rc.CELLS_MAX  # [seats] steps to the goal
OWN_HOME = DISTANCE_LEFT + rc.SEATS_MAX  # [seats] own men in the goal
ALL_HOME = OWN_HOME + rc.SEATS_MAX  # [seats] men of any colour in the goal
PLIES = ALL_HOME + rc.SEATS_MAX  # [plies, men of all seats * cells] the moves at each ply of a search

CELL_BITS = 9
CELL_MASK = (1 << CELL_BITS) - 1
MOST_PROGRESS = 1 << 12
WIN_VALUE = 1 << 24  # more than any distance


@jit
def seats_workspace(rules: Rules, plies: int) -> MenWork:
    """A work row for searches of `plies` plies, with everything that depends on the game alone."""
    w = np.zeros(PLIES + plies * moves_capacity(rules), np.int32)
    rc.precompute_board(rules, w)
    return w


@jit
def moves_capacity(rules: Rules) -> int:
    """More than the number of moves of all seats in any position."""
    return rules[ru.PLAYERS] * rules[ru.MEN] * rules[ru.N_CELLS]


@jit
def load(rules: Rules, s: State, w: MenWork) -> None:
    """Fill everything that depends on the position."""
    rc.load_position(rules, s, w)
    for seat in range(rules[ru.PLAYERS]):
        w[DISTANCE_LEFT + seat] = w[OWN_HOME + seat] = w[ALL_HOME + seat] = 0
    count = np.zeros(rc.SEATS_MAX, np.int64)
    for cell in range(rules[ru.N_CELLS]):
        seat = s[st.CELLS + cell]
        w[MAN_AT + cell] = st.NOWHERE
        if seat >= 0:
            w[MAN_AT + cell] = seat * rc.MEN_MAX + count[seat]
            w[MEN_CELLS + w[MAN_AT + cell]] = cell
            count[seat] += 1
            w[DISTANCE_LEFT + seat] += steps(rules, seat, cell)
            w[OWN_HOME + seat] += w[rc.IN_GOAL + seat * rc.CELLS_MAX + cell]
            for goal in range(rules[ru.PLAYERS]):
                w[ALL_HOME + goal] += w[rc.IN_GOAL + goal * rc.CELLS_MAX + cell]


@jit
def origin_of(key: int) -> int:
    """The cell that a move goes from."""
    return key >> CELL_BITS & CELL_MASK


@jit
def target_of(key: int) -> int:
    """The cell that a move goes to."""
    return key & CELL_MASK


@jit
def progress_of(key: int) -> int:
    """The steps that a move gains."""
    return MOST_PROGRESS - (key >> 2 * CELL_BITS)


@jit
def list_moves(rules: Rules, w: MenWork, seat: int, at: int) -> int:
    """Write the seat's moves to w[at:], unsorted; return their end."""
    for man in range(MEN_CELLS + seat * rc.MEN_MAX, MEN_CELLS + seat * rc.MEN_MAX + rules[ru.MEN]):
        origin = w[man]
        here = steps(rules, seat, origin)
        for i in range(rc.QUEUE, rc.QUEUE + rc.reach(rules, w, origin, np.int64(rc.QUEUE))):
            to = w[i]
            w[at] = (MOST_PROGRESS - here + steps(rules, seat, to)) << 2 * CELL_BITS | origin << CELL_BITS | to
            at += 1
    return at


@jit
def move_man(rules: Rules, w: MenWork, origin: int, to: int) -> int:
    """Move a man, or move it back by swapping the cells; return the seat whose men are all home now, or NOBODY."""
    man = w[MAN_AT + origin]
    seat = man // rc.MEN_MAX
    w[MAN_AT + origin], w[MAN_AT + to] = st.NOWHERE, man
    w[MEN_CELLS + man] = to
    rc.toggle(rules, w, origin)
    rc.toggle(rules, w, to)
    w[DISTANCE_LEFT + seat] += steps(rules, seat, to) - steps(rules, seat, origin)
    at = rc.IN_GOAL + seat * rc.CELLS_MAX
    w[OWN_HOME + seat] += w[at + to] - w[at + origin]
    for goal in range(rules[ru.PLAYERS]):
        at = rc.IN_GOAL + goal * rc.CELLS_MAX
        w[ALL_HOME + goal] += w[at + to] - w[at + origin]
    if not rules[ru.ANTI_SPOILING]:
        return seat if w[OWN_HOME + seat] == rules[ru.MEN] else np.int64(st.NOBODY)
    for goal in range(np.int64(rules[ru.PLAYERS])):
        if w[ALL_HOME + goal] == rules[ru.MEN] and w[OWN_HOME + goal] > 0:
            return goal
    return np.int64(st.NOBODY)
