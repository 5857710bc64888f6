"""Wins by threes (VCT), and which replies to a threat of fours are worth a try. What is found is proof.

A *three* threatens to win by fours. Which replies: a win by fours is one way, a1 d1 a2 d2 ..., of the attacker's stones
and forced answers. A reply matters only if it takes a cell of this way, makes a four itself, or if together with the
forced answers it would: it lies in a set that is open for the defender, holds at least one of the answers, and would
need at most two more stones with all of them. After any other reply the same way wins. In renju a stone elsewhere can
also change what is forbidden: a way that depends on that (FRAGILE) does not tell which replies matter.
"""

import numpy as np

from amoba_agents.alphabeta.fours import (
    MANY,
    NO,
    NONE,
    YES,
    answers,
    forbidden,
    is_stopped,
    question,
    winning_cell,
    wins_by_fours,
)
from amoba_agents.alphabeta.lines import (
    ENDS,
    ENDS_SIZE,
    FIRST,
    FRAGILE,
    LOST,
    LOST_MASK,
    MARK,
    NEED_3,
    PATH,
    PATH_SIZE,
    STACK_END,
    TOP,
    Table,
    Work,
    gap,
    gap_after,
    hot,
    is_open,
    put,
    take,
    word,
)
from amoba_env.core.jit import jit
from amoba_env.core.rules import N_CELLS, SET_SIZE, SETS, THROUGH, THROUGH_INDEX, Rules
from amoba_env.core.state import CELLS, EMPTY, NOWHERE, State

LISTED, ANSWER = 1, 3  # marks of cells
FOURS_NODES = 60  # of a search by fours within one by threes


@jit
def _enter(w: Work, at: int, cell: int, mark: int) -> int:
    """Append a cell to the list that ends at `at`, unless it is in it; return its end."""
    if w[w[MARK] + cell] == 0:
        w[at] = cell
        at += 1
    w[w[MARK] + cell] |= mark
    return at


@jit
def replies(rules: Rules, s: State, w: Work, seat: int) -> int:
    """Put the seat's replies that matter against the way of fours just found on the STACK, from TOP; return the end.

    See the module. All empty cells if the way is fragile.
    """
    end = w[TOP]
    if w[FRAGILE]:
        for cell in range(rules[N_CELLS]):
            if s[CELLS + cell] == EMPTY:
                w[end] = cell
                end += 1
        return end
    for i in range(w[ENDS], w[ENDS] + w[ENDS_SIZE]):
        end = _enter(w, end, w[i], LISTED)
    path = w[PATH]
    for i in range(path, path + 2 * w[PATH_SIZE]):
        end = _enter(w, end, w[i], LISTED if i & 1 == path & 1 else ANSWER)
    first, behind = hot(rules, w, np.int64(2), seat)
    for i in range(first, behind):
        a = gap(rules, s, w[i])
        end = _enter(w, end, a, LISTED)
        end = _enter(w, end, gap_after(rules, s, w[i], a), LISTED)
    for i in range(path + 1, path + 2 * w[PATH_SIZE], 2):
        index = rules[THROUGH_INDEX] + w[i]
        for j in range(rules[THROUGH] + rules[index], rules[THROUGH] + rules[index + 1]):
            end = _enter_counter(rules, s, w, seat, np.int64(rules[j]), end)
    for i in range(w[TOP], end):
        w[w[MARK] + w[i]] = 0
    return end


@jit
def _enter_counter(rules: Rules, s: State, w: Work, seat: int, line: int, end: int) -> int:
    """Append the empty cells of a set that with the forced answers would need at most two; return the end."""
    if not is_open(w, seat, line):
        return end
    first = rules[SETS] + line * rules[SET_SIZE]
    behind = first + rules[SET_SIZE]
    rest = 0
    for i in range(first, behind):
        cell = rules[i]
        rest += cell != NOWHERE and s[CELLS + cell] == EMPTY and w[w[MARK] + cell] & ANSWER == 0
    if rest <= 2:
        for i in range(first, behind):
            cell = np.int64(rules[i])
            if cell != NOWHERE and s[CELLS + cell] == EMPTY:
                end = _enter(w, end, cell, LISTED)
    return end


@jit
def _pick_urgent(w: Work, seat: int, at: int, end: int) -> int:
    """Bring the cell of w[at:end] with the most urgent sets of the seat to w[at]; return it."""
    best = at
    for i in range(at + 1, end):
        if word(w, seat, w[i]) > word(w, seat, w[best]):
            best = i
    w[at], w[best] = w[best], w[at]
    return w[at]


@jit
def by_threes(rules: Rules, s: State, w: Work, t: Table, seat: int, left: int) -> bool:
    """Can the seat, to move, win by fours and at most `left` threes? w[LIMIT] bounds the search."""
    if wins_by_fours(rules, s, w, t, seat, np.int64(FOURS_NODES)):
        return True
    other = 1 - seat
    must = winning_cell(rules, s, w, other)
    if must == MANY or left == 0 or is_stopped(w):
        return False
    key = question(t, seat, left)
    slot = w[LOST] + np.int64(key & np.uint64(w[LOST_MASK]))
    if t[slot] == key:
        return False
    top = w[TOP]
    last = top
    if must == NONE:
        for cell in range(rules[N_CELLS]):
            if s[CELLS + cell] == EMPTY and word(w, seat, np.int64(cell)) >= NEED_3 and last < w[STACK_END]:
                w[last] = cell
                last += 1
    else:
        w[last] = must
        last += 1
    w[TOP] = last
    won = False
    for i in range(top, last):
        three = _pick_urgent(w, seat, np.int64(i), last)
        if forbidden(rules, s, seat, three):
            continue
        put(rules, s, w, t, seat, three)
        answer = winning_cell(rules, s, w, seat)
        if answer == MANY:
            won = True
        elif answer != NONE:
            can = answers(rules, s, other, answer)
            won = can == NO
            if can == YES:
                put(rules, s, w, t, other, answer)
                won = by_threes(rules, s, w, t, seat, left - 1)
                take(rules, s, w, t, other, answer)
        elif wins_by_fours(rules, s, w, t, seat, np.int64(FOURS_NODES)) and not w[FRAGILE]:
            end = replies(rules, s, w, other)
            w[TOP] = end
            won = True
            for j in range(last, end):
                if not forbidden(rules, s, other, w[j]):
                    reply = w[j]
                    put(rules, s, w, t, other, reply)
                    won = by_threes(rules, s, w, t, seat, left - 1)
                    take(rules, s, w, t, other, reply)
                    if not won:
                        break
            w[TOP] = last
        take(rules, s, w, t, seat, three)
        if won:
            w[FIRST] = three
            break
    w[TOP] = top
    if not won and not is_stopped(w):
        t[slot] = key
    return won
