"""Engines that run: kept from game to game, and never more of a kind than wanted.

All agents with the same settings share them, in whatever threads they are. An engine stays in its game while there are
enough; the one that has waited longest is taken for another game where there are not, and its own game then goes on in
the next that is free (engine.py tells it the position). So nobody waits for an engine that nobody is asking.
"""

from __future__ import annotations

import atexit
import itertools
import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from amoba_agents.gomocup.engine import Engine, Settings
from amoba_agents.gomocup.process import dismiss_guard, end


class Pool:
    """The engines of one kind."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.tasks = itertools.count(1)  # numbers for games
        self._engines: list[Engine] = []  # the one that was asked last is the last
        self._changed = threading.Condition()

    @contextmanager
    def engine(self, task: int) -> Iterator[Engine]:
        """An engine for a move of this game; waits while all are asked."""
        with self._changed:
            while (found := self._free(task)) is None:
                self._changed.wait()
            found.busy = True
        try:
            yield found
        finally:
            with self._changed:
                found.busy = False
                if found in self._engines:
                    self._engines.remove(found)
                    self._engines.append(found)
                self._changed.notify_all()

    def _free(self, task: int) -> Engine | None:
        idle = [engine for engine in self._engines if not engine.busy]
        for wanted in (task, 0):
            for engine in idle:
                if engine.task == wanted:
                    return engine
        if len(self._engines) < self.settings.engines:
            self._engines.append(Engine(self.settings))
            return self._engines[-1]
        return idle[0] if idle else None

    def release(self, tasks: Iterable[int]) -> None:
        """These games are over."""
        over = set(tasks)
        with self._changed:
            for engine in self._engines:
                if engine.task in over and not engine.busy:
                    engine.task = 0

    def empty(self) -> list[Engine]:
        """Forget all engines; they are returned."""
        with self._changed:
            engines, self._engines = self._engines, []
            return engines


_pools: dict[tuple[int, Settings], Pool] = {}
_lock = threading.Lock()


def pool_of(settings: Settings) -> Pool:
    """The pool of these settings in this process (a fork has its own)."""
    with _lock:
        return _pools.setdefault((os.getpid(), settings), Pool(settings))


@atexit.register
def close_engines() -> None:
    """End all engines. Whoever wants one after that starts it anew; it happens at the end of Python without a call."""
    with _lock:
        own = [pool for (pid, _), pool in _pools.items() if pid == os.getpid()]
    processes = [engine.process for pool in own for engine in pool.empty() if engine.process is not None]
    end(processes)
    dismiss_guard()
