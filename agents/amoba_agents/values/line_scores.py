"""Scores of cells from open winning sets in placing games, updated with each move, and a search on them.

A winning set is open for a player while no other player owns a cell of it and its guards weigh too little to keep it
from winning (see core/patterns.py). The value of an open set with m own stones is
8 ** (m - 1), divided by 8 for each cell by which the set is larger than the smallest set. The score of a move is the
value that it adds to the mover's open sets plus the value of the other players' open sets that it closes; a move that
completes a set has at least WIN. SCORE holds the score of every cell for every player.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoba_agents.values.ties import break_tie, select_best, sort
from amoba_env.core import place, renju
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.families import by_family
from amoba_env.core.interrupt import cancelled
from amoba_env.core.jit import jit
from amoba_env.core.later import is_small
from amoba_env.core.lookup import guards, members
from amoba_env.core.overwrite import overwrite
from amoba_env.core.place import is_restricted
from amoba_env.core.play import moves
from amoba_env.core.rules import Rules
from amoba_env.core.state import State, States

_place_moves, _renju_safe_moves, _has_forbidden = place.moves, renju.safe_moves, renju.has_forbidden

ScoreWork = NDArray[np.int64]  # one row of integers: a header of offsets, then blocks

WIN = 1 << 56

# Where the blocks begin.
COUNT, TOTAL, WEIGHT, SET_SCORE, SCORE, SIZE, GUARDED_INDEX, GUARDED, FREE, END = range(10)
HEADER = 10
# COUNT   [sets, players]  own stones
# TOTAL   [sets]           stones of all
# WEIGHT  [sets, players] of the guards
# SET_SCORE [sets, players] the score that a stone in the set adds to a move
# SCORE   [players, n]
# SIZE    [sets]           cells; the smallest size of all follows in [sets]
# GUARDED_INDEX [n + 1], GUARDED: the sets that have a cell as a guard
# FREE    [depth, n]       the empty cells at each ply of a search


@jit
def workspace(rules: Rules, depth: int) -> ScoreWork:
    """A work row for the empty board and searches of `depth` plies."""
    n, n_sets, players = rules[ru.N_CELLS], rules[ru.N_SETS], rules[ru.PLAYERS]
    at = np.zeros(HEADER, np.int64)
    at[COUNT] = HEADER
    at[TOTAL] = at[COUNT] + n_sets * players
    at[WEIGHT] = at[TOTAL] + n_sets
    at[SET_SCORE] = at[WEIGHT] + n_sets * players
    at[SCORE] = at[SET_SCORE] + n_sets * players
    at[SIZE] = at[SCORE] + n * players
    at[GUARDED_INDEX] = at[SIZE] + n_sets + 1
    at[GUARDED] = at[GUARDED_INDEX] + n + 1
    at[FREE] = at[GUARDED] + 2 * n_sets
    at[END] = at[FREE] + depth * n
    w = np.zeros(at[END], np.int64)
    overwrite(w, at)
    smallest = rules[ru.SET_SIZE]
    guarded = np.zeros(n + 1, np.int64)
    for line in range(n_sets):
        for cell in members(rules, line):
            w[at[SIZE] + line] += cell != st.NOWHERE
        smallest = min(smallest, w[at[SIZE] + line])
        for cell in guards(rules, line):
            if cell != st.NOWHERE:
                guarded[cell] += 1
    w[at[SIZE] + n_sets] = smallest
    for cell in range(n):
        w[at[GUARDED_INDEX] + cell + 1] = w[at[GUARDED_INDEX] + cell] + guarded[cell]
    for line in range(n_sets):
        for cell in guards(rules, line):
            if cell != st.NOWHERE:
                guarded[cell] -= 1
                w[at[GUARDED] + w[at[GUARDED_INDEX] + cell] + guarded[cell]] = line
    for line in range(n_sets):
        _refresh(rules, w, line)
    return w


@jit
def _set_value(stones: int, size: int, smallest: int) -> int:
    """The value of an open set."""
    if stones == 0:
        return 0
    return 1 << 3 * min(12, max(0, stones - 1 - (size - smallest)))


@jit
def _set_score(rules: Rules, w: ScoreWork, line: int, seat: int) -> int:
    """The score that a stone of the seat in this set contributes to a move."""
    players = rules[ru.PLAYERS]
    own, total = w[w[COUNT] + line * players + seat], w[w[TOTAL] + line]
    size, smallest = w[w[SIZE] + line], w[w[SIZE] + rules[ru.N_SETS]]
    if own == total:
        if w[w[WEIGHT] + line * players + seat] >= ru.TOO_MUCH:
            return 0
        if own + 1 >= size:
            return WIN
        return _set_value(own + 1, size, smallest) - _set_value(own, size, smallest)
    if own == 0:
        for other in range(players):
            at = line * players + other
            if w[w[COUNT] + at] == total and w[w[WEIGHT] + at] < ru.TOO_MUCH:
                return _set_value(total, size, smallest)
    return 0


@jit
def _refresh(rules: Rules, w: ScoreWork, line: int) -> None:
    """Update SET_SCORE of a set and SCORE of its cells."""
    players, n, size = rules[ru.PLAYERS], rules[ru.N_CELLS], rules[ru.SET_SIZE]
    for seat in range(players):
        at = w[SET_SCORE] + line * players + seat
        change = _set_score(rules, w, line, seat) - w[at]
        if change != 0:
            w[at] += change
            for i in range(rules[ru.SETS] + line * size, rules[ru.SETS] + (line + 1) * size):
                if rules[i] != st.NOWHERE:
                    w[w[SCORE] + seat * n + rules[i]] += change


@jit
def put(rules: Rules, s: State, w: ScoreWork, seat: int, cell: int, sign: int) -> None:
    """Update the work row for a stone of the seat that is added (sign = 1) or removed (sign = -1)."""
    players = rules[ru.PLAYERS]
    index = rules[ru.THROUGH_INDEX] + cell
    for i in range(rules[ru.THROUGH] + rules[index], rules[ru.THROUGH] + rules[index + 1]):
        line = rules[i]
        w[w[COUNT] + line * players + seat] += sign
        w[w[TOTAL] + line] += sign
        _refresh(rules, w, line)
    if not is_restricted(rules, s, seat):
        return
    for i in range(w[w[GUARDED_INDEX] + cell], w[w[GUARDED_INDEX] + cell + 1]):
        line = w[w[GUARDED] + i]
        for other in range(players):
            weight = rules[ru.OWN_GUARD] if other == seat else rules[ru.OTHER_GUARD]
            w[w[WEIGHT] + line * players + other] += weight * sign
        _refresh(rules, w, line)


@jit
def load(rules: Rules, w: ScoreWork, s: State, sign: int) -> int:
    """Add all stones of a position to the empty board (sign = 1) or remove them again (-1); return the number of free
    cells.
    """
    free = 0
    for cell in range(rules[ru.N_CELLS]):
        if s[st.CELLS + cell] == st.EMPTY:
            free += 1
        else:
            put(rules, s, w, np.int64(s[st.CELLS + cell]), np.int64(cell), sign)
    return free


@jit
def list_legal(rules: Rules, s: State, w: ScoreWork, at: int, seat: int) -> int:
    """Write the cells where the seat may put a stone to w[at:]; return their number."""
    out = w[at : at + rules[ru.N_CELLS]]
    if not _has_forbidden(rules, s, seat):
        return _place_moves(rules, s, out)
    was = s[st.TO_MOVE]
    s[st.TO_MOVE] = seat
    count = _renju_safe_moves(rules, s, out)
    s[st.TO_MOVE] = was
    return count if count > 0 else _place_moves(rules, s, out)


@jit
def _value(
    rules: Rules, s: State, w: ScoreWork, ply: int, left: int, alpha: int, beta: int, path: int, seat: int, root: int
) -> int:
    """Alpha-beta: the value for `root` of a position with `seat` to move and `left` >= 1 plies to go.

    The value of a line is the sum of the scores of the moves of `root` minus those of the others. A line that wins has
    the value WIN minus its length, a line that loses the opposite. With more than two players all others are assumed to
    play against `root`. It calls only itself, with the same types, because of Numba's disk cache.
    """
    if cancelled():
        return path
    free = w[FREE] + ply * rules[ru.N_CELLS]
    end = free + list_legal(rules, s, w, free, seat)
    scores = w[SCORE] + seat * rules[ru.N_CELLS]
    one = np.int64(1)  # not a literal, for which Numba would compile another version
    sign = one if seat == root else -one
    best = -sign * (WIN + 1)
    for i in range(free, end):
        cell = select_best(w, scores, i, end)
        score = w[scores + cell]
        if score >= WIN // 2:
            return sign * (WIN - ply - 1)
        if left == 1:
            return path + sign * score
        s[st.CELLS + cell] = seat
        put(rules, s, w, seat, cell, one)
        next_path = path + sign * score
        value = _value(rules, s, w, ply + 1, left - 1, alpha, beta, next_path, (seat + 1) % rules[ru.PLAYERS], root)
        put(rules, s, w, seat, cell, -one)
        s[st.CELLS + cell] = st.EMPTY
        if sign > 0:
            best = max(best, value)
            alpha = max(alpha, best)
        else:
            best = min(best, value)
            beta = min(beta, best)
        if alpha >= beta:
            break
    return path if end == free else best


@jit
def _best(rules: Rules, s: State, w: ScoreWork, depth: int, out: NDArray[np.int32]) -> int:
    """Write all best moves of a search of `depth` plies to `out`; return their number."""
    seat = np.int64(s[st.TO_MOVE])
    free = w[FREE]
    end = free + list_legal(rules, s, w, free, seat)
    scores = w[SCORE] + seat * rules[ru.N_CELLS]
    best = np.int64(-WIN - 1)
    one = np.int64(1)
    count = 0
    for i in range(free, end):
        cell = select_best(w, scores, i, end)
        value = score = w[scores + cell]
        if score >= WIN // 2:
            value = np.int64(WIN - 1)
        elif depth > 1:
            s[st.CELLS + cell] = seat
            put(rules, s, w, seat, cell, one)
            # Alpha is one less than the best so far, so that an equal move gets its exact value.
            value = _value(
                rules,
                s,
                w,
                one,
                depth - 1,
                best - 1,
                np.int64(WIN + 1),
                score,
                (seat + 1) % rules[ru.PLAYERS],
                seat,
            )
            put(rules, s, w, seat, cell, -one)
            s[st.CELLS + cell] = st.EMPTY
        if value > best:
            best = value
            count = 0
        if value == best:
            out[count] = cell
            count += 1
    return count


@jit
def greedy_value(rules: Rules, w: ScoreWork, seat: int, cell: int) -> int:
    """The value of a move for the greedy player: WIN, WIN // 4 if it stops a win, else its score."""
    n = rules[ru.N_CELLS]
    if w[w[SCORE] + seat * n + cell] >= WIN // 2:
        return np.int64(WIN)  # win at once; several ways are not better than one
    for other in range(rules[ru.PLAYERS]):
        if w[w[SCORE] + other * n + cell] >= WIN // 2:
            return np.int64(WIN // 4)
    return w[w[SCORE] + seat * n + cell]


@jit
def greedy_moves(rules: Rules, s: State, w: ScoreWork, out: NDArray[np.int32]) -> int:
    """Write the best moves of the greedy player to `out`; return their number."""
    seat = np.int64(s[st.TO_MOVE])
    best = np.int64(-1)
    count = 0
    free = w[FREE]
    for i in range(free, free + list_legal(rules, s, w, free, seat)):
        cell = w[i]
        value = greedy_value(rules, w, seat, cell)
        if value > best:
            best = value
            count = 0
        if value == best:
            out[count] = cell
            count += 1
    return count


def _is_small(rules: Rules, states: States, streams: Any, depth: int, greedy: bool, *others: Any) -> bool:
    return greedy and is_small(states)


@by_family(_is_small)
def choose(
    rules: Rules,
    states: States,
    streams: NDArray[np.uint64],
    depth: int,
    greedy: bool,
    thesis: bool,
    actions: NDArray[np.int32],
) -> None:
    """Write a best move of each position to `actions`, int32[B]; equal moves are ordered by cell, see ties.py.

    In renju and omok no player plays forbidden points, even where they are legal and lose.
    """
    w = workspace(rules, depth)
    best = np.empty(rules[ru.N_ACTIONS], np.int32)
    one = np.int64(1)
    for b in range(len(states)):
        s = states[b]
        if s[st.PHASE]:  # all decisions of an opening rule are random
            actions[b] = break_tie(best, moves(rules, s, best), thesis, streams[b : b + 1])
            continue
        load(rules, w, s, one)
        count = greedy_moves(rules, s, w, best) if greedy else _best(rules, s, w, depth, best)
        load(rules, w, s, -one)
        if cancelled():
            break
        sort(best, 0, count)
        actions[b] = break_tie(best, count, thesis, streams[b : b + 1])
