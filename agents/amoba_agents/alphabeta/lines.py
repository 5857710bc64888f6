"""The search's own copy of the position: winning sets with stone counts, updated with each stone. For any pattern.

A winning set is *open* for a seat while the opponent has no stone in it and its *guards* weigh too little to keep it
from winning (see core/patterns.py). The *need* of an open set is the number of its empty cells. Threat
searches work on the sets of small need:

    need 1   a stone there wins
    need 2   a stone there makes a four, which the opponent has to answer (fours.py)
    need 3   a stone there makes a three, or at least a part of one

The work row keeps three things: for every cell and both seats the number of open sets of each need through it, packed
into one integer; the total value of all open sets; and lists of the sets of need 1 or 2. Only the order of the lists
depends on more than the position. An empty set of more than four cells is open, but does not count.

The state of a set is an index into three tables (COUNT_TABLE, VALUE_TABLE and OPEN_TABLE). The index encodes the
stones of both seats in the set and on its guards. A stone changes the index, and the difference of two table entries is
added to the cells of the set, without a branch that the processor could mispredict (stones.py).
"""

import functools

import numpy as np
from numpy.typing import NDArray

from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.jit import jit
from amoba_env.core.rng import streams
from amoba_env.core.rules import Rules, table
from amoba_env.core.state import State

StoneWork = NDArray[np.int64]  # one row of integers: a header of numbers and offsets, then blocks
HashTable = NDArray[np.uint64]  # the keys of stones [n, 2], HASH and SALT, and two hash tables

# Numbers in the header ...
(
    FREE,  # number of empty cells
    NODES,  # stones put since the search began
    LIMIT,  # a search by fours or threes stops when NODES reaches this
    CUT,  # 1 if a search by fours or threes was stopped by LIMIT
    SEQUENCE_LENGTH,  # number of fours in SEQUENCE, see fours.py
    FINAL_COUNT,
    FRAGILE,  # 1 if SEQUENCE may depend on which points are forbidden, see threes.py
    TOP,  # the first unused slot of STACK
    STOP,  # 1: end the search; another thread may write it
    DEADLINE,  # when to stop, in nanoseconds of the monotonic clock; 0: no limit of time, see deadline.py
    LEAST,  # positions that are searched whatever the time
    LOOK,  # the clock is read next when NODES reaches this
    LOOKED,  # the time of the last reading,
    LONGEST,  # and the longest time between two readings
    SECONDS,  # the clock, when it was last read
    NANOSECONDS,
    HASH,  # offset in HashTable of the hash of the position,
    SALT,  # and of a number that invalidates entries of earlier positions
    FRAME,  # offset of the next stone's frame, see FRAMES
    FRAME_SIZE,
    TIE_NOISE,  # random bits, for the choice where the search finds no move
    FIRST_CELL,  # the first stone of a win by fours and threes
    BEST_CELL,  # the best stone of the search so far
    # ... and where blocks begin.
    COUNT_TABLE,  # [sizes, (size + 1) ** 2 * 9]: what a set adds to the counts of its cells
    VALUE_TABLE,  # the same size: what a set adds to the total value
    OPEN_TABLE,  # the same size: 1 if the set is open for seat 0, plus 2 if it is open for seat 1
    SET_CODE,  # [sets]: its index into COUNT_TABLE
    CELL_COUNTS,  # [1 + n]: packed counts of the cells, from cell 0 on; the slot before it takes those of NOWHERE
    LIST_LENGTH,  # [2, 2]: lengths of the lists in URGENT_SETS
    URGENT_SETS,  # [2, 2, sets]: by need - 1 and seat, the open sets
    LIST_INDEX,  # [2, sets]: by seat, the position of each set in its list
    VALUE,  # [1]: total value of the open sets, both seats packed
    GUARDED_INDEX,  # [n + 1]
    GUARDED,  # the sets that have a cell as a guard
    SHARED_INDEX,  # [n + 1]
    SHARED,  # for each cell, the other cells of its sets with a range of these sets, see _shared_sets
    SEQUENCE,  # [fours, 2]: a four and its answer
    FINAL_CELLS,  # [MOST_FINAL]
    STACK,  # lists of cells that searches make; then the end of this block
    STACK_END,
    KILLERS,  # [plies, 2]
    HISTORY,  # [2, n]
    MARKS,  # [n]: marks of cells in the current list
    SCORES,  # [plies, n]: scores of moves
    FRAMES,  # [n, FRAME_SIZE]: change of VALUE, end of the frame, sums of changes of counts, sets that changed lists
    TABLE,  # offset in HashTable of the search's entries,
    TABLE_MASK,  # and their number - 1; the number is a power of two
    FAILED,  # offset in HashTable of the keys of searches by fours and threes that found nothing
    FAILED_MASK,
    SUMS,  # [CHANNELS]: sums of a learned value, see stone_values.py,
    LAYER,  # [HIDDEN]: the next layer,
    QUERY,  # [KEYS]: and the query of learned_order.py
    HEADER,
) = range(53)

MAX_FOURS = 40  # in a winning sequence
MOST_FINAL = 16
MAX_PLY = 64  # of the alpha-beta search
MAX_THREES = 10
CHANNELS, HIDDEN, KEYS = 32, 32, 8  # numbers in the layers of the network of stone_values.py and learned_order.py
ROOM = MAX_PLY + 2 * MAX_THREES  # lists of n cells on the STACK

# Packed counts are four numbers of 8 bits for each seat: open sets of need 4 or more (with a stone), 3, 2 and 1.
# The count of need 1 has the highest bits, so that comparing packed counts compares urgency.
BITS, SEAT_BITS = 8, 32
FIELD = (1 << BITS) - 1
SEAT_FIELDS = (1 << SEAT_BITS) - 1
MOST_SETS = FIELD  # through a cell
NEED_3 = 1 << BITS
URGENT_MASK = 0xFFFF0000 * ((1 << SEAT_BITS) + 1) - (1 << 64)  # the bits of the sets of need 1 or 2
VALUES = (0, 0, 24, 7, 2)  # the value of a set by its need

GUARDS_STEP = 3  # a set's index: ((stones of seat 0 * (size + 1) + stones of seat 1) * 3 + guards of 0) * 3 + of 1


def workspace(rules: Rules) -> StoneWork:
    """A work row for the empty board: int64[its length]. No cell may be in more than MOST_SETS winning sets."""
    return _workspace(rules.dtype.str, rules.tobytes()).copy()


@functools.lru_cache(maxsize=8)
def _workspace(dtype: str, rules_bytes: bytes) -> StoneWork:
    """See workspace(). It is cached: each move needs the same row, which takes milliseconds to make."""
    rules = np.frombuffer(rules_bytes, dtype)
    n, n_sets, size = int(rules[ru.N_CELLS]), int(rules[ru.N_SETS]), int(rules[ru.SET_SIZE])
    sets = table(rules, ru.SETS).reshape(n_sets, size)
    sizes = (sets != st.NOWHERE).sum(axis=1)
    kinds = np.unique(sizes)
    tables = [np.concatenate(parts) for parts in zip(*(_entries(rules, own) for own in kinds), strict=True)]
    words, worths, opens = tables
    shared_index, shared = _shared_sets(rules)
    frame_size = 3 + 2 * int(np.diff(table(rules, ru.THROUGH_INDEX)).max())
    lengths = {
        COUNT_TABLE: words.size,
        VALUE_TABLE: worths.size,
        OPEN_TABLE: opens.size,
        SET_CODE: n_sets,
        CELL_COUNTS: n + 1,
        LIST_LENGTH: 4,
        URGENT_SETS: 4 * n_sets,
        LIST_INDEX: 2 * n_sets,
        VALUE: 1,
        GUARDED_INDEX: n + 1,
        GUARDED: 2 * n_sets,
        SHARED_INDEX: n + 1,
        SHARED: len(shared),
        SEQUENCE: 2 * MAX_FOURS,
        FINAL_CELLS: MOST_FINAL,
        STACK: ROOM * n + MAX_FOURS * 64,
        KILLERS: 2 * MAX_PLY,
        HISTORY: 2 * n,
        MARKS: n,
        SCORES: MAX_PLY * n,
        FRAMES: n * frame_size,
        SUMS: CHANNELS,
        LAYER: HIDDEN,
        QUERY: KEYS,
    }
    blocks = list(lengths)
    w = np.zeros(HEADER + sum(lengths.values()), np.int64)
    w[blocks] = HEADER + np.cumsum([0, *lengths.values()])[:-1]
    w[STACK_END] = w[KILLERS]
    w[FREE], w[TOP] = n, w[STACK]
    w[FRAME], w[FRAME_SIZE] = w[FRAMES], frame_size
    w[CELL_COUNTS] += 1
    w[w[COUNT_TABLE] : w[SET_CODE]] = np.concatenate(tables)
    codes = w[COUNT_TABLE] + np.searchsorted(kinds, sizes) * (words.size // len(kinds))
    w[w[SET_CODE] : w[SET_CODE] + n_sets] = codes

    _index_guards(w, table(rules, ru.GUARDS), n)
    w[w[SHARED_INDEX] : w[SHARED_INDEX] + n + 1] = w[SHARED] + shared_index
    w[w[SHARED] : w[SHARED] + len(shared)] = shared

    for column in sets.T:
        on = column != st.NOWHERE
        np.add.at(w, w[CELL_COUNTS] + column[on], w[codes[on]])
    w[w[VALUE]] = w[codes + w[VALUE_TABLE] - w[COUNT_TABLE]].sum()
    for need in (1, 2):
        lines = np.flatnonzero(sizes == need)
        for seat in range(2):
            which = 2 * (need - 1) + seat
            w[w[URGENT_SETS] + which * n_sets + np.arange(len(lines))] = lines
            w[w[LIST_INDEX] + seat * n_sets + lines] = np.arange(len(lines))
            w[w[LIST_LENGTH] + which] = len(lines)
    return w


def _index_guards(w: StoneWork, guards: NDArray[np.int32], n: int) -> None:
    """Write GUARDED and GUARDED_INDEX: for each of n cells the sets that it guards."""
    guarded = np.flatnonzero(guards != st.NOWHERE)
    order = np.argsort(guards[guarded], kind="stable")
    w[w[GUARDED] : w[GUARDED] + len(order)] = guarded[order] // 2
    w[w[GUARDED_INDEX] : w[GUARDED_INDEX] + n + 1] = np.cumsum([0, *np.bincount(guards[guarded], minlength=n)])


def _shared_sets(rules: Rules) -> tuple[StoneWork, StoneWork]:
    """For each cell, the other cells of its sets, with the sets that they share.

    Returns where each cell's entries start, [n + 1], and the entries: other cell | first << 16 | end << 24. First and
    end are a range of the sets through the cell, in the order of THROUGH. A cell may have several ranges.
    """
    n, size = int(rules[ru.N_CELLS]), int(rules[ru.SET_SIZE])
    index = table(rules, ru.THROUGH_INDEX).astype(np.int64)
    lines = table(rules, ru.THROUGH)[: index[-1]]
    cells = np.repeat(np.arange(n), np.diff(index))
    numbers = np.arange(len(lines)) - index[cells]
    others = table(rules, ru.SETS).reshape(-1, size)[lines].astype(np.int64)
    # Ranges are runs of consecutive keys. Cells are separated, as no cell has MOST_SETS + 2 sets.
    keys = np.sort(((cells[:, None] * n + others) * (MOST_SETS + 2) + numbers[:, None])[others != st.NOWHERE])
    begins = np.flatnonzero(np.diff(keys, prepend=-2) != 1)
    pairs, first = np.divmod(keys[begins], MOST_SETS + 2)
    end = first + np.diff(begins, append=len(keys))
    return np.searchsorted(pairs // n, np.arange(n + 1)), pairs % n | first << 16 | end << 24


def _entries(rules: Rules, cells: int) -> tuple[StoneWork, StoneWork, StoneWork]:
    """The entries of COUNT_TABLE, VALUE_TABLE and OPEN_TABLE for sets of this many cells."""
    size = int(rules[ru.SET_SIZE])
    own = np.indices((size + 1, size + 1, GUARDS_STEP, GUARDS_STEP)).reshape(4, -1)
    open_counts, worth, is_open = np.zeros((3, own.shape[1]), np.int64)
    for seat in range(2):
        mine, theirs = own[seat], own[1 - seat]
        weight = rules[ru.OWN_GUARD] * own[2 + seat] + rules[ru.OTHER_GUARD] * own[3 - seat]
        need = np.clip(cells - mine, 0, 4)
        opens = (theirs == 0) & (weight < ru.TOO_MUCH) & (need > 0)
        counts = opens & ((mine > 0) | (cells <= 4))
        open_counts += np.where(counts, 1 << BITS * (4 - need) + SEAT_BITS * seat, 0)
        worth += np.where(counts, np.array(VALUES)[need] << SEAT_BITS * seat, 0)
        is_open += opens << seat
    return open_counts, worth, is_open


def hash_table(
    w: StoneWork, n_cells: int, log_size: int, kept: HashTable | None = None, log_failed: int | None = None
) -> HashTable:
    """The hash tables of a search; writes their offsets to the work row.

    Args:
        w: the work row.
        n_cells: the number of cells.
        log_size: the transposition table has 2 ** log_size entries.
        kept: a table of an earlier search with the same sizes, which is reused with its results.
        log_failed: the same for searches by fours and threes that found nothing, by default `log_size`.
    """
    entries, failed = 1 << log_size, 1 << (log_size if log_failed is None else log_failed)
    w[HASH], w[SALT] = 2 * n_cells, 2 * n_cells + 1
    w[TABLE], w[TABLE_MASK] = 2 * n_cells + 2, entries - 1
    w[FAILED], w[FAILED_MASK] = w[TABLE] + 2 * entries, failed - 1
    if kept is not None:
        kept[2 * n_cells : w[TABLE]] = 0  # think() makes the same SALT again, so results stay valid
        return kept
    t = np.zeros(w[FAILED] + failed, np.uint64)
    t[: 2 * n_cells] = _stone_keys(n_cells)
    return t


@functools.lru_cache(maxsize=8)
def _stone_keys(n_cells: int) -> HashTable:
    """Zobrist keys, [n * 2], cached: making them takes a sixth of the time of a search of a hundred nodes."""
    return streams(0, 0, 2 * n_cells)


@jit
def open_counts(w: StoneWork, seat: int, cell: int) -> int:
    """The packed numbers of the seat's open sets through a cell, see BITS."""
    return w[w[CELL_COUNTS] + cell] >> SEAT_BITS * seat & SEAT_FIELDS


@jit
def is_open(w: StoneWork, seat: int, line: int) -> bool:
    """Whether the set is open for the seat, be it empty or not."""
    return w[w[w[SET_CODE] + line] + w[OPEN_TABLE] - w[COUNT_TABLE]] >> seat & 1 != 0


@jit
def urgent_sets(rules: Rules, w: StoneWork, need: int, seat: int) -> tuple[int, int]:
    """The slice (first, end) of the work row that lists the open sets in which the seat needs `need` stones, 1 or 2."""
    which = 2 * (need - 1) + seat
    first = w[URGENT_SETS] + which * rules[ru.N_SETS]
    return first, first + w[w[LIST_LENGTH] + which]


@jit
def first_empty(rules: Rules, s: State, line: int) -> int:
    """The first empty cell of a set."""
    i = rules[ru.SETS] + line * rules[ru.SET_SIZE]
    while s[st.CELLS + rules[i]] != st.EMPTY:
        i += 1
    return np.int64(rules[i])


@jit
def next_empty(rules: Rules, s: State, line: int, first: int) -> int:
    """The second empty cell of a set, where `first` is the first one."""
    i = rules[ru.SETS] + line * rules[ru.SET_SIZE]
    while s[st.CELLS + rules[i]] != st.EMPTY or rules[i] == first:
        i += 1
    return np.int64(rules[i])
