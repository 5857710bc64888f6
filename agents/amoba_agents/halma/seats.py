"""Halma: the men of all seats, their moves in order, and what a move changes, compiled.

A search makes and unmakes moves on one work row. Moves are ordered by what they gain, the best first, then by the
cells they go from and to; a move is one number (a key) that sorts this way.
"""

import numpy as np

from amoba_agents.halma.reach import (
    CELLS_MAX,
    IN_GOAL,
    LEVELS,
    MEN_MAX,
    QUEUE,
    SEATS_MAX,
    Work,
    learn_board,
    reach,
    set_up,
    toggle,
)
from amoba_env.core.jit import jit
from amoba_env.core.lookup import steps
from amoba_env.core.rules import ANTI_SPOILING, MEN, N_CELLS, PLAYERS, Rules
from amoba_env.core.state import CELLS, NOBODY, NOWHERE, State

# After the blocks of reach.py:
STANDS = LEVELS  # [seats, MEN_MAX] where the men of a seat stand, in no order that matters
WHO = STANDS + SEATS_MAX * MEN_MAX  # [cells] seat * MEN_MAX + index of the man that stands there, or NOWHERE
LEFT = WHO + CELLS_MAX  # [seats] distance left
OWN_HOME = LEFT + SEATS_MAX  # [seats] own men in the goal
ALL_HOME = OWN_HOME + SEATS_MAX  # [seats] men of any colour in it
PLIES = ALL_HOME + SEATS_MAX  # from here on [plies, men of all seats * cells], the moves at each ply of a search

CELL_BITS = 9
CELL = (1 << CELL_BITS) - 1
MOST_GAIN = 1 << 12
WON = 1 << 24  # more than any distance


@jit
def seats_row(rules: Rules, plies: int) -> Work:
    """A work row for searches of `plies` plies, with what depends on the game alone."""
    w = np.zeros(PLIES + plies * room(rules), np.int32)
    learn_board(rules, w)
    return w


@jit
def room(rules: Rules) -> int:
    """More than the moves of all seats in any position."""
    return rules[PLAYERS] * rules[MEN] * rules[N_CELLS]


@jit
def load(rules: Rules, s: State, w: Work) -> None:
    """Everything that depends on the position."""
    set_up(rules, s, w)
    for seat in range(rules[PLAYERS]):
        w[LEFT + seat] = w[OWN_HOME + seat] = w[ALL_HOME + seat] = 0
    count = np.zeros(SEATS_MAX, np.int64)
    for cell in range(rules[N_CELLS]):
        seat = s[CELLS + cell]
        w[WHO + cell] = NOWHERE
        if seat >= 0:
            w[WHO + cell] = seat * MEN_MAX + count[seat]
            w[STANDS + w[WHO + cell]] = cell
            count[seat] += 1
            w[LEFT + seat] += steps(rules, seat, cell)
            w[OWN_HOME + seat] += w[IN_GOAL + seat * CELLS_MAX + cell]
            for goal in range(rules[PLAYERS]):
                w[ALL_HOME + goal] += w[IN_GOAL + goal * CELLS_MAX + cell]


@jit
def origin_of(key: int) -> int:
    """The cell that a move goes from."""
    return key >> CELL_BITS & CELL


@jit
def target_of(key: int) -> int:
    """The cell that it goes to."""
    return key & CELL


@jit
def gain_of(key: int) -> int:
    """The steps that it gains."""
    return MOST_GAIN - (key >> 2 * CELL_BITS)


@jit
def list_moves(rules: Rules, w: Work, seat: int, at: int) -> int:
    """Write the seat's moves to w[at:], not in order; return where they end."""
    for man in range(STANDS + seat * MEN_MAX, STANDS + seat * MEN_MAX + rules[MEN]):
        origin = w[man]
        here = steps(rules, seat, origin)
        for i in range(QUEUE, QUEUE + reach(rules, w, origin, np.int64(QUEUE))):
            to = w[i]
            w[at] = (MOST_GAIN - here + steps(rules, seat, to)) << 2 * CELL_BITS | origin << CELL_BITS | to
            at += 1
    return at


@jit
def sort(w: Work, at: int, end: int) -> None:
    """Bring the moves in order (by insertion: they are few)."""
    for i in range(at + 1, end):
        key = w[i]
        j = i
        while j > at and w[j - 1] > key:
            w[j] = w[j - 1]
            j -= 1
        w[j] = key


@jit
def shift(rules: Rules, w: Work, origin: int, to: int) -> int:
    """Move a man, or (the other way round) move it back; return the seat that is home after it, or NOBODY."""
    man = w[WHO + origin]
    seat = man // MEN_MAX
    w[WHO + origin], w[WHO + to] = NOWHERE, man
    w[STANDS + man] = to
    toggle(rules, w, origin)
    toggle(rules, w, to)
    w[LEFT + seat] += steps(rules, seat, to) - steps(rules, seat, origin)
    at = IN_GOAL + seat * CELLS_MAX
    w[OWN_HOME + seat] += w[at + to] - w[at + origin]
    for goal in range(rules[PLAYERS]):
        at = IN_GOAL + goal * CELLS_MAX
        w[ALL_HOME + goal] += w[at + to] - w[at + origin]
    if not rules[ANTI_SPOILING]:
        return seat if w[OWN_HOME + seat] == rules[MEN] else np.int64(NOBODY)
    for goal in range(np.int64(rules[PLAYERS])):
        if w[ALL_HOME + goal] == rules[MEN] and w[OWN_HOME + goal] > 0:
            return goal
    return np.int64(NOBODY)
