"""The search in placing games with the learned values of `alphabeta`, compiled.

A leaf is first searched for a win by fours, as in alphabeta. If there is none, alphabeta's small network says what the
position is worth and how likely each move is (values.py and policy.py of amoba_agents.alphabeta). Proven results are
backed up, see tree.py. A position with a single move is not valued: the simulation goes on after that move.
"""

import math
from typing import NamedTuple

import numpy as np

from amoba_agents.alphabeta import fours
from amoba_agents.alphabeta.lines import (
    BEST_CELL,
    FAILED,
    FREE,
    HASH,
    LIMIT,
    LIST_LENGTH,
    NODES,
    SCORES,
    SEQUENCE,
    TIE_NOISE,
    TOP,
    Table,
    Work,
    first_empty,
    hash_table,
    urgent_sets,
    workspace,
)
from amoba_agents.alphabeta.order import list_empty, select_best
from amoba_agents.alphabeta.policy import SCORE_UNIT, score_by_policy
from amoba_agents.alphabeta.search import fallback_cell, win_by_threats
from amoba_agents.alphabeta.stones import put, put_all, remove
from amoba_agents.alphabeta.threes import relevant_replies
from amoba_agents.alphabeta.values import VALUE_UNIT, Network, learned, network
from amoba_agents.alphabeta.values import fits as has_values
from amoba_agents.mcts.tree import (
    LOST,
    MAX_LENGTH,
    UNKNOWN,
    WON,
    Floats,
    Integers,
    Trees,
    close,
    descend,
    expand,
    is_decided,
    nodes_in_use,
    select,
    winner_of,
)
from amoba_env.core.interrupt import cancelled
from amoba_env.core.jit import jit
from amoba_env.core.overwrite import overwrite
from amoba_env.core.refcount import uncounted
from amoba_env.core.rng import Stream, mix
from amoba_env.core.rules import N_ACTIONS, N_CELLS, PLAYERS, Rules
from amoba_env.core.state import NOBODY, RUNNING, STATUS, TO_MOVE, State, States

MOST_MOVES = 32  # of a position in the tree: the likeliest ones
FOURS = 80  # stones put in a search by fours at a leaf, at most
THREATS, THREATS_OF_A_SIM = 100_000, 40  # and in the searches for threats at the root: in all, and for each simulation
LOG_FAILED = 15  # room for 2 ** 15 searches by fours that found nothing
NODES_OF_A_SIM = 3  # room in the tree: the leaf, and positions with a single move before it


class Values(NamedTuple):
    """What the search needs besides its trees."""

    network: Network
    work: Work  # of the empty board
    table: Table


class Reading(NamedTuple):
    """What is known of a position."""

    proof: int  # LOST, UNKNOWN or WON for the player to move
    moves: int  # how many moves were written; if the position is won, the first one wins
    complete: bool  # whether all other moves lose
    value: float  # -1 .. 1 for the player to move, unless it is proven or has a single move


def fits(rules: Rules) -> bool:
    """Whether there are learned values for this game."""
    return bool(rules[PLAYERS] == 2 and has_values(rules))


def values_for(rules: Rules) -> Values:
    """The package's learned values, and room for a search, for a game that they fit."""
    work = workspace(rules)
    return Values(network(rules), work, hash_table(work, int(rules[N_CELLS]), LOG_FAILED))


@jit
def _read(
    rules: Rules, s: State, w: Work, t: Table, net: Network, seat: int, legal: Integers, priors: Floats
) -> Reading:
    """Read a position that is not over, in which the seat is to move: write its moves and their priors."""
    other = 1 - seat
    if w[w[LIST_LENGTH] + seat] > 0:
        first, _ = urgent_sets(rules, w, np.int64(1), seat)
        legal[0], priors[0] = first_empty(rules, s, w[first]), 1.0
        return Reading(WON, 1, False, 1.0)
    forced_cell = fours.winning_cell(rules, s, w, other)
    possible = fours.can_answer(rules, s, seat, forced_cell)
    if possible != fours.YES:
        lost = possible == fours.NO
        return Reading(LOST if lost else UNKNOWN, 0, lost, -1.0 if lost else 0.0)
    if forced_cell != fours.NONE:
        legal[0], priors[0] = forced_cell, 1.0
        return Reading(UNKNOWN, 1, True, 0.0)
    if fours.wins_by_fours(rules, s, w, t, seat, np.int64(FOURS)):
        legal[0], priors[0] = w[w[SEQUENCE]], 1.0
        return Reading(WON, 1, False, 1.0)
    value = math.tanh(learned(rules, s, w, net, seat) / (2 * VALUE_UNIT))  # score_by_policy() uses what this leaves
    top = w[TOP]
    if fours.wins_by_fours(rules, s, w, t, other, np.int64(FOURS)):
        end = last = relevant_replies(rules, s, w, seat)
    else:
        end, last = list_empty(rules, s, w)
        if end == top:
            end = last
    scored, count = _write_likeliest(rules, s, w, net, seat, end, legal, priors)
    return Reading(UNKNOWN, count, scored == last, value)


@jit
def _write_likeliest(
    rules: Rules, s: State, w: Work, net: Network, seat: int, end: int, legal: Integers, priors: Floats
) -> tuple[int, int]:
    """Write the likeliest moves of the cells on the STACK, and their priors.

    Returns the end of the cells that were looked at, and the number of moves; forbidden points are none.
    """
    at, count, total, scores = w[TOP], np.int64(0), 0.0, w[SCORES]
    score_by_policy(rules, s, w, net, seat, scores, at, end)
    while at < end and count < MOST_MOVES:
        cell = select_best(w, scores, at, end)
        at += 1
        if not fours.forbidden(rules, s, seat, cell):
            legal[count] = cell
            priors[count] = math.exp((w[scores + cell] - w[scores + np.int64(legal[0])]) / SCORE_UNIT)
            total += priors[count]
            count += 1
    for i in range(count):
        priors[i] /= total
    return at, count


@jit
def _expand_root(
    rules: Rules,
    s: State,
    w: Work,
    t: Table,
    net: Network,
    tree: Trees,
    b: int,
    threats: int,
    legal: Integers,
    priors: Floats,
    stream: Stream,
) -> None:
    """Give the root its moves: one that wins, also by threes; one, if it is lost or empty; or the likely ones."""
    seat, zero = np.int64(s[TO_MOVE]), np.int64(0)
    found = _read(rules, s, w, t, net, seat, legal, priors)
    count, won = found.moves, found.proof == WON
    if count == 0 or w[FREE] == rules[N_CELLS]:
        w[TIE_NOISE] = np.int64(mix(stream[0]) >> np.uint64(1))
        legal[0], priors[0], count = fallback_cell(rules, s, w, seat), 1.0, np.int64(1)
    elif count > 1 and win_by_threats(rules, s, w, t, seat, threats) > 0:
        legal[0], priors[0], count, won = w[BEST_CELL], 1.0, np.int64(1), True
    expand(tree, b, zero, s, legal, priors, count, stream)
    tree.complete[b, 0] = found.complete
    if won:
        tree.proof[b, tree.first[b, 0]] = WON


@jit
def _step(rules: Rules, s: State, w: Work, t: Table, tree: Trees, b: int, i: int, forward: bool) -> None:
    """Put stone number i of the path on the board of the work row, or remove it."""
    seat, cell = np.int64(tree.seat[b, tree.path[b, 0, i, 0]]), np.int64(tree.action[b, tree.path[b, 0, i, 1]])
    if forward:
        put(rules, s, w, t, seat, cell)
    else:
        remove(rules, s, w, t, seat, cell)


@jit
def search(
    rules: Rules, states: States, streams: Stream, tree: Trees, sims: int, uct: bool, c: float, values: Values
) -> None:
    """Run `sims` simulations in each tree, fewer where the root has one move only, or a result is proven.

    A root without edges is expanded first.

    Args:
        rules: of a placing game for two.
        states: int16[B, S], the roots, in no opening phase.
        streams: uint64[B].
        tree: B trees with one leaf at a time, and room for NODES_OF_A_SIM nodes for each simulation.
        sims: the number of simulations.
        uct: UCT without priors, else PUCT.
        c: the weight of exploration.
        values: learned ones.
    """
    work = values.work.copy()
    rules, net, w, t = uncounted(rules), uncounted(values.network), uncounted(work), uncounted(values.table)
    legal = np.empty(rules[N_ACTIONS], np.int32)
    priors = np.empty(rules[N_ACTIONS], np.float32)
    seat_values = np.zeros(2, np.float32)
    zero = np.int64(0)
    threats = min(THREATS, sims * THREATS_OF_A_SIM)
    for b in range(len(states)):
        overwrite(w, values.work)
        t[w[HASH]] = np.uint64(0)
        t[w[FAILED] :] = np.uint64(0)  # so that no tree depends on another
        row = states[b].copy()
        s = uncounted(row)
        put_all(rules, s, w, t)
        w[NODES], w[LIMIT] = 0, 1 << 62
        if tree.first[b, 0] < 0:
            _expand_root(rules, s, w, t, net, tree, b, threats, legal, priors, streams[b : b + 1])
        spare = tree.first.shape[1] * (NODES_OF_A_SIM - 1) // NODES_OF_A_SIM  # the rest is for leaves
        for i in range(sims):
            if cancelled() or (i > 0 and is_decided(tree, b)):
                break
            overwrite(s, states[b])
            seat_values[:] = 0.0
            select(rules, tree, b, zero, s, uct, c)
            done = zero
            while True:
                while done < tree.length[b, 0]:
                    _step(rules, s, w, t, tree, b, done, True)
                    done += 1
                leaf, winner, move = np.int64(tree.leaf[b, 0]), winner_of(tree, b, zero), zero
                if s[STATUS] != RUNNING or winner != NOBODY or done == MAX_LENGTH:
                    break
                seat = np.int64(s[TO_MOVE])
                found = _read(rules, s, w, t, net, seat, legal, priors)
                seat_values[seat], seat_values[1 - seat] = found.value, -found.value
                if found.proof != UNKNOWN:
                    winner, move = seat if found.proof == WON else 1 - seat, np.int64(legal[0])
                    break
                if found.moves == 0:  # all replies are forbidden points
                    break
                expand(tree, b, leaf, s, legal, priors, found.moves, streams[b : b + 1])
                tree.complete[b, leaf] = found.complete
                if found.moves > 1 or nodes_in_use(tree, b) > spare:
                    break
                descend(rules, tree, b, zero, s, uct, c)
            close(rules, tree, b, zero, s, winner, move, seat_values)
            while done > 0:
                done -= 1
                _step(rules, s, w, t, tree, b, done, False)
        streams[b] += np.uint64(0 * (row[0] + work[0]))  # this use keeps both alive until here
