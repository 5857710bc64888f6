"""Progress: a bar with the rate and the time left, or lines of a log where there is no terminal."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, Task

EVERY = 10.0  # seconds between two lines of the log


@contextmanager
def progress_bar(console: Console, unit: str, quiet: bool = False) -> Iterator[Progress]:
    """A bar that disappears at the end; without a terminal, a line every 10 seconds.

    `unit` is what is counted ("games"); "": the descriptions of the tasks say it.
    """
    from amoba_experiments.arena.own_bar import bar_of

    bar = bar_of(console, unit, quiet or not console.is_terminal)
    with bar, nullcontext() if quiet or console.is_terminal else _log(bar, console, unit):
        yield bar


@contextmanager
def _log(bar: Progress, console: Console, unit: str) -> Iterator[None]:
    over = threading.Event()

    def write() -> None:
        while not over.wait(EVERY):
            for task in bar.tasks:
                if not task.total or task.completed < task.total:
                    console.print(line_of(task, unit), soft_wrap=True, markup=False)

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def line_of(task: Task, unit: str) -> str:
    """A task as a line: "gomoku: 1,200 of 10,000 games, 240 games/s, 0:00:37 left". A total of 0 is not shown."""
    from amoba_env.core.compiling import is_compiling
    from amoba_experiments.arena.own_bar import rate_text

    if is_compiling():
        return "compiling, once: the machine code is kept on disk"
    if not task.total:
        return task.description
    done = f"{task.description}: {task.completed:,.0f} of {task.total:,.0f} {unit}".rstrip()
    if not task.speed:
        return done
    left = task.remaining or 0
    seconds = int(left / task.speed)
    clock = f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return ", ".join(filter(None, (done, rate_text(task.speed, unit), f"{clock} left")))
