"""Who plays the shards of a match: threads of this process, or processes of a Ray cluster (cluster.py).

A shard is a run of consecutive games that are played together.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any, Protocol, TypeVar

from amoba_env import checks
from amoba_env.core.interrupt import aside, interrupt, interruptible

T = TypeVar("T")

Shard = tuple[int, int]  # the number of the first game, and how many games
Progress = Callable[[int], None]  # called, from any thread, with the number of games that have just ended
# Plays a shard: work(first, count, progress, cancel). The function and its result can be pickled.
Work = Callable[[int, int, "Progress | None", "threading.Event | None"], T]


FEWEST = 16  # games of a shard, unless `most` is smaller or fewer games are left


class Cancelled(Exception):
    """The match was cancelled."""


class Workers(Protocol):
    """Plays shards, `jobs` of them at a time."""

    jobs: int

    def run(
        self, work: Work[T], shards: Sequence[Shard], keep: Callable[[Shard, T], None], progress: Progress | None
    ) -> None:
        """Call `work` for each shard and `keep` with its result, in any order and from any thread.

        The first error cancels the other shards and is raised.
        """


class Threads:
    """Threads of this process. They run in parallel, as compiled players release the GIL."""

    def __init__(self, jobs: int | None = None) -> None:
        """`jobs`: the number of threads (default: one a core). ValueError for an impossible number."""
        self.jobs = (os.cpu_count() or 1) if jobs is None else checks.whole("jobs", jobs, 1, checks.MOST_THREADS)

    def run(
        self, work: Work[T], shards: Sequence[Shard], keep: Callable[[Shard, T], None], progress: Progress | None
    ) -> None:
        """See Workers."""
        cancel, begun, ended = threading.Event(), threading.Event(), SimpleQueue[None]()
        failed: list[BaseException] = []  # the first one is raised, the others only were cancelled

        def one(shard: Shard) -> None:
            try:
                with interruptible():
                    keep(shard, work(*shard, progress, cancel))
            except BaseException as error:
                failed.append(error)
                cancel.set()  # at once: this thread may begin the next shard before anybody has seen the error
                raise

        def play() -> None:
            begun.set()
            done: SimpleQueue[Future[None]] = SimpleQueue()
            try:
                if cancel.is_set():
                    return
                with ThreadPoolExecutor(max_workers=self.jobs) as pool:
                    try:
                        for shard in shards:
                            pool.submit(one, shard).add_done_callback(done.put)
                        for _ in shards:
                            done.get().result()
                    except BaseException as error:
                        cancel.set()
                        pool.shutdown(cancel_futures=True)
                        raise (failed[0] if failed else error) from None
            finally:
                ended.put(None)

        # The pool belongs to another thread: Ctrl-C reaches the main thread alone, and in the middle of a lock of the
        # pool it would leave the lock closed for ever.
        try:
            aside(play)
        except BaseException as error:
            cancel.set()
            if isinstance(error, KeyboardInterrupt):
                interrupt()
            if begun.is_set():  # if not, it will see that it is cancelled
                ended.get()
            raise


class Flag:
    """Knows which runs are cancelled. On a cluster it is an actor; it is in this file because that imports quickly."""

    def __init__(self) -> None:
        self._cancelled: set[int] = set()

    def cancel(self, run: int) -> None:
        """Cancel the run of this number."""
        self._cancelled.add(run)

    def is_cancelled(self, run: int) -> bool:
        """Whether the run of this number is cancelled."""
        return run in self._cancelled


def workers_of(jobs: int | Workers | None) -> Workers:
    """The given workers, or a number of threads (None: one a core). ValueError for an impossible number."""
    whoever: Any = jobs
    workers: Workers = whoever if callable(getattr(jobs, "run", None)) else Threads(whoever)
    return workers


def growing(games: range, most: int) -> list[Shard]:
    """Cut these games of a match into shards of FEWEST to `most` games, each half as large as all before it.

    So an interruption loses a part of the games only, however slow the players are, and a long match has few shards.
    """
    found, first = [], games.start
    while first < games.stop:
        found.append((first, min(max(FEWEST, first // 2), most, games.stop - first)))
        first += found[-1][1]
    return found
