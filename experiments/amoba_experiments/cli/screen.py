"""A console whose tables stay whole in narrow terminals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Console

if TYPE_CHECKING:
    from rich.table import Table

WIDEST = 10_000  # columns


class Screen(Console):
    """Rich's console, but tables wrap only between words. A table that is still too wide runs over the edge.

    A text such as ":x:" stays as it is.
    """

    def __init__(self, **how: Any) -> None:
        super().__init__(**how, emoji=False)

    def print(self, *objects: Any, **how: Any) -> None:
        """See rich.console.Console.print."""
        tables = [each for each in objects if type(each).__name__ == "Table"]
        width = self._width
        try:
            for table in tables:
                self._fit(table)
            super().print(*objects, **how)
        finally:
            self._width = width

    def say(self, text: str) -> None:
        """Print a line as it is, without styles in brackets; it may be longer than the screen is wide."""
        self.print(text, soft_wrap=True, markup=False)

    def _fit(self, table: Table) -> None:
        """Make each column at least as wide as its longest word, and the console as wide as all columns."""
        from rich.measure import Measurement

        options = self.options.update(max_width=WIDEST)
        whole = Measurement.get(self, options, table).maximum
        if whole <= self.width:
            return
        ranges = []
        for column in table.columns:
            parts = [Measurement.get(self, options, part) for part in (column.header, *column.cells)]
            most = max(part.maximum for part in parts)
            ranges.append((most if column.no_wrap else max(part.minimum for part in parts), most))
        least, most = (sum(part) for part in zip(*ranges, strict=True))
        frame = whole - most
        room = max(0, self.width - frame - least)
        for column, (low, high) in zip(table.columns, ranges, strict=True):
            column.width = low + (high - low) * room // max(1, most - least)
        self.width = max(self.width, frame + least)
