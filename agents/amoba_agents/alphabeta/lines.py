"""The search's position: winning sets with their counts, kept up to date stone by stone. For any board and pattern.

A winning set is *open* for a seat while the other has no stone in it (and, for exact rows, the seat none on a guard).
An open set *needs* its empty cells; the searches live on sets that need few:

    needs 1   a stone there wins
    needs 2   a stone there makes a four: the other has to answer it (fours.py)
    needs 3   a stone there makes a three, or at least the material of one

Three things are kept: for every cell the number of open sets of each need through it, for both seats packed into one
word; the value of all open sets; and lists of the sets that need 1 or 2. All are numbers of the position alone, but for
the order in the lists. A set without stones counts for nothing if it has more than four cells.

How a set stands is an index into two tables, by the stones of both seats in it and on its guards, and a stone moves the
index: its cells get the difference of two entries, without a branch that the processor could guess wrong.
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
    PATH_SIZE,  # of the way that a search by fours has found, see fours.py
    ENDS_SIZE,
    FRAGILE,
    TOP,  # the first unused slot of STACK
    STOP,  # 1: time is up; another thread may write it
    NOISE,  # to order stones that look alike
    FIRST,  # the stone that begins a win by threes
    BEST,  # the best stone of the search so far
    # ... and where blocks begin.
    WORD,  # [sizes, (size + 1) ** 2 * 9]   what a set adds to the words of its cells,
    WORTH,  # the same                         and to the value
    CODE,  # [sets]          its entry in WORD
    CELL,  # [1 + n]         the packed numbers of sets; the first slot is for cells that are NOWHERE
    LENGTH,  # [2, 2]          of the lists HOT
    HOT,  # [2, 2, sets]    by need - 1 and seat: the open sets
    PLACE,  # [2, sets]       by seat: where in its list
    VALUE,  # [1]             of all open sets, packed
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

MAX_FOURS = 40  # in a search by fours
MAX_ENDS = 16
MAX_PLY = 64  # of the search
MAX_THREES = 10
ROOM = MAX_PLY + 2 * MAX_THREES  # lists of n cells on the STACK

# A word has four numbers of eight bits for each seat: how many open sets need 4 or more (and have a stone), 3, 2, 1. So
# the words of a seat compare by what is most urgent.
BITS, SEAT_BITS = 8, 32
FIELD = (1 << BITS) - 1
SEAT_FIELDS = (1 << SEAT_BITS) - 1
MOST_SETS = FIELD  # through a cell
NEED_2, NEED_3 = 1 << 2 * BITS, 1 << BITS
URGENT = 0xFFFF0000 * ((1 << SEAT_BITS) + 1) - (1 << 64)  # the numbers of sets that need 1 or 2
VALUES = (0, 0, 24, 7, 2)  # of a set by its need

GUARDS_STEP = 3  # a set's index: ((stones of seat 0 * (size + 1) + stones of seat 1) * 3 + guards of 0) * 3 + of 1


def workspace(rules: Rules) -> Work:
    """A work row for the empty board. Raises ValueError for patterns that the search has no room for."""
    n, n_sets, size = int(rules[N_CELLS]), int(rules[N_SETS]), int(rules[SET_SIZE])
    sets, guards = table(rules, SETS).reshape(n_sets, size), table(rules, GUARDS)
    sizes = (sets != NOWHERE).sum(axis=1)
    kinds = np.unique(sizes)
    words, worths = (np.concatenate(parts) for parts in zip(*(_entries(size, own) for own in kinds), strict=True))
    lengths = {
        WORD: words.size,
        WORTH: worths.size,
        CODE: n_sets,
        CELL: n + 1,
        LENGTH: 4,
        HOT: 4 * n_sets,
        PLACE: 2 * n_sets,
        VALUE: 1,
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
    w[CELL] += 1
    w[w[WORD] : w[WORD] + words.size], w[w[WORTH] : w[WORTH] + worths.size] = words, worths
    codes = w[WORD] + np.searchsorted(kinds, sizes) * (words.size // len(kinds))
    w[w[CODE] : w[CODE] + n_sets] = codes

    watched = np.flatnonzero(guards != NOWHERE)
    order = np.argsort(guards[watched], kind="stable")
    w[w[WATCH] : w[WATCH] + len(order)] = watched[order] // 2
    w[w[WATCH_INDEX] : w[WATCH_INDEX] + n + 1] = np.cumsum([0, *np.bincount(guards[watched], minlength=n)])

    for column in sets.T:
        on = column != NOWHERE
        np.add.at(w, w[CELL] + column[on], w[codes[on]])
    w[w[VALUE]] = w[codes + w[WORTH] - w[WORD]].sum()
    for need in (1, 2):
        lines = np.flatnonzero(sizes == need)
        for seat in range(2):
            which = 2 * (need - 1) + seat
            w[w[HOT] + which * n_sets + np.arange(len(lines))] = lines
            w[w[PLACE] + seat * n_sets + lines] = np.arange(len(lines))
            w[w[LENGTH] + which] = len(lines)
    return w


def _entries(size: int, cells: int) -> tuple[Work, Work]:
    """The entries of WORD and WORTH for a set of so many cells."""
    own = np.indices((size + 1, size + 1, GUARDS_STEP, GUARDS_STEP)).reshape(4, -1)
    word, worth = np.zeros(own.shape[1], np.int64), np.zeros(own.shape[1], np.int64)
    for seat in range(2):
        mine, theirs, mine_around = own[seat], own[1 - seat], own[2 + seat]
        need = np.clip(cells - mine, 0, 4)
        counts = (theirs == 0) & (mine_around == 0) & (need > 0) & ((mine > 0) | (cells <= 4))
        word += np.where(counts, 1 << BITS * (4 - need) + SEAT_BITS * seat, 0)
        worth += np.where(counts, np.array(VALUES)[need] << SEAT_BITS * seat, 0)
    return word, worth


def hash_table(w: Work, n_cells: int, log_size: int) -> Table:
    """Keys of stones, and room for 2 ** log_size entries of a search; the work row is told where."""
    entries = 1 << log_size
    w[TABLE], w[TABLE_MASK] = KEYS + 2 * n_cells, entries - 1
    w[LOST], w[LOST_MASK] = w[TABLE] + 2 * entries, entries - 1
    t = np.zeros(w[LOST] + entries, np.uint64)
    t[KEYS : KEYS + 2 * n_cells] = streams(0, 0, 2 * n_cells)
    return t


@jit
def _step(rules: Rules, w: Work, line: int, step: int) -> None:
    """Move the index of a set."""
    code = w[CODE] + line
    before = w[code]
    after = before + step
    w[code] = after
    old, new = w[before], w[after]
    change = new - old
    at = w[CELL]
    size = rules[SET_SIZE]
    first = rules[SETS] + line * size
    for i in range(first, first + size):
        w[at + rules[i]] += change
    worth = w[WORTH] - w[WORD]
    w[w[VALUE]] += w[after + worth] - w[before + worth]
    if (new ^ old) & URGENT:
        for seat in range(2):
            shift = SEAT_BITS * seat + 2 * BITS
            was, now = old >> shift & 0xFFFF, new >> shift & 0xFFFF
            if was:
                _leave(rules, w, line, np.int64(seat), np.int64(was & 1))
            if now:
                _enter(rules, w, line, np.int64(seat), np.int64(now & 1))


@jit
def _leave(rules: Rules, w: Work, line: int, seat: int, more: int) -> None:
    """A set leaves the list of those that need 1 + more stones of the seat."""
    which = w[LENGTH] + 2 * more + seat
    w[which] -= 1
    first, place = w[HOT] + (2 * more + seat) * rules[N_SETS], w[PLACE] + seat * rules[N_SETS]
    last = w[first + w[which]]
    w[first + w[place + line]] = last
    w[place + last] = w[place + line]


@jit
def _enter(rules: Rules, w: Work, line: int, seat: int, more: int) -> None:
    """A set enters the list of those that need 1 + more stones of the seat."""
    which = w[LENGTH] + 2 * more + seat
    w[w[HOT] + (2 * more + seat) * rules[N_SETS] + w[which]] = line
    w[w[PLACE] + seat * rules[N_SETS] + line] = w[which]
    w[which] += 1


@jit
def _put(rules: Rules, s: State, w: Work, t: Table, seat: int, cell: int, by: int) -> None:
    """A stone of the seat comes to (by = 1) or goes from (by = -1) the cell."""
    t[HASH] ^= t[KEYS + 2 * cell + seat]
    w[FREE] -= by
    step = by * GUARDS_STEP * GUARDS_STEP * (rules[SET_SIZE] + 1 if seat == 0 else 1)
    index = rules[THROUGH_INDEX] + cell
    for i in range(rules[THROUGH] + rules[index], rules[THROUGH] + rules[index + 1]):
        _step(rules, w, np.int64(rules[i]), np.int64(step))
    if is_exact(rules, s, seat):
        step = by * (GUARDS_STEP if seat == 0 else 1)
        for i in range(w[w[WATCH_INDEX] + cell], w[w[WATCH_INDEX] + cell + 1]):
            _step(rules, w, w[w[WATCH] + i], np.int64(step))


@jit
def put(rules: Rules, s: State, w: Work, t: Table, seat: int, cell: int) -> None:
    """Put a stone of the seat on the empty cell. Nobody may have won before."""
    s[CELLS + cell] = seat
    w[NODES] += 1
    _put(rules, s, w, t, seat, cell, np.int64(1))


@jit
def take(rules: Rules, s: State, w: Work, t: Table, seat: int, cell: int) -> None:
    """Take the stone away again."""
    s[CELLS + cell] = EMPTY
    _put(rules, s, w, t, seat, cell, np.int64(-1))


@jit
def word(w: Work, seat: int, cell: int) -> int:
    """The numbers of open sets of the seat through a cell."""
    return w[w[CELL] + cell] >> SEAT_BITS * seat & SEAT_FIELDS


@jit
def is_open(w: Work, seat: int, line: int) -> bool:
    """Is the set open for the seat, and has it a stone in it or at most four cells?"""
    return w[w[w[CODE] + line]] >> SEAT_BITS * seat & SEAT_FIELDS != 0


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
