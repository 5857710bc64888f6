"""Mistakes that people make: the next best moves of one who counts stones or steps and looks no further, compiled.

The value of a move is the greedy player's where stones are placed (score.py): to win, to stop a win, else the score.
Where men move it is the way that the move gains. The next best are at least NEXT moves (if there are so many) that are
worth less than the best. So a mistake lies where the game goes on, yet overlooks what there was to stop or to gain. A
move that wins at once is never overlooked, and no mistake carries a man back.
"""

import numpy as np
from numpy.typing import NDArray

from amoba_agents.values.line_scores import FREE, WIN, greedy_value, list_legal, load, workspace
from amoba_agents.values.ties import break_tie
from amoba_env.core.jit import jit
from amoba_env.core.lookup import steps
from amoba_env.core.play import apply, moves
from amoba_env.core.rng import below
from amoba_env.core.rules import FAMILY, HALMA, N_ACTIONS, N_CELLS, Rules
from amoba_env.core.state import PHASE, STATUS, TO_MOVE, State, States

NONE = -1  # instead of an action
NEXT = 3


@jit
def _gain(rules: Rules, s: State, after: State, action: int) -> int:
    """The way that a man's move gains; WIN if the move wins."""
    n, seat = rules[N_CELLS], np.int64(s[TO_MOVE])
    after[:] = s
    apply(rules, after, action)
    if after[STATUS] == seat:
        return np.int64(WIN)
    return np.int64(steps(rules, seat, action // n) - steps(rules, seat, action % n))


@jit
def _next_best(values: NDArray[np.int64], count: int, actions: NDArray[np.int32]) -> int:
    """Bring the actions of the next best of values[:count] to the front; return how many. 0: none, or a win is best."""
    best = values[:count].max()
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
        among = ((values[:count] >= bar) & (values[:count] < best)).sum()
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
    """actions[b], int32[B]: with a probability of `percent` / 100 a next best move of position b, else NONE.

    Each stream gives one number, and one more where a mistake is made. In openings, and in positions without a next
    best move, no mistake is made: NONE.
    """
    men = rules[FAMILY] == HALMA
    w = workspace(rules, 1)
    legal = np.empty(rules[N_ACTIONS], np.int32)
    values = np.empty(rules[N_ACTIONS], np.int64)
    after = np.empty_like(states[0])
    one = np.int64(1)
    for b in range(len(states)):
        s, stream = states[b], streams[b : b + 1]
        actions[b] = NONE
        if below(stream, 100) >= percent or s[PHASE]:
            continue
        if men:
            count = moves(rules, s, legal)
            for i in range(count):
                values[i] = _gain(rules, s, after, np.int64(legal[i]))
        else:
            load(rules, w, s, one)
            seat = np.int64(s[TO_MOVE])
            count = list_legal(rules, s, w, w[FREE], seat)
            for i in range(count):
                legal[i] = w[w[FREE] + i]
                values[i] = greedy_value(rules, w, seat, np.int64(legal[i]))
            load(rules, w, s, -one)
        found = _next_best(values, count, legal)
        if found > 0:
            actions[b] = break_tie(legal, found, False, stream)
