"""A bar with rate and remaining time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


class _Rated(Progress):
    def get_renderables(self) -> Any:
        for task in self.tasks:
            task.fields["rate"] = f"{task.speed:,.0f} games/s" if task.speed else ""
        return super().get_renderables()


@contextmanager
def progress(console: Console, quiet: bool = False) -> Iterator[Progress]:
    """A bar on this console; none if quiet."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with _Rated(*columns, console=console, transient=True, disable=quiet) as bar:
        yield bar
