"""The running engines. They are reused from game to game, and their number is limited.

All agents with the same settings share engines, also from different threads. An engine stays with its game while there
are enough engines. Otherwise the one that has been idle the longest takes over another game. Its own game later
continues with the next free engine, which gets the position (engine.py). So a game never waits while an engine is idle.
"""

from __future__ import annotations

import atexit
import itertools
import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from amoba_agents.gomocup.engine import Engine, EngineSettings
from amoba_agents.gomocup.process import dismiss_guard, end


class EnginePool:
    """The engines with the same settings."""

    def __init__(self, settings: EngineSettings) -> None:
        self.settings = settings
        self.game_numbers = itertools.count(1)
        self._engines: list[Engine] = []  # in the order of their last use
        self._changed = threading.Condition()

    @contextmanager
    def engine(self, game_number: int) -> Iterator[Engine]:
        """An engine for a move of this game; waits while all are busy."""
        with self._changed:
            while (found := self._free(game_number)) is None:
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

    def _free(self, game_number: int) -> Engine | None:
        idle = [engine for engine in self._engines if not engine.busy]
        for wanted in (game_number, 0):
            for engine in idle:
                if engine.game_number == wanted:
                    return engine
        if len(self._engines) < self.settings.engines:
            self._engines.append(Engine(self.settings))
            return self._engines[-1]
        return idle[0] if idle else None

    def release(self, game_numbers: Iterable[int]) -> None:
        """Mark these games as over, so that their engines are free."""
        over = set(game_numbers)
        with self._changed:
            for engine in self._engines:
                if engine.game_number in over and not engine.busy:
                    engine.game_number = 0

    def empty(self) -> list[Engine]:
        """Remove all engines from the pool and return them."""
        with self._changed:
            engines, self._engines = self._engines, []
            return engines


_pools: dict[tuple[int, EngineSettings], EnginePool] = {}
_lock = threading.Lock()


def pool_of(settings: EngineSettings) -> EnginePool:
    """The pool for these settings in this process (a forked process has its own)."""
    with _lock:
        return _pools.setdefault((os.getpid(), settings), EnginePool(settings))


@atexit.register
def close_engines() -> None:
    """End all engines. They start again when needed. Python calls this at exit."""
    with _lock:
        own = [pool for (pid, _), pool in _pools.items() if pid == os.getpid()]
    processes = [engine.process for pool in own for engine in pool.empty() if engine.process is not None]
    end(processes)
    dismiss_guard()
