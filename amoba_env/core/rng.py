"""Explicit random streams: one `uint64` for each game, advanced in place.

The stream of a game depends on the seed and the number of the game, not on the batch size, the number of workers or the
order of play. Each purpose (who begins, the opening, the moves) has its own streams, independent of the others.
SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014).
"""

import numpy as np
from numpy.typing import NDArray

from amoba_env import checks
from amoba_env.core.jit import jit

Stream = NDArray[np.uint64]  # [1] or a slice of [B]

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX1 = np.uint64(0xBF58476D1CE4E5B9)
MIX2 = np.uint64(0x94D049BB133111EB)
S27, S30, S31, S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
LOW = np.uint64(0xFFFFFFFF)

# The purposes of streams.
(
    PLAY,  # a game: the players' moves; in environments all randomness
    RANDOM_OPENING,  # random moves before those of the players
    STARTER,  # who begins
    SEAT,  # one player outside of a match (amoba_agents.seat)
) = range(4)
TRAINING = 6  # environments in which a network learns; 4 and 5 are unused


@jit
def mix(x: np.uint64) -> np.uint64:
    """A 64-bit hash of a 64-bit word (SplitMix64's finalizer)."""
    x = (x ^ (x >> S30)) * MIX1
    x = (x ^ (x >> S27)) * MIX2
    return x ^ (x >> S31)


@jit
def below(stream: Stream, n: int) -> int:
    """A uniform integer of 0..n-1 (1 <= n < 2**32), exactly uniform (Lemire's rejection)."""
    m = np.uint64(n)
    while True:
        stream[0] += GOLDEN
        product = (mix(stream[0]) >> S32) * m
        low = product & LOW
        if low >= m or low >= (LOW + np.uint64(1) - m) % m:
            return np.int64(product >> S32)


def derived(seed: int, purpose: int) -> np.random.SeedSequence:
    """NumPy's seed sequence of a seed and a purpose; different purposes are independent (spawn keys).

    Raises:
        ValueError: the seed is not a whole number from 0 to 2 ** 128 - 1. (NumPy would let a larger seed give the same
            numbers as a smaller seed with another purpose.)
    """
    return np.random.SeedSequence(checks.seed(seed), spawn_key=(purpose,) if purpose else ())


def streams(seed: int, offset: int, count: int, purpose: int = PLAY) -> Stream:
    """The streams of games offset .. offset + count - 1 for one purpose: uint64[count]. See derived()."""
    keys = derived(seed, purpose).generate_state(2, np.uint64)
    index = np.arange(offset, offset + count, dtype=np.uint64) * GOLDEN
    with np.errstate(over="ignore"):
        x = (index ^ keys[0]) + keys[1]
        x = (x ^ (x >> S30)) * MIX1
        x = (x ^ (x >> S27)) * MIX2
    result: Stream = x ^ (x >> S31)
    return result
