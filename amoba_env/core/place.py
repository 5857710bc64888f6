"""The placing family: put a stone on an empty cell; own all cells of a winning set to win."""

import numpy as np

from amoba_env.core.jit import jit
from amoba_env.core.rules import N_CELLS, PLAYERS, SET_INDEX, SET_STRIDE, SETS, Rules
from amoba_env.core.state import (
    CELLS,
    EMPTY,
    ENDING,
    FROM,
    FULL_BOARD,
    LINE,
    NOBODY,
    NOWHERE,
    PLY,
    STATUS,
    TO,
    TO_MOVE,
    State,
)


@jit
def moves(rules: Rules, s: State, out: np.ndarray) -> int:
    """Write the legal actions to `out` (any integer array, [N_ACTIONS]), ascending; return how many."""
    count = 0
    for cell in range(rules[N_CELLS]):
        if s[CELLS + cell] == EMPTY:
            out[count] = cell
            count += 1
    return count


@jit
def full_set(rules: Rules, s: State, cell: int, row: int) -> int:
    """The first row of SETS at or after `row` that is a full winning set through `cell` of its owner, or -1."""
    me = s[CELLS + cell]
    stride = rules[SET_STRIDE]
    base = rules[SETS]
    end = rules[rules[SET_INDEX] + cell + 1]
    while row < end:
        at = base + row * stride
        if s[CELLS + rules[at + 1]] != me:
            row += rules[at]  # skip the rows that share this cell
            continue
        i = 2
        while i < stride - 3 and s[CELLS + rules[at + i]] == me:
            i += 1
        if i == stride - 3:
            before, after = rules[at + i], rules[at + i + 1]
            longer = (before != NOWHERE and s[CELLS + before] == me) or (after != NOWHERE and s[CELLS + after] == me)
            if not longer:
                return row
        row += 1
    return -1


@jit
def wins(rules: Rules, s: State, cell: int) -> bool:
    """Does the stone on `cell` complete a winning set? Looks only at the sets through it."""
    return full_set(rules, s, cell, rules[rules[SET_INDEX] + cell]) >= 0


@jit
def apply(rules: Rules, s: State, cell: int) -> None:
    """Put the stone and end the game where it wins or fills the board. The win test comes first."""
    me = s[TO_MOVE]
    s[CELLS + cell] = me
    s[PLY] += 1
    s[FROM] = NOWHERE
    s[TO] = cell
    if wins(rules, s, cell):
        s[STATUS] = me
        s[ENDING] = LINE
    elif s[PLY] == rules[N_CELLS]:
        s[STATUS] = NOBODY
        s[ENDING] = FULL_BOARD
    s[TO_MOVE] = (me + 1) % rules[PLAYERS]


@jit
def settle(rules: Rules, s: State) -> None:
    """Set STATUS and ENDING of a position that was set up by hand; TO becomes a stone that wins, if one does."""
    if s[TO] != NOWHERE and wins(rules, s, s[TO]):
        s[STATUS] = s[CELLS + s[TO]]
        s[ENDING] = LINE
        return
    stones = 0
    for cell in range(rules[N_CELLS]):
        if s[CELLS + cell] != EMPTY:
            stones += 1
            if wins(rules, s, cell):
                s[STATUS] = s[CELLS + cell]
                s[ENDING] = LINE
                s[TO] = cell
                return
    if stones == rules[N_CELLS]:
        s[STATUS] = NOBODY
        s[ENDING] = FULL_BOARD


@jit
def winning_cells(rules: Rules, s: State, out: np.ndarray) -> None:
    """Mark (out[cell] = 1) every cell of a winning set through the last stone."""
    cell = s[TO]
    row = full_set(rules, s, cell, rules[rules[SET_INDEX] + cell])
    while row >= 0:
        out[cell] = 1
        at = rules[SETS] + row * rules[SET_STRIDE]
        for i in range(1, rules[SET_STRIDE] - 3):
            out[rules[at + i]] = 1
        row = full_set(rules, s, cell, row + 1)
