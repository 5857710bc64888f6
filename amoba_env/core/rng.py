"""Explicit random streams: one `uint64` cell a game, advanced in place.

The stream of game `index` under `seed` does not depend on batch size, worker count or order of play. What is drawn
for different purposes (who begins, the opening, the moves) comes from different streams, so it is independent.
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

# What a stream is for. One seed gives each purpose streams of its own.
(
    PLAY,  # a game: its players' moves, and in environments all else that is drawn
    OPENING,  # random moves before the players'
    STARTER,  # who begins
    SEAT,  # one player at a board of its own
    TEACHER,  # games that are played to learn from
    SELF_PLAY,  # games of a search against itself
    TRAINING,  # environments in which a network learns
) = range(7)


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
    """What a seed gives for one purpose; independent of what it gives for another (NumPy's spawn keys).

    Raises:
        ValueError: a seed that is no whole number from 0 on, or not less than 2 ** 128: a larger one may be what
            another seed gives for another purpose.
    """
    return np.random.SeedSequence(checks.seed(seed), spawn_key=(purpose,) if purpose else ())


def streams(seed: int, start: int, count: int, purpose: int = PLAY) -> Stream:
    """The streams of games `start`..`start + count - 1` under `seed`, for one purpose, uint64[count]; see derived()."""
    keys = derived(seed, purpose).generate_state(2, np.uint64)
    index = np.arange(start, start + count, dtype=np.uint64) * GOLDEN
    with np.errstate(over="ignore"):
        x = (index ^ keys[0]) + keys[1]
        x = (x ^ (x >> S30)) * MIX1
        x = (x ^ (x >> S27)) * MIX2
    result: Stream = x ^ (x >> S31)
    return result
