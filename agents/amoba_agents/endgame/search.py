"""Alpha-beta for halma with two players, and best-reply search for three, compiled.

A position is worth the moves that the opponent needs to get home if nobody else were on the board, less the own ones
(tables.py); ties are broken by step distance. In a race, when neither side is in the other's way any more, the side
that needs fewer moves nearly always wins. The *root* is the seat for which a move is sought.

The search is the usual one: iterative deepening, a table of positions, principal variation search with null windows,
and moves that come late in the order are searched less deep first (late-move reductions). Moves are ordered by what the
own side needs after them.

The goal of each seat shares a corner with the home of the other. A man that never leaves the other's goal keeps that
side from winning, so two players who both wait draw. An opponent who sees that he is about to lose does not leave. So
the root comes no nearer than NEAR moves to an occupied goal. Its own men in the other's goal are worth nothing by
themselves: a search that counted them as a gain kept them there, and drew games that it could win. When a game is long,
both sides wait. Then patience pays: a side whose goal is occupied is valued as if it needed WAIT moves at least, so men
stay where they are in the way until the other side has wandered off.

With three players the root and one of the others move in turn: the one with the strongest reply (Schadd and Winands,
"Best reply search for multiplayer games", IEEE TCIAIG 2011). The root must be ahead of both. It can keep a man in the
goal of one of them until it is nearly home. Then that one only has to need more than the last HOLD moves of the root.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_agents.endgame.tables import UNKNOWN, Tables, rank_of, targets
from amoba_env.core.jit import jit
from amoba_env.core.refcount import uncounted
from amoba_env.core.rng import Stream, below
from amoba_env.core.rules import MEN, N_CELLS, PLAYERS, Rules
from amoba_env.core.state import CELLS, PLY, TO_MOVE, State, States

Board = NDArray[np.int64]

# The board of a search, one row of integers:
ALL = 0  # the cells of all men, one bit each
KEY = 1  # of the table of positions
NODES = 2  # positions looked at
BUDGET = 3
STOPPED = 4  # 1: the budget is spent
ROOT = 5  # the seat for which a move is sought
PATIENT = 6  # 1: the game is long
SEATS = 7  # the number of players
MEN_EACH = 8  # the men of a player
OWN = 9  # [3] the cells of a seat's men as the seat sees the board
FAR = 12  # [3] steps to the goal, of all men together
NEED = 15  # [3] moves that the seat needs alone on the board
ON = 18  # [3] the cells of a seat's men, one bit each
GOALS = 21  # [3] the cells of a seat's goal, one bit each
MEN_AT = 24  # [players, men] the cells of a seat's men
MOST_PLAYERS = 3

CELL_BITS = 6
CELL_MASK = (1 << CELL_BITS) - 1
MOVE_MASK = (1 << 2 * CELL_BITS) - 1
SEAT_SHIFT, SEAT_MASK = 2 * CELL_BITS, 3
STEPS_SHIFT = SEAT_SHIFT + 2
NEEDED_SHIFT = STEPS_SHIFT + 8  # a move is one integer: moves needed after it, steps after it, seat, from, to
MOST_PLY = 40
MOST_MOVES = 512

MOVE_VALUE = 16  # of a move needed, in the unit of the values; a step counts 1
NEAR = 3  # so many moves from home a seat waits while a man of the other stands in its goal
LONG, WAIT = 100, 11  # after so many plies each seat is valued as if it needed so many moves then
HOLD = 3  # with three players: a man of the root can stay in another's goal until the root needs so many moves
TEMPO = MOVE_VALUE // 2  # it is worth half a move to be to move
RACE = 1000  # who needs fewer moves in a race
WIN = 1 << 20  # less the plies until then
LOWER, UPPER, EXACT = 1, 2, 3  # what the table of positions knows of a value

LATE, VERY_LATE = 4, 12  # so many moves come first; later ones are searched 1 or 2 plies less deep


class Work(NamedTuple):
    """What a search works with."""

    tables: Tables  # of the game
    keys: NDArray[np.int64]  # [players, n] numbers of men on cells, for the table of positions
    seen: NDArray[np.int64]  # [entries, 2] the table of positions: key, and value, depth, kind and move in one number
    board: Board
    lists: NDArray[np.int64]  # [MOST_PLY + 1, MOST_MOVES] room for moves
    cells: NDArray[np.int64]  # [n] room for cells


@jit
def _uncounted(w: Work) -> Work:
    """The same without reference counts, which take a quarter of the time. The caller keeps the arrays alive."""
    t = w.tables
    tables = Tables(
        uncounted(t.near),
        uncounted(t.jump),
        uncounted(t.relative),
        uncounted(t.steps),
        uncounted(t.goals),
        uncounted(t.rank),
        uncounted(t.ones),
        uncounted(t.distances),
    )
    keys, seen, board = uncounted(w.keys), uncounted(w.seen), uncounted(w.board)
    return Work(tables, keys, seen, board, uncounted(w.lists), uncounted(w.cells))


@jit
def load(w: Work, rules: Rules, s: State) -> None:
    """Set up the board from a state."""
    t, b = w.tables, w.board
    b[:MEN_AT] = 0
    players, men = rules[PLAYERS], rules[MEN]
    b[SEATS], b[MEN_EACH] = players, men
    b[ROOT], b[PATIENT] = s[TO_MOVE], players == 2 and s[PLY] >= LONG
    found = np.zeros(players, np.int64)
    for cell in range(rules[N_CELLS]):
        seat = s[CELLS + cell]
        if seat >= 0:
            b[MEN_AT + seat * men + found[seat]] = cell
            found[seat] += 1
            b[ALL] |= 1 << cell
            b[ON + seat] |= 1 << cell
            b[OWN + seat] |= 1 << t.relative[seat, cell]
            b[FAR + seat] += t.steps[seat, cell]
            b[KEY] ^= w.keys[seat, cell]
    for seat in range(players):
        b[NEED + seat] = t.distances[rank_of(t.rank, t.ones, b[OWN + seat])]
        b[GOALS + seat] = t.goals[seat]


@jit
def _shift(w: Work, seat: int, origin: int, to: int) -> None:
    """Take a man of the seat from one cell to another."""
    t, b = w.tables, w.board
    at = MEN_AT + seat * b[MEN_EACH]
    while b[at] != origin:
        at += 1
    b[at] = to
    both = 1 << origin ^ 1 << to
    b[ALL] ^= both
    b[ON + seat] ^= both
    b[OWN + seat] ^= 1 << t.relative[seat, origin] ^ 1 << t.relative[seat, to]
    b[FAR + seat] += t.steps[seat, to] - t.steps[seat, origin]
    b[KEY] ^= w.keys[seat, origin] ^ w.keys[seat, to]


@jit
def make(w: Work, move: int) -> int:
    """Make a move, as list_moves() writes it; return what take_back() asks for."""
    seat = move >> SEAT_SHIFT & SEAT_MASK
    before = w.board[NEED + seat]
    _shift(w, seat, move >> CELL_BITS & CELL_MASK, move & CELL_MASK)
    w.board[NEED + seat] = move >> NEEDED_SHIFT
    return before


@jit
def take_back(w: Work, move: int, before: int) -> None:
    """Undo what make() did."""
    seat = move >> SEAT_SHIFT & SEAT_MASK
    _shift(w, seat, move & CELL_MASK, move >> CELL_BITS & CELL_MASK)
    w.board[NEED + seat] = before


@jit
def list_moves(w: Work, seat: int, out: NDArray[np.int64]) -> int:
    """Write the seat's moves to `out`, the most promising first; return how many.

    A seat beyond the last one stands for all but the root.
    """
    t, b = w.tables, w.board
    count, men = 0, b[MEN_EACH]
    for mover in range(b[SEATS]):
        if mover != seat and (seat < b[SEATS] or mover == b[ROOT]):
            continue
        own, far = b[OWN + mover], b[FAR + mover]
        for i in range(MEN_AT + mover * men, MEN_AT + mover * men + men):
            origin = b[i]
            left = own ^ 1 << t.relative[mover, origin]
            for j in range(targets(t.near, t.jump, b[ALL], origin, w.cells)):
                to = np.int64(w.cells[j])
                moves = np.int64(t.distances[rank_of(t.rank, t.ones, left | 1 << t.relative[mover, to])])
                steps = far + t.steps[mover, to] - t.steps[mover, origin]
                key = moves << NEEDED_SHIFT | steps << STEPS_SHIFT | mover << SEAT_SHIFT | origin << CELL_BITS | to
                k = count
                while k > 0 and out[k - 1] > key:
                    out[k] = out[k - 1]
                    k -= 1
                out[k] = key
                count += 1
    return count


@jit
def is_race(steps: NDArray[np.int64], b: Board) -> bool:
    """Whether the men of the root are all nearer to its tip than every other man, and the others' men to theirs."""
    root = b[ROOT]
    for other in range(b[SEATS]):
        if other != root and not (_is_ahead(steps, b, root, other) and _is_ahead(steps, b, other, root)):
            return False
    return True


@jit
def _is_ahead(steps: NDArray[np.int64], b: Board, seat: int, other: int) -> bool:
    """Whether the men of the seat are all nearer to its tip than every man of the other."""
    farthest, men = 0, b[MEN_EACH]
    for i in range(MEN_AT + seat * men, MEN_AT + seat * men + men):
        farthest = max(farthest, steps[seat, b[i]])
    for i in range(MEN_AT + other * men, MEN_AT + other * men + men):
        if steps[seat, b[i]] <= farthest:
            return False
    return True


@jit
def lead(b: Board) -> int:
    """By how many moves the root is ahead of the others, see the module."""
    root = b[ROOT]
    own = b[NEED + root]
    if (b[ALL] ^ b[ON + root]) & b[GOALS + root]:
        if b[PATIENT]:
            own = max(own, WAIT)
        elif own < NEAR:
            own = 2 * NEAR + 1 - own
    if b[SEATS] == 2:
        waits = b[PATIENT] and b[ON + root] & b[GOALS + 1 - root]
        return (max(b[NEED + 1 - root], WAIT) if waits else b[NEED + 1 - root]) - own
    best = np.int64(-UNKNOWN)
    for last in range(b[SEATS]):  # whose goal is left last, if the root is there
        if last != root:
            first = b[SEATS] - root - last
            behind = min(HOLD, own) if b[ON + root] & b[GOALS + last] else own
            best = max(best, min(b[NEED + first] - own, b[NEED + last] - behind))
    return best


@jit
def value(steps: NDArray[np.int64], b: Board, seat: int) -> int:
    """What the position is worth to the seat, which is to move; all others together if it is beyond the last one."""
    far = np.int64(0)
    for other in range(b[SEATS]):
        if other != b[ROOT]:
            far += b[FAR + other]
    ahead, nearer = lead(b), (far >> b[SEATS] - 2) - b[FAR + b[ROOT]]
    if seat != b[ROOT]:
        ahead, nearer = -ahead, -nearer
    worth = ahead * MOVE_VALUE + nearer + TEMPO
    if is_race(steps, b):
        worth += RACE if ahead >= 0 else -RACE
    return worth


@jit
def recall(w: Work, seat: int, depth: int, alpha: int, beta: int, ply: int) -> tuple[bool, int, int]:
    """What the table of positions knows: whether that is enough, the value, and the move that was best, or 0."""
    b = w.board
    slot = (b[KEY] ^ seat) >> 8 & (len(w.seen) - 1)
    if w.seen[slot, 0] != b[KEY] ^ seat:  # bits 0 and 1
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
def _next(b: Board, seat: int) -> int:
    """Who moves after the seat: the root, or all others."""
    return np.int64(b[SEATS]) if seat == b[ROOT] else b[ROOT]


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
        return np.int64(value(w.tables.steps, b, seat))
    enough, known, first = recall(w, seat, depth, alpha, beta, ply)
    if enough:
        return np.int64(known)
    moves = w.lists[ply]
    count = list_moves(w, seat, moves)
    if count == 0:  # it is skipped
        return np.int64(-search(w, _next(b, seat), depth - 1, -beta, -alpha, ply + 1))
    if moves[0] >> NEEDED_SHIFT == 0:
        return np.int64(WIN - ply - 1)
    if first:
        for i in range(count):
            if moves[i] & MOVE_MASK == first:
                to_front(moves, i)
                break
    best, chosen, low = np.int64(-2 * WIN), np.int64(0), alpha
    for i in range(count):
        before = make(w, moves[i])
        less = 0 if depth < 3 or i < LATE else 1 if i < VERY_LATE else 2
        high = beta if i == 0 else low + 1
        while True:  # one call in a loop, because Numba infers the types of all this again for each call of itself
            worth = -search(w, _next(b, seat), depth - 1 - less, -high, -low, ply + 1)
            if worth <= low or (less == 0 and (worth >= beta or high == beta)):
                break
            less, high = 0, beta
        take_back(w, moves[i], before)
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
        rules: of a game of two or three players in which men move.
        states: int16[B, S].
        streams: uint64[B], advanced in place: of moves that look equally good at first, another comes first.
        keys: [players, n] numbers of men on cells.
        nodes: the most positions that are looked at for a move.
        depth: the most plies.
        size: entries of the table of positions, a power of two.
        actions: int32[B].
        values: int32[B].
    """
    counted = Work(
        t,
        keys,
        np.zeros((size, 2), np.int64),
        np.empty(MEN_AT + rules[PLAYERS] * rules[MEN], np.int64),
        np.empty((MOST_PLY + 1, MOST_MOVES), np.int64),
        np.empty(rules[N_CELLS], np.int64),
    )
    w = _uncounted(counted)
    for row in range(len(states)):
        load(w, rules, states[row])
        w.seen[:] = 0
        seat = np.int64(states[row, TO_MOVE])
        w.board[BUDGET] = nodes
        best, worth = _think(w, seat, depth, streams[row : row + 1])
        actions[row] = (best >> CELL_BITS) * rules[N_CELLS] + (best & CELL_MASK)
        values[row] = worth
    counted.board[NODES] += counted.seen[0, 0] + counted.lists[0, 0] + counted.cells[0]  # keeps them alive until here


@jit
def _think(w: Work, seat: int, most: int, stream: Stream) -> tuple[int, int]:
    """The best move of the position on the board, and its value, by searches of growing depth."""
    moves = w.lists[0].copy()
    count = list_moves(w, seat, moves)
    for i in range(count):  # shuffle moves that look the same
        same = 1
        while i + same < count and moves[i + same] >> STEPS_SHIFT == moves[i] >> STEPS_SHIFT:
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
            before = make(w, moves[i])
            worth = most_worth
            if i > 0:
                worth = -search(w, _next(w.board, seat), depth - one, -low - 1, -low, one)
            if worth > low:
                worth = -search(w, _next(w.board, seat), depth - one, least, -low, one)
            take_back(w, moves[i], before)
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
