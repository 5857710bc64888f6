"""Move ordering: from the packed counts of open sets, or by the learned policy (learned_order.py)."""

import numpy as np

from amoba_agents.alphabeta import lines as li
from amoba_agents.alphabeta.learned_order import score_by_policy
from amoba_agents.alphabeta.lines import StoneWork
from amoba_agents.alphabeta.stone_values import StoneNetwork
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.jit import jit
from amoba_env.core.rules import Rules
from amoba_env.core.state import State

# The score of a cell by the number of sets of need 2 and 3 through it: the seat's own sets, and the opponent's.
OWN_FOURS = np.array([0, 300, 6000, 8000], np.int64)
OWN_THREES = np.array([0, 60, 260, 340, 700, 760, 820, 900], np.int64)
THEIR_FOURS = np.array([0, 150, 4000, 5000], np.int64)
THEIR_THREES = np.array([0, 40, 180, 240, 480, 520, 560, 600], np.int64)
OWN_TWO, THEIR_TWO = 10, 8  # for each set of need 4 or more
KILLER_BONUS, TABLE_CELL_SCORE, MOST_HISTORY = 400, 1 << 40, 250
# With a policy: the bonus of killers, the greatest bonus of history, and the history that gives half of it.
POLICY_KILLER, POLICY_HISTORY, HALF_HISTORY = 50, 50, 100


@jit
def _score(mine: int, theirs: int) -> int:
    """The ordering score of a cell from the packed counts of the seat and of the opponent."""
    score = OWN_FOURS[min(mine >> 2 * li.BITS & li.FIELD, 3)] + OWN_THREES[min(mine >> li.BITS & li.FIELD, 7)]
    score += THEIR_FOURS[min(theirs >> 2 * li.BITS & li.FIELD, 3)] + THEIR_THREES[min(theirs >> li.BITS & li.FIELD, 7)]
    return score + OWN_TWO * (mine & li.FIELD) + THEIR_TWO * (theirs & li.FIELD)


@jit
def score_learned(
    rules: Rules,
    s: State,
    w: StoneWork,
    network: StoneNetwork,
    seat: int,
    ply: int,
    first: int,
    end: int,
    table_cell: int,
) -> int:
    """score_cells() with the learned policy in place of the counts."""
    n = np.int64(rules[ru.N_CELLS])
    scores = w[li.SCORES] + ply * n
    history = w[li.HISTORY] + seat * n
    killers = w[li.KILLERS] + 2 * ply
    score_by_policy(rules, s, w, network, seat, scores, first, end)
    for i in range(first, end):
        cell = w[i]
        w[scores + cell] += w[history + cell] * POLICY_HISTORY // (w[history + cell] + HALF_HISTORY)
        if cell == w[killers] or cell == w[killers + 1]:
            w[scores + cell] += POLICY_KILLER
    if table_cell >= 0:
        w[scores + table_cell] = TABLE_CELL_SCORE
    return scores


@jit
def score_cells(rules: Rules, w: StoneWork, seat: int, ply: int, first: int, end: int, table_cell: int) -> int:
    """Score the cells w[first:end] for the seat; return the offset of the scores of all cells at this ply."""
    n = np.int64(rules[ru.N_CELLS])
    scores = w[li.SCORES] + ply * n
    history = w[li.HISTORY] + seat * n
    killers = w[li.KILLERS] + 2 * ply
    for i in range(first, end):
        cell = w[i]
        own, others = li.open_counts(w, seat, cell), li.open_counts(w, 1 - seat, cell)
        score = _score(own, others) + min(w[history + cell], MOST_HISTORY)
        if cell == w[killers] or cell == w[killers + 1]:
            score += KILLER_BONUS
        w[scores + cell] = score
    if table_cell >= 0:
        w[scores + table_cell] = TABLE_CELL_SCORE
    return scores


@jit
def list_empty(rules: Rules, s: State, w: StoneWork) -> tuple[int, int]:
    """Put all empty cells on the STACK, from TOP on, those with open sets first; return the ends of both parts."""
    n = np.int64(rules[ru.N_CELLS])
    cells = w[li.CELL_COUNTS]
    first = last = w[li.TOP]
    for cell in range(n):
        if s[st.CELLS + cell] == st.EMPTY:
            w[last] = cell
            if w[cells + cell] != 0:
                w[last], w[first] = w[first], w[last]
                first += 1
            last += 1
    return first, last
