"""The search's position: winning sets with their counts, kept up to date stone by stone. For any board and pattern.

A winning set is *open* for a seat while the other has no stone in it (and, for exact rows, the seat none on a guard).
An open set *needs* its empty cells; the searches live on sets that need few:

    needs 1   a stone there wins
    needs 2   a stone there makes a four: the other has to answer it (threats.py)
    needs 3   a stone there makes a three, or at least the material of one

Three things are kept for each seat: the number of open sets of each need through every cell, packed into one word; the
value of all open sets; and lists of the sets that need 1 or 2. All are numbers of the position alone, but for the order
in the lists. A set whose cells are all empty counts for nothing if it has more than four of them.
"""

import numpy as np
from numpy.typing import NDArray

from amoba_env.core.jit import jit
from amoba_env.core.place import is_exact
from amoba_env.core.rng import streams
from amoba_env.core.rules import GUARDS, N_CELLS, N_SETS, SET_SIZE, SETS, THROUGH, THROUGH_INDEX, Rules, table
from amoba_env.core.state import CELLS, EMPTY, NOWHERE, State

Work = NDArray[np.int64]  # one row of integers: a header of numbers and offsets, then blocks
Table = NDArray[np.uint64]  # keys of stones and two hash tables

# Numbers in the header ...
(
    FREE,  # empty cells
    NODES,  # stones put since the search began
    LIMIT,  # a search by fours or threes stops there
    CUT,  # 1: it did
    PATH_SIZE,  # of the way that a search by fours has found, see threats.py
    ENDS_SIZE,
    FRAGILE,
    TOP,  # the first unused slot of STACK
    STOP,  # 1: time is up; another thread may write it
    NOISE,  # to order stones that look alike
    FIRST,  # the stone that begins a win by threes
    BEST,  # the best stone of the search so far
    # ... and where blocks begin.
    CODE,  # [sets, 2]     own stones + SHUT * (stones that close the set for the seat)
    LEVEL,  # [sets]        where the needs of a set of its size begin
    NEED,  # [sizes, ..]   by own stones: 0 (counts for nothing), 1 .. 4, or FAR
    CELL,  # [2, 1 + n]    the packed numbers of sets; one slot before each for cells that are NOWHERE
    LENGTH,  # [2, 2]        of the lists HOT
    HOT,  # [2, 2, sets]  by need - 1 and seat: the open sets
    PLACE,  # [sets, 2]     where in its list
    VALUE,  # [2]           of all open sets
    WATCH_INDEX,  # [n + 1]
    WATCH,  # the sets of which a cell is a guard
    PATH,  # [fours, 2]
    ENDS,  # [ENDS]
    STACK,  # lists of cells of the searches, and its end
    STACK_END,
    KILLERS,  # [plies, 2]
    HISTORY,  # [2, n]
    MARK,  # [n]           of cells that are in the list that is being made
    SCORES,  # [plies, n]    of moves
    TABLE,  # slots of Table: where the search's entries begin,
    TABLE_MASK,  # a power of two - 1
    LOST,  # and those of searches by fours and threes that found nothing
    LOST_MASK,
    HEADER,
) = range(35)

HASH, STAMP, KEYS = range(3)  # slots of Table: of the position; what makes old entries strange; [n, 2]

SHUT = 1 << 20
FAR = 5
MAX_FOURS = 40  # in a search by fours
MAX_ENDS = 16
MAX_PLY = 64  # of the search
MAX_THREES = 10
ROOM = MAX_PLY + 2 * MAX_THREES  # lists of n cells on the STACK

# By need: nothing, 1, 2, 3, 4, FAR. Numbers of sets in twelve bits each, so a word compares by the most urgent of them.
BITS = 12
FIELD = (1 << BITS) - 1
WORDS = np.array([0, 1 << 4 * BITS, 1 << 3 * BITS, 1 << 2 * BITS, 1 << BITS, 1], np.int64)
VALUES = np.array([0, 24, 24, 7, 2, 1], np.int64)


def workspace(rules: Rules) -> Work:
    """A work row for the empty board."""
    n, n_sets, size = int(rules[N_CELLS]), int(rules[N_SETS]), int(rules[SET_SIZE])
    lengths = {
        CODE: 2 * n_sets,
        LEVEL: n_sets,
        NEED: (size + 1) * (size + 1),
        CELL: 2 * (n + 1),
        LENGTH: 4,
        HOT: 4 * n_sets,
        PLACE: 2 * n_sets,
        VALUE: 2,
        WATCH_INDEX: n + 1,
        WATCH: 2 * n_sets,
        PATH: 2 * MAX_FOURS,
        ENDS: MAX_ENDS,
        STACK: ROOM * n + MAX_FOURS * 64,
        KILLERS: 2 * MAX_PLY,
        HISTORY: 2 * n,
        MARK: n,
        SCORES: MAX_PLY * n,
    }
    blocks = list(lengths)
    w = np.zeros(HEADER + sum(lengths.values()), np.int64)
    w[blocks] = HEADER + np.cumsum([0, *lengths.values()])[:-1]
    w[STACK_END] = w[KILLERS]
    w[FREE], w[TOP] = n, w[STACK]

    sets, guards = table(rules, SETS).reshape(n_sets, size), table(rules, GUARDS)
    sizes = (sets != NOWHERE).sum(axis=1)
    w[w[LEVEL] : w[LEVEL] + n_sets] = w[NEED] + sizes * (size + 1)
    own, cells = np.meshgrid(np.arange(size + 1), np.arange(size + 1))
    needs = np.where((own == 0) & (cells > 4), 0, np.clip(cells - own, 0, FAR))
    w[w[NEED] : w[NEED] + needs.size] = needs.ravel()

    watched = np.flatnonzero(guards != NOWHERE)
    order = np.argsort(guards[watched], kind="stable")
    w[w[WATCH] : w[WATCH] + len(order)] = watched[order] // 2
    counts = np.bincount(guards[watched], minlength=n)
    w[w[WATCH_INDEX] : w[WATCH_INDEX] + n + 1] = np.cumsum([0, *counts])

    w[CELL] += 1
    first = needs[sizes, 0]
    for seat in range(2):
        at = w[CELL] + seat * (n + 1)
        for column in sets.T:
            on = column != NOWHERE
            np.add.at(w, at + column[on], WORDS[first[on]])
        w[w[VALUE] + seat] = VALUES[first].sum()
        for need in (1, 2):
            lines, which = np.flatnonzero(first == need), 2 * (need - 1) + seat
            w[w[HOT] + which * n_sets + np.arange(len(lines))] = lines
            w[w[PLACE] + 2 * lines + seat] = np.arange(len(lines))
            w[w[LENGTH] + which] = len(lines)
    return w


def hash_table(w: Work, n_cells: int, log_size: int) -> Table:
    """Keys of stones, and room for 2 ** log_size entries of a search; the work row is told where."""
    entries = 1 << log_size
    w[TABLE], w[TABLE_MASK] = KEYS + 2 * n_cells, entries - 1
    w[LOST], w[LOST_MASK] = w[TABLE] + 2 * entries, entries - 1
    t = np.zeros(w[LOST] + entries, np.uint64)
    t[KEYS : KEYS + 2 * n_cells] = streams(0, 0, 2 * n_cells)
    return t


@jit
def _change(rules: Rules, w: Work, line: int, seat: int, before: int, after: int) -> None:
    """A set that needed `before` for the seat needs `after` now; 0: it counts for nothing."""
    change = WORDS[after] - WORDS[before]
    if change == 0:
        return
    at = w[CELL] + seat * (rules[N_CELLS] + 1)
    size = rules[SET_SIZE]
    first = rules[SETS] + line * size
    for i in range(first, first + size):
        w[at + rules[i]] += change
    w[w[VALUE] + seat] += VALUES[after] - VALUES[before]
    if before == 1 or before == 2:
        which = 2 * (before - 1) + seat
        w[w[LENGTH] + which] -= 1
        hot = w[HOT] + which * rules[N_SETS]
        last, place = w[hot + w[w[LENGTH] + which]], w[w[PLACE] + 2 * line + seat]
        w[hot + place] = last
        w[w[PLACE] + 2 * last + seat] = place
    if after == 1 or after == 2:
        which = 2 * (after - 1) + seat
        length = w[w[LENGTH] + which]
        w[w[HOT] + which * rules[N_SETS] + length] = line
        w[w[PLACE] + 2 * line + seat] = length
        w[w[LENGTH] + which] = length + 1


@jit
def put(rules: Rules, s: State, w: Work, t: Table, seat: int, cell: int) -> None:
    """Put a stone of the seat on the empty cell. No seat may have a full set before."""
    other = 1 - seat
    s[CELLS + cell] = seat
    t[HASH] ^= t[KEYS + 2 * cell + seat]
    w[FREE] -= 1
    w[NODES] += 1
    code, level = w[CODE], w[LEVEL]
    index = rules[THROUGH_INDEX] + cell
    for i in range(rules[THROUGH] + rules[index], rules[THROUGH] + rules[index + 1]):
        line = np.int64(rules[i])
        at = code + 2 * line
        mine, theirs = w[at + seat], w[at + other]
        w[at + seat] = mine + 1
        w[at + other] = theirs + SHUT
        need = w[level + line]
        if mine < SHUT:
            _change(rules, w, line, seat, w[need + mine], w[need + mine + 1])
        if theirs < SHUT:
            _change(rules, w, line, other, w[need + theirs], np.int64(0))
    if is_exact(rules, s, seat):
        for i in range(w[w[WATCH_INDEX] + cell], w[w[WATCH_INDEX] + cell + 1]):
            line = w[w[WATCH] + i]
            mine = w[code + 2 * line + seat]
            w[code + 2 * line + seat] = mine + SHUT
            if mine < SHUT:
                _change(rules, w, line, seat, w[w[level + line] + mine], np.int64(0))


@jit
def take(rules: Rules, s: State, w: Work, t: Table, seat: int, cell: int) -> None:
    """Take the stone away again."""
    other = 1 - seat
    s[CELLS + cell] = EMPTY
    t[HASH] ^= t[KEYS + 2 * cell + seat]
    w[FREE] += 1
    code, level = w[CODE], w[LEVEL]
    if is_exact(rules, s, seat):
        for i in range(w[w[WATCH_INDEX] + cell], w[w[WATCH_INDEX] + cell + 1]):
            line = w[w[WATCH] + i]
            mine = w[code + 2 * line + seat] - SHUT
            w[code + 2 * line + seat] = mine
            if mine < SHUT:
                _change(rules, w, line, seat, np.int64(0), w[w[level + line] + mine])
    index = rules[THROUGH_INDEX] + cell
    for i in range(rules[THROUGH] + rules[index], rules[THROUGH] + rules[index + 1]):
        line = np.int64(rules[i])
        at = code + 2 * line
        mine, theirs = w[at + seat] - 1, w[at + other] - SHUT
        w[at + seat] = mine
        w[at + other] = theirs
        need = w[level + line]
        if mine < SHUT:
            _change(rules, w, line, seat, w[need + mine + 1], w[need + mine])
        if theirs < SHUT:
            _change(rules, w, line, other, np.int64(0), w[need + theirs])


@jit
def word(rules: Rules, w: Work, seat: int, cell: int) -> int:
    """The packed numbers of open sets of the seat through a cell."""
    return w[w[CELL] + seat * (rules[N_CELLS] + 1) + cell]


@jit
def hot(rules: Rules, w: Work, need: int, seat: int) -> tuple[int, int]:
    """Where the open sets that need so many stones of the seat stand in the work row: first, end."""
    which = 2 * (need - 1) + seat
    first = w[HOT] + which * rules[N_SETS]
    return first, first + w[w[LENGTH] + which]


@jit
def gap(rules: Rules, s: State, line: int) -> int:
    """The first empty cell of a set."""
    i = rules[SETS] + line * rules[SET_SIZE]
    while s[CELLS + rules[i]] != EMPTY:
        i += 1
    return np.int64(rules[i])


@jit
def gap_after(rules: Rules, s: State, line: int, first: int) -> int:
    """The next empty cell of a set after its first one."""
    i = rules[SETS] + line * rules[SET_SIZE]
    while s[CELLS + rules[i]] != EMPTY or rules[i] == first:
        i += 1
    return np.int64(rules[i])
