"""Halma for three: a Monte-Carlo tree search over the own moves, in which the others answer as `brs` would, compiled.

The tree has only the own moves. After each of them the two others move as best-reply search of two plies would move
them (replies.py of amoba_agents.halma): the moves that are likely, not the worst ones. This is an opponent model
(Carmel and Markovitch, "Incorporating opponent models into adversary search", AAAI 1996). Of replies that are equally
good a random one is taken; an edge of the tree keeps a few samples of them. At the root every second sample comes from
a search of four plies: the next replies matter most, and nobody knows how far the others look ahead.

A new position is worth its best move's chance (chances.py). The chances of moves are also their priors, and the values
with which they start (PUCT, see amoba_agents.mcts.tree).
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_agents.endgame.board import (
    CELL_BITS,
    CELL_MASK,
    KEY,
    MEN_AT,
    MOST_MOVES,
    NEEDED_SHIFT,
    OWN,
    SEAT_SHIFT,
    Work,
    list_moves,
    load,
    make,
    take_back,
    uncounted_work,
)
from amoba_agents.endgame.chances import SEATS, Network, chance, odds_of_moves
from amoba_agents.endgame.tables import Tables, rank_of
from amoba_agents.halma.reach import SEATS_MAX
from amoba_agents.halma.reach import Work as Men
from amoba_agents.halma.replies import BEST_REPLY, Values, best_moves
from amoba_agents.halma.seats import load as load_men
from amoba_agents.halma.seats import move_man, seats_workspace
from amoba_env.core.interrupt import cancelled
from amoba_env.core.jit import jit
from amoba_env.core.rng import Stream, below
from amoba_env.core.rules import MEN, N_CELLS, PLAYERS, Rules
from amoba_env.core.state import TO_MOVE, State, States

WIDTH = 10  # moves of a position in the tree: those with the best chances
SAMPLES = 4  # of the replies to a move, at most
REPLY_PLIES, ALL_MOVES = 2, 1 << 14  # what the others search, and
FAR_PLIES, FAR_WIDTH = 4, 8  # for every second sample at the root; the best moves of a position
LONGEST = 60  # own moves from the root
C = 0.5  # the weight of exploration
SHARPNESS = 2.0  # priors are proportional to the odds to this power
UNKNOWN_CHANCE = 1 / SEATS  # where the seat cannot move
NO_MOVE = -1
VALUE_UNIT = 1000  # a value that means a win


class Tree(NamedTuple):
    """Positions in which the root's seat is to move; number 0 is the root. N positions, T slots, a power of two."""

    degree: NDArray[np.int64]  # [N] how many moves
    move: NDArray[np.int64]  # [N, WIDTH] as list_moves() writes them
    prior: NDArray[np.float64]  # [N, WIDTH]
    visits: NDArray[np.int64]  # [N, WIDTH] one more than there were
    value: NDArray[np.float64]  # [N, WIDTH] the mean chance
    samples: NDArray[np.int64]  # [N, WIDTH] how many
    replies: NDArray[np.int64]  # [N, WIDTH, SAMPLES, 2] of the next and the last player, or NO_MOVE
    worth: NDArray[np.float64]  # [N] the chance when the position was new
    key: NDArray[np.int64]  # [T]
    number: NDArray[np.int64]  # [T] of the position with this key, or -1


class Model(NamedTuple):
    """What finds the replies of the others."""

    men: Men  # the work row of amoba_agents.halma
    state: State  # only who is to move
    values: Values
    best: NDArray[np.int32]  # room for actions


class Path(NamedTuple):
    """From the root to where the search is."""

    move: NDArray[np.int64]  # [3 * LONGEST] moves of all players, and
    before: NDArray[np.int64]  # what take_back() asks for
    node: NDArray[np.int64]  # [LONGEST] positions of the tree, and
    edge: NDArray[np.int64]  # which of its moves


@jit
def _play(rules: Rules, w: Work, m: Model, p: Path, length: int, move: int) -> int:
    """Make a move on both boards and write it to the path; return the path's new length."""
    p.move[length], p.before[length] = move, make(w, move)
    move_man(rules, m.men, move >> CELL_BITS & CELL_MASK, move & CELL_MASK)
    return length + 1


@jit
def _reply(rules: Rules, w: Work, m: Model, seat: int, is_far: bool, stream: Stream) -> int:
    """A likely move of the seat, as list_moves() writes it, or NO_MOVE."""
    m.state[TO_MOVE] = seat
    plies, width = (FAR_PLIES, FAR_WIDTH) if is_far else (REPLY_PLIES, ALL_MOVES)
    count, _ = best_moves(rules, m.state, m.men, m.values, BEST_REPLY, plies, width, m.best)
    if count == 0:
        return np.int64(NO_MOVE)
    action = np.int64(m.best[below(stream, np.int64(count))])
    origin, to = action // rules[N_CELLS], action % rules[N_CELLS]
    t = w.tables
    men = w.board[OWN + seat] ^ 1 << t.relative[seat, origin] ^ 1 << t.relative[seat, to]
    needed = np.int64(t.distances[rank_of(t.rank, t.ones, men)])
    return needed << NEEDED_SHIFT | seat << SEAT_SHIFT | origin << CELL_BITS | to


@jit
def expand(w: Work, net: Network, tree: Tree, node: int, seat: int, odds: NDArray[np.float64]) -> float:
    """Write the moves of the position on the board to the tree; return what it is worth."""
    moves = w.lists[0]
    count = list_moves(w, seat, moves)
    if count == 0:
        tree.degree[node] = 0
        return UNKNOWN_CHANCE
    if moves[0] >> NEEDED_SHIFT == 0:
        tree.degree[node], tree.move[node, 0], tree.prior[node, 0] = 1, moves[0], 1.0
        tree.visits[node, 0], tree.value[node, 0], tree.samples[node, 0] = 1, 1.0, 0
        return 1.0
    odds_of_moves(net, w.tables, w.board, seat, moves, count, odds)
    kept = min(count, WIDTH)
    total = 0.0
    for j in range(kept):
        best = j
        for i in range(j + 1, count):
            if odds[i] > odds[best]:
                best = i
        odds[j], odds[best] = odds[best], odds[j]
        moves[j], moves[best] = moves[best], moves[j]
        tree.move[node, j], tree.visits[node, j], tree.samples[node, j] = moves[j], 1, 0
        tree.value[node, j] = chance(odds[j])
        tree.prior[node, j] = math.exp(SHARPNESS * (odds[j] - odds[0]))
        total += tree.prior[node, j]
    for j in range(kept):
        tree.prior[node, j] /= total
    tree.degree[node] = kept
    return tree.value[node, 0]


@jit
def _select(tree: Tree, node: int) -> int:
    """Which move of a position to follow."""
    visits = 0
    for j in range(tree.degree[node]):
        visits += tree.visits[node, j]
    best, most = 0, -1.0
    for j in range(tree.degree[node]):
        explore = C * tree.prior[node, j] * math.sqrt(visits) / (1 + tree.visits[node, j])
        if tree.value[node, j] + explore > most:
            best, most = j, tree.value[node, j] + explore
    return best


@jit
def _find(tree: Tree, key: int) -> int:
    """The slot of a key, or the empty one where it belongs."""
    slot = key >> 8 & (len(tree.key) - 1)
    while tree.number[slot] >= 0 and tree.key[slot] != key:
        slot = slot + 1 & (len(tree.key) - 1)
    return slot


@jit
def _simulate(
    rules: Rules,
    w: Work,
    m: Model,
    net: Network,
    tree: Tree,
    p: Path,
    used: int,
    seat: int,
    rounds: int,
    odds: NDArray[np.float64],
    stream: Stream,
) -> int:
    """Descend from the root to a new position, or to the end, and back up what it is worth.

    Returns how many positions the tree has then; it had `used`.
    """
    node = depth = length = np.int64(0)
    while True:
        worth = tree.worth[node]
        if tree.degree[node] == 0 or depth == rounds:
            break
        edge = _select(tree, node)
        p.node[depth], p.edge[depth] = node, edge
        depth += 1
        move = tree.move[node, edge]
        if move >> NEEDED_SHIFT == 0:
            worth = 1.0
            break
        length = _play(rules, w, m, p, length, move)
        known, sample = tree.samples[node, edge], np.int64(0)
        is_new = known < min(SAMPLES, 1 + math.sqrt(tree.visits[node, edge]) / 2)
        if is_new:
            sample = known
            tree.samples[node, edge] += 1
            tree.replies[node, edge, sample, 1] = NO_MOVE
        else:
            sample = below(stream, known)
        lost = False
        for k in range(SEATS - 1):
            if is_new:
                is_far = node == 0 and sample % 2 == 1
                tree.replies[node, edge, sample, k] = _reply(rules, w, m, (seat + 1 + k) % SEATS, is_far, stream)
            reply = tree.replies[node, edge, sample, k]
            if reply != NO_MOVE:
                length = _play(rules, w, m, p, length, reply)
                if reply >> NEEDED_SHIFT == 0:
                    lost = True
                    break
        if lost:
            worth = 0.0
            break
        slot = _find(tree, w.board[KEY])
        if tree.number[slot] < 0:
            tree.number[slot], tree.key[slot] = used, w.board[KEY]
            worth = tree.worth[used] = expand(w, net, tree, used, seat, odds)
            used += 1
            break
        node = tree.number[slot]
    for i in range(length - 1, -1, -1):
        move = p.move[i]
        take_back(w, move, p.before[i])
        move_man(rules, m.men, move & CELL_MASK, move >> CELL_BITS & CELL_MASK)
    for i in range(depth):
        at = p.node[i], p.edge[i]
        tree.visits[at] += 1
        tree.value[at] += (worth - tree.value[at]) / tree.visits[at]
    return used


@jit
def _best(tree: Tree) -> int:
    """The root's move that was followed most often; of those the one with the best chance."""
    best = 0
    for j in range(1, tree.degree[0]):
        more = tree.visits[0, j] - tree.visits[0, best]
        if more > 0 or (more == 0 and tree.value[0, j] > tree.value[0, best]):
            best = j
    return best


@jit
def choose(
    t: Tables,
    rules: Rules,
    net: Network,
    states: States,
    streams: NDArray[np.uint64],
    keys: NDArray[np.int64],
    simulations: int,
    rounds: int,
    actions: NDArray[np.int32],
    values: NDArray[np.int32],
) -> None:
    """Write the best move of each position to `actions`, and its chance to win to `values`.

    Args:
        t: tables of the game.
        rules: of halma with three players.
        net: the network of chances.
        states: int16[B, S].
        streams: uint64[B], advanced in place.
        keys: [players, n] numbers of men on cells.
        simulations: for each move.
        rounds: the most own moves of a line.
        actions: int32[B].
        values: int32[B], in units of 1 / VALUE_UNIT.
    """
    n, slots = simulations + 1, 1
    while slots < 2 * n:
        slots *= 2
    counted = Work(
        t,
        keys,
        np.zeros((1, 2), np.int64),
        np.empty(MEN_AT + rules[PLAYERS] * rules[MEN], np.int64),
        np.empty((1, MOST_MOVES), np.int64),
        np.empty(rules[N_CELLS], np.int64),
    )
    w = uncounted_work(counted)
    tree = Tree(
        np.zeros(n, np.int64),
        np.zeros((n, WIDTH), np.int64),
        np.zeros((n, WIDTH)),
        np.zeros((n, WIDTH), np.int64),
        np.zeros((n, WIDTH)),
        np.zeros((n, WIDTH), np.int64),
        np.zeros((n, WIDTH, SAMPLES, SEATS - 1), np.int64),
        np.zeros(n),
        np.zeros(slots, np.int64),
        np.zeros(slots, np.int64),
    )
    most = min(rounds, LONGEST)
    path = Path(
        np.zeros(SEATS * most, np.int64),
        np.zeros(SEATS * most, np.int64),
        np.zeros(most, np.int64),
        np.zeros(most, np.int64),
    )
    model = Model(
        seats_workspace(rules, FAR_PLIES + 1),
        states[0].copy(),
        np.zeros((FAR_PLIES + 1, SEATS_MAX), np.int64),
        np.empty(rules[MEN] * rules[N_CELLS], np.int32),
    )
    odds = np.empty(MOST_MOVES)
    for row in range(len(states)):
        load(w, rules, states[row])
        load_men(rules, states[row], model.men)
        seat, stream = np.int64(states[row, TO_MOVE]), streams[row : row + 1]
        tree.number[:] = -1
        tree.worth[0] = expand(w, net, tree, np.int64(0), seat, odds)
        used = np.int64(1)
        if tree.degree[0] > 1:
            for _ in range(simulations):
                if cancelled():
                    break
                used = _simulate(rules, w, model, net, tree, path, used, seat, most, odds, stream)
        best = _best(tree)
        move = tree.move[0, best]
        actions[row] = (move >> CELL_BITS & CELL_MASK) * rules[N_CELLS] + (move & CELL_MASK)
        values[row] = np.int64(round(tree.value[0, best] * VALUE_UNIT))
    counted.board[KEY] += counted.seen[0, 0] + counted.lists[0, 0] + counted.cells[0]  # keeps them alive until here
