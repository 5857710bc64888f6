"""Alpha-beta for halma with two players, compiled.

A position is worth the moves that the opponent needs to get home if nobody else were on the board, less the own ones
(tables.py); ties are broken by step distance. In a race, when neither side is in the other's way any more, the side
that needs fewer moves nearly always wins.

The search is the usual one: iterative deepening, a table of positions, principal variation search with null windows,
and moves that come late in the order are searched less deep first (late-move reductions). Moves are ordered by what the
own side needs after them.

The goal of each seat shares a corner with the home of the other. A man that never leaves this corner keeps the other
side from winning, so two players who both wait there draw. A side whose goal is occupied is therefore valued as if it
needed WAIT moves at least. Coming nearer gains nothing until that man has left, and an opponent who is not about to
lose leaves.
"""

import numpy as np
from numpy.typing import NDArray

from amoba_agents.endgame.tables import Tables, rank_of, targets
from amoba_env.core.jit import jit
from amoba_env.core.rng import Stream, below
from amoba_env.core.rules import MEN, N_CELLS, Rules
from amoba_env.core.state import CELLS, TO_MOVE, State, States

Board = NDArray[np.int64]

# The board of a search, one row of integers:
ALL = 0  # the cells of all men, one bit each
OWN = 1  # [2] the cells of a seat's men as the seat sees the board
FAR = 3  # [2] steps to the goal, of all men together
KEY = 5  # of the table of positions
NODES = 6  # positions looked at
BUDGET = 7
STOPPED = 8  # 1: the budget is spent
GUESTS = 9  # [2] men of the other seat in the goal of this one
MEN_AT = 11  # [2, men] the cells of a seat's men

CELL_BITS = 6
CELL_MASK = (1 << CELL_BITS) - 1
MOVE_MASK = (1 << 2 * CELL_BITS) - 1
NEEDED_SHIFT = 2 * CELL_BITS + 8  # a move is one integer: moves needed after it, steps after it, from, to
MOST_PLY = 40
MOST_MOVES = 512

MOVE_VALUE = 16  # of a move needed, in the unit of the values; a step counts 1
WAIT = 11  # moves that a seat needs at least while a man of the other stands in its goal
TEMPO = MOVE_VALUE // 2  # it is worth half a move to be to move
RACE = 1000  # who needs fewer moves in a race
WIN = 1 << 20  # less the plies until then
LOWER, UPPER, EXACT = 1, 2, 3  # what the table of positions knows of a value

LATE, VERY_LATE = 4, 12  # so many moves come first; later ones are searched 1 or 2 plies less deep


@jit
def load(t: Tables, rules: Rules, s: State, keys: NDArray[np.int64], b: Board) -> None:
    """Set up the board from a state. keys[2, n]: numbers of men on cells."""
    b[:MEN_AT] = 0
    men = rules[MEN]
    found = np.zeros(2, np.int64)
    for cell in range(rules[N_CELLS]):
        seat = s[CELLS + cell]
        if seat >= 0:
            b[MEN_AT + seat * men + found[seat]] = cell
            found[seat] += 1
            b[ALL] |= 1 << cell
            b[OWN + seat] |= 1 << t.relative[seat, cell]
            b[FAR + seat] += t.steps[seat, cell]
            b[KEY] ^= keys[seat, cell]
            b[GUESTS + 1 - seat] += t.in_goal[1 - seat, cell]


@jit
def move(t: Tables, keys: NDArray[np.int64], b: Board, seat: int, men: int, origin: int, to: int) -> None:
    """Move a man of the seat; the same with the cells exchanged takes it back."""
    at = MEN_AT + seat * men
    while b[at] != origin:
        at += 1
    b[at] = to
    b[ALL] ^= 1 << origin ^ 1 << to
    b[OWN + seat] ^= 1 << t.relative[seat, origin] ^ 1 << t.relative[seat, to]
    b[FAR + seat] += t.steps[seat, to] - t.steps[seat, origin]
    b[KEY] ^= keys[seat, origin] ^ keys[seat, to]
    b[GUESTS + 1 - seat] += t.in_goal[1 - seat, to] - t.in_goal[1 - seat, origin]


@jit
def needed(t: Tables, b: Board, seat: int) -> int:
    """The moves that the seat needs alone on the board."""
    return np.int64(t.distances[rank_of(t.rank, t.ones, b[OWN + seat])])


@jit
def list_moves(t: Tables, b: Board, seat: int, men: int, cells: NDArray[np.int64], out: NDArray[np.int64]) -> int:
    """Write the seat's moves to `out`, the most promising first; return how many."""
    count = 0
    own, far = b[OWN + seat], b[FAR + seat]
    for i in range(MEN_AT + seat * men, MEN_AT + seat * men + men):
        origin = b[i]
        left = own ^ 1 << t.relative[seat, origin]
        for j in range(targets(t.near, t.jump, b[ALL], origin, cells)):
            to = np.int64(cells[j])
            moves = np.int64(t.distances[rank_of(t.rank, t.ones, left | 1 << t.relative[seat, to])])
            steps = far + t.steps[seat, to] - t.steps[seat, origin]
            key = moves << NEEDED_SHIFT | steps << 2 * CELL_BITS | origin << CELL_BITS | to
            k = count
            while k > 0 and out[k - 1] > key:
                out[k] = out[k - 1]
                k -= 1
            out[k] = key
            count += 1
    return count


@jit
def is_race(t: Tables, b: Board, men: int) -> bool:
    """Whether the men of each seat are all nearer to its tip than every man of the other."""
    for seat in range(2):
        farthest = 0
        for i in range(MEN_AT + seat * men, MEN_AT + seat * men + men):
            farthest = max(farthest, t.steps[seat, b[i]])
        for i in range(MEN_AT + (1 - seat) * men, MEN_AT + (1 - seat) * men + men):
            if t.steps[seat, b[i]] <= farthest:
                return False
    return True


@jit
def held(t: Tables, b: Board, seat: int) -> int:
    """The moves that the seat needs, at least WAIT while a man of the other seat stands in its goal."""
    moves = needed(t, b, seat)
    return max(moves, WAIT) if b[GUESTS + seat] else moves


@jit
def value(t: Tables, b: Board, seat: int, men: int) -> int:
    """What the position is worth to the seat, which is to move."""
    moves = held(t, b, 1 - seat) - held(t, b, seat)
    worth = moves * MOVE_VALUE + b[FAR + 1 - seat] - b[FAR + seat] + TEMPO
    if is_race(t, b, men):
        worth += RACE if moves >= 0 else -RACE
    return worth


@jit
def search(
    t: Tables,
    keys: NDArray[np.int64],
    seen: NDArray[np.int64],
    b: Board,
    lists: NDArray[np.int64],
    cells: NDArray[np.int64],
    men: int,
    seat: int,
    depth: int,
    alpha: int,
    beta: int,
    ply: int,
) -> int:
    """The value of the position for the seat, which is to move, within alpha .. beta (fail-soft).

    It is long because its steps share most of its local numbers.

    Args:
        t: tables of the game.
        keys: [2, n] numbers of men on cells, for the table of positions.
        seen: [entries, 2] the table of positions: key, and value, depth, kind and move in one number.
        b: the board.
        lists: [MOST_PLY + 1, MOST_MOVES] room for moves.
        cells: [n] room for cells.
        men: of a seat.
        seat: to move.
        depth: plies to look ahead.
        alpha: the least value that matters.
        beta: the largest value that matters.
        ply: how deep the position lies.
    """
    b[NODES] += 1
    if b[NODES] >= b[BUDGET]:
        b[STOPPED] = 1
    if b[STOPPED]:
        return np.int64(0)
    if depth <= 0 or ply >= MOST_PLY:
        return np.int64(value(t, b, seat, men))
    key = b[KEY] ^ seat  # bit 0
    slot = (key >> 8) & (len(seen) - 1)
    first = np.int64(0)
    if seen[slot, 0] == key:
        data = seen[slot, 1]
        first = data & MOVE_MASK
        kind, known, worth = data >> 12 & 3, data >> 14 & 63, (data >> 20) - 2 * WIN
        if worth > WIN // 2:
            worth -= ply
        elif worth < -WIN // 2:
            worth += ply
        if known >= depth and (
            kind == EXACT or (kind == LOWER and worth >= beta) or (kind == UPPER and worth <= alpha)
        ):
            return np.int64(worth)
    moves = lists[ply]
    count = list_moves(t, b, seat, men, cells, moves)
    if count == 0:  # it is skipped
        return np.int64(-search(t, keys, seen, b, lists, cells, men, 1 - seat, depth - 1, -beta, -alpha, ply + 1))
    if moves[0] >> NEEDED_SHIFT == 0:
        return np.int64(WIN - ply - 1)
    if first:  # to the front
        for i in range(count):
            if moves[i] & MOVE_MASK == first:
                best_first = moves[i]
                for k in range(i, 0, -1):
                    moves[k] = moves[k - 1]
                moves[0] = best_first
                break
    best, chosen, low = np.int64(-2 * WIN), np.int64(0), alpha
    for i in range(count):
        origin, to = moves[i] >> CELL_BITS & CELL_MASK, moves[i] & CELL_MASK
        move(t, keys, b, seat, men, origin, to)
        less = 0 if depth < 3 or i < LATE else 1 if i < VERY_LATE else 2
        worth = np.int64(0)
        if i == 0:
            worth = -search(t, keys, seen, b, lists, cells, men, 1 - seat, depth - 1, -beta, -low, ply + 1)
        else:
            worth = -search(t, keys, seen, b, lists, cells, men, 1 - seat, depth - 1 - less, -low - 1, -low, ply + 1)
            if worth > low and (less or worth < beta):
                worth = -search(t, keys, seen, b, lists, cells, men, 1 - seat, depth - 1, -beta, -low, ply + 1)
        move(t, keys, b, seat, men, to, origin)
        if b[STOPPED]:
            return np.int64(0)
        if worth > best:
            best, chosen = worth, moves[i] & MOVE_MASK
            low = max(low, best)
            if best >= beta:
                break
    kind = LOWER if best >= beta else EXACT if best > alpha else UPPER
    kept = best + ply if best > WIN // 2 else best - ply if best < -WIN // 2 else best
    seen[slot, 0] = key
    seen[slot, 1] = (kept + 2 * WIN) << 20 | depth << 14 | kind << 12 | chosen
    return np.int64(best)


@jit
def choose(
    t: Tables,
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
    """Write the best move of each position to `actions`, and what it is worth to `values`.

    Args:
        t: tables of the game.
        rules: of a game of two players in which men move.
        states: int16[B, S].
        streams: uint64[B], advanced in place: of moves that look equally good at first, another comes first.
        keys: [2, n] numbers of men on cells.
        nodes: the most positions that are looked at for a move.
        depth: the most plies.
        size: entries of the table of positions, a power of two.
        actions: int32[B].
        values: int32[B].
    """
    men = np.int64(rules[MEN])
    b = np.empty(MEN_AT + 2 * men, np.int64)
    lists = np.empty((MOST_PLY + 1, MOST_MOVES), np.int64)
    cells = np.empty(rules[N_CELLS], np.int64)
    seen = np.zeros((size, 2), np.int64)
    for row in range(len(states)):
        load(t, rules, states[row], keys, b)
        seen[:] = 0
        b[BUDGET] = nodes
        seat, stream = np.int64(states[row, TO_MOVE]), streams[row : row + 1]
        best, worth = _think(t, keys, seen, b, lists, cells, men, seat, depth, stream)
        actions[row] = (best >> CELL_BITS) * rules[N_CELLS] + (best & CELL_MASK)
        values[row] = worth


@jit
def _think(
    t: Tables,
    keys: NDArray[np.int64],
    seen: NDArray[np.int64],
    b: Board,
    lists: NDArray[np.int64],
    cells: NDArray[np.int64],
    men: int,
    seat: int,
    most: int,
    stream: Stream,
) -> tuple[int, int]:
    """The best move of the position on the board, and its value, by searches of growing depth."""
    moves = lists[0].copy()
    count = list_moves(t, b, seat, men, cells, moves)
    for i in range(count):  # shuffle moves that look the same
        same = 1
        while i + same < count and moves[i + same] >> 2 * CELL_BITS == moves[i] >> 2 * CELL_BITS:
            same += 1
        j = i + below(stream, same)
        moves[i], moves[j] = moves[j], moves[i]
    best, worth_of_best = moves[0], np.int64(WIN - 1)
    if best >> NEEDED_SHIFT == 0:
        return best & MOVE_MASK, worth_of_best
    least, most_worth, one = np.int64(-2 * WIN), np.int64(2 * WIN), np.int64(1)
    for depth in range(1, most + 1):
        low, leader = least, 0
        for i in range(count):
            origin, to = moves[i] >> CELL_BITS & CELL_MASK, moves[i] & CELL_MASK
            move(t, keys, b, seat, men, origin, to)
            worth = most_worth
            if i > 0:
                worth = -search(t, keys, seen, b, lists, cells, men, 1 - seat, depth - one, -low - 1, -low, one)
            if worth > low:
                worth = -search(t, keys, seen, b, lists, cells, men, 1 - seat, depth - one, least, -low, one)
            move(t, keys, b, seat, men, to, origin)
            if b[STOPPED]:
                break
            if worth > low:
                low, leader = worth, i
        if low == least:
            break  # not even the first move was searched
        best, worth_of_best = moves[leader], low
        for k in range(leader, 0, -1):
            moves[k] = moves[k - 1]
        moves[0] = best
        if b[STOPPED] or abs(low) > WIN // 2:
            break
    return best & MOVE_MASK, worth_of_best
