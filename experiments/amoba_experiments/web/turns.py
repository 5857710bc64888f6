"""Searches for everybody in one thread, in turns, so that nobody's long search delays the others'."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from amoba_experiments.rooms.room import Refusal

MOST_WAITING, MOST_OF_ONE = 200, 50  # searches, in all and of one asker


class Turns:
    """A thread that runs searches step by step: round-robin over askers, and over the searches of each asker."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="searches")
        self._searches: dict[str, deque[Iterator[object]]] = {}  # by asker
        self._lock = threading.Lock()

    def add(self, asker: str, search: Iterator[object]) -> int:
        """Add a search; return the number of searches before it. It ends by itself, or when a step fails.

        Args:
            asker: whose turn it uses, such as an address.
            search: makes a step, of about a second at most, for each item.

        Raises:
            Refusal: too many searches are waiting.
        """
        with self._lock:
            before, own = sum(map(len, self._searches.values())), len(self._searches.get(asker, ()))
            if before >= MOST_WAITING or own >= MOST_OF_ONE:
                raise Refusal("too many searches are waiting: try later")
            self._searches.setdefault(asker, deque()).append(search)
        if not own:
            self._pool.submit(self._step, asker)
        return before

    def _step(self, asker: str) -> None:
        searches, goes_on = self._searches[asker], False
        with suppress(Exception):  # a search tells its own errors
            next(searches[0])
            goes_on = True
        with self._lock:
            searches.rotate(-1)
            if not goes_on:
                searches.pop()
            if not searches:
                del self._searches[asker]
                return
        self._pool.submit(self._step, asker)

    def close(self) -> None:
        """Stop within the time of one step."""
        self._pool.shutdown(wait=False, cancel_futures=True)
