"""Wins by fours (VCF) and by threes (VCT), and which replies to such a threat are worth a try. All of it is proof.

A *four* is a stone after which its owner needs one more: the other has to put that one. Who makes two such threats with
one stone, or forces the other onto a forbidden point, wins. A *three* threatens to win by fours. After L. V. Allis,
H. J. van den Herik and M. P. H. Huntjens, "Go-Moku solved by new search techniques" (Computational Intelligence 12,
1996): a search among threats is deep and narrow, because they leave the defender few replies.

Which replies: a win by fours is one way, a1 d1 a2 d2 ..., of the attacker's stones and forced answers. A reply matters
only if it takes a cell of this way, makes a four itself, or if together with the forced answers it would: it lies in a
set that is open for the defender, holds at least one of the answers, and would need at most two more stones with all of
them. After any other reply the same way wins. In renju a stone elsewhere can also change what is forbidden: a way that
depends on that (FRAGILE) does not tell which replies matter.
"""

import numpy as np

from agents.alphabeta.lines import (
    CUT,
    ENDS,
    ENDS_SIZE,
    FIRST,
    FRAGILE,
    HASH,
    LENGTH,
    LIMIT,
    LOST,
    LOST_MASK,
    MARK,
    MAX_ENDS,
    MAX_FOURS,
    NEED_3,
    NODES,
    PATH,
    PATH_SIZE,
    STACK_END,
    STAMP,
    STOP,
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
from amoba_env.core import renju
from amoba_env.core.jit import jit
from amoba_env.core.rules import (
    FAMILY,
    FORBIDDEN_LOSES,
    N_CELLS,
    RENJU,
    SET_SIZE,
    SETS,
    THROUGH,
    THROUGH_INDEX,
    WIDTH,
    Rules,
)
from amoba_env.core.state import BLACK, CELLS, EMPTY, NOWHERE, State
from amoba_env.core.verdicts import THREES

_is_forbidden, _glance = renju.is_forbidden, renju.glance

NONE, MANY = -1, -2  # of cells
YES, NO, NOWHERE_ELSE = range(3)
LISTED, ANSWER = 1, 3  # marks of cells
FOURS_NODES = 60  # of a search by fours within one by threes

# Other keys for what is asked of the same stones: who attacks, and how.
SEAT_KEYS = np.array([0x9FB21C651E98DF25, 0xD6E8FEB86659FD93], np.uint64)
THREES_KEY = np.uint64(0xA0761D6478BD642F)


@jit
def is_stopped(w: Work) -> bool:
    """Is the search at its limit?"""
    return w[NODES] >= w[LIMIT] or w[STOP] != 0


@jit
def forbidden(rules: Rules, s: State, seat: int, cell: int) -> bool:
    """Is the empty cell forbidden for the seat?"""
    return rules[FAMILY] == RENJU and seat == s[BLACK] and _is_forbidden(rules, s, cell)


@jit
def answers(rules: Rules, s: State, seat: int, must: int) -> int:
    """Can the seat, which cannot win at once, put a stone where it must (a winning_cell)? YES, NO, or NOWHERE_ELSE.

    Who cannot loses, but for NOWHERE_ELSE: no cell is legal for Black, and that is a draw.
    """
    if must == NONE:
        return np.int64(YES)
    for i in range(-1, rules[N_CELLS]):
        cell = np.int64(must if i < 0 else i)
        if cell != MANY and s[CELLS + cell] == EMPTY:
            legal = not forbidden(rules, s, seat, cell)
            if i < 0 and legal:
                return np.int64(YES)
            if i >= 0 and (legal or rules[FORBIDDEN_LOSES]):
                return np.int64(NO)
    return np.int64(NOWHERE_ELSE)


@jit
def winning_cell(rules: Rules, s: State, w: Work, seat: int) -> int:
    """The one cell where a stone of the seat wins, or NONE or MANY."""
    first, end = hot(rules, w, np.int64(1), seat)
    if first == end:
        return np.int64(NONE)
    cell = gap(rules, s, w[first])
    for i in range(first + 1, end):
        if gap(rules, s, w[i]) != cell:
            return np.int64(MANY)
    return cell


@jit
def _note_ends(rules: Rules, s: State, w: Work, seat: int) -> None:
    """The cells where the seat wins are the last of the way."""
    first, end = hot(rules, w, np.int64(1), seat)
    count = min(end - first, MAX_ENDS)
    for i in range(count):
        w[w[ENDS] + i] = gap(rules, s, w[first + i])
    w[ENDS_SIZE] = count


@jit
def _is_delicate(rules: Rules, s: State, seat: int, cell: int) -> bool:
    """Is it a black stone that could become forbidden by a white stone elsewhere? See renju.py: only false threes."""
    if rules[FAMILY] != RENJU or seat != s[BLACK]:
        return False
    size = np.int64(rules[WIDTH])
    return _glance(rules, s, cell % size, cell // size) >> THREES & 7 > 1


@jit
def _key(t: Table, seat: int, left: int) -> np.uint64:
    """The key of a question about the position: fours (left = 0), or threes with so many quiet stones."""
    return t[HASH] ^ t[STAMP] ^ SEAT_KEYS[seat] ^ THREES_KEY * np.uint64(left)


@jit
def by_fours(rules: Rules, s: State, w: Work, t: Table, seat: int, level: int) -> bool:
    """Can the seat, to move, win by fours alone? Then the way is in PATH and ENDS.

    w[LIMIT] bounds the search: w[CUT] is 1 if that was why it found nothing. `level` counts the fours made.
    """
    if w[w[LENGTH] + seat] > 0:
        _note_ends(rules, s, w, seat)
        w[PATH_SIZE] = level
        return True
    other = 1 - seat
    must = winning_cell(rules, s, w, other)
    first, end = hot(rules, w, np.int64(2), seat)
    if must == MANY or first == end:
        return False
    if level == MAX_FOURS or is_stopped(w):
        w[CUT] = 1
        return False
    key = _key(t, seat, np.int64(0))
    slot = w[LOST] + np.int64(key & np.uint64(w[LOST_MASK]))
    if t[slot] == key:
        return False
    top = w[TOP]
    last = top
    for i in range(first, end):
        a = gap(rules, s, w[i])
        b = gap_after(rules, s, w[i], a)
        for _ in range(2):
            if must in (NONE, a) and last + 2 <= w[STACK_END]:
                w[last], w[last + 1] = a, b
                last += 2
            a, b = b, a
    w[TOP] = last
    cut, won = w[CUT], False
    w[CUT] = 0
    for i in range(top, last, 2):
        best = i
        for j in range(i + 2, last, 2):
            if word(w, seat, w[j]) > word(w, seat, w[best]):
                best = j
        w[i], w[best] = w[best], w[i]
        w[i + 1], w[best + 1] = w[best + 1], w[i + 1]
        four, answer = w[i], w[i + 1]
        if (i > top and w[i - 2] == four) or forbidden(rules, s, seat, four):
            continue
        delicate = _is_delicate(rules, s, seat, four)
        put(rules, s, w, t, seat, four)
        if winning_cell(rules, s, w, seat) == MANY:
            _note_ends(rules, s, w, seat)
            w[PATH_SIZE] = level + 1
            won = True
        else:
            can = answers(rules, s, other, answer)
            if can == NO:
                w[ENDS_SIZE] = 0
                w[PATH_SIZE] = level + 1
                won = delicate = True
            elif can == YES:
                put(rules, s, w, t, other, answer)
                won = by_fours(rules, s, w, t, seat, level + 1)
                take(rules, s, w, t, other, answer)
        take(rules, s, w, t, seat, four)
        if won:
            w[w[PATH] + 2 * level], w[w[PATH] + 2 * level + 1] = four, answer
            w[FRAGILE] |= delicate
            break
    w[TOP] = top
    if not won and w[CUT] == 0:
        t[slot] = key
    w[CUT] |= cut
    return won


@jit
def wins_by_fours(rules: Rules, s: State, w: Work, t: Table, seat: int, nodes: int) -> bool:
    """by_fours() with at most so many stones put, also before it is the seat's turn."""
    limit = w[LIMIT]
    w[LIMIT] = min(limit, w[NODES] + nodes)
    w[FRAGILE] = 0
    won = by_fours(rules, s, w, t, seat, np.int64(0))
    w[LIMIT] = limit
    return won


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
    key = _key(t, seat, left)
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
