"""Which stones to try first, and what a position is worth: read off the packed numbers of open sets."""

import numpy as np

from agents.alphabeta.lines import (
    BITS,
    CELL,
    FIELD,
    HISTORY,
    KILLERS,
    SCORES,
    TOP,
    VALUE,
    Work,
)
from amoba_env.core.jit import jit
from amoba_env.core.rules import N_CELLS, Rules
from amoba_env.core.state import CELLS, EMPTY, State

# What a stone is worth to its owner by the number of sets through it that need 2 or 3, and to who takes its place.
OWN_FOURS = np.array([0, 300, 6000, 8000], np.int64)
OWN_THREES = np.array([0, 60, 260, 340, 700, 760, 820, 900], np.int64)
THEIR_FOURS = np.array([0, 150, 4000, 5000], np.int64)
THEIR_THREES = np.array([0, 40, 180, 240, 480, 520, 560, 600], np.int64)
OWN_TWO, THEIR_TWO = 10, 8  # each set that needs 4
KILLER, BEST_FIRST, MOST_HISTORY = 400, 1 << 40, 250

TEMPO_NUMERATOR, TEMPO_DENOMINATOR = 5, 4  # sets of the player to move weigh so much more
MOST = 20_000


@jit
def evaluate(w: Work, seat: int) -> int:
    """The worth of a position for the seat that is to move."""
    value = w[w[VALUE] + seat] * TEMPO_NUMERATOR // TEMPO_DENOMINATOR - w[w[VALUE] + 1 - seat]
    return max(-MOST, min(MOST, value))


@jit
def _score(mine: int, theirs: int) -> int:
    """The score of a stone where sets with these packed numbers meet."""
    score = OWN_FOURS[min(mine >> 3 * BITS & FIELD, 3)] + OWN_THREES[min(mine >> 2 * BITS & FIELD, 7)]
    score += THEIR_FOURS[min(theirs >> 3 * BITS & FIELD, 3)] + THEIR_THREES[min(theirs >> 2 * BITS & FIELD, 7)]
    return score + OWN_TWO * (mine >> BITS & FIELD) + THEIR_TWO * (theirs >> BITS & FIELD) + (mine + theirs & FIELD)


@jit
def rate(rules: Rules, w: Work, seat: int, ply: int, first: int, end: int, hint: int) -> int:
    """Score the cells w[first:end] for the seat; return where the scores of all cells at this ply begin."""
    n = np.int64(rules[N_CELLS])
    scores = w[SCORES] + ply * n
    own, others = w[CELL] + seat * (n + 1), w[CELL] + (1 - seat) * (n + 1)
    history = w[HISTORY] + seat * n
    killers = w[KILLERS] + 2 * ply
    for i in range(first, end):
        cell = w[i]
        score = _score(w[own + cell], w[others + cell]) + min(w[history + cell], MOST_HISTORY)
        if cell == w[killers] or cell == w[killers + 1]:
            score += KILLER
        w[scores + cell] = score
    if hint >= 0:
        w[scores + hint] = BEST_FIRST
    return scores


@jit
def list_empty(rules: Rules, s: State, w: Work) -> tuple[int, int]:
    """Put all empty cells on the STACK, from TOP, those on which something depends first; return their end and all's."""
    n = np.int64(rules[N_CELLS])
    zero, one = w[CELL], w[CELL] + n + 1
    first = last = w[TOP]
    for cell in range(n):
        if s[CELLS + cell] == EMPTY:
            w[last] = cell
            if w[zero + cell] + w[one + cell] > 0:
                w[last], w[first] = w[first], w[last]
                first += 1
            last += 1
    return first, last
