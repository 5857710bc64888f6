"""The rows of a batch in several threads.

Compiled code releases the GIL, so threads run in parallel. Rows are independent, so results do not depend on the number
of threads. Threads start when they are first needed, and then wait for work until the process ends.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from queue import SimpleQueue

from amoba_env import checks
from amoba_env.core.interrupt import interrupt

Part = slice
Answers = SimpleQueue[BaseException | None]
Tasks = SimpleQueue[tuple[Callable[[Part], object], Part, Answers]]

_here = threading.local()

LEAST = 64  # the fewest rows of a thread: waking one takes some 15 microseconds


def parts(count: int, num_threads: int) -> list[Part]:
    """Split rows 0 .. count - 1 into at most `num_threads` parts of nearly equal size with at least LEAST rows each."""
    runs = max(1, min(num_threads, count // LEAST))
    return [slice(count * i // runs, count * (i + 1) // runs) for i in range(runs)]


def each(function: Callable[[Part], object], rows: list[Part]) -> None:
    """Call the function with all parts in parallel and wait until all are done. An error in a part is raised here."""
    if len(rows) == 1 or getattr(_here, "serves", False):  # a worker thread must not wait for others
        for part in rows:
            function(part)
        return
    first, *others = rows
    answers: Answers = SimpleQueue()
    _pool.grow(len(others))
    for part in others:
        _pool.tasks.put((function, part, answers))
    try:
        try:
            function(first)
        finally:
            errors = [answers.get() for _ in others]
    except KeyboardInterrupt:
        interrupt()  # and the other parts
        raise
    for error in errors:
        if error is not None:
            raise error


class _Pool:
    """Threads that take tasks from one queue. (The standard library's executor takes twice as long to start.)"""

    def __init__(self) -> None:
        self.tasks: Tasks = SimpleQueue()
        self._threads = 0
        self._growing = threading.Lock()

    def grow(self, count: int) -> None:
        """Have at least this number of threads."""
        if count <= self._threads:
            return
        with self._growing:
            while self._threads < count:
                name = f"amoba-rows-{self._threads}"
                threading.Thread(target=_serve, args=(self.tasks,), name=name, daemon=True).start()
                self._threads += 1


def _serve(tasks: Tasks) -> None:
    _here.serves = True
    while True:
        function, part, answers = tasks.get()
        try:
            function(part)
            answers.put(None)
        except BaseException as error:
            answers.put(error)
        del function, part, answers  # hold nothing while waiting


_pool = _Pool()


def _begin_anew() -> None:
    global _pool
    _pool = _Pool()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)  # threads are not copied


def check_num_threads(num_threads: int) -> None:
    """Raise ValueError unless it is a possible number of threads."""
    checks.whole("num_threads", num_threads, 1, checks.MOST_THREADS)
