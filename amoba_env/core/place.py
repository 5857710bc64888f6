"""The placing family: put a stone on an empty cell; own all cells of a winning set to win."""

import numpy as np

from amoba_env.core.jit import jit
from amoba_env.core.lookup import guards, members, through
from amoba_env.core.rules import (
    FAMILY,
    N_CELLS,
    PLAYERS,
    PROBE_INDEX,
    PROBES,
    RENJU,
    REST,
    SET_SIZE,
    Rules,
)
from amoba_env.core.state import (
    BLACK,
    CELLS,
    CHOICES,
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
        out[count] = cell  # overwritten unless the cell is empty; without a branch this is faster
        count += s[CELLS + cell] == EMPTY
    return count


@jit
def is_exact(rules: Rules, s: State, seat: int) -> bool:
    """Must a row have exactly the wanted length for this seat? In renju only for Black."""
    return rules[FAMILY] != RENJU or seat == s[BLACK]


@jit
def wins(rules: Rules, s: State, cell: int) -> bool:
    """Does the stone on `cell` complete a winning set? Looks only at the sets through it."""
    me = s[CELLS + cell]
    stride = rules[SET_SIZE] + 1
    index = rules[PROBE_INDEX] + 2 * cell
    at = rules[PROBES] + 3 * rules[index]
    end = rules[PROBES] + 3 * rules[index + 1]
    while at < end:
        if s[CELLS + cell + rules[at]] == me:
            for row in range(rules[at + 1], rules[at + 2]):
                if _is_ours(rules, s, cell, rules[REST] + row * stride, me):
                    return True
        at += 3
    return False


@jit
def _is_ours(rules: Rules, s: State, cell: int, at: int, me: int) -> bool:
    """Does `me` own the other cells of this row of REST, and none that makes it too long?"""
    end = at + rules[SET_SIZE] - 1
    while at < end:
        if s[CELLS + cell + rules[at]] != me:
            return False
        at += 1
    if not is_exact(rules, s, me):
        return True
    before, after = rules[at], rules[at + 1]
    longer = (before != 0 and s[CELLS + cell + before] == me) or (after != 0 and s[CELLS + cell + after] == me)
    return not longer


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
    elif s[PLY] - s[CHOICES] == rules[N_CELLS]:
        s[STATUS] = NOBODY
        s[ENDING] = FULL_BOARD
    s[TO_MOVE] = (me + 1) % rules[PLAYERS]


@jit
def settle(rules: Rules, s: State) -> None:
    """Set STATUS and ENDING of a position that was set up by hand; TO becomes a stone that wins, if one does."""
    if 0 <= s[TO] < rules[N_CELLS] and s[CELLS + s[TO]] >= 0 and wins(rules, s, s[TO]):
        s[STATUS] = s[CELLS + s[TO]]
        s[ENDING] = LINE
        return
    stones = 0
    for cell in range(rules[N_CELLS]):
        if s[CELLS + cell] >= 0:
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
def is_full(rules: Rules, s: State, line: int, me: int) -> bool:
    """Does `me` own all cells of this winning set, and none that makes it too long?"""
    for cell in members(rules, line):
        if cell != NOWHERE and s[CELLS + cell] != me:
            return False
    if is_exact(rules, s, me):
        for cell in guards(rules, line):
            if cell != NOWHERE and s[CELLS + cell] == me:
                return False
    return True


@jit
def winning_cells(rules: Rules, s: State, out: np.ndarray) -> None:
    """Mark (out[cell] = 1) every cell of a winning set through the last stone."""
    for line in through(rules, s[TO]):
        if is_full(rules, s, line, s[CELLS + s[TO]]):
            for cell in members(rules, line):
                if cell != NOWHERE:
                    out[cell] = 1
