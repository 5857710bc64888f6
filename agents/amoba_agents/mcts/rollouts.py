"""A search without a policy's network, compiled: it runs all simulations of a game, then goes to the next game.

Leaves are evaluated by playouts (playouts.py) or, in halma, by learned chances (chances.py).
"""

import math

import numpy as np

from amoba_agents.halma.reach import Work
from amoba_agents.halma.seats import PLIES, list_moves, load, origin_of, progress_of, target_of
from amoba_agents.mcts.chances import Chances, read_chances, room_for
from amoba_agents.mcts.playouts import GREEDY, Sets, men_workspace, run_playout, sets_workspace
from amoba_agents.mcts.tree import Floats, Integers, Trees, backup, expand, select
from amoba_agents.values.line_scores import SCORE, put
from amoba_env.core.interrupt import cancelled
from amoba_env.core.jit import jit
from amoba_env.core.overwrite import overwrite
from amoba_env.core.play import moves
from amoba_env.core.rng import Stream
from amoba_env.core.rules import FAMILY, HALMA, N_ACTIONS, N_CELLS, PLAYERS, Rules
from amoba_env.core.state import RUNNING, STATUS, TO_MOVE, State, States

# Priors are proportional to exp(progress / PRIOR_TEMPERATURE) for men, to the square root of greedy's score for stones.
PRIOR_TEMPERATURE = 1.0  # steps
MOST_SCORE = 1 << 20


@jit
def _list_with_priors(
    rules: Rules, s: State, men: Work, sets: Sets, guided: bool, legal: Integers, priors: Floats
) -> int:
    """Write the legal actions and their priors; return their number.

    Priors are uniform, or with `guided` they follow greedy's scores.
    """
    seat = np.int64(s[TO_MOVE])
    if rules[FAMILY] == HALMA and s[STATUS] == RUNNING:
        load(rules, s, men)
        count = list_moves(rules, men, seat, np.int64(PLIES)) - PLIES
        for i in range(count):
            key = men[PLIES + i]
            legal[i] = origin_of(key) * rules[N_CELLS] + target_of(key)
            priors[i] = math.exp(progress_of(key) / PRIOR_TEMPERATURE) if guided else 1.0
    else:
        count = moves(rules, s, legal)
        for i in range(count):
            priors[i] = 1.0
            if guided and len(sets) > 1:
                priors[i] = math.sqrt(1 + min(MOST_SCORE, sets[sets[SCORE] + seat * rules[N_CELLS] + legal[i]]))
    total = 0.0
    for i in range(count):
        total += priors[i]
    for i in range(count):
        priors[i] /= total
    return count


@jit
def search(
    rules: Rules,
    states: States,
    streams: Stream,
    tree: Trees,
    sims: int,
    uct: bool,
    c: float,
    kind: int,
    cut: int,
    chances: Chances,
) -> None:
    """Run `sims` simulations in each tree; a root without edges is expanded first.

    Args:
        rules: of the game.
        states: int16[B, S], the roots.
        streams: uint64[B].
        tree: B trees with one leaf at a time.
        sims: the number of simulations.
        uct: UCT without priors, else PUCT with the priors of _list_with_priors().
        c: the weight of exploration.
        kind: of the playouts, RANDOM or GREEDY.
        cut: playouts end after this many moves.
        chances: learned ones, which take the place of playouts; or NONE.
    """
    zero = np.int64(0)
    legal = np.empty(rules[N_ACTIONS], np.int32)
    priors = np.empty(rules[N_ACTIONS], np.float32)
    seat_values = np.zeros(rules[PLAYERS], np.float32)
    men = men_workspace(rules)
    learned, room = len(chances.net.bias) > 1, room_for(rules, chances.tables)
    for b in range(len(states)):
        rng = streams[b : b + 1]
        root_sets = sets_workspace(rules, states[b], kind == GREEDY or not uct)
        sets = root_sets.copy()
        s = states[b].copy()
        if tree.first[b, 0] < 0:
            expand(tree, b, zero, s, legal, priors, _list_with_priors(rules, s, men, sets, not uct, legal, priors), rng)
        for _ in range(sims):
            if cancelled():
                break
            overwrite(s, states[b])
            select(rules, tree, b, zero, s, uct, c)
            if len(sets) > 1:
                overwrite(sets, root_sets)
                for i in range(tree.length[b, 0]):
                    seat = np.int64(tree.seat[b, tree.path[b, 0, i, 0]])
                    put(rules, s, sets, seat, np.int64(tree.action[b, tree.path[b, 0, i, 1]]), np.int64(1))
            if s[STATUS] == RUNNING:
                count = _list_with_priors(rules, s, men, sets, not uct, legal, priors)
                expand(tree, b, np.int64(tree.leaf[b, 0]), s, legal, priors, count, rng)
            if learned and s[STATUS] == RUNNING:
                read_chances(rules, s, chances.net, room, seat_values)
            else:
                run_playout(rules, s, men, sets, legal, kind, cut, rng, seat_values)
            backup(tree, b, zero, seat_values)
