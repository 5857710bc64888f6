"""Which of several equal moves is played."""

import numpy as np
from numpy.typing import NDArray

from amoba_env.core.jit import jit
from amoba_env.core.rng import Stream, below


@jit
def break_tie(best: NDArray[np.int32], count: int, thesis: bool, stream: Stream) -> int:
    """One of best[:count]: all equally likely, or as in the thesis.

    The thesis walks the candidates in order, and a later equal one replaces the present one with probability 0.3.
    """
    if not thesis:
        return best[below(stream, count)]
    chosen = best[0]
    for i in range(1, count):
        if below(stream, 10) < 3:
            chosen = best[i]
    return chosen
