"""The trees of a Monte-Carlo tree search, one for each game, in flat arrays.

A search is a loop: `descend` (descent.py) goes from the root to a leaf; the leaf is evaluated for each seat, and its
moves get priors; `expand` adds its edges; `backup` adds the values along the path. Trees do not depend on each other.
simulate.py has the loops.

An edge with the prior P is chosen by its mean value for the player to move plus c * P * sqrt(N) / (1 + n) (PUCT: Rosin,
"Multi-armed bandits with episode context", 2011, in the form of Silver et al., "A general reinforcement learning
algorithm that masters chess, shogi, and Go", Science 362, 2018). An untried edge gets the mean value of the edges that
were tried.

Values are vectors with one number for each seat, so any number of players can play; each maximises its own (max^n).
An edge on the path of a leaf that is not yet backed up counts as a loss (virtual loss), so that several leaves can
be selected at once.

In games of two, proven wins and losses can be backed up (MCTS-Solver: M. Winands, Y. Björnsson, J.-T. Saito, "Monte-
Carlo tree search solver", Computers and Games 2008): if a move at a node wins, the move that led to the node loses;
if all moves at a node lose, the move that led to it wins. A move that is proven to win is always selected, a move
that is proven to lose never, unless all do.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_env.core import state as st
from amoba_env.core.jit import jit
from amoba_env.core.play import rewards
from amoba_env.core.rng import Stream, below
from amoba_env.core.rules import Rules
from amoba_env.core.state import State

Integers = NDArray[np.int32]
Floats = NDArray[np.float32]

MAX_LENGTH = 256  # the most edges from the root to a leaf
NODES, EDGES = range(2)  # slots of `used`
NO_PLAN: Integers = np.zeros((0, 0), np.int32)
LOST, UNKNOWN, WON = -1, 0, 1  # the proven result of a move for the player who makes it


class Reading(NamedTuple):
    """The result of a leaf's search."""

    proof: int  # LOST, UNKNOWN or WON for the player to move
    moves: int  # number of moves written; if the position is won, the first one wins
    complete: bool  # whether all other moves lose


class Trees(NamedTuple):
    """B trees of at most N nodes and E edges; node 0 is the root. K leaves are selected at once."""

    used: Integers  # [B, 2] nodes and edges in use
    first: Integers  # [B, N] the first edge of a node, -1 while it is not expanded
    degree: Integers  # [B, N] number of edges
    seat: Integers  # [B, N] the seat to move
    action: Integers  # [B, E]
    child: Integers  # [B, E] the node below, -1 if it was not visited
    visits: Integers  # [B, E]
    total: Floats  # [B, E] the sum of values for the seat that moves
    prior: Floats  # [B, E]
    proof: NDArray[np.int8]  # [B, E] LOST, UNKNOWN or WON
    complete: NDArray[np.bool_]  # [B, N] whether all moves that the node has no edge for lose
    path: Integers  # [B, K, MAX_LENGTH, 2] nodes and edges from the root to the leaf
    length: Integers  # [B, K] edges on it
    leaf: Integers  # [B, K] the node
    noise: Floats  # [B, moves] added to the logits of the root's edges
    worth: Floats  # [B] value of the root for its player, by the leaf
    seats: Floats  # [B, players] the sum of values for each seat, of all leaves but the root
    plan: Integers  # [legal moves, simulations] of the root, see gumbel.py; empty: it is searched like all nodes


def trees(
    count: int, nodes: int, edges: int, moves: int, players: int, leaves: int = 1, plan: Integers = NO_PLAN
) -> Trees:
    """Empty trees. `moves` is the greatest number of moves that a root can have."""
    node, edge, leaf = (count, nodes), (count, edges), (count, leaves)
    used = np.zeros((count, 2), np.int32)
    used[:, NODES] = 1
    return Trees(
        used,
        first=np.full(node, -1, np.int32),
        degree=np.zeros(node, np.int32),
        seat=np.zeros(node, np.int32),
        action=np.zeros(edge, np.int32),
        child=np.zeros(edge, np.int32),
        visits=np.zeros(edge, np.int32),
        total=np.zeros(edge, np.float32),
        prior=np.zeros(edge, np.float32),
        proof=np.zeros(edge, np.int8),
        complete=np.zeros(node, np.bool_),
        path=np.zeros((*leaf, MAX_LENGTH, 2), np.int32),
        length=np.zeros(leaf, np.int32),
        leaf=np.zeros(leaf, np.int32),
        noise=np.zeros((count, moves), np.float32),
        worth=np.zeros(count, np.float32),
        seats=np.zeros((count, players), np.float32),
        plan=plan,
    )


@jit
def best_edge(tree: Trees, b: int, node: int, c: float) -> int:
    """The edge to follow from an expanded node."""
    first, count = tree.first[b, node], tree.degree[b, node]
    tried, total, lost = 0, 0.0, 0
    for edge in range(first, first + count):
        if tree.proof[b, edge] == WON:
            return edge
        if tree.proof[b, edge] == LOST:
            lost += 1
        else:
            tried += tree.visits[b, edge]
            total += tree.total[b, edge]
    unvisited = total / tried if tried else 0.0
    best, most = first, -math.inf
    root = math.sqrt(max(1, tried))
    for edge in range(first, first + count):
        if tree.proof[b, edge] == LOST and lost < count:
            continue
        n = tree.visits[b, edge]
        value = tree.total[b, edge] / n if n else unvisited
        value += c * (tree.prior[b, edge] * root / (1 + n))
        if value > most:
            best, most = edge, value
    return best


@jit
def normalize(priors: Floats, count: int) -> None:
    """Divide priors[:count] by their sum."""
    total = 0.0
    for i in range(count):
        total += priors[i]
    for i in range(count):
        priors[i] /= total


@jit
def expand(tree: Trees, b: int, node: int, s: State, legal: Integers, priors: Floats, count: int, rng: Stream) -> None:
    """Give a node its edges, in random order: the moves legal[:count] with priors[:count].

    Nothing happens if the node already has edges, if its game is over, or if the tree is full.
    """
    first = tree.used[b, EDGES]
    if tree.first[b, node] >= 0 or s[st.STATUS] != st.RUNNING or first + count > tree.action.shape[1]:
        return
    for i in range(count):
        j = i + below(rng, count - i)
        legal[i], legal[j] = legal[j], legal[i]
        priors[i], priors[j] = priors[j], priors[i]
        tree.action[b, first + i] = legal[i]
        tree.prior[b, first + i] = priors[i]
        tree.child[b, first + i] = -1
        tree.visits[b, first + i] = 0
        tree.total[b, first + i] = 0.0
        tree.proof[b, first + i] = UNKNOWN
    tree.first[b, node] = first
    tree.degree[b, node] = count
    tree.complete[b, node] = True
    tree.seat[b, node] = s[st.TO_MOVE]
    tree.used[b, EDGES] += count


@jit
def backup(tree: Trees, b: int, k: int, seat_values: Floats) -> None:
    """Add the values of a leaf along path k."""
    for i in range(tree.length[b, k]):
        tree.total[b, tree.path[b, k, i, 1]] += 1.0 + seat_values[tree.seat[b, tree.path[b, k, i, 0]]]
    if tree.length[b, k] > 0:
        for seat in range(len(seat_values)):
            tree.seats[b, seat] += seat_values[seat]


@jit
def winner_of(tree: Trees, b: int, k: int) -> int:
    """The proven winner at the leaf of path k in a game of two, or NOBODY if its last move is not proven."""
    last = tree.length[b, k] - 1
    if last < 0:
        return st.NOBODY
    proof, seat = tree.proof[b, tree.path[b, k, last, 1]], np.int64(tree.seat[b, tree.path[b, k, last, 0]])
    return st.NOBODY if proof == UNKNOWN else seat if proof == WON else 1 - seat


@jit
def backup_proof(tree: Trees, b: int, k: int, winner: int, move: int) -> None:
    """Back up a proven result along path k in a game of two: at the leaf `winner` wins, by `move` if it is to move."""
    leaf = tree.leaf[b, k]
    first = tree.first[b, leaf]
    if first >= 0 and tree.seat[b, leaf] == winner:
        for edge in range(first, first + tree.degree[b, leaf]):
            if tree.action[b, edge] == move:
                tree.proof[b, edge] = WON
    for i in range(tree.length[b, k] - 1, -1, -1):
        node, edge = tree.path[b, k, i, 0], tree.path[b, k, i, 1]
        if tree.seat[b, node] == winner:
            tree.proof[b, edge] = WON
            continue
        tree.proof[b, edge] = LOST
        if not tree.complete[b, node]:
            return
        for other in range(tree.first[b, node], tree.first[b, node] + tree.degree[b, node]):
            if tree.proof[b, other] != LOST:
                return


@jit
def close(rules: Rules, tree: Trees, b: int, k: int, s: State, winner: int, move: int, seat_values: Floats) -> None:
    """Back up the known result of the leaf of path k, in a game of two.

    Args:
        rules: the game.
        tree: the trees.
        b: the number of the tree.
        k: the number of the path.
        s: the position.
        winner: the proven winner or NOBODY.
        move: the winning move where the winner is to move.
        seat_values: [players]; overwritten where the result is known.
    """
    if s[st.STATUS] != st.RUNNING:
        rewards(rules, s, True, seat_values)
        if seat_values[0] != 0:
            winner = np.int64(0 if seat_values[0] > 0 else 1)
    elif winner != st.NOBODY:
        seat_values[:] = -1.0
        seat_values[winner] = 1.0
    backup(tree, b, k, seat_values)
    if winner != st.NOBODY:
        backup_proof(tree, b, k, winner, move)


@jit
def is_decided(tree: Trees, b: int) -> bool:
    """Whether the root has a single move, or its result is proven."""
    first, count, lost = tree.first[b, 0], tree.degree[b, 0], 0
    for edge in range(first, first + count):
        if tree.proof[b, edge] == WON:
            return True
        lost += tree.proof[b, edge] == LOST
    return count == 1 or lost == count
