"""The leaf of `endgame` in halma with three players: a tree of own moves, in which the others answer like `brs`.

After each of the root's moves the two others move as in a best-reply search of two plies (replies.py of
amoba_agents.halma): with likely moves, not the worst ones for us. This is an opponent model (Carmel and Markovitch,
"Incorporating opponent models into adversary search", AAAI 1996). Ties are broken at random, and each edge of the tree
keeps a few samples of the answers. At the root every second sample comes from a search of four plies: the next answers
matter most, and the depth of the others is unknown.

The value of a position is the chance of its best move (chances.py of amoba_agents.endgame). The chances of moves are
also their priors and initial values.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_agents.endgame import race_board as rb
from amoba_agents.endgame.chances import ChanceNetwork, chance, odds_of_moves
from amoba_agents.endgame.race_board import RaceWork
from amoba_agents.halma.reach import SEATS_MAX, MenWork
from amoba_agents.halma.replies import BEST_REPLY, SeatValues, best_moves
from amoba_agents.halma.seats import load as load_men
from amoba_agents.mcts import tree as tr
from amoba_agents.mcts.tree import Floats, Integers, Reading, Trees
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.jit import jit
from amoba_env.core.play import apply
from amoba_env.core.rng import Stream, below
from amoba_env.core.rules import Rules
from amoba_env.core.state import State

WIDTH = 10  # moves of a position in the tree, those with the best chances
SAMPLES = 4  # of the answers to a move, at most
NEAR_PLIES, ALL_MOVES = 2, 1 << 14  # depth and width of the others' search
FAR_PLIES, FAR_WIDTH = 4, 8  # the same for every second sample at the root
SHARPNESS = 2.0  # priors are proportional to the odds to this power


class SampledReplies(NamedTuple):
    """Samples of the answers to the moves of B trees with E edges."""

    known: NDArray[np.int8]  # [B, E] number of samples
    moves: Integers  # [B, E, SAMPLES, 2] of the others; -1: none, since the game was over or a player was skipped
    node: Integers  # [B, E, SAMPLES] the node below; -1: not visited


def answers_for(count: int, edges: int) -> SampledReplies:
    """No answers yet."""
    moves = np.zeros((count, edges, SAMPLES, 2), np.int32)
    return SampledReplies(np.zeros((count, edges), np.int8), moves, np.zeros((count, edges, SAMPLES), np.int32))


class ReplyModel(NamedTuple):
    """Buffers for the search for answers and for the odds of moves."""

    men: MenWork  # the work row of amoba_agents.halma
    values: SeatValues
    best: Integers
    odds: NDArray[np.float64]


@jit
def model_for(rules: Rules, men: MenWork) -> ReplyModel:
    """Buffers for a search of FAR_PLIES + 1 plies."""
    best = np.empty(rules[ru.MEN] * rules[ru.N_CELLS], np.int32)
    return ReplyModel(men, np.zeros((FAR_PLIES + 1, SEATS_MAX), np.int64), best, np.empty(rb.MOST_MOVES))


@jit
def read_own(
    rules: Rules,
    s: State,
    w: RaceWork,
    net: ChanceNetwork,
    m: ReplyModel,
    legal: Integers,
    priors: Floats,
    seat_values: Floats,
) -> Reading:
    """Write the best moves of the player to move, their priors, and the value of the best one.

    The log odds of the moves remain in the buffers of the model.
    """
    rb.load(w, rules, s)
    moves, odds, players = w.lists[0], m.odds, rules[ru.PLAYERS]
    seat = np.int64(s[st.TO_MOVE])
    count = rb.list_moves(w, seat, moves)
    if moves[0] >> rb.NEEDED_SHIFT == 0:
        count, odds[0] = 1, math.inf
    else:
        odds_of_moves(net, w.tables, w.board, seat, moves, count, odds)
    kept = min(count, WIDTH)
    for j in range(kept):
        best = j
        for i in range(j + 1, count):
            if odds[i] > odds[best]:
                best = i
        odds[j], odds[best] = odds[best], odds[j]
        moves[j], moves[best] = moves[best], moves[j]
        legal[j] = (moves[j] >> rb.CELL_BITS & rb.CELL_MASK) * rules[ru.N_CELLS] + (moves[j] & rb.CELL_MASK)
        priors[j] = math.exp(SHARPNESS * (odds[j] - odds[0])) if j > 0 else 1.0
    tr.normalize(priors, kept)
    seat_values[:] = 0.0
    seat_values[seat] = worth_of(players, chance(odds[0]))
    return Reading(tr.UNKNOWN, kept, False)


@jit
def worth_of(players: int, won: float) -> float:
    """The value of a chance to win, -1 / (players - 1) .. 1."""
    return won - (1.0 - won) / (players - 1)


@jit
def expand_own(
    rules: Rules,
    tree: Trees,
    b: int,
    node: int,
    s: State,
    m: ReplyModel,
    legal: Integers,
    priors: Floats,
    count: int,
    stream: Stream,
) -> None:
    """Give a node its edges. Each starts with one visit and its chance as the value."""
    most, known = priors[0], tree.first[b, node]
    tr.expand(tree, b, node, s, legal, priors, count, stream)
    if known < 0 and tree.first[b, node] >= 0:
        for i in range(count):
            edge = tree.first[b, node] + i
            odds = m.odds[0] + math.log(priors[i] / most) / SHARPNESS  # inverts read_own()'s priors
            tree.visits[b, edge] = 1
            tree.total[b, edge] = worth_of(rules[ru.PLAYERS], chance(odds))


@jit
def descend_with_answers(
    rules: Rules,
    tree: Trees,
    answers: SampledReplies,
    b: int,
    s: State,
    c: float,
    most: int,
    m: ReplyModel,
    stream: Stream,
) -> None:
    """Descend from the root, whose position is `s`, by at most `most` moves; the others answer each."""
    node = length = np.int64(0)
    while tree.first[b, node] >= 0 and s[st.STATUS] == st.RUNNING and length < most:
        edge = np.int64(tr.best_edge(tree, b, node, c))
        tree.path[b, 0, length, 0] = node
        tree.path[b, 0, length, 1] = edge
        length += 1
        tree.visits[b, edge] += 1
        tree.total[b, edge] -= 1.0
        apply(rules, s, np.int64(tree.action[b, edge]))
        sample = _answer(rules, tree, answers, b, edge, s, length == 1, m, stream)
        if answers.node[b, edge, sample] < 0:
            answers.node[b, edge, sample] = tree.used[b, tr.NODES]
            tree.used[b, tr.NODES] += 1
        node = np.int64(answers.node[b, edge, sample])
    tree.leaf[b, 0] = node
    tree.length[b, 0] = length


@jit
def is_skipped(tree: Trees, b: int, s: State) -> bool:
    """Whether another player is to move, because the root's player has no move."""
    return s[st.TO_MOVE] != tree.seat[b, 0] and tree.first[b, 0] >= 0


@jit
def _answer(
    rules: Rules,
    tree: Trees,
    answers: SampledReplies,
    b: int,
    edge: int,
    s: State,
    is_first: bool,
    m: ReplyModel,
    stream: Stream,
) -> int:
    """Play the others' answers to the move of an edge; return the number of the sample."""
    root, known, moves = np.int64(tree.seat[b, 0]), np.int64(answers.known[b, edge]), answers.moves[b, edge]
    is_new = known < min(SAMPLES, 1 + math.sqrt(tree.visits[b, edge] - 1) / 2)
    sample = known if is_new else np.int64(below(stream, known))
    for i in range(2):
        if s[st.STATUS] == st.RUNNING and s[st.TO_MOVE] != root:
            if is_new:
                moves[sample, i] = reply(rules, s, m, is_first and sample % 2 == 1, stream)
            apply(rules, s, np.int64(moves[sample, i]))
        elif is_new:
            moves[sample, i] = -1
    if is_new:
        answers.known[b, edge] = known + 1
        answers.node[b, edge, sample] = -1
        for other in range(known):
            if moves[other, 0] == moves[sample, 0] and moves[other, 1] == moves[sample, 1]:
                answers.node[b, edge, sample] = answers.node[b, edge, other]
    return sample


@jit
def reply(rules: Rules, s: State, m: ReplyModel, is_far: bool, stream: Stream) -> int:
    """A likely move of the player to move."""
    load_men(rules, s, m.men)
    plies, width = (FAR_PLIES, FAR_WIDTH) if is_far else (NEAR_PLIES, ALL_MOVES)
    count, _ = best_moves(rules, s, m.men, m.values, BEST_REPLY, plies, width, m.best)
    return np.int64(m.best[below(stream, np.int64(count))])
