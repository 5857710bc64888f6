"""Principal variation search with iterative deepening, a transposition table, and threat searches at every node.

With learned values a learned policy orders the moves, and moves of low probability are searched less deep.

Values are for the player to move. MATE - n is a win in at most n plies, whatever the opponent plays; values beyond
PROVEN are proofs. Late-move reductions and pruning can hide a win, but they never invent one: a loss is reported only
if every relevant reply was searched and lost. Where the opponent threatens to win by fours, threes.py lists the
relevant replies.

Sources: principal variation search, T. A. Marsland and M. Campbell, "Parallel search of strongly ordered game trees"
(Computing Surveys 14, 1982); hash keys of positions, A. L. Zobrist, "A new hashing method" (1970); killer moves and
history, J. Schaeffer, "The history heuristic" (ICCA Journal 6, 1983).
"""

import numpy as np
from numpy.typing import NDArray

from amoba_agents.alphabeta import fours
from amoba_agents.alphabeta import lines as li
from amoba_agents.alphabeta.lines import HashTable, StoneWork
from amoba_agents.alphabeta.order import TABLE_CELL_SCORE, list_empty, score_cells, score_learned
from amoba_agents.alphabeta.stone_values import StoneNetwork, evaluate
from amoba_agents.alphabeta.stones import put, put_all, remove
from amoba_agents.alphabeta.threes import by_threes, relevant_replies
from amoba_agents.values.ties import select_best
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.interrupt import cancelled
from amoba_env.core.jit import jit
from amoba_env.core.overwrite import overwrite
from amoba_env.core.refcount import uncounted
from amoba_env.core.rng import GOLDEN, mix
from amoba_env.core.rules import Rules
from amoba_env.core.state import State, States

MATE, PROVEN, INFINITE = 30_000, 29_000, 31_000
ASPIRATION = 60
LEAF_FOURS, INNER_FOURS = 30, 80  # nodes of a search by fours at a leaf and elsewhere
SOLVABLE_CELLS = 36  # on larger boards an empty board is not searched: no result would be found
WIDTH = 8  # at a node, WIDTH + 4 * depth moves are searched
THREES_SHARE = 10  # the search by threes before alpha-beta may use a tenth of the nodes: most such searches fail

# Late-move reductions: how many plies less deep a move is searched, by depth and by rank among the moves.
REDUCTIONS = np.array(
    [[int(0.6 + np.log(max(depth, 1)) * np.log(rank + 1) / 1.9) for rank in range(64)] for depth in range(64)], np.int64
)
# With a policy: one more ply of reduction for each UNLIKELY_STEP by which a score is below best score - UNLIKELY.
UNLIKELY, UNLIKELY_STEP = 50, 200

# Reverse futility pruning: off the principal variation the search stops where the static value exceeds beta by MARGIN
# for each ply left.
MARGIN = 30

# A table entry is two words: the key, and value + 2 ** 15 | depth << 16 | bound << 24 | (cell + 1) << 32.
EXACT, LOWER, UPPER = range(3)
OFFSET = 1 << 15
SIDE = np.array([0, 0x94D049BB133111EB], np.uint64)


@jit
def _store(w: StoneWork, t: HashTable, key: np.uint64, ply: int, value: int, depth: int, bound: int, cell: int) -> None:
    """Store a result in the transposition table. Distances to a win count from this position, not from the root."""
    if value > PROVEN:
        value += ply
    elif value < -PROVEN:
        value -= ply
    slot = w[li.TABLE] + 2 * np.int64(key & np.uint64(w[li.TABLE_MASK]))
    t[slot] = key ^ t[w[li.SALT]]
    t[slot + 1] = np.uint64(value + OFFSET | max(depth, 0) << 16 | bound << 24 | (cell + 1) << 32)


@jit
def search(
    rules: Rules,
    s: State,
    w: StoneWork,
    t: HashTable,
    network: StoneNetwork,
    seat: int,
    depth: int,
    alpha: int,
    beta: int,
    ply: int,
) -> int:
    """The value of a position for the seat, which is to move. It is meaningless if the search was stopped.

    At ply 0 the best cell is left in w[BEST_CELL]. The function calls only itself, always with the same types, because
    Numba's disk cache cannot restore functions that call each other. That is why it is long.
    """
    other = 1 - seat
    zero = np.int64(0)
    if w[w[li.LIST_LENGTH] + seat] > 0:
        return np.int64(MATE - ply - 1)
    if w[li.FREE] == 0:
        return zero
    forced_cell = fours.winning_cell(rules, s, w, other)
    possible = fours.can_answer(rules, s, seat, forced_cell)
    if possible != fours.YES:
        return np.int64(ply + 2 - MATE) if possible == fours.NO else zero
    if ply == li.MAX_PLY - 1 or fours.is_stopped(w):
        return evaluate(rules, s, w, network, seat)
    key = t[w[li.HASH]] ^ SIDE[seat]
    slot = w[li.TABLE] + 2 * np.int64(key & np.uint64(w[li.TABLE_MASK]))
    table_cell = np.int64(fours.NONE)
    if t[slot] == key ^ t[w[li.SALT]]:
        entry = np.int64(t[slot + 1])
        table_cell = (entry >> 32) - 1
        value, bound = (entry & 0xFFFF) - OFFSET, entry >> 24 & 3
        if value > PROVEN:
            value -= ply
        elif value < -PROVEN:
            value += ply
        if ply > 0 and (entry >> 16 & 0xFF >= depth or abs(value) > PROVEN):
            if bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha):
                return value
    top = w[li.TOP]
    relevant_end = end = top
    otherwise = np.int64(-INFINITE)  # the value of replies that are not relevant
    if forced_cell >= 0:
        w[top] = forced_cell
        relevant_end = end = top + 1
    elif forced_cell == fours.BLOCKABLE:
        relevant_end = end = fours.list_answers(rules, s, w, other)
    else:
        static = evaluate(rules, s, w, network, seat)  # score_learned() uses the layer that it leaves
        if static - MARGIN * max(depth, 0) >= beta and (depth <= 0 or (beta - alpha == 1 and beta > -PROVEN)):
            return static  # a win by fours could only be better
        if fours.wins_by_fours(rules, s, w, t, seat, np.int64(LEAF_FOURS if depth <= 0 else INNER_FOURS)):
            value = MATE - ply - 2 * w[li.SEQUENCE_LENGTH] - 1
            if ply == 0:
                w[li.BEST_CELL] = w[w[li.SEQUENCE]]
            _store(w, t, key, ply, value, depth, LOWER, w[w[li.SEQUENCE]])
            return value
        if depth <= 0:
            _store(w, t, key, ply, static, zero, EXACT, np.int64(fours.NONE))
            return static
        if fours.wins_by_fours(rules, s, w, t, other, np.int64(INNER_FOURS)):
            otherwise = ply + 2 + 2 * w[li.SEQUENCE_LENGTH] - MATE
            relevant_end = end = relevant_replies(rules, s, w, seat)
        else:
            relevant_end, end = list_empty(rules, s, w)
        if depth >= 2 and table_cell == fours.NONE:
            depth -= 1  # internal iterative reduction: no move in the table, so search one ply less
    forced_replies = relevant_end == end and end - top < w[li.FREE]
    by_policy = len(network) > 0 and forced_cell == fours.NONE
    scored_end = relevant_end if relevant_end > top else end
    if by_policy:
        scores = score_learned(rules, s, w, network, seat, ply, top, scored_end, table_cell)
    else:
        scores = score_cells(rules, w, seat, ply, top, scored_end, table_cell)
    likely = np.int64(-INFINITE)  # the score of the first cell after the table's
    w[li.TOP] = end
    best, best_cell = np.int64(-INFINITE), np.int64(fours.NONE)
    low = alpha
    tried = 0
    for i in range(top, end):
        if not forced_replies and best > -PROVEN and (tried >= WIDTH + 4 * depth or (i >= relevant_end and tried > 0)):
            break
        if i == relevant_end and i > top:  # rare: no relevant move was legal
            score_cells(rules, w, seat, ply, relevant_end, end, np.int64(fours.NONE))
        cell = select_best(w, scores, np.int64(i), relevant_end if i < relevant_end else end)
        if fours.forbidden(rules, s, seat, cell):
            continue
        if likely == -INFINITE and w[scores + cell] < TABLE_CELL_SCORE:
            likely = w[scores + cell]
        next_depth = depth if forced_cell != fours.NONE else depth - 1
        reduction = zero
        if tried >= 3 and depth >= 2 and not forced_replies:
            reduction = REDUCTIONS[min(depth, 63), min(tried, 63)]
            if by_policy and reduction > 0:
                reduction += max(likely - w[scores + cell] - UNLIKELY, 0) // UNLIKELY_STEP
            if beta - alpha > 1:
                reduction = max(reduction - 1, zero)
        put(rules, s, w, t, seat, cell)
        high = beta if tried == 0 else low + 1
        while True:  # a single recursive call, in a loop: Numba infers all types again for each such call
            value = -search(rules, s, w, t, network, other, next_depth - reduction, -high, -low, ply + 1)
            if value > low and reduction > 0:
                reduction = zero
            elif low < value < beta and high < beta:
                high = beta
            else:
                break
        remove(rules, s, w, t, seat, cell)
        if fours.is_stopped(w):
            w[li.TOP] = top
            return zero
        tried += 1
        if ply == 0 and (tried == 1 or value > max(best, alpha)):
            w[li.BEST_CELL] = cell
        if value > best:
            best, best_cell = value, cell
        low = max(low, best)
        if low >= beta:
            if forced_cell == fours.NONE:
                _record_cutoff(rules, w, seat, cell, depth, ply)
            break
    w[li.TOP] = top
    if tried == 0:  # all relevant replies are forbidden points: a proof only where those may be played and lose
        return max(otherwise, np.int64(ply + 1 - MATE)) if rules[ru.FORBIDDEN_LOSES] else zero
    if forced_replies and best < otherwise:
        best = otherwise  # of replies that lose, the one that loses last
    _store(w, t, key, ply, best, depth, LOWER if best >= beta else EXACT if best > alpha else UPPER, best_cell)
    return best


@jit
def _record_cutoff(rules: Rules, w: StoneWork, seat: int, cell: int, depth: int, ply: int) -> None:
    """Remember a cell that caused a beta cutoff as a killer move of this ply and in the history table."""
    killers = w[li.KILLERS] + 2 * ply
    if w[killers] != cell:
        w[killers + 1] = w[killers]
        w[killers] = cell
    w[w[li.HISTORY] + seat * rules[ru.N_CELLS] + cell] += depth * depth


@jit
def think(
    rules: Rules,
    states: States,
    streams: NDArray[np.uint64],
    w: StoneWork,
    t: HashTable,
    network: StoneNetwork,
    depth: int,
    nodes: int,
    threat_nodes: int,
    actions: NDArray[np.int32],
    values: NDArray[np.int32],
) -> None:
    """Choose a cell for each position.

    Args:
        rules: of a placing game for two.
        states: int16[B, S], positions outside the phases of an opening.
        streams: uint64[B], random streams, for the choice where the search finds no move, as on an empty board.
        w: a new work row from workspace(); each call needs another one.
        t: a new table from hash_table(); each call needs another one.
        network: for learned values, see stone_values.py; an empty row for counted values.
        depth: the greatest nominal depth; forced moves do not count.
        nodes: the limit of positions searched, for each position.
        threat_nodes: the limit of the searches before alpha-beta: half of it for fours, a tenth for threes.
        actions: int32[B], output: the chosen cells.
        values: int32[B], output: the values. Afterwards w[NODES] is the number of positions searched for the last row.
    """
    rules, w, t, network = uncounted(rules), uncounted(w), uncounted(t), uncounted(network)
    initial = w[: w[li.SEQUENCE]].copy()
    for b in range(len(states)):
        if cancelled():
            break
        row = states[b].copy()
        s = uncounted(row)
        overwrite(w, initial[: li.STOP])  # except STOP, which another thread writes
        overwrite(w[li.STOP + 1 :], initial[li.STOP + 1 :])
        w[w[li.KILLERS] : w[li.MARKS]] = 0
        t[w[li.HASH]] = np.uint64(0)
        t[w[li.SALT]] = mix(t[w[li.SALT]] + GOLDEN)  # invalidates the entries of other rows
        put_all(rules, s, w, t)
        w[li.NODES], w[li.LIMIT] = 0, nodes
        streams[b] += GOLDEN
        w[li.TIE_NOISE] = np.int64(mix(streams[b]) >> np.uint64(1))
        values[b] = _decide(rules, s, w, t, network, np.int64(s[st.TO_MOVE]), depth, threat_nodes)
        actions[b] = w[li.BEST_CELL] + 0 * row[0]  # this use of the row keeps it alive until here


@jit
def _decide(
    rules: Rules, s: State, w: StoneWork, t: HashTable, network: StoneNetwork, seat: int, depth: int, threat_nodes: int
) -> int:
    """Leave the chosen cell in w[BEST_CELL] and return the value of the position."""
    w[li.BEST_CELL] = fallback_cell(rules, s, w, seat)
    if w[li.FREE] == rules[ru.N_CELLS] and rules[ru.N_CELLS] > SOLVABLE_CELLS:
        return np.int64(0)
    if w[w[li.LIST_LENGTH] + seat] > 0:
        w[li.BEST_CELL] = li.first_empty(rules, s, w[li.urgent_sets(rules, w, np.int64(1), seat)[0]])
        return np.int64(MATE - 1)
    value = win_by_threats(rules, s, w, t, seat, threat_nodes)
    if value > 0:
        return value
    for d in range(1, depth + 1):
        low, high = np.int64(-INFINITE), np.int64(INFINITE)
        if d > 3 and abs(value) < PROVEN:
            low, high = value - ASPIRATION, value + ASPIRATION
        while True:
            found = search(rules, s, w, t, network, seat, np.int64(d), low, high, np.int64(0))
            if fours.is_stopped(w) or low < found < high:
                break
            if found <= low:
                low = np.int64(-INFINITE)
            else:
                high = np.int64(INFINITE)
        if fours.is_stopped(w):
            break
        value = found
        if abs(value) > PROVEN or d >= w[li.FREE]:
            break
    return value


@jit
def win_by_threats(rules: Rules, s: State, w: StoneWork, t: HashTable, seat: int, threat_nodes: int) -> int:
    """The value of a win by fours or threes, or 0 if none is found; its first cell is left in w[BEST_CELL]."""
    if fours.wins_by_fours(rules, s, w, t, seat, threat_nodes // 2):
        w[li.BEST_CELL] = w[w[li.SEQUENCE]]
        return MATE - 2 * w[li.SEQUENCE_LENGTH] - 1
    nodes = w[li.LIMIT]
    w[li.LIMIT] = min(nodes, w[li.NODES] + threat_nodes // THREES_SHARE)
    value = np.int64(0)
    for left in range(1, li.MAX_THREES + 1):
        plies = by_threes(rules, s, w, t, seat, np.int64(left))
        if plies > 0:
            w[li.BEST_CELL] = w[li.FIRST_CELL]
            value = MATE - plies
            break
        if fours.is_stopped(w):
            break
    w[li.LIMIT] = nodes
    return value


@jit
def find_fours(rules: Rules, state: State, w: StoneWork, t: HashTable, nodes: int) -> bool:
    """Whether the player to move wins by fours, see wins_by_fours(); `w` and `t` are new, as for think()."""
    row = state.copy()
    s, w, t = uncounted(row), uncounted(w), uncounted(t)
    put_all(uncounted(rules), s, w, t)
    w[li.NODES], w[li.LIMIT] = 0, nodes
    won = fours.wins_by_fours(uncounted(rules), s, w, t, np.int64(s[st.TO_MOVE]), nodes)
    return won and row[0] == row[0]  # this use of the row keeps it alive until here


@jit
def fallback_cell(rules: Rules, s: State, w: StoneWork, seat: int) -> int:
    """The move if the search has found none: the legal cell that is most urgent for the opponent.

    Equally urgent cells are ordered by the number of winning sets through them, then at random. If every empty cell is
    forbidden, it is the first; with `forbidden=lose` that is a legal move.
    """
    best = first = np.int64(fours.NONE)
    most = np.int64(-1)
    for cell in range(rules[ru.N_CELLS]):
        if s[st.CELLS + cell] == st.EMPTY:
            if first == fours.NONE:
                first = np.int64(cell)
            index = rules[ru.THROUGH_INDEX] + cell
            score = li.open_counts(w, 1 - seat, np.int64(cell)) << 28 | np.int64(rules[index + 1] - rules[index]) << 20
            score |= np.int64(mix(np.uint64(w[li.TIE_NOISE]) + np.uint64(cell) * GOLDEN) >> np.uint64(44))
            if score > most and not fours.forbidden(rules, s, seat, np.int64(cell)):
                best, most = np.int64(cell), score
    return first if best == fours.NONE else best
