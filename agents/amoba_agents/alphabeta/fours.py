"""Wins by fours (VCF). What is found is proof.

A *four* is a stone after which its owner needs one more: the other has to put that one. Who makes two such threats with
one stone, or forces the other onto a forbidden point, wins. After L. V. Allis, H. J. van den Herik and M. P. H.
Huntjens, "Go-Moku solved by new search techniques" (Computational Intelligence 12, 1996): a search among threats is
deep and narrow, because they leave the defender few replies.
"""

import numpy as np

from amoba_agents.alphabeta.lines import (
    CUT,
    ENDS,
    ENDS_SIZE,
    FRAGILE,
    HASH,
    LENGTH,
    LIMIT,
    LOST,
    LOST_MASK,
    MAX_ENDS,
    MAX_FOURS,
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
    put,
    take,
    word,
)
from amoba_env.core import renju
from amoba_env.core.jit import jit
from amoba_env.core.line_windows import THREES
from amoba_env.core.rules import (
    FAMILY,
    FORBIDDEN_LOSES,
    N_CELLS,
    RENJU,
    WIDTH,
    Rules,
)
from amoba_env.core.state import BLACK, CELLS, EMPTY, State

_is_forbidden, _shapes_at = renju.is_forbidden, renju.shapes_at

NONE, MANY = -1, -2  # of cells
YES, NO, NOWHERE_ELSE = range(3)

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
    return _shapes_at(rules, s, cell % size, cell // size) >> THREES & 7 > 1


@jit
def question(t: Table, seat: int, left: int) -> np.uint64:
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
    key = question(t, seat, np.int64(0))
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
