"""The system's clock, read inside compiled code: a search looks at it itself and so stops on time.

A thread that waits and then stops the search wakes up late on a busy machine. There the system also takes the
processor away from the search now and then, for 20 ms and more. That must not happen when the time is nearly up. So the
search keeps the longest such break in reserve: it ends before another one could make it late. But however short its
time is, it puts LEAST_NODES stones, because moves without a search are bad.

Windows has no `clock_gettime`; there a thread has to stop the search (READS_CLOCK is False), see alphabeta_player.py.
"""

import time

import numpy as np
from numba import types

from amoba_agents.alphabeta.lines import DEADLINE, LONGEST, LOOK, LOOKED, NANOSECONDS, NODES, SECONDS, STOP, StoneWork
from amoba_env.core.jit import config, jit

READS_CLOCK = hasattr(time, "clock_gettime")
MONOTONIC = time.CLOCK_MONOTONIC if READS_CLOCK else 0
NODES_BETWEEN = 256  # between two looks at the clock, some 0.1 ms
LEAST_NODES = 2000  # a millisecond of a processor that nobody else uses
NEVER = np.iinfo(np.int64).max

if not READS_CLOCK:

    @jit
    def nanoseconds(w: StoneWork) -> int:
        """Never asked."""
        return np.int64(0)

elif config.DISABLE_JIT:

    def nanoseconds(w: StoneWork) -> int:
        """The monotonic clock."""
        return np.int64(time.clock_gettime_ns(MONOTONIC))

else:
    _clock_gettime = types.ExternalFunction("clock_gettime", types.int32(types.int32, types.voidptr))

    @jit
    def nanoseconds(w: StoneWork) -> int:
        """The monotonic clock. The two numbers of C's `timespec` are left in the header of the work row."""
        _clock_gettime(np.int32(MONOTONIC), w[SECONDS : NANOSECONDS + 1].ctypes)
        return w[SECONDS] * 1_000_000_000 + w[NANOSECONDS]


@jit
def look(w: StoneWork) -> None:
    """Stop the search if its time is up, else say when to look again."""
    if w[DEADLINE] == 0:
        w[LOOK] = NEVER
        return
    now = nanoseconds(w)
    w[LONGEST] = max(w[LONGEST], now - w[LOOKED])
    w[LOOKED] = now
    w[LOOK] = w[NODES] + NODES_BETWEEN
    if now + w[LONGEST] >= w[DEADLINE] and w[NODES] >= LEAST_NODES:
        w[STOP] = 1


def set_deadline(w: StoneWork, until: float) -> None:
    """Let the search on this work row end at a time of time.perf_counter. Only where READS_CLOCK is true."""
    ahead = int((until - time.perf_counter()) * 1e9)
    w[LOOKED] = time.clock_gettime_ns(MONOTONIC)
    w[DEADLINE] = max(1, w[LOOKED] + ahead)
