"""The loops of the search.

With compiled leaves all simulations of one game run, then those of the next game. With a network in Python the search
collects a few leaves of each game at a time.
"""

import math
from typing import NamedTuple

import numpy as np

from amoba_agents.alphabeta.lines import FREE
from amoba_agents.mcts import leaf_foresight as lf
from amoba_agents.mcts import leaf_stones as ls
from amoba_agents.mcts import tree as tr
from amoba_agents.mcts.descent import descend
from amoba_agents.mcts.gumbel import draw_noise
from amoba_agents.mcts.leaf_chances import read_chances, room_for
from amoba_agents.mcts.leaf_foresight import SampledReplies
from amoba_agents.mcts.leaf_playouts import list_with_priors, men_workspace, run_playout, sets_workspace
from amoba_agents.mcts.leaves import CHANCES, FORESIGHT, NETWORK, PLAYOUTS, STONES, Leaf
from amoba_agents.mcts.tree import Floats, Reading, Trees
from amoba_agents.small_networks.network import read_network, scratch_for
from amoba_agents.values.line_scores import put
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.interrupt import cancelled
from amoba_env.core.jit import jit
from amoba_env.core.overwrite import overwrite
from amoba_env.core.play import moves, renumber, rewards
from amoba_env.core.refcount import uncounted
from amoba_env.core.rng import Stream
from amoba_env.core.rules import Rules
from amoba_env.core.state import States

NODES_OF_A_SIM = 3  # nodes of a simulation with fours: the leaf, and positions with a single move before it


class How(NamedTuple):
    """How moves are chosen in the tree."""

    c: float  # the weight of exploration
    threats: int  # stones put in the search for threats at the root, with STONES
    length: int  # the most own moves from the root to a leaf, with FORESIGHT
    noise: bool  # whether the root's moves are drawn with noise, see gumbel.py


@jit
def to_priors(logits: Floats, count: int) -> None:
    """Replace logits[:count] by their softmax."""
    most = -math.inf
    for i in range(count):
        most = max(most, logits[i])
    for i in range(count):
        logits[i] = math.exp(logits[i] - most)
    tr.normalize(logits, count)


@jit
def simulate(
    rules: Rules, states: States, streams: Stream, tree: Trees, answers: SampledReplies, sims: int, how: How, leaf: Leaf
) -> None:
    """Run `sims` simulations in each tree.

    With STONES, FORESIGHT and NETWORK a tree gets fewer if the root's result is proven or it has a single move. A root
    without edges is expanded first. The function is long, because Numba compiles a function again for each function
    that calls it.

    Args:
        rules: the game.
        states: int16[B, S], the roots.
        streams: uint64[B].
        tree: B trees with one leaf at a time; where fours are searched, they need NODES_OF_A_SIM nodes for each
            simulation.
        answers: answers of the others, with FORESIGHT.
        sims: the number of simulations.
        how: how moves are chosen.
        leaf: the evaluation. With a work row of lines (always with STONES) leaves are searched for wins by fours, and
            the roots must not be in an opening phase.
    """
    kind, zero, has_lines = leaf.kind, np.int64(0), len(leaf.work) > 1
    row, work = states[0].copy(), leaf.work.copy()
    men = men_workspace(rules, lf.FAR_PLIES + 1 if kind == FORESIGHT else 1)
    moves_and_priors = np.empty(rules[ru.N_ACTIONS], np.int32), np.empty(rules[ru.N_ACTIONS], np.float32)
    values = np.zeros(rules[ru.PLAYERS], np.float32)
    owned = row, work, men, moves_and_priors, values, room_for(rules, leaf.tables), lf.model_for(rules, men)
    scratch = scratch_for(rules, leaf.small)
    rules, tree, answers, leaf, states = uncounted((rules, tree, answers, leaf, states))
    s, w, men, (legal, priors), values, room, model = uncounted(owned)
    small, x = uncounted((leaf.small, scratch))
    t, net = leaf.table, leaf.stones
    spare = tree.first.shape[1] * (NODES_OF_A_SIM - 1) // NODES_OF_A_SIM  # the rest is for leaves
    for b in range(len(states)):
        if cancelled():
            break
        rng = streams[b : b + 1]
        overwrite(s, states[b])
        root_sets = sets_workspace(rules, s, kind == PLAYOUTS)
        sets = root_sets.copy()
        if has_lines:
            ls.load_stones(rules, s, w, t, leaf.work)
        for i in range(-1, sims):  # -1 expands the root
            if i < 0 and tree.first[b, 0] >= 0:
                continue
            if cancelled() or (i > 0 and kind >= FORESIGHT and tr.is_decided(tree, b)):
                break
            overwrite(s, states[b])
            tree.leaf[b, 0] = tree.length[b, 0] = 0
            for seat in range(len(values)):
                values[seat] = 0.0
            done = zero
            while True:
                if kind == FORESIGHT:
                    lf.descend_with_answers(rules, tree, answers, b, s, how.c, how.length, model, rng)
                else:
                    descend(rules, tree, b, zero, s, how.c)
                if has_lines:
                    done = ls.put_path(rules, s, w, t, tree, b, done)
                elif len(sets) > 1:
                    overwrite(sets, root_sets)
                    for j in range(tree.length[b, 0]):
                        seat, cell = tree.seat[b, tree.path[b, 0, j, 0]], tree.action[b, tree.path[b, 0, j, 1]]
                        put(rules, s, sets, np.int64(seat), np.int64(cell), np.int64(1))
                node, winner, move = np.int64(tree.leaf[b, 0]), tr.winner_of(tree, b, zero), np.int64(st.NOWHERE)
                is_over = s[st.STATUS] != st.RUNNING or winner != st.NOBODY
                if is_over or (kind == FORESIGHT and lf.is_skipped(tree, b, s)):
                    break
                found, is_forced, count = Reading(tr.UNKNOWN, zero, True), False, zero
                if kind == STONES:
                    found = ls.read_stones(rules, s, w, t, net, legal, priors, values)
                elif kind == NETWORK:
                    if i < 0:
                        count = read_network(rules, s, small, x, legal, priors, values)  # the root needs a value
                    if has_lines:
                        is_forced, found = ls.read_forced(rules, s, w, t, np.int64(ls.FEW_FOURS), legal, priors)
                    if not is_forced:
                        if i >= 0:
                            count = read_network(rules, s, small, x, legal, priors, values)
                        if has_lines:
                            count = ls.drop_losing(rules, s, w, t, legal, priors, count)
                        to_priors(priors, count)
                        kept = ls.drop_improbable(legal, priors, count) if has_lines and i >= 0 else count
                        found = Reading(tr.UNKNOWN if count else tr.LOST, kept, kept == count)
                elif kind == FORESIGHT:
                    found = lf.read_own(rules, s, room.work, leaf.chances, model, legal, priors, values)
                    lf.expand_own(rules, tree, b, node, s, model, legal, priors, found.moves, rng)
                else:
                    found = Reading(tr.UNKNOWN, list_with_priors(rules, s, men, sets, legal, priors), True)
                if has_lines and i < 0:
                    if kind == STONES and w[FREE] == rules[ru.N_CELLS]:
                        # On the empty board the root gets the fallback cell alone.
                        found = Reading(tr.UNKNOWN, zero, found.complete)
                    values[s[st.TO_MOVE]] = -1.0 if found.proof == tr.LOST else values[s[st.TO_MOVE]]
                    ls.expand_root(rules, s, w, t, tree, b, found, how.threats, legal, priors, rng)
                    break
                if found.proof != tr.UNKNOWN:
                    winner = np.int64(s[st.TO_MOVE]) if found.proof == tr.WON else 1 - np.int64(s[st.TO_MOVE])
                    move = np.int64(legal[0])
                    break
                if found.moves == 0 or kind == FORESIGHT:
                    break
                tr.expand(tree, b, node, s, legal, priors, found.moves, rng)
                tree.complete[b, node] = found.complete
                if kind == CHANCES:
                    read_chances(rules, s, leaf.chances, room, values)
                elif kind == PLAYOUTS and i >= 0:
                    run_playout(rules, s, men, sets, legal, leaf.cut, rng, values)
                is_full = tree.used[b, tr.NODES] > spare or tree.length[b, 0] == tr.MAX_LENGTH
                if not has_lines or found.moves > 1 or is_full:
                    break
            if i < 0 and kind == NETWORK:
                tree.worth[b] = values[s[st.TO_MOVE]]
                if how.noise:
                    draw_noise(tree, b, rng)
            if has_lines or (kind == NETWORK and len(values) == 2):
                if i >= 0:
                    tr.close(rules, tree, b, zero, s, winner, move, values)
                if has_lines:
                    ls.remove_path(rules, s, w, t, tree, b)
                continue
            if s[st.STATUS] != st.RUNNING:
                rewards(rules, s, True, values)
            if i >= 0:
                tr.backup(tree, b, zero, values)
        streams[b] += np.uint64(0 * owned[0][0] * scratch.sums[0])  # this use keeps all of them alive until here


@jit
def select_all(rules: Rules, tree: Trees, roots: States, c: float, leaves: States) -> None:
    """Select K leaves in each tree, int16[B * K, S]."""
    leaves_per_tree = tree.leaf.shape[1]
    for i in range(len(leaves)):
        leaves[i] = roots[i // leaves_per_tree]
        b, k = i // leaves_per_tree, i % leaves_per_tree
        tree.leaf[b, k] = tree.length[b, k] = 0
        descend(rules, tree, b, k, leaves[i], c)


@jit
def expand_and_backup(
    rules: Rules, tree: Trees, leaves: States, streams: Stream, logits: Floats, seat_values: Floats
) -> None:
    """Expand leaves and back up their values.

    Args:
        rules: the game.
        tree: B trees.
        leaves: int16[B * K, S], from select_all().
        streams: uint64[B].
        logits: [B * K, A] of all actions, numbered relative to the player to move; illegal actions are ignored.
        seat_values: [B * K, players]; where the game is over, its rewards are used instead.
    """
    leaves_per_tree = tree.leaf.shape[1]
    legal = np.empty(rules[ru.N_ACTIONS], np.int32)
    priors = np.empty(rules[ru.N_ACTIONS], np.float32)
    for i in range(len(leaves)):
        b, k, s = i // leaves_per_tree, i % leaves_per_tree, leaves[i]
        if s[st.STATUS] == st.RUNNING:
            count = moves(rules, s, legal)
            for j in range(count):
                priors[j] = logits[i, renumber(rules, np.int64(s[st.TO_MOVE]), np.int64(legal[j]), ru.VIEW)]
            to_priors(priors, count)
            tr.expand(tree, b, np.int64(tree.leaf[b, k]), s, legal, priors, count, streams[b : b + 1])
        else:
            rewards(rules, s, True, seat_values[i])
        tr.backup(tree, b, k, seat_values[i])
