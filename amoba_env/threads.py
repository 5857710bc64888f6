"""The rows of a batch on several cores.

Compiled code lets go of Python's lock, so threads run it side by side; rows know nothing of each other, so what comes
out does not depend on how many there are. The threads are those of the process, wait until they are wanted, and end
with it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import cache
from queue import SimpleQueue

from amoba_env import checks

Part = slice
Answers = SimpleQueue[BaseException | None]
Tasks = SimpleQueue[tuple[Callable[[Part], object], Part, Answers]]

_here = threading.local()

LEAST = 64  # rows for which it is worth while to wake a thread (some 15 microseconds)


def parts(count: int, num_threads: int) -> list[Part]:
    """The rows 0 .. count - 1 in runs of nearly equal length, at most `num_threads`, none of less than LEAST rows."""
    runs = max(1, min(num_threads, count // LEAST))
    return [slice(count * i // runs, count * (i + 1) // runs) for i in range(runs)]


def each(function: Callable[[Part], object], rows: list[Part]) -> None:
    """Call the function with every part at the same time; return when all are done. An error in any is raised here."""
    if len(rows) == 1 or getattr(_here, "serves", False):  # a thread that serves must not wait for its like
        for part in rows:
            function(part)
        return
    first, *others = rows
    answers: Answers = SimpleQueue()
    for part in others:
        _tasks(len(others)).put((function, part, answers))
    try:
        function(first)
    finally:
        errors = [answers.get() for _ in others]
    for error in errors:
        if error is not None:
            raise error


@cache
def _tasks(threads: int) -> Tasks:
    """What so many threads wait for. (Those of the standard library's executor take twice as long to begin.)"""
    tasks: Tasks = SimpleQueue()
    for number in range(threads):
        threading.Thread(target=_serve, args=(tasks,), name=f"amoba-rows-{number}", daemon=True).start()
    return tasks


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


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_tasks.cache_clear)  # threads are not copied


def check_num_threads(num_threads: int) -> None:
    """Raise ValueError if it is no number of threads."""
    checks.whole("num_threads", num_threads, 1, checks.MOST_THREADS)
