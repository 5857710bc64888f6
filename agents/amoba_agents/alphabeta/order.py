"""Which stones to try first, and what a position is worth: read off the packed numbers of open sets."""

import numpy as np

from amoba_agents.alphabeta.lines import (
    BITS,
    CELL,
    FIELD,
    HISTORY,
    KILLERS,
    SCORES,
    SEAT_BITS,
    SEAT_FIELDS,
    TOP,
    VALUE,
    Work,
    word,
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
    both = w[w[VALUE]]
    own, others = both >> SEAT_BITS * seat & SEAT_FIELDS, both >> SEAT_BITS * (1 - seat) & SEAT_FIELDS
    value = own * TEMPO_NUMERATOR // TEMPO_DENOMINATOR - others
    return max(-MOST, min(MOST, value))


@jit
def _score(mine: int, theirs: int) -> int:
    """The score of a stone where sets with these packed numbers meet."""
    score = OWN_FOURS[min(mine >> 2 * BITS & FIELD, 3)] + OWN_THREES[min(mine >> BITS & FIELD, 7)]
    score += THEIR_FOURS[min(theirs >> 2 * BITS & FIELD, 3)] + THEIR_THREES[min(theirs >> BITS & FIELD, 7)]
    return score + OWN_TWO * (mine & FIELD) + THEIR_TWO * (theirs & FIELD)


@jit
def rate(rules: Rules, w: Work, seat: int, ply: int, first: int, end: int, hint: int) -> int:
    """Score the cells w[first:end] for the seat; return where the scores of all cells at this ply begin."""
    n = np.int64(rules[N_CELLS])
    scores = w[SCORES] + ply * n
    history = w[HISTORY] + seat * n
    killers = w[KILLERS] + 2 * ply
    for i in range(first, end):
        cell = w[i]
        score = _score(word(w, seat, cell), word(w, 1 - seat, cell)) + min(w[history + cell], MOST_HISTORY)
        if cell == w[killers] or cell == w[killers + 1]:
            score += KILLER
        w[scores + cell] = score
    if hint >= 0:
        w[scores + hint] = BEST_FIRST
    return scores


@jit
def pick(w: Work, scores: int, at: int, end: int) -> int:
    """Bring the cell of w[at:end] with the best of the scores (of all cells, from w[scores]) to w[at]; return it."""
    best = at
    for i in range(at + 1, end):
        if w[scores + w[i]] > w[scores + w[best]]:
            best = i
    w[at], w[best] = w[best], w[at]
    return w[at]


@jit
def list_empty(rules: Rules, s: State, w: Work) -> tuple[int, int]:
    """Put all empty cells on the STACK, from TOP, those that count first; return their end and that of all."""
    n = np.int64(rules[N_CELLS])
    cells = w[CELL]
    first = last = w[TOP]
    for cell in range(n):
        if s[CELLS + cell] == EMPTY:
            w[last] = cell
            if w[cells + cell] != 0:
                w[last], w[first] = w[first], w[last]
                first += 1
            last += 1
    return first, last
