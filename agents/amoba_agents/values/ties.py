"""The order of moves, and the choice among moves of equal value."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoba_env.core.jit import jit
from amoba_env.core.rng import Stream, below


@jit
def sort(moves: NDArray[Any], at: int, end: int) -> None:
    """Sort moves[at:end] in place, by insertion: NumPy's sort takes a second longer to compile."""
    for i in range(at + 1, end):
        key = moves[i]
        j = i
        while j > at and moves[j - 1] > key:
            moves[j] = moves[j - 1]
            j -= 1
        moves[j] = key


@jit
def select_best(w: NDArray[np.int64], scores: int, at: int, end: int) -> int:
    """Swap the cell of w[at:end] with the highest score (w[scores + cell]) to w[at]; return it."""
    best = at
    for i in range(at + 1, end):
        if w[scores + w[i]] > w[scores + w[best]]:
            best = i
    w[at], w[best] = w[best], w[at]
    return w[at]


@jit
def break_tie(best: NDArray[np.int32], count: int, thesis: bool, stream: Stream) -> int:
    """One of best[:count]: all equally likely, or by the thesis's rule.

    The rule goes through the candidates in order; each replaces the previous choice with probability 0.3.
    """
    if not thesis:
        return best[below(stream, count)]
    chosen = best[0]
    for i in range(1, count):
        if below(stream, 10) < 3:
            chosen = best[i]
    return chosen
