"""A bar with the rate and the time left."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


@contextmanager
def progress_bar(console: Console, unit: str, quiet: bool = False) -> Iterator[Progress]:
    """A bar that vanishes in the end, or none if quiet or the console is no terminal; tasks count `unit` ("games")."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )

    class Rated(Progress):
        def get_renderables(self) -> Any:
            for task in self.tasks:
                task.fields["rate"] = f"{task.speed:,.0f} {unit}/s" if task.speed else ""
            return super().get_renderables()

    with Rated(*columns, console=console, transient=True, disable=quiet or not console.is_terminal) as bar:
        yield bar
