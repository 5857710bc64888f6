"""The system's clock, read inside compiled code, so that a search stops on time.

On a busy machine a timer thread would wake up late, and the system suspends the search for 20 ms or more at a time.
So the search stops early by the longest pause seen so far in this move, to keep its limit. It always searches
LEAST_NODES positions, because moves without a search are bad. It searches fewer on large boards, where a position takes
longer, because every empty cell may be a move.

Windows has no `clock_gettime`; there a thread has to stop the search (READS_CLOCK is False), see alphabeta_player.py.
"""

import time

import numpy as np
from numba import types

from amoba_agents.alphabeta import lines as li
from amoba_agents.alphabeta.lines import StoneWork
from amoba_env.core.jit import config, jit

READS_CLOCK = hasattr(time, "clock_gettime")
MONOTONIC = time.CLOCK_MONOTONIC if READS_CLOCK else 0
NODES_BETWEEN = 256  # between two readings of the clock, some 0.1 ms
LEAST_NODES = 2000  # a few milliseconds of an idle processor; fewer on boards of more than MOST_CELLS cells
MOST_CELLS = 225
NEVER = np.iinfo(np.int64).max

if not READS_CLOCK:

    @jit
    def nanoseconds(w: StoneWork) -> int:
        """Never called."""
        return np.int64(0)

elif config.DISABLE_JIT:

    def nanoseconds(w: StoneWork) -> int:
        """The monotonic clock."""
        return np.int64(time.clock_gettime_ns(MONOTONIC))

else:
    _clock_gettime = types.ExternalFunction("clock_gettime", types.int32(types.int32, types.voidptr))

    @jit
    def nanoseconds(w: StoneWork) -> int:
        """The monotonic clock; C's `timespec` is written to the header of the work row."""
        _clock_gettime(np.int32(MONOTONIC), w[li.SECONDS : li.NANOSECONDS + 1].ctypes)
        return w[li.SECONDS] * 1_000_000_000 + w[li.NANOSECONDS]


@jit
def look(w: StoneWork) -> None:
    """Stop the search if its time is up, else set when to look again."""
    if w[li.DEADLINE] == 0:
        w[li.LOOK] = NEVER
        return
    now = nanoseconds(w)
    w[li.LONGEST] = max(w[li.LONGEST], now - w[li.LOOKED])
    w[li.LOOKED] = now
    w[li.LOOK] = w[li.NODES] + min(NODES_BETWEEN, w[li.LEAST])
    if now + w[li.LONGEST] >= w[li.DEADLINE] and w[li.NODES] >= w[li.LEAST]:
        w[li.STOP] = 1


def set_deadline(w: StoneWork, until: float) -> None:
    """Set when the search on this work row ends, by time.perf_counter. Only if READS_CLOCK."""
    ahead = int((until - time.perf_counter()) * 1e9)
    w[li.LOOKED] = time.clock_gettime_ns(MONOTONIC)
    cells = int(w[li.SCORES] - w[li.MARKS])  # MARKS has one slot for each
    w[li.LEAST] = LEAST_NODES * MOST_CELLS // max(cells, MOST_CELLS)
    w[li.DEADLINE] = max(1, w[li.LOOKED] + ahead)
