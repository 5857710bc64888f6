"""Alpha-beta for halma with two players, compiled.

A position is worth the moves that the opponent needs to get home if nobody else were on the board, less the own ones
(tables.py); ties are broken by step distance. In a race, when neither side is in the other's way any more, the side
that needs fewer moves nearly always wins.

The search is the usual one: iterative deepening, a table of positions, principal variation search with null windows,
and moves that come late in the order are searched less deep first (late-move reductions). Moves are ordered by what the
own side needs after them.

The goal of each seat shares a corner with the home of the other. A man that never leaves the other's goal keeps that
side from winning, so two players who both wait draw. An opponent who sees that he is about to lose does not leave. So
the seat for which a move is sought comes no nearer than NEAR moves to an occupied goal. Its own men in the other's goal
are worth nothing by themselves: a search that counted them as a gain kept them there, and drew games that it could win.
When a game is long, both sides wait. Then patience pays: a side whose goal is occupied is valued as if it needed WAIT
moves at least, so men stay where they are in the way until the other side has wandered off.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_agents.endgame.tables import Tables, rank_of, targets
from amoba_env.core.jit import jit
from amoba_env.core.rng import Stream, below
from amoba_env.core.rules import MEN, N_CELLS, Rules
from amoba_env.core.state import CELLS, PLY, TO_MOVE, State, States

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
ROOT = 11  # the seat for which a move is sought
PATIENT = 12  # 1: the game is long
MEN_AT = 13  # [2, men] the cells of a seat's men

CELL_BITS = 6
CELL_MASK = (1 << CELL_BITS) - 1
MOVE_MASK = (1 << 2 * CELL_BITS) - 1
NEEDED_SHIFT = 2 * CELL_BITS + 8  # a move is one integer: moves needed after it, steps after it, from, to
MOST_PLY = 40
MOST_MOVES = 512

MOVE_VALUE = 16  # of a move needed, in the unit of the values; a step counts 1
NEAR = 3  # so many moves from home a seat waits while a man of the other stands in its goal
LONG, WAIT = 100, 11  # after so many plies each seat is valued as if it needed so many moves then
TEMPO = MOVE_VALUE // 2  # it is worth half a move to be to move
RACE = 1000  # who needs fewer moves in a race
WIN = 1 << 20  # less the plies until then
LOWER, UPPER, EXACT = 1, 2, 3  # what the table of positions knows of a value

LATE, VERY_LATE = 4, 12  # so many moves come first; later ones are searched 1 or 2 plies less deep


class Work(NamedTuple):
    """What a search works with."""

    tables: Tables  # of the game
    keys: NDArray[np.int64]  # [2, n] numbers of men on cells, for the table of positions
    seen: NDArray[np.int64]  # [entries, 2] the table of positions: key, and value, depth, kind and move in one number
    board: Board
    lists: NDArray[np.int64]  # [MOST_PLY + 1, MOST_MOVES] room for moves
    cells: NDArray[np.int64]  # [n] room for cells
    men: int  # of a seat


@jit
def load(w: Work, rules: Rules, s: State) -> None:
    """Set up the board from a state."""
    t, b = w.tables, w.board
    b[:MEN_AT] = 0
    found = np.zeros(2, np.int64)
    for cell in range(rules[N_CELLS]):
        seat = s[CELLS + cell]
        if seat >= 0:
            b[MEN_AT + seat * w.men + found[seat]] = cell
            found[seat] += 1
            b[ALL] |= 1 << cell
            b[OWN + seat] |= 1 << t.relative[seat, cell]
            b[FAR + seat] += t.steps[seat, cell]
            b[KEY] ^= w.keys[seat, cell]
            b[GUESTS + 1 - seat] += t.in_goal[1 - seat, cell]


@jit
def _shift(w: Work, seat: int, origin: int, to: int) -> None:
    """Take a man of the seat from one cell to another."""
    t, b = w.tables, w.board
    at = MEN_AT + seat * w.men
    while b[at] != origin:
        at += 1
    b[at] = to
    b[ALL] ^= 1 << origin ^ 1 << to
    b[OWN + seat] ^= 1 << t.relative[seat, origin] ^ 1 << t.relative[seat, to]
    b[FAR + seat] += t.steps[seat, to] - t.steps[seat, origin]
    b[KEY] ^= w.keys[seat, origin] ^ w.keys[seat, to]
    b[GUESTS + 1 - seat] += t.in_goal[1 - seat, to] - t.in_goal[1 - seat, origin]


@jit
def make(w: Work, seat: int, move: int) -> None:
    """Make a move of the seat, as list_moves() writes it."""
    _shift(w, seat, move >> CELL_BITS & CELL_MASK, move & CELL_MASK)


@jit
def take_back(w: Work, seat: int, move: int) -> None:
    """Undo what make() did."""
    _shift(w, seat, move & CELL_MASK, move >> CELL_BITS & CELL_MASK)


@jit
def needed(t: Tables, b: Board, seat: int) -> int:
    """The moves that the seat needs alone on the board."""
    return np.int64(t.distances[rank_of(t.rank, t.ones, b[OWN + seat])])


@jit
def list_moves(w: Work, seat: int, out: NDArray[np.int64]) -> int:
    """Write the seat's moves to `out`, the most promising first; return how many."""
    t, b = w.tables, w.board
    count = 0
    own, far = b[OWN + seat], b[FAR + seat]
    for i in range(MEN_AT + seat * w.men, MEN_AT + seat * w.men + w.men):
        origin = b[i]
        left = own ^ 1 << t.relative[seat, origin]
        for j in range(targets(t.near, t.jump, b[ALL], origin, w.cells)):
            to = np.int64(w.cells[j])
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
def value(w: Work, seat: int) -> int:
    """What the position is worth to the seat, which is to move."""
    t, b = w.tables, w.board
    root = b[ROOT]
    own, others = needed(t, b, root), needed(t, b, 1 - root)
    if b[PATIENT]:
        own = max(own, WAIT) if b[GUESTS + root] else own
        others = max(others, WAIT) if b[GUESTS + 1 - root] else others
    elif b[GUESTS + root] and own < NEAR:
        own = 2 * NEAR + 1 - own
    ahead = others - own if seat == root else own - others
    worth = ahead * MOVE_VALUE + b[FAR + 1 - seat] - b[FAR + seat] + TEMPO
    if is_race(t, b, w.men):
        worth += RACE if ahead >= 0 else -RACE
    return worth


@jit
def recall(w: Work, seat: int, depth: int, alpha: int, beta: int, ply: int) -> tuple[bool, int, int]:
    """What the table of positions knows: whether that is enough, the value, and the move that was best, or 0."""
    b = w.board
    slot = (b[KEY] ^ seat) >> 8 & (len(w.seen) - 1)
    if w.seen[slot, 0] != b[KEY] ^ seat:  # bit 0
        return False, np.int64(0), np.int64(0)
    data = w.seen[slot, 1]
    kind, known, worth = data >> 12 & 3, data >> 14 & 63, (data >> 20) - 2 * WIN
    if worth > WIN // 2:
        worth -= ply
    elif worth < -WIN // 2:
        worth += ply
    enough = kind == EXACT or (kind == LOWER and worth >= beta) or (kind == UPPER and worth <= alpha)
    return known >= depth and enough, worth, data & MOVE_MASK


@jit
def remember(w: Work, seat: int, depth: int, kind: int, worth: int, move: int, ply: int) -> None:
    """Write a value and the best move to the table of positions. Wins count from this position, not from the root."""
    if worth > WIN // 2:
        worth += ply
    elif worth < -WIN // 2:
        worth -= ply
    key = w.board[KEY] ^ seat
    slot = key >> 8 & (len(w.seen) - 1)
    w.seen[slot, 0] = key
    w.seen[slot, 1] = (worth + 2 * WIN) << 20 | depth << 14 | kind << 12 | move


@jit
def to_front(moves: NDArray[np.int64], at: int) -> None:
    """Move moves[at] before all others."""
    first = moves[at]
    for k in range(at, 0, -1):
        moves[k] = moves[k - 1]
    moves[0] = first


@jit
def search(w: Work, seat: int, depth: int, alpha: int, beta: int, ply: int) -> int:
    """The value of the position for the seat, which is to move, within alpha .. beta (fail-soft)."""
    b = w.board
    b[NODES] += 1
    if b[NODES] >= b[BUDGET]:
        b[STOPPED] = 1
    if b[STOPPED]:
        return np.int64(0)
    if depth <= 0 or ply >= MOST_PLY:
        return np.int64(value(w, seat))
    enough, known, first = recall(w, seat, depth, alpha, beta, ply)
    if enough:
        return np.int64(known)
    moves = w.lists[ply]
    count = list_moves(w, seat, moves)
    if count == 0:  # it is skipped
        return np.int64(-search(w, 1 - seat, depth - 1, -beta, -alpha, ply + 1))
    if moves[0] >> NEEDED_SHIFT == 0:
        return np.int64(WIN - ply - 1)
    if first:
        for i in range(count):
            if moves[i] & MOVE_MASK == first:
                to_front(moves, i)
                break
    best, chosen, low = np.int64(-2 * WIN), np.int64(0), alpha
    for i in range(count):
        make(w, seat, moves[i])
        less = 0 if depth < 3 or i < LATE else 1 if i < VERY_LATE else 2
        high = beta if i == 0 else low + 1
        while True:  # one call in a loop, because Numba infers the types of all this again for each call of itself
            worth = -search(w, 1 - seat, depth - 1 - less, -high, -low, ply + 1)
            if worth <= low or (less == 0 and (worth >= beta or high == beta)):
                break
            less, high = 0, beta
        take_back(w, seat, moves[i])
        if b[STOPPED]:
            return np.int64(0)
        if worth > best:
            best, chosen = worth, moves[i] & MOVE_MASK
            low = max(low, best)
            if best >= beta:
                break
    remember(w, seat, depth, LOWER if best >= beta else EXACT if best > alpha else UPPER, best, chosen, ply)
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
    w = Work(
        t,
        keys,
        np.zeros((size, 2), np.int64),
        np.empty(MEN_AT + 2 * men, np.int64),
        np.empty((MOST_PLY + 1, MOST_MOVES), np.int64),
        np.empty(rules[N_CELLS], np.int64),
        men,
    )
    for row in range(len(states)):
        load(w, rules, states[row])
        w.seen[:] = 0
        seat = np.int64(states[row, TO_MOVE])
        w.board[BUDGET], w.board[ROOT], w.board[PATIENT] = nodes, seat, states[row, PLY] >= LONG
        best, worth = _think(w, seat, depth, streams[row : row + 1])
        actions[row] = (best >> CELL_BITS) * rules[N_CELLS] + (best & CELL_MASK)
        values[row] = worth


@jit
def _think(w: Work, seat: int, most: int, stream: Stream) -> tuple[int, int]:
    """The best move of the position on the board, and its value, by searches of growing depth."""
    moves = w.lists[0].copy()
    count = list_moves(w, seat, moves)
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
            make(w, seat, moves[i])
            worth = most_worth
            if i > 0:
                worth = -search(w, 1 - seat, depth - one, -low - 1, -low, one)
            if worth > low:
                worth = -search(w, 1 - seat, depth - one, least, -low, one)
            take_back(w, seat, moves[i])
            if w.board[STOPPED]:
                break
            if worth > low:
                low, leader = worth, i
        if low == least:
            break  # not even the first move was searched
        best, worth_of_best = moves[leader], low
        to_front(moves, leader)
        if w.board[STOPPED] or abs(low) > WIN // 2:
            break
    return best & MOVE_MASK, worth_of_best
