"""Who plays the shards of a match: threads of this process, or (cluster.py) the processes of a Ray cluster."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol, TypeVar

from amoba_env import checks

T = TypeVar("T")

Shard = tuple[int, int]  # the first game, and how many
Progress = Callable[[int], None]  # called, from any thread, with the number of games that have just ended
# Plays a shard: work(first, count, progress, cancel); what it gives can be sent between processes, and so can it.
Work = Callable[[int, int, "Progress | None", "threading.Event | None"], T]


class Workers(Protocol):
    """Those who play shards, `jobs` of them at a time."""

    jobs: int

    def run(
        self, work: Work[T], shards: Sequence[Shard], keep: Callable[[Shard, T], None], progress: Progress | None
    ) -> None:
        """Call `work` for each shard and `keep` with what it gave, in any order and from any thread.

        The first error calls the others off and is raised.
        """


class Threads:
    """Threads of this process: compiled players release the interpreter's lock."""

    def __init__(self, jobs: int | None = None) -> None:
        """`jobs`: how many (default: one a core). Raises ValueError for an impossible number."""
        self.jobs = (os.cpu_count() or 1) if jobs is None else checks.whole("jobs", jobs, 1, checks.MOST_THREADS)

    def run(
        self, work: Work[T], shards: Sequence[Shard], keep: Callable[[Shard, T], None], progress: Progress | None
    ) -> None:
        """See Workers."""
        cancel = threading.Event()

        def one(shard: Shard) -> None:
            keep(shard, work(*shard, progress, cancel))

        with ThreadPoolExecutor(max_workers=self.jobs) as pool:
            futures = [pool.submit(one, shard) for shard in shards]
            try:
                for future in futures:
                    future.result()
            except BaseException:
                cancel.set()
                pool.shutdown(cancel_futures=True)
                raise


class Flag:
    """Says which of many runs are called off; on a cluster an actor, which therefore stands where imports are quick."""

    def __init__(self) -> None:
        self._off: set[int] = set()

    def call_off(self, run: int) -> None:
        """That of this number."""
        self._off.add(run)

    def is_off(self, run: int) -> bool:
        """Whether it is called off."""
        return run in self._off


def workers_of(jobs: int | Workers | None) -> Workers:
    """Threads, if only their number (or nothing) is given. Raises ValueError for an impossible number."""
    whoever: Any = jobs
    workers: Workers = whoever if callable(getattr(jobs, "run", None)) else Threads(whoever)
    return workers


def cut(games: range, size: int) -> list[Shard]:
    """The shards of these games, `size` games each but the last."""
    return [(first, min(size, games.stop - first)) for first in range(games.start, games.stop, size)]
