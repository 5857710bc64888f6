"""The rows of a batch in several threads.

Compiled code releases the GIL, so threads run in parallel. Rows are independent, so results do not depend on the number
of threads.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial

from amoba_env.core.interrupt import Answers, hand_over, interrupt

Part = slice

_here = threading.local()

LEAST = 64  # the fewest rows of a thread: waking one takes some 15 microseconds


def parts(count: int, num_threads: int) -> list[Part]:
    """Split rows 0 .. count - 1 into at most `num_threads` parts of nearly equal size with at least LEAST rows each."""
    runs = max(1, min(num_threads, count // LEAST))
    return [slice(count * i // runs, count * (i + 1) // runs) for i in range(runs)]


def each(function: Callable[[Part], object], rows: list[Part]) -> None:
    """Call the function with all parts in parallel and wait until all are done. An error in a part is raised here."""
    if len(rows) == 1 or getattr(_here, "serves", False):  # a part is not split again
        for part in rows:
            function(part)
        return
    first, *others = rows
    answers = Answers()
    for part in others:
        hand_over(partial(_work, function, part), answers)
    try:
        try:
            function(first)
        finally:
            errors = [answers.get()[1] for _ in others]
    except KeyboardInterrupt:
        interrupt()  # and the other parts
        raise
    for error in errors:
        if error is not None:
            raise error


def _work(function: Callable[[Part], object], part: Part) -> None:
    _here.serves = True
    try:
        function(part)
    finally:
        _here.serves = False
