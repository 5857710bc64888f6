"""Wins by continuous fours (VCF). A win that this search finds is proven.

A *four* is a stone after which its owner needs only one more stone, so the opponent has to answer on that cell. The
attacker wins with a stone that makes two such threats, or with a four whose answer is a forbidden point. A search over
such threats is deep and narrow, because each leaves the defender one reply: L. V. Allis, H. J. van den Herik and
M. P. H. Huntjens, "Go-Moku solved by new search techniques" (Computational Intelligence 12, 1996).

In caro the opponent may also answer a four with a stone beyond its end. A four that can be answered so is not a threat,
and every reply to a sequence of fours is relevant, because a stone elsewhere may block its rows.

A winning sequence is stored in the work row: SEQUENCE holds pairs (four, answer), FINAL_CELLS the cells on which the
attacker wins after the last pair.
"""

import numpy as np

from amoba_agents.alphabeta import lines as li
from amoba_agents.alphabeta.deadline import look
from amoba_agents.alphabeta.lines import HashTable, StoneWork
from amoba_agents.alphabeta.stones import put, remove
from amoba_env.core import renju
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.interrupt import cancelled
from amoba_env.core.jit import jit
from amoba_env.core.line_windows import THREES
from amoba_env.core.lookup import guards
from amoba_env.core.renju import has_forbidden
from amoba_env.core.rules import Rules
from amoba_env.core.state import State

_is_forbidden, _shapes_at = renju.is_forbidden, renju.shapes_at

# In place of a cell: none; several; in caro, a row that can be blocked at its end.
NONE, MANY, BLOCKABLE = st.NOWHERE, -2, -3
YES, NO, NO_LEGAL_CELL = range(3)
LISTED, ANSWER = 1, 3  # marks of cells in a list of replies; ANSWER includes LISTED

# Keys of searches of one position, which differ in the attacker and the kind of threats.
SEAT_KEYS = np.array([0x9FB21C651E98DF25, 0xD6E8FEB86659FD93], np.uint64)
THREES_KEY = np.uint64(0xA0761D6478BD642F)


@jit
def is_stopped(w: StoneWork) -> bool:
    """Whether the search has used its nodes or its time, or is cancelled."""
    if w[li.NODES] >= w[li.LOOK]:
        look(w)
    return w[li.NODES] >= w[li.LIMIT] or w[li.STOP] != 0 or cancelled()


@jit
def forbidden(rules: Rules, s: State, seat: int, cell: int) -> bool:
    """Whether the empty cell is a forbidden point for the seat."""
    return has_forbidden(rules, s, seat) and _is_forbidden(rules, s, seat, cell)


@jit
def can_answer(rules: Rules, s: State, seat: int, forced_cell: int) -> int:
    """Whether the seat can answer the opponent's threat on `forced_cell` (a result of winning_cell).

    The seat itself must not have an immediate win.

    Returns:
        YES: there is no threat, or the seat can answer it. A threat that is BLOCKABLE can always be answered, and
            list_answers() says where.
        NO: the seat cannot answer, and loses. NO_LEGAL_CELL: every empty cell is forbidden, a draw.
    """
    if forced_cell in (NONE, BLOCKABLE):
        return np.int64(YES)
    for i in range(-1, rules[ru.N_CELLS]):
        cell = np.int64(forced_cell if i < 0 else i)
        if cell != MANY and s[st.CELLS + cell] == st.EMPTY:
            legal = not forbidden(rules, s, seat, cell)
            if i < 0 and legal:
                return np.int64(YES)
            if i >= 0 and (legal or rules[ru.FORBIDDEN_LOSES]):
                return np.int64(NO)
    return np.int64(NO_LEGAL_CELL)


@jit
def winning_cell(rules: Rules, s: State, w: StoneWork, seat: int) -> int:
    """The only cell on which the seat wins at once; NONE if there is none, MANY if there are several.

    BLOCKABLE, in caro, if the opponent can stop one of the wins with a stone at the end of the row, on a guard:
    list_answers() lists all answers then.
    """
    first, end = li.urgent_sets(rules, w, np.int64(1), seat)
    if first == end:
        return np.int64(NONE)
    if rules[ru.OTHER_GUARD]:
        for i in range(first, end):
            if _spoiling_guard(rules, s, seat, w[i]) != NONE:
                return np.int64(BLOCKABLE)
    cell = li.first_empty(rules, s, w[first])
    for i in range(first + 1, end):
        if li.first_empty(rules, s, w[i]) != cell:
            return np.int64(MANY)
    return cell


@jit
def _spoiling_guard(rules: Rules, s: State, seat: int, line: int) -> int:
    """The guard on which a stone of the opponent keeps an open set of the seat from winning, or NONE."""
    weight, free = rules[ru.OTHER_GUARD], np.int64(NONE)
    for cell in guards(rules, line):
        if cell != st.NOWHERE and s[st.CELLS + cell] == st.EMPTY:
            free = np.int64(cell)
        elif cell != st.NOWHERE and s[st.CELLS + cell] != seat:
            weight += rules[ru.OTHER_GUARD]
    return free if weight >= ru.TOO_MUCH else np.int64(NONE)


@jit
def list_answers(rules: Rules, s: State, w: StoneWork, seat: int) -> int:
    """List the cells on which the opponent may stop a BLOCKABLE win, on the STACK from TOP on; return their end."""
    end = w[li.TOP]
    first, behind = li.urgent_sets(rules, w, np.int64(1), seat)
    for i in range(first, behind):
        end = add_cell(w, end, li.first_empty(rules, s, w[i]), LISTED)
        guard = _spoiling_guard(rules, s, seat, w[i])
        if guard != NONE:
            end = add_cell(w, end, guard, LISTED)
    for i in range(w[li.TOP], end):
        w[w[li.MARKS] + w[i]] = 0
    return end


@jit
def add_cell(w: StoneWork, at: int, cell: int, mark: int) -> int:
    """Append a cell to the list that ends at `at`, unless it is there already, and mark it; return the new end."""
    if w[w[li.MARKS] + cell] == 0:
        w[at] = cell
        at += 1
    w[w[li.MARKS] + cell] |= mark
    return at


@jit
def _record_final_cells(rules: Rules, s: State, w: StoneWork, seat: int) -> None:
    """Store the cells on which the seat wins now in FINAL_CELLS."""
    first, end = li.urgent_sets(rules, w, np.int64(1), seat)
    count = 0
    for i in range(first, end):
        cell, is_new = li.first_empty(rules, s, w[i]), count < li.MOST_FINAL
        for j in range(w[li.FINAL_CELLS], w[li.FINAL_CELLS] + count):
            is_new &= w[j] != cell
        if is_new:
            w[w[li.FINAL_CELLS] + count] = cell
            count += 1
    w[li.FINAL_COUNT] = count


@jit
def _may_become_forbidden(rules: Rules, s: State, seat: int, cell: int) -> bool:
    """Whether a stone of the opponent elsewhere could make this legal stone forbidden.

    Only with false threes (see renju.py): such a stone can turn one into a real three.
    """
    if not has_forbidden(rules, s, seat):
        return False
    size = np.int64(rules[ru.WIDTH])
    return _shapes_at(rules, s, seat, cell % size, cell // size) >> THREES & 7 > 1


@jit
def search_key(w: StoneWork, t: HashTable, seat: int, left: int) -> np.uint64:
    """The hash key of a search in this position: for fours (left = 0), or for threes with at most `left` threes."""
    return t[w[li.HASH]] ^ t[w[li.SALT]] ^ SEAT_KEYS[seat] ^ THREES_KEY * np.uint64(left)


@jit
def by_fours(rules: Rules, s: State, w: StoneWork, t: HashTable, seat: int, level: int) -> bool:
    """Whether the seat, which is to move, wins by fours alone. If so, SEQUENCE and FINAL_CELLS hold the win.

    The search stops when w[NODES] reaches w[LIMIT]; then w[CUT] is 1. `level` counts the fours made so far. This is one
    long function because the recursion uses every loop variable: a helper would need them all as arguments.
    """
    if w[w[li.LIST_LENGTH] + seat] > 0:
        _record_final_cells(rules, s, w, seat)
        w[li.SEQUENCE_LENGTH] = level
        return True
    other = 1 - seat
    forced_cell = winning_cell(rules, s, w, other)
    first, end = li.urgent_sets(rules, w, np.int64(2), seat)
    if forced_cell in (MANY, BLOCKABLE) or first == end:
        return False
    if level == li.MAX_FOURS or is_stopped(w):
        w[li.CUT] = 1
        return False
    key = search_key(w, t, seat, np.int64(0))
    slot = w[li.FAILED] + np.int64(key & np.uint64(w[li.FAILED_MASK]))
    if t[slot] == key:
        return False
    top = w[li.TOP]
    last = top
    for i in range(first, end):
        a = li.first_empty(rules, s, w[i])
        b = li.next_empty(rules, s, w[i], a)
        for _ in range(2):
            if forced_cell in (NONE, a) and last + 2 <= w[li.STACK_END]:
                w[last], w[last + 1] = a, b
                last += 2
            a, b = b, a
    w[li.TOP] = last
    cut, won = w[li.CUT], False
    w[li.CUT] = 0
    for i in range(top, last, 2):
        best = i
        for j in range(i + 2, last, 2):
            if li.open_counts(w, seat, w[j]) > li.open_counts(w, seat, w[best]):
                best = j
        w[i], w[best] = w[best], w[i]
        w[i + 1], w[best + 1] = w[best + 1], w[i + 1]
        four, answer = w[i], w[i + 1]
        if (i > top and w[i - 2] == four) or forbidden(rules, s, seat, four):
            continue
        fragile = _may_become_forbidden(rules, s, seat, four)
        put(rules, s, w, t, seat, four)
        threat = winning_cell(rules, s, w, seat)
        if threat == MANY:
            _record_final_cells(rules, s, w, seat)
            w[li.SEQUENCE_LENGTH] = level + 1
            won = True
        elif threat != BLOCKABLE:
            possible = can_answer(rules, s, other, answer)
            if possible == NO:
                w[li.FINAL_COUNT] = 0
                w[li.SEQUENCE_LENGTH] = level + 1
                won = fragile = True
            elif possible == YES:
                put(rules, s, w, t, other, answer)
                won = by_fours(rules, s, w, t, seat, level + 1)
                remove(rules, s, w, t, other, answer)
        remove(rules, s, w, t, seat, four)
        if won:
            w[w[li.SEQUENCE] + 2 * level], w[w[li.SEQUENCE] + 2 * level + 1] = four, answer
            w[li.FRAGILE] |= fragile
            break
    w[li.TOP] = top
    if not won and w[li.CUT] == 0:
        t[slot] = key
    w[li.CUT] |= cut
    return won


@jit
def wins_by_fours(rules: Rules, s: State, w: StoneWork, t: HashTable, seat: int, nodes: int) -> bool:
    """by_fours() with a limit of nodes; also for the seat that is not to move."""
    limit = w[li.LIMIT]
    w[li.LIMIT] = min(limit, w[li.NODES] + nodes)
    w[li.FRAGILE] = rules[ru.OTHER_GUARD]
    won = by_fours(rules, s, w, t, seat, np.int64(0))
    w[li.LIMIT] = limit
    return won
