"""Progress: a bar with the rate and the time left, or lines of a log where there is no terminal."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, Task

EVERY = 10.0  # seconds between two lines of the log


@contextmanager
def progress_bar(console: Console, unit: str, quiet: bool = False) -> Iterator[Progress]:
    """A bar that disappears at the end; without a terminal, a line every 10 seconds. `unit` is counted ("games")."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from amoba_env.core.compiling import is_compiling  # Numba: not for commands that play nothing

    columns = (
        TextColumn("{task.fields[doing]}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )

    class Rated(Progress):
        def get_renderables(self) -> Any:
            for task in self.tasks:
                task.fields["doing"] = "compiling" if is_compiling() else task.description
                task.fields["rate"] = f"{task.speed:,.0f} {unit}/s" if task.speed else ""
            return super().get_renderables()

    bar = Rated(*columns, console=console, transient=True, disable=quiet or not console.is_terminal)
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
    return f"{done}, {task.speed:,.0f} {unit}/s, {clock} left"
