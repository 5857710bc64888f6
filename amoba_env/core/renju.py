"""Forbidden points, in renju for Black: it wins with exactly five; White wins with five or more, and has none.

The kind of a black stone on an empty cell p is the first of these that fits:

    FIVE          the unbroken black row through p is exactly five long in some direction: Black wins
    OVERLINE      it is six or longer in some direction
    DOUBLE_FOUR   two or more fours: sets of four black stones with p in one line to which one empty cell can be
                  added so that the row there is exactly five; a straight four is one, and one line can hold two
    DOUBLE_THREE  two or more directions hold a three: an empty cell e of the line such that p and e make a
                  straight four (a row of exactly four, both ends empty, and either one makes exactly five), and,
                  with p on the board, a black stone on e is neither a five nor itself one of these three
    LEGAL

So a double-three is defined recursively, to any depth: whether a three counts depends on the kind of a stone on e.
Source: the rules of the Renju International Federation, https://www.renju.net/rules/.

In omok both players have forbidden points, double-threes alone: what is said of Black here then holds for the player to
move, and the table of shapes has no fours and no overlines.

The code works on lines. A line is two integers used as bit sets: one for the black stones, one for the stops (white
stones and everything beyond the rim). line_windows.py has a table of the shapes that a stone makes in each window of
eleven cells of a line.
"""

import numpy as np
from numpy.typing import NDArray

from amoba_env.core import endings as en
from amoba_env.core import place
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.jit import jit
from amoba_env.core.later import jit_later
from amoba_env.core.line_windows import BLACK_STONE, COUNTS, FIVES, FOURS, FREE, OFFSETS, OVERLINES, STOP, THREES
from amoba_env.core.place import is_restricted
from amoba_env.core.rules import Rules
from amoba_env.core.state import State

# Black stones of rows, columns, falling and rising diagonals, and then their stops: [2 * (6 N - 2)].
Lines = NDArray[np.int64]

# Kinds of a black stone; drawings show these numbers.
LEGAL, DOUBLE_THREE, DOUBLE_FOUR, FIVE, OVERLINE = 0, 3, 4, 5, 6
KINDS = {DOUBLE_THREE: "double_three", DOUBLE_FOUR: "double_four", FIVE: "five", OVERLINE: "overline"}

MARGIN = 5  # bits below a line's first cell, so that windows need no special case at the rim
WINDOW = (1 << MARGIN) - 1

# A cell is LEGAL if its shapes have none of these bits: two threes, two fours, an overline or a five.
NOT_LEGAL = 6 << THREES | 14 << FOURS | 7 << OVERLINES | 7 << FIVES

PLACE_OF = np.zeros(67, np.int64)  # the place of a bit, by 2 ** bit modulo 67: these remainders are all different
for _bit in range(63):
    PLACE_OF[(1 << _bit) % 67] = _bit

_place_moves, _place_apply, _place_settle = place.moves, place.apply, place.settle


@jit
def _first(word: int) -> int:
    """The place of the lowest set bit of a nonzero word."""
    return PLACE_OF[(word & -word) % 67]


@jit
def has_forbidden(rules: Rules, s: State, seat: int) -> bool:
    """Whether some points are forbidden to the seat by the rules of this game."""
    return rules[ru.FAMILY] == ru.RENJU and is_restricted(rules, s, seat)


@jit_later(nogil=False)
def judged(rules: Rules, s: State) -> int:
    """The seat whose stones points() judges: Black, or the player to move where both have forbidden points."""
    return np.int64(s[st.BLACK] if rules[ru.BLACK_ONLY] else s[st.TO_MOVE])


@jit_later(nogil=False)
def read_lines(rules: Rules, s: State, seat: int) -> Lines:
    """The lines of a position; `seat` has the black stones.

    A cell is bit MARGIN + x of its row and diagonals, MARGIN + y of its column.
    """
    size = np.int64(rules[ru.WIDTH])
    n_lines = 6 * size - 2
    lines = np.empty(2 * n_lines, np.int64)
    lines[:n_lines] = 0
    full = (np.int64(1) << size) - 1
    lines[n_lines : n_lines + 2 * size] = ~(full << MARGIN)
    for i in range(2 * size - 1):
        shift = i - (size - 1)  # a falling diagonal has x - y = shift, a rising one x + y = i
        # x runs from max(0, shift) to size - 1 + min(0, shift), or over the mirror image.
        on_board = full & (full << shift) if shift >= 0 else full >> -shift
        lines[n_lines + 2 * size + i] = ~(on_board << MARGIN)
        lines[n_lines + 4 * size - 1 + i] = ~(on_board << MARGIN)
    for y in range(size):
        at = st.CELLS + y * size
        stones = whites = np.int64(0)
        for x in range(size):  # no branches, which the processor could not predict
            bit = np.int64(1) << x
            stones |= bit * (s[at + x] == seat)
            whites |= bit * (s[at + x] >= 0)
        whites ^= stones
        _put_row(size, lines, np.int64(0), y, stones)
        _put_row(size, lines, n_lines, y, whites)
    return lines


@jit
def _put_row(size: int, lines: Lines, at: int, y: int, row: int) -> None:
    """Put the stones of a row (bit x) on the lines that begin at lines[at]."""
    lines[at + y] |= row << MARGIN
    down = np.int64(1) << (MARGIN + y)
    while row:
        x = _first(row)
        across = np.int64(1) << (MARGIN + x)
        lines[at + size + x] |= down
        lines[at + 3 * size - 1 + x - y] |= across
        lines[at + 4 * size - 1 + x + y] |= across
        row &= row - 1


@jit
def _flip(size: int, lines: Lines, x: int, y: int) -> None:
    """Put a black stone on a cell, or take it away."""
    across, down = np.int64(1) << (MARGIN + x), np.int64(1) << (MARGIN + y)
    lines[y] ^= across
    lines[size + x] ^= down
    lines[3 * size - 1 + x - y] ^= across
    lines[4 * size - 1 + x + y] ^= across


@jit
def _shapes_in_line(rules: Rules, lines: Lines, line: int, i: int) -> int:
    """The shapes that a black stone on bit MARGIN + i of a line makes there."""
    black, stop = lines[line] >> i, lines[len(lines) // 2 + line] >> i
    left = rules[rules[ru.CODES] + ((stop & WINDOW) << MARGIN | black & WINDOW)]
    black, stop = black >> MARGIN + 1, stop >> MARGIN + 1
    right = rules[rules[ru.CODES] + ((stop & WINDOW) << MARGIN | black & WINDOW)]
    return np.int64(rules[rules[ru.WINDOWS] + left * 243 + right])


@jit
def shapes_through(rules: Rules, lines: Lines, x: int, y: int) -> int:
    """The shapes of a black stone in the four lines through an empty cell.

    Counts are sums over the lines; each line has its own OFFSETS bits.
    """
    size = np.int64(rules[ru.WIDTH])
    found = np.int64(0)
    for d in range(4):
        line = y if d == 0 else size + x if d == 1 else 3 * size - 1 + x - y if d == 2 else 4 * size - 1 + x + y
        shapes = _shapes_in_line(rules, lines, line, y if d == 1 else x)
        found += (shapes & COUNTS) | (shapes >> OFFSETS) << (OFFSETS + 6 * d)
    return found


@jit_later(nogil=False)
def shapes_in_direction(rules: Rules, s: State, seat: int, x: int, y: int, d: int) -> int:
    """The shapes of a stone of the seat in a direction (0 row, 1 column, 2 falling, 3 rising), from the position."""
    size = np.int64(rules[ru.WIDTH])
    dx, dy = np.int64(d != 1), np.int64(0 if d == 0 else -1 if d == 3 else 1)
    window = np.int64(0)
    for side in range(-1, 2, 2):
        code = np.int64(0)
        for i in range(1, 6):
            # On the left the nearest cell is the highest digit, on the right the lowest.
            away = -i if side < 0 else 6 - i
            to_x, to_y = x + away * dx, y + away * dy
            digit = np.int64(STOP)
            if 0 <= to_x < size and 0 <= to_y < size:
                owner = s[st.CELLS + to_y * size + to_x]
                digit = np.int64(FREE if owner < 0 else BLACK_STONE if owner == seat else STOP)
            code = code * 3 + digit
        window = window * 243 + code
    return np.int64(rules[rules[ru.WINDOWS] + window])


@jit_later(nogil=False)
def shapes_at(rules: Rules, s: State, seat: int, x: int, y: int) -> int:
    """shapes_through() from the position itself: faster than read_lines() for a single cell."""
    found = np.int64(0)
    for d in range(4):
        shapes = shapes_in_direction(rules, s, seat, x, y, np.int64(d))
        found += (shapes & COUNTS) | (shapes >> OFFSETS) << (OFFSETS + 6 * d)
    return found


@jit_later(nogil=False)
def classify(rules: Rules, lines: Lines, x: int, y: int, found: int) -> int:
    """The kind of a black stone on an empty cell, LEGAL .. OVERLINE; `found` is its shapes_through().

    `lines` are changed during the call and restored.
    """
    if found >> FIVES & 7:
        return np.int64(FIVE)
    if found >> OVERLINES & 7:
        return np.int64(OVERLINE)
    if found >> FOURS & 15 > 1:
        return np.int64(DOUBLE_FOUR)
    if found >> THREES & 7 < 2:
        return np.int64(LEGAL)
    size = np.int64(rules[ru.WIDTH])
    _flip(size, lines, x, y)
    threes = 0
    for d in range(4):
        dx, dy = np.int64(d != 1), np.int64(0 if d == 0 else -1 if d == 3 else 1)
        for bit in range(6):
            if found >> (OFFSETS + 6 * d + bit) & 1:
                offset = bit - 3 if bit < 3 else bit - 2
                e_x, e_y = x + offset * dx, y + offset * dy
                if classify(rules, lines, e_x, e_y, shapes_through(rules, lines, e_x, e_y)) == LEGAL:
                    threes += 1
                    break
        if threes == 2:
            break
    _flip(size, lines, x, y)
    return np.int64(DOUBLE_THREE if threes == 2 else LEGAL)


@jit_later(nogil=False)
def is_forbidden_kind(what: int) -> bool:
    """Is a stone of this kind forbidden?"""
    return LEGAL < what != FIVE


@jit
def _candidates(black: int, stop: int) -> int:
    """The free cells of a line where a stone may make a shape: in four cells with it, two stones and no stop."""
    open_ = ~stop & ~stop >> 1
    open_ &= open_ >> 2
    pair, other = black | black >> 1, black & black >> 1
    four = open_ & (other | other >> 2 | pair & pair >> 2)
    four |= four << 1
    return (four | four << 2) & ~(black | stop)


@jit_later(nogil=False)
def points(rules: Rules, s: State, out: np.ndarray) -> int:
    """Write to `out` the kind of a stone of the judged() seat on each cell; return the number of forbidden cells.

    The kinds are LEGAL .. OVERLINE, and 0 on stones. `out` is int8[n].
    """
    size = np.int64(rules[ru.WIDTH])
    lines = read_lines(rules, s, judged(rules, s))
    n_lines = 6 * size - 2
    candidates = np.empty(n_lines, np.int64)
    for line in range(n_lines):
        candidates[line] = _candidates(lines[line], lines[n_lines + line]) >> MARGIN
    found = np.zeros(rules[ru.N_CELLS], np.int64)
    touched = np.empty(rules[ru.N_CELLS], np.int64)  # the cells with candidates
    n_touched = 0
    for line in range(n_lines):
        left = candidates[line]
        if left == 0:
            continue
        direction, first, stride = np.int64(0), line * size, np.int64(1)
        if line >= 4 * size - 1:
            direction, first, stride = np.int64(3), (line - 4 * size + 1) * size, 1 - size
        elif line >= 2 * size:
            direction, first, stride = np.int64(2), (3 * size - 1 - line) * size, size + 1
        elif line >= size:
            direction, first, stride = np.int64(1), line - size, size
        while left:
            i = _first(left)
            left &= left - 1
            shapes = _shapes_in_line(rules, lines, line, i)
            if shapes:
                cell = first + i * stride
                if found[cell] == 0:
                    touched[n_touched] = cell
                    n_touched += 1
                found[cell] += (shapes & COUNTS) | (shapes >> OFFSETS) << (OFFSETS + 6 * direction)
    out[:] = LEGAL
    count = 0
    for i in range(n_touched):
        cell = touched[i]
        if found[cell] & NOT_LEGAL:
            what = classify(rules, lines, cell % size, cell // size, found[cell])
            out[cell] = what
            count += is_forbidden_kind(what)
    return count


@jit
def is_forbidden(rules: Rules, s: State, seat: int, cell: int) -> bool:
    """Is the empty cell forbidden for the seat, which has forbidden points?"""
    x, y = np.int64(cell % rules[ru.WIDTH]), np.int64(cell // rules[ru.WIDTH])
    found = shapes_at(rules, s, seat, x, y)
    if found >> THREES & 7 > 1:
        return is_forbidden_kind(classify(rules, read_lines(rules, s, seat), x, y, found))
    return found >> FIVES & 7 == 0 and (found >> OVERLINES & 7 > 0 or found >> FOURS & 15 > 1)


@jit
def _masked(rules: Rules, s: State) -> bool:
    """Are forbidden points illegal for the player to move?"""
    return is_restricted(rules, s, s[st.TO_MOVE]) and not rules[ru.FORBIDDEN_LOSES]


@jit
def safe_moves(rules: Rules, s: State, out: np.ndarray) -> int:
    """Write the cells that are not forbidden for the player to move, ascending; return their number."""
    count = _place_moves(rules, s, out)
    if not is_restricted(rules, s, s[st.TO_MOVE]):
        return count
    kinds = np.empty(rules[ru.N_CELLS], np.int8)
    if points(rules, s, kinds) == 0:
        return count
    kept = 0
    for i in range(count):
        if not is_forbidden_kind(kinds[out[i]]):
            out[kept] = out[i]
            kept += 1
    return kept


@jit
def moves(rules: Rules, s: State, out: np.ndarray) -> int:
    """Write the legal actions to `out` (any integer array, [N_ACTIONS]), ascending; return their number."""
    return _place_moves(rules, s, out) if rules[ru.FORBIDDEN_LOSES] else safe_moves(rules, s, out)


@jit
def mask(rules: Rules, s: State, out: np.ndarray) -> None:
    """Set out[action] = 1 for the legal actions."""
    for cell in range(rules[ru.N_CELLS]):
        out[cell] = s[st.CELLS + cell] == st.EMPTY
    if _masked(rules, s):
        kinds = np.empty(rules[ru.N_CELLS], np.int8)
        if points(rules, s, kinds):
            for cell in range(rules[ru.N_CELLS]):
                if is_forbidden_kind(kinds[cell]):
                    out[cell] = 0


@jit
def is_legal(rules: Rules, s: State, cell: int) -> bool:
    """May the player to move put a stone there?"""
    return s[st.CELLS + cell] == st.EMPTY and not (
        _masked(rules, s) and is_forbidden(rules, s, np.int64(s[st.TO_MOVE]), np.int64(cell))
    )


@jit
def is_stuck(rules: Rules, s: State) -> bool:
    """Is every empty cell forbidden for the player to move?"""
    if not _masked(rules, s):
        return False
    for cell in range(rules[ru.N_CELLS]):
        if s[st.CELLS + cell] == st.EMPTY and not is_forbidden(rules, s, np.int64(s[st.TO_MOVE]), np.int64(cell)):
            return False
    return True


@jit
def apply(rules: Rules, s: State, cell: int) -> None:
    """Put the stone; a forbidden one loses with FORBIDDEN_LOSES. If no legal cell is left then, it is a draw."""
    me = np.int64(s[st.TO_MOVE])
    loses = rules[ru.FORBIDDEN_LOSES] and is_restricted(rules, s, s[st.TO_MOVE]) and is_forbidden(rules, s, me, cell)
    _place_apply(rules, s, cell)
    if loses:
        s[st.STATUS] = s[st.TO_MOVE]
        s[st.ENDING] = en.FORBIDDEN
    elif s[st.STATUS] == st.RUNNING and is_stuck(rules, s):
        s[st.STATUS] = st.NOBODY
        s[st.ENDING] = en.NO_MOVES


@jit
def settle(rules: Rules, s: State) -> None:
    """Set STATUS and ENDING of a position that was not reached by play."""
    last = s[st.TO]
    if rules[ru.FORBIDDEN_LOSES] and 0 <= last < rules[ru.N_CELLS] and s[st.CELLS + last] >= 0:
        owner = s[st.CELLS + last]
        s[st.CELLS + last] = st.EMPTY
        loses = is_restricted(rules, s, owner) and is_forbidden(rules, s, np.int64(owner), np.int64(last))
        s[st.CELLS + last] = owner
        if loses:
            s[st.STATUS] = 1 - owner
            s[st.ENDING] = en.FORBIDDEN
            return
    _place_settle(rules, s)
    if s[st.STATUS] == st.RUNNING and not s[st.PHASE] and is_stuck(rules, s):
        s[st.STATUS] = st.NOBODY
        s[st.ENDING] = en.NO_MOVES
