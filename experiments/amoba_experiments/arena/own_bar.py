"""The bar of calls that are given no progress: in a notebook or a terminal, from the second second on."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from amoba_experiments.arena.workers import Progress

DELAY = 1.0  # seconds: a call that ends sooner shows nothing


@contextmanager
def stages() -> Iterator[Callable[[str, int, int], None]]:
    """A function to call with what is done, and how much of how much; it shows nothing elsewhere, or without rich."""
    if "ipykernel" not in sys.modules and not (sys.stderr is not None and sys.stderr.isatty()):
        yield lambda what, done, total: None
        return
    try:
        from rich.console import Console
        from rich.progress import Progress as Bar
    except ImportError:
        yield lambda what, done, total: None
        return
    bar, begun, lock = Bar(console=Console(stderr=True), transient=True), time.monotonic(), threading.Lock()
    task = bar.add_task("")

    def show(what: str, done: int, total: int) -> None:
        bar.update(task, description=what, completed=done, total=total or None)
        with lock:
            if not bar.live.is_started and time.monotonic() - begun > DELAY:
                bar.start()

    try:
        yield show
    finally:
        bar.stop()


@contextmanager
def games(what: str, total: int) -> Iterator[Progress]:
    """A function to call with the number of games that have just ended."""
    lock, done = threading.Lock(), 0
    with stages() as show:

        def progress(count: int) -> None:
            nonlocal done
            with lock:
                done += count
                show(what, done, total)

        yield progress
