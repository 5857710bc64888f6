"""The search: principal variations by alpha-beta, deeper and deeper, with a table and proofs by threats at every node.

Values are for the player to move. MATE less the plies to a win is a proof, from PROVEN on: whatever cuts a search short
(late moves looked at less deeply, or not at all) may only hide a win. A loss is told only when every reply that matters
has been seen to lose; which do, threes.py knows where the opponent threatens to win by fours.

Sources: principal variation search, T. A. Marsland and M. Campbell, "Parallel search of strongly ordered game trees"
(Computing Surveys 14, 1982); keys of positions, A. L. Zobrist, "A new hashing method" (1970); killers and history,
J. Schaeffer, "The history heuristic" (ICCA Journal 6, 1983).
"""

import numpy as np
from numpy.typing import NDArray

from amoba_agents.alphabeta.fours import (
    NO,
    NONE,
    YES,
    answers,
    forbidden,
    is_stopped,
    winning_cell,
    wins_by_fours,
)
from amoba_agents.alphabeta.lines import (
    BEST,
    FIRST,
    FREE,
    HASH,
    HISTORY,
    KILLERS,
    LENGTH,
    LIMIT,
    MARK,
    MAX_PLY,
    MAX_THREES,
    NODES,
    NOISE,
    PATH,
    PATH_SIZE,
    STAMP,
    STOP,
    TABLE,
    TABLE_MASK,
    TOP,
    Table,
    Work,
    gap,
    hot,
    put,
    take,
    word,
)
from amoba_agents.alphabeta.order import evaluate, list_empty, pick, rate
from amoba_agents.alphabeta.threes import by_threes, replies
from amoba_env.core.jit import jit
from amoba_env.core.rng import GOLDEN, mix
from amoba_env.core.rules import N_CELLS, THROUGH_INDEX, Rules
from amoba_env.core.state import CELLS, EMPTY, TO_MOVE, State, States

MATE, PROVEN, INFINITE = 30_000, 29_000, 31_000
ASPIRATION = 60
LEAF_FOURS, INNER_FOURS = 30, 80  # stones that a search by fours may put
WIDTH = 14  # stones tried at a node one ply from the leaves; more further up

# Entries of the table: the key, and value + 2 ** 15 | depth << 16 | bound << 24 | (cell + 1) << 32.
EXACT, LOWER, UPPER = range(3)
OFFSET = 1 << 15
SIDE = np.array([0, 0x94D049BB133111EB], np.uint64)


@jit
def _store(w: Work, t: Table, key: np.uint64, ply: int, value: int, depth: int, bound: int, cell: int) -> None:
    """Enter what a search has found. Wins and losses are counted from this position."""
    if value > PROVEN:
        value += ply
    elif value < -PROVEN:
        value -= ply
    slot = w[TABLE] + 2 * np.int64(key & np.uint64(w[TABLE_MASK]))
    t[slot] = key ^ t[STAMP]
    t[slot + 1] = np.uint64(value + OFFSET | max(depth, 0) << 16 | bound << 24 | (cell + 1) << 32)


@jit
def search(rules: Rules, s: State, w: Work, t: Table, seat: int, depth: int, alpha: int, beta: int, ply: int) -> int:
    """The value of a position for the seat, which is to move; of no meaning when the search was stopped.

    It calls only itself with the same types, for the sake of Numba's disk cache. The best stone at ply 0 is w[BEST].
    """
    other = 1 - seat
    zero = np.int64(0)
    if w[w[LENGTH] + seat] > 0:
        return np.int64(MATE - ply - 1)
    if w[FREE] == 0:
        return zero
    must = winning_cell(rules, s, w, other)
    can = answers(rules, s, seat, must)
    if can != YES:
        return np.int64(ply + 2 - MATE) if can == NO else zero
    if ply == MAX_PLY - 1 or is_stopped(w):
        return evaluate(w, seat)
    key = t[HASH] ^ SIDE[seat]
    slot = w[TABLE] + 2 * np.int64(key & np.uint64(w[TABLE_MASK]))
    hint = np.int64(NONE)
    if t[slot] == key ^ t[STAMP]:
        entry = np.int64(t[slot + 1])
        hint = (entry >> 32) - 1
        value, bound = (entry & 0xFFFF) - OFFSET, entry >> 24 & 3
        if value > PROVEN:
            value -= ply
        elif value < -PROVEN:
            value += ply
        if ply > 0 and (entry >> 16 & 0xFF >= depth or abs(value) > PROVEN):
            if bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha):
                return value
    top = w[TOP]
    some = end = top
    if must != NONE:
        w[top] = must
        some = end = top + 1
    else:
        if wins_by_fours(rules, s, w, t, seat, np.int64(LEAF_FOURS if depth <= 0 else INNER_FOURS)):
            value = MATE - ply - 2 * w[PATH_SIZE] - 1
            if ply == 0:
                w[BEST] = w[w[PATH]]
            _store(w, t, key, ply, value, depth, LOWER, w[w[PATH]])
            return value
        if depth <= 0:
            value = evaluate(w, seat)
            _store(w, t, key, ply, value, zero, EXACT, np.int64(NONE))
            return value
        if wins_by_fours(rules, s, w, t, other, np.int64(INNER_FOURS)):
            some = end = replies(rules, s, w, seat)
        else:
            some, end = list_empty(rules, s, w)
    forced = some == end and end - top < w[FREE]
    scores = rate(rules, w, seat, ply, top, end, hint)
    w[TOP] = end
    best, best_cell = np.int64(-INFINITE), np.int64(NONE)
    low = alpha
    tried = 0
    for i in range(top, end):
        if not forced and best > -PROVEN and (tried >= WIDTH + 4 * depth or (i >= some and tried > 0)):
            break
        cell = pick(w, scores, np.int64(i), some if i < some else end)
        if forbidden(rules, s, seat, cell):
            continue
        then = depth if must != NONE else depth - 1
        less = zero
        if tried >= 3 and depth >= 2 and not forced:
            less = np.int64(1 if tried < 8 or depth < 4 else 2)
        put(rules, s, w, t, seat, cell)
        if tried == 0:
            value = -search(rules, s, w, t, other, then, -beta, -low, ply + 1)
        else:
            value = -search(rules, s, w, t, other, then - less, -low - 1, -low, ply + 1)
            if value > low and less > 0:
                value = -search(rules, s, w, t, other, then, -low - 1, -low, ply + 1)
            if low < value < beta:
                value = -search(rules, s, w, t, other, then, -beta, -low, ply + 1)
        take(rules, s, w, t, seat, cell)
        if is_stopped(w):
            w[TOP] = top
            return zero
        tried += 1
        if ply == 0 and (tried == 1 or value > max(best, alpha)):
            w[BEST] = cell
        if value > best:
            best, best_cell = value, cell
        low = max(low, best)
        if low >= beta:
            if must == NONE:
                _remember(rules, w, seat, cell, depth, ply)
            break
    w[TOP] = top
    if tried == 0:  # every reply that matters is forbidden: nothing is proven
        return zero
    _store(w, t, key, ply, best, depth, LOWER if best >= beta else EXACT if best > alpha else UPPER, best_cell)
    return best


@jit
def _remember(rules: Rules, w: Work, seat: int, cell: int, depth: int, ply: int) -> None:
    """A stone that was too good for the opponent may be so elsewhere."""
    killers = w[KILLERS] + 2 * ply
    if w[killers] != cell:
        w[killers + 1] = w[killers]
        w[killers] = cell
    w[w[HISTORY] + seat * rules[N_CELLS] + cell] += depth * depth


@jit
def think(
    rules: Rules,
    states: States,
    streams: NDArray[np.uint64],
    w: Work,
    t: Table,
    depth: int,
    nodes: int,
    threats: int,
    actions: NDArray[np.int32],
    values: NDArray[np.int32],
) -> None:
    """actions[b], int32[B]: a stone for each position, in no opening phase; values[b], int32[B]: what it is worth.

    Args:
        rules: of a placing game for two.
        states: int16[B, S].
        streams: uint64[B], for the order of stones that look alike.
        w: fresh from workspace(), and used up: for another call make another.
        t: the same.
        depth: at most so many stones ahead, but for forced ones.
        nodes: at most so many stones are put, for each position,
        threats: and that many by the searches that come first: half by that by fours, a quarter by that by threes.
        actions: see above.
        values: see above; w[NODES] has the number of stones put for the last position.
    """
    clean = w[: w[PATH]].copy()
    for b in range(len(states)):
        s = states[b].copy()
        w[:STOP], w[STOP + 1 : len(clean)] = clean[:STOP], clean[STOP + 1 :]  # another thread may write STOP now
        w[w[KILLERS] : w[MARK]] = 0
        t[HASH] = np.uint64(0)
        t[STAMP] = mix(t[STAMP] + GOLDEN)  # entries of other positions are not this one's
        for cell in range(rules[N_CELLS]):
            if s[CELLS + cell] != EMPTY:
                put(rules, s, w, t, np.int64(s[CELLS + cell]), np.int64(cell))
        w[NODES], w[LIMIT] = 0, nodes
        streams[b] += GOLDEN
        w[NOISE] = np.int64(mix(streams[b]) >> np.uint64(1))
        values[b] = _decide(rules, s, w, t, np.int64(s[TO_MOVE]), depth, threats)
        actions[b] = w[BEST]


@jit
def _decide(rules: Rules, s: State, w: Work, t: Table, seat: int, depth: int, threats: int) -> int:
    """Leave the stone to put in w[BEST] and return the value of the position."""
    w[BEST] = _at_first_sight(rules, s, w, seat)
    if w[FREE] == rules[N_CELLS]:
        return np.int64(0)
    if w[w[LENGTH] + seat] > 0:
        w[BEST] = gap(rules, s, w[hot(rules, w, np.int64(1), seat)[0]])
        return np.int64(MATE - 1)
    nodes = w[LIMIT]
    if wins_by_fours(rules, s, w, t, seat, threats // 2):
        w[BEST] = w[w[PATH]]
        return MATE - 2 * w[PATH_SIZE] - 1
    w[LIMIT] = min(nodes, w[NODES] + threats // 4)
    for left in range(1, MAX_THREES + 1):
        if by_threes(rules, s, w, t, seat, np.int64(left)):
            w[BEST] = w[FIRST]
            return np.int64(MATE - 4 * left - 1)
        if is_stopped(w):
            break
    w[LIMIT] = nodes
    value = np.int64(0)
    for d in range(1, depth + 1):
        low, high = np.int64(-INFINITE), np.int64(INFINITE)
        if d > 3 and abs(value) < PROVEN:
            low, high = value - ASPIRATION, value + ASPIRATION
        while True:
            found = search(rules, s, w, t, seat, np.int64(d), low, high, np.int64(0))
            if is_stopped(w) or low < found < high:
                break
            if found <= low:
                low = np.int64(-INFINITE)
            else:
                high = np.int64(INFINITE)
        if is_stopped(w):
            break
        value = found
        if abs(value) > PROVEN or d >= w[FREE]:
            break
    return value


@jit
def _at_first_sight(rules: Rules, s: State, w: Work, seat: int) -> int:
    """The legal cell that is most urgent to take from the other; then that with the most winning sets through it."""
    best, most = np.int64(NONE), np.int64(-1)
    for cell in range(rules[N_CELLS]):
        if s[CELLS + cell] == EMPTY:
            index = rules[THROUGH_INDEX] + cell
            score = word(w, 1 - seat, np.int64(cell)) << 24 | np.int64(rules[index + 1] - rules[index]) << 8
            score |= w[NOISE] >> (cell % 40) & 0xFF
            if score > most and (best == NONE or not forbidden(rules, s, seat, np.int64(cell))):
                best, most = np.int64(cell), score
    return best
