"""Mistakes such as people make: one of the next-best moves of a player who does not look ahead.

Moves are ranked as greedy ranks them. Where stones are placed (line_scores.py): a win, then stopping a win, then the
score. Where men move: the progress. The next-best moves are the NEXT best with a lower value than
the best, and any that tie with the last of them. So a mistake is a reasonable move that overlooks a threat or a better
move. A win in one move is never overlooked, and no mistake moves a man backwards.
"""

import numpy as np
from numpy.typing import NDArray

from amoba_agents.values.line_scores import FREE, WIN, greedy_value, list_legal, load, workspace
from amoba_agents.values.ties import break_tie
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.jit import jit
from amoba_env.core.lookup import steps
from amoba_env.core.overwrite import overwrite
from amoba_env.core.play import apply, moves
from amoba_env.core.rng import below
from amoba_env.core.rules import Rules
from amoba_env.core.state import State, States

NEXT = 3


@jit
def _progress(rules: Rules, s: State, after: State, action: int) -> int:
    """The steps that a man's move gains; WIN if the move wins."""
    n, seat = rules[ru.N_CELLS], np.int64(s[st.TO_MOVE])
    overwrite(after, s)
    apply(rules, after, np.int64(action))
    if after[st.STATUS] == seat:
        return np.int64(WIN)
    return np.int64(steps(rules, seat, action // n) - steps(rules, seat, action % n))


@jit
def _next_best(values: NDArray[np.int64], count: int, actions: NDArray[np.int32]) -> int:
    """Move the actions of the next-best values of values[:count] to the front; return their number.

    It is 0 if there are none, or if the best move wins.
    """
    best = values[0]  # loops: NumPy's array functions take half a second longer to compile
    for i in range(1, count):
        best = max(best, values[i])
    bar = best
    if best >= WIN:
        return 0
    among = 0
    while among < NEXT and bar > 0:
        lower = np.int64(-1)
        for i in range(count):
            if values[i] < bar:
                lower = max(lower, values[i])
        if lower < 0:
            break
        bar = lower
        among = 0
        for i in range(count):
            among += bar <= values[i] < best
    found = 0
    for i in range(count):
        if bar <= values[i] < best:
            actions[found] = actions[i]
            found += 1
    return found


@jit
def make_mistakes(
    rules: Rules, states: States, streams: NDArray[np.uint64], percent: int, actions: NDArray[np.int32]
) -> None:
    """Write to `actions`, int32[B], a next-best move with probability `percent` / 100, else NOWHERE.

    One number is drawn from each stream, and another one for a mistake. There are no mistakes in openings, and in
    positions without next-best moves.
    """
    men = rules[ru.FAMILY] == ru.HALMA
    w = workspace(rules, np.int64(1))
    legal = np.empty(rules[ru.N_ACTIONS], np.int32)
    values = np.empty(rules[ru.N_ACTIONS], np.int64)
    after = np.empty_like(states[0])
    one = np.int64(1)
    for b in range(len(states)):
        s, stream = states[b], streams[b : b + 1]
        actions[b] = st.NOWHERE
        if below(stream, 100) >= percent or s[st.PHASE]:
            continue
        if men:
            count = moves(rules, s, legal)
            for i in range(count):
                values[i] = _progress(rules, s, after, np.int64(legal[i]))
        else:
            load(rules, w, s, one)
            seat = np.int64(s[st.TO_MOVE])
            count = list_legal(rules, s, w, w[FREE], seat)
            for i in range(count):
                legal[i] = w[w[FREE] + i]
                values[i] = greedy_value(rules, w, seat, np.int64(legal[i]))
            load(rules, w, s, -one)
        found = _next_best(values, count, legal)
        if found > 0:
            actions[b] = break_tie(legal, found, False, stream)
