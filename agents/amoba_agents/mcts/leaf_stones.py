"""The leaf for lines of stones: wins by fours, and for five in a row the small network of `alphabeta`.

A position is first searched for a win by fours, as in alphabeta. If there is none, a network gives its value and the
probabilities of moves: that of alphabeta (stone_values.py and learned_order.py of amoba_agents.alphabeta), or one of
amoba_agents.small_networks. A position with a single move is not evaluated: the simulation continues after that move.
"""

import math

import numpy as np

from amoba_agents.alphabeta import fours
from amoba_agents.alphabeta import lines as li
from amoba_agents.alphabeta.alphabeta_search import fallback_cell, win_by_threats
from amoba_agents.alphabeta.learned_order import SCORE_UNIT, score_by_policy
from amoba_agents.alphabeta.lines import HashTable, StoneWork
from amoba_agents.alphabeta.order import list_empty
from amoba_agents.alphabeta.stone_values import VALUE_UNIT, StoneNetwork, learned
from amoba_agents.alphabeta.stones import put, put_all, remove
from amoba_agents.alphabeta.threes import relevant_replies
from amoba_agents.mcts import tree as tr
from amoba_agents.mcts.tree import Floats, Integers, Reading, Trees
from amoba_agents.values.ties import select_best
from amoba_env.core import state as st
from amoba_env.core.jit import jit
from amoba_env.core.overwrite import overwrite
from amoba_env.core.rng import Stream, mix
from amoba_env.core.rules import Rules
from amoba_env.core.state import State

MOST_MOVES = 32  # of a position in the tree, the most probable ones
FOURS, FEW_FOURS = 80, 24  # stones put in a search by fours at a leaf, at most; with a network of small_networks
IMPROBABLE = 1e-3  # moves less probable than the best one by this factor are left out, except at the root
THREATS, THREATS_OF_A_SIM = 100_000, 40  # stones put in searches for threats at the root: in all, for each simulation


@jit
def load_stones(rules: Rules, s: State, w: StoneWork, t: HashTable, empty: StoneWork) -> None:
    """Put the stones of a root on the board of the work row; `empty` is the row of the empty board."""
    overwrite(w, empty)
    t[w[li.HASH]] = np.uint64(0)
    t[w[li.FAILED] :] = np.uint64(0)  # trees must not depend on each other
    put_all(rules, s, w, t)
    w[li.NODES], w[li.LIMIT] = 0, 1 << 62


@jit
def read_forced(
    rules: Rules, s: State, w: StoneWork, t: HashTable, most: int, legal: Integers, priors: Floats
) -> tuple[bool, Reading]:
    """Look for a forced result or move, without a network, in a game that goes on; `most` is the node limit for fours.

    Returns whether there is one (a win, a loss, a single move, no legal move), and the reading.
    """
    seat = np.int64(s[st.TO_MOVE])
    other = 1 - seat
    if w[w[li.LIST_LENGTH] + seat] > 0:
        first, _ = li.urgent_sets(rules, w, np.int64(1), seat)
        legal[0], priors[0] = li.first_empty(rules, s, w[first]), 1.0
        return True, Reading(tr.WON, 1, False)
    forced_cell = fours.winning_cell(rules, s, w, other)
    possible = fours.can_answer(rules, s, seat, forced_cell)
    if possible != fours.YES:
        lost = possible == fours.NO
        return True, Reading(tr.LOST if lost else tr.UNKNOWN, 0, lost)
    if forced_cell >= 0:
        legal[0], priors[0] = forced_cell, 1.0
        return True, Reading(tr.UNKNOWN, 1, True)
    if fours.wins_by_fours(rules, s, w, t, seat, most):
        legal[0], priors[0] = w[w[li.SEQUENCE]], 1.0
        return True, Reading(tr.WON, 1, False)
    return False, Reading(tr.UNKNOWN, 0, False)


@jit
def read_stones(
    rules: Rules,
    s: State,
    w: StoneWork,
    t: HashTable,
    net: StoneNetwork,
    legal: Integers,
    priors: Floats,
    seat_values: Floats,
) -> Reading:
    """Evaluate a position that is not over: write its moves, their priors, and the values unless they are proven."""
    seat = np.int64(s[st.TO_MOVE])
    other = 1 - seat
    is_forced, found = read_forced(rules, s, w, t, np.int64(FOURS), legal, priors)
    if is_forced:
        return found
    seat_values[seat] = math.tanh(learned(rules, s, w, net, seat) / (2 * VALUE_UNIT))
    seat_values[other] = -seat_values[seat]  # score_by_policy() reads the results of learned()
    top = w[li.TOP]
    if fours.wins_by_fours(rules, s, w, t, other, np.int64(FOURS)):
        end = last = relevant_replies(rules, s, w, seat)
    else:
        end, last = list_empty(rules, s, w)
        if end == top:
            end = last
    scored, count = _write_likeliest(rules, s, w, net, seat, end, legal, priors)
    return Reading(tr.UNKNOWN, count, scored == last)


@jit
def drop_losing(rules: Rules, s: State, w: StoneWork, t: HashTable, legal: Integers, logits: Floats, count: int) -> int:
    """Where the opponent threatens to win by fours, keep only relevant replies; return the number of moves left."""
    seat, kept = np.int64(s[st.TO_MOVE]), np.int64(0)
    if not fours.wins_by_fours(rules, s, w, t, 1 - seat, np.int64(FEW_FOURS)):
        return count
    end = relevant_replies(rules, s, w, seat)
    for i in range(count):
        for j in range(w[li.TOP], end):
            if w[j] == legal[i]:
                legal[kept], logits[kept] = legal[i], logits[i]
                kept += 1
                break
    return kept


@jit
def _write_likeliest(
    rules: Rules, s: State, w: StoneWork, net: StoneNetwork, seat: int, end: int, legal: Integers, priors: Floats
) -> tuple[int, int]:
    """Write the most probable moves among the cells on the STACK, and their priors.

    Returns the end of the cells that were read, and the number of moves. Forbidden points are not moves.
    """
    at, count, scores = w[li.TOP], np.int64(0), w[li.SCORES]
    score_by_policy(rules, s, w, net, seat, scores, at, end)
    while at < end and count < MOST_MOVES:
        cell = select_best(w, scores, at, end)
        at += 1
        if not fours.forbidden(rules, s, seat, cell):
            legal[count] = cell
            priors[count] = math.exp((w[scores + cell] - w[scores + np.int64(legal[0])]) / SCORE_UNIT)
            count += 1
    tr.normalize(priors, count)
    return at, count


@jit
def drop_improbable(legal: Integers, priors: Floats, count: int) -> int:
    """Leave out moves that are far less probable than the best one; return the number of moves left."""
    best, kept = np.float32(0), np.int64(0)
    for i in range(count):
        best = max(best, priors[i])
    for i in range(count):
        if priors[i] >= IMPROBABLE * best:
            legal[kept], priors[kept] = legal[i], priors[i]
            kept += 1
    return kept


@jit
def expand_root(
    rules: Rules,
    s: State,
    w: StoneWork,
    t: HashTable,
    tree: Trees,
    b: int,
    found: Reading,
    threats: int,
    legal: Integers,
    priors: Floats,
    stream: Stream,
) -> None:
    """Give the root its edges: a winning move (also by threes), a fallback if `found` has none, or those of `found`."""
    seat, zero = np.int64(s[st.TO_MOVE]), np.int64(0)
    count, won = found.moves, found.proof == tr.WON
    if count == 0:
        w[li.TIE_NOISE] = np.int64(mix(stream[0]) >> np.uint64(1))
        legal[0], priors[0], count = fallback_cell(rules, s, w, seat), 1.0, np.int64(1)
    elif count > 1 and win_by_threats(rules, s, w, t, seat, threats) > 0:
        legal[0], priors[0], count, won = w[li.BEST_CELL], 1.0, np.int64(1), True
    tr.expand(tree, b, zero, s, legal, priors, count, stream)
    tree.complete[b, 0] = found.complete
    if won:
        tree.proof[b, tree.first[b, 0]] = tr.WON


@jit
def put_path(rules: Rules, s: State, w: StoneWork, t: HashTable, tree: Trees, b: int, done: int) -> int:
    """Put the stones of the path on the board of the work row, from number `done` on; return their number."""
    for i in range(done, tree.length[b, 0]):
        put(
            rules,
            s,
            w,
            t,
            np.int64(tree.seat[b, tree.path[b, 0, i, 0]]),
            np.int64(tree.action[b, tree.path[b, 0, i, 1]]),
        )
    return np.int64(tree.length[b, 0])


@jit
def remove_path(rules: Rules, s: State, w: StoneWork, t: HashTable, tree: Trees, b: int) -> None:
    """Remove the stones of the path."""
    for i in range(tree.length[b, 0] - 1, -1, -1):
        seat, cell = tree.seat[b, tree.path[b, 0, i, 0]], tree.action[b, tree.path[b, 0, i, 1]]
        remove(rules, s, w, t, np.int64(seat), np.int64(cell))
