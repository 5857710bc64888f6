"""Bars of progress.

Calls without a `progress` argument show a bar in a notebook or a terminal, after one second.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from amoba_experiments.arena.workers import Progress

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bar

DELAY = 1.0  # seconds: a call that ends sooner shows nothing


def bar_of(console: Console, unit: str = "", disable: bool = False) -> Bar:
    """A bar that disappears at the end, with the time left and the rate of what is counted (`unit`: "games")."""
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    from amoba_env.core.compiling import is_compiling  # Numba: not for commands that play nothing

    columns = (
        TextColumn("{task.fields[doing]}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )

    class Rated(Bar):
        def get_renderables(self) -> Any:
            for task in self.tasks:
                task.fields["doing"] = "compiling" if is_compiling() else task.description
                task.fields["rate"] = rate_text(task.speed, unit)
            return super().get_renderables()

    return Rated(*columns, console=console, transient=True, disable=disable)


def rate_text(speed: float | None, unit: str) -> str:
    """The rate of what is counted: "240 games/s"; "240/s" if the description names it; "" below 1, or if unknown."""
    return f"{speed:,.0f} {unit}".rstrip() + "/s" if speed and speed >= 1 else ""


def screen() -> Console | None:
    """The notebook or the terminal to show a bar in; None elsewhere, or without rich."""
    if "ipykernel" not in sys.modules and not (sys.stderr is not None and sys.stderr.isatty()):
        return None  # before rich is imported, which takes time
    try:
        from rich.console import Console
    except ImportError:
        return None
    console = Console(stderr=True)
    return console if console.is_jupyter or console.is_interactive else None


def counting(show: Callable[[str, int, int], None], what: str, total: int) -> Progress:
    """A function to call with the number of games that have just ended; `show` gets the number of all so far."""
    lock, done = threading.Lock(), 0

    def advance(count: int) -> None:
        nonlocal done
        with lock:
            done += count
            show(what, done, total)

    advance(0)
    return advance


@contextmanager
def stages(unit: str = "") -> Iterator[Callable[[str, int, int], None]]:
    """A function (description, done, total) that updates a bar; without a notebook, terminal or rich it shows none."""
    console = screen()
    if console is None:
        yield lambda what, done, total: None
        return
    bar, begun, lock = bar_of(console, unit), time.monotonic(), threading.Lock()
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
    with stages("games") as show:
        yield counting(show, what, total)
