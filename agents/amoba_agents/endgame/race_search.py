"""Alpha-beta for halma with two players.

The search is a standard one: iterative deepening, a transposition table, principal variation search and late-move
reductions. Moves are ordered by the moves that their side still needs after them.
"""

import numpy as np
from numpy.typing import NDArray

from amoba_agents.endgame import race_board as rb
from amoba_agents.endgame.race_board import RaceWork
from amoba_agents.endgame.race_tables import RaceTables
from amoba_agents.endgame.race_value import value
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.interrupt import cancelled
from amoba_env.core.jit import jit
from amoba_env.core.refcount import uncounted
from amoba_env.core.rng import Stream, below
from amoba_env.core.rules import Rules
from amoba_env.core.state import States

MOST_PLY = 40
WIN = 1 << 20  # a win in n plies is worth WIN - n
LOWER, UPPER, EXACT = 1, 2, 3  # bounds in the transposition table
LATE, VERY_LATE = 4, 12  # from these ranks on, moves are searched 1 or 2 plies less deep


@jit
def recall(w: RaceWork, seat: int, depth: int, alpha: int, beta: int, ply: int) -> tuple[bool, int, int]:
    """Look up the transposition table: whether its value suffices for a cutoff, the value, and the best move or 0."""
    b = w.board
    slot = (b[rb.KEY] ^ seat) >> 8 & (len(w.seen) - 1)
    if w.seen[slot, 0] != b[rb.KEY] ^ seat:  # bits 0 and 1
        return False, np.int64(0), np.int64(0)
    data = w.seen[slot, 1]
    kind, known, worth = data >> 12 & 3, data >> 14 & 63, (data >> 20) - 2 * WIN
    if worth > WIN // 2:
        worth -= ply
    elif worth < -WIN // 2:
        worth += ply
    enough = kind == EXACT or (kind == LOWER and worth >= beta) or (kind == UPPER and worth <= alpha)
    return known >= depth and enough, worth, data & rb.MOVE_MASK


@jit
def remember(w: RaceWork, seat: int, depth: int, kind: int, worth: int, move: int, ply: int) -> None:
    """Store a value and the best move in the transposition table. Wins count from this position, not from the root."""
    if worth > WIN // 2:
        worth += ply
    elif worth < -WIN // 2:
        worth -= ply
    key = w.board[rb.KEY] ^ seat
    slot = key >> 8 & (len(w.seen) - 1)
    w.seen[slot, 0] = key
    w.seen[slot, 1] = (worth + 2 * WIN) << 20 | depth << 14 | kind << 12 | move


@jit
def to_front(moves: NDArray[np.int64], at: int) -> None:
    """Move moves[at] to the front."""
    first = moves[at]
    for k in range(at, 0, -1):
        moves[k] = moves[k - 1]
    moves[0] = first


@jit
def search(w: RaceWork, seat: int, depth: int, alpha: int, beta: int, ply: int) -> int:
    """The value of the position for `seat`, which is to move (fail-soft)."""
    b = w.board
    b[rb.NODES] += 1
    if b[rb.NODES] >= b[rb.BUDGET] or cancelled():
        b[rb.STOPPED] = 1
    if b[rb.STOPPED]:
        return np.int64(0)
    if depth <= 0 or ply >= MOST_PLY:
        return np.int64(value(w.tables.steps, b, seat))
    enough, known, first = recall(w, seat, depth, alpha, beta, ply)
    if enough:
        return np.int64(known)
    moves = w.lists[ply]
    count = rb.list_moves(w, seat, moves)
    if count == 0:  # it is skipped
        return np.int64(-search(w, 1 - seat, depth - 1, -beta, -alpha, ply + 1))
    if moves[0] >> rb.NEEDED_SHIFT == 0:
        return np.int64(WIN - ply - 1)
    if first:
        for i in range(count):
            if moves[i] & rb.MOVE_MASK == first:
                to_front(moves, i)
                break
    best, chosen, low = np.int64(-2 * WIN), np.int64(0), alpha
    for i in range(count):
        before = rb.make(w, moves[i])
        less = 0 if depth < 3 or i < LATE else 1 if i < VERY_LATE else 2
        high = beta if i == 0 else low + 1
        while True:  # a single recursive call, in a loop: Numba infers all types again for each such call
            worth = -search(w, 1 - seat, depth - 1 - less, -high, -low, ply + 1)
            if worth <= low or (less == 0 and (worth >= beta or high == beta)):
                break
            less, high = 0, beta
        rb.take_back(w, moves[i], before)
        if b[rb.STOPPED]:
            return np.int64(0)
        if worth > best:
            best, chosen = worth, moves[i] & rb.MOVE_MASK
            low = max(low, best)
            if best >= beta:
                break
    remember(w, seat, depth, LOWER if best >= beta else EXACT if best > alpha else UPPER, best, chosen, ply)
    return np.int64(best)


@jit
def choose(
    t: RaceTables,
    rules: Rules,
    states: States,
    streams: NDArray[np.uint64],
    keys: NDArray[np.int64],
    nodes: int,
    depth: int,
    size: int,
    actions: NDArray[np.int32],
    values: NDArray[np.int32],
) -> None:
    """Write the best move of each position to `actions`, and its value to `values`.

    Args:
        t: tables of the game.
        rules: of a game of two players in which men move.
        states: int16[B, S].
        streams: uint64[B], random streams, to order moves that look equally good; advanced in place.
        keys: [players, n] random numbers for the hash of the position.
        nodes: the limit of positions searched for a move.
        depth: the limit of plies.
        size: entries of the transposition table, a power of two.
        actions: int32[B], output.
        values: int32[B], output.
    """
    counted = RaceWork(
        t,
        keys,
        np.zeros((size, 2), np.int64),
        np.empty(rb.MEN_AT + rules[ru.PLAYERS] * rules[ru.MEN], np.int64),
        np.empty((MOST_PLY + 1, rb.MOST_MOVES), np.int64),
        np.empty(rules[ru.N_CELLS], np.int64),
    )
    w = uncounted(counted)
    for row in range(len(states)):
        if cancelled():
            break
        rb.load(w, rules, states[row])
        w.seen[:] = 0
        seat = np.int64(states[row, st.TO_MOVE])
        w.board[rb.BUDGET] = nodes
        best, worth = _think(w, seat, depth, streams[row : row + 1])
        actions[row] = (best >> rb.CELL_BITS) * rules[ru.N_CELLS] + (best & rb.CELL_MASK)
        values[row] = worth
    # This keeps them alive until here.
    counted.board[rb.NODES] += counted.seen[0, 0] + counted.lists[0, 0] + counted.cells[0]


@jit
def _think(w: RaceWork, seat: int, most: int, stream: Stream) -> tuple[int, int]:
    """The best move of the position, and its value, by iterative deepening."""
    moves = w.lists[0].copy()
    count = rb.list_moves(w, seat, moves)
    for i in range(count):  # shuffle moves of equal rank
        same = 1
        while i + same < count and moves[i + same] >> rb.STEPS_SHIFT == moves[i] >> rb.STEPS_SHIFT:
            same += 1
        j = i + below(stream, same)
        moves[i], moves[j] = moves[j], moves[i]
    best, worth_of_best = moves[0], np.int64(0)
    if best >> rb.NEEDED_SHIFT == 0:
        return best & rb.MOVE_MASK, np.int64(WIN - 1)
    least, most_worth, one = np.int64(-2 * WIN), np.int64(2 * WIN), np.int64(1)
    for depth in range(1, most + 1):
        low, leader = least, 0
        for i in range(count):
            before = rb.make(w, moves[i])
            worth = most_worth
            if i > 0:
                worth = -search(w, 1 - seat, depth - one, -low - 1, -low, one)
            if worth > low:
                worth = -search(w, 1 - seat, depth - one, least, -low, one)
            rb.take_back(w, moves[i], before)
            if w.board[rb.STOPPED]:
                break
            if worth > low:
                low, leader = worth, i
        if low == least:
            break  # not even the first move was searched
        best, worth_of_best = moves[leader], low
        to_front(moves, leader)
        if w.board[rb.STOPPED] or abs(low) > WIN // 2:
            break
    return best & rb.MOVE_MASK, worth_of_best
