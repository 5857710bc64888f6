"""The placing family: put a stone on an empty cell; own all cells of a winning set to win."""

import numpy as np

from amoba_env.core import endings as en
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.jit import jit
from amoba_env.core.lookup import guards, members, through
from amoba_env.core.rules import Rules
from amoba_env.core.state import State


@jit
def moves(rules: Rules, s: State, out: np.ndarray) -> int:
    """Write the legal actions to `out` (any integer array, [N_ACTIONS]), ascending; return their number."""
    count = 0
    for cell in range(rules[ru.N_CELLS]):
        out[count] = cell  # written always and kept only if the cell is empty: faster without a branch
        count += s[st.CELLS + cell] == st.EMPTY
    return count


@jit
def is_restricted(rules: Rules, s: State, seat: int) -> bool:
    """Do exact rows and forbidden points, if the game has them, hold for this seat? In renju only for Black."""
    return not rules[ru.BLACK_ONLY] or seat == s[st.BLACK]


@jit
def wins(rules: Rules, s: State, cell: int) -> bool:
    """Does the stone on `cell` complete a winning set? Looks only at the sets through it."""
    me = s[st.CELLS + cell]
    stride = rules[ru.SET_SIZE] + 1
    index = rules[ru.PROBE_INDEX] + 2 * cell
    at = rules[ru.PROBES] + 3 * rules[index]
    end = rules[ru.PROBES] + 3 * rules[index + 1]
    while at < end:
        if s[st.CELLS + cell + rules[at]] == me:
            for row in range(rules[at + 1], rules[at + 2]):
                if _is_ours(rules, s, cell, rules[ru.REST] + row * stride, me):
                    return True
        at += 3
    return False


@jit
def _is_ours(rules: Rules, s: State, cell: int, at: int, me: int) -> bool:
    """Does `me` own the other cells of this row of REST, and do its guards let it win?"""
    end = at + rules[ru.SET_SIZE] - 1
    while at < end:
        if s[st.CELLS + cell + rules[at]] != me:
            return False
        at += 1
    if not is_restricted(rules, s, me):
        return True
    weight = 0
    for i in range(at, at + 2):
        if rules[i] != 0:
            weight += _guard_weight(rules, s, cell + rules[i], me)
    return weight < ru.TOO_MUCH


@jit
def _guard_weight(rules: Rules, s: State, cell: int, me: int) -> int:
    """What a guard of a set of `me` weighs, see patterns.py."""
    owner = s[st.CELLS + cell]
    return rules[ru.OWN_GUARD] if owner == me else rules[ru.OTHER_GUARD] if owner >= 0 else 0


@jit
def apply(rules: Rules, s: State, cell: int) -> None:
    """Put the stone; end the game if it wins or, failing that, fills the board."""
    me = s[st.TO_MOVE]
    s[st.CELLS + cell] = me
    s[st.PLY] += 1
    s[st.FROM] = st.NOWHERE
    s[st.TO] = cell
    if wins(rules, s, cell):
        s[st.STATUS] = me
        s[st.ENDING] = en.LINE
    elif s[st.PLY] - s[st.CHOICES] == rules[ru.N_CELLS]:
        s[st.STATUS] = st.NOBODY
        s[st.ENDING] = en.FULL_BOARD
    s[st.TO_MOVE] = (me + 1) % rules[ru.PLAYERS]


@jit
def settle(rules: Rules, s: State) -> None:
    """Set STATUS and ENDING of a position that was not reached by play; TO becomes a winning stone, if there is one."""
    if 0 <= s[st.TO] < rules[ru.N_CELLS] and s[st.CELLS + s[st.TO]] >= 0 and wins(rules, s, s[st.TO]):
        s[st.STATUS] = s[st.CELLS + s[st.TO]]
        s[st.ENDING] = en.LINE
        return
    stones = 0
    for cell in range(rules[ru.N_CELLS]):
        if s[st.CELLS + cell] >= 0:
            stones += 1
            if wins(rules, s, cell):
                s[st.STATUS] = s[st.CELLS + cell]
                s[st.ENDING] = en.LINE
                s[st.TO] = cell
                return
    if stones == rules[ru.N_CELLS]:
        s[st.STATUS] = st.NOBODY
        s[st.ENDING] = en.FULL_BOARD


@jit
def is_full(rules: Rules, s: State, line: int, me: int) -> bool:
    """Does `me` own all cells of this winning set, and do its guards let it win?"""
    for cell in members(rules, line):
        if cell != st.NOWHERE and s[st.CELLS + cell] != me:
            return False
    if not is_restricted(rules, s, me):
        return True
    weight = 0
    for cell in guards(rules, line):
        if cell != st.NOWHERE:
            weight += _guard_weight(rules, s, cell, me)
    return weight < ru.TOO_MUCH


@jit
def winning_cells(rules: Rules, s: State, out: np.ndarray) -> None:
    """Mark (out[cell] = 1) every cell of a winning set through the last stone."""
    for line in through(rules, s[st.TO]):
        if is_full(rules, s, line, s[st.CELLS + s[st.TO]]):
            for cell in members(rules, line):
                if cell != st.NOWHERE:
                    out[cell] = 1
