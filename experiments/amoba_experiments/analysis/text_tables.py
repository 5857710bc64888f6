"""Tables of text: on the screen and in Markdown."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import rich.table
from rich.console import Console
from rich.text import Text

LIST = 6  # values of a list in a cell
LARGE = 1e15  # from here on numbers are written as powers of ten, and whole numbers without commas


class TextTable(NamedTuple):
    """A table of text. A cell may have several lines; on the screen those after the first are dim."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: Collection[int] = (0,)  # columns of words: aligned left, and wrapped if the table is too wide
    title: str = ""


def table_of(rows: Sequence[Mapping[str, Any]], title: str = "", words: Collection[int] | None = None) -> TextTable:
    """A table of rows that have the same keys, which are its headings.

    `words`: see TextTable; None: all columns whose first value is not a number.
    """
    first = rows[0]
    if words is None:
        words = [i for i, value in enumerate(first.values()) if not isinstance(value, (int, float))]
    return TextTable(list(first), [[cell(value) for value in row.values()] for row in rows], words, title)


def cell(value: Any, most: int | None = None) -> str:
    """Any value as text. Of a list with more than `most` values: the first ones, and how many more there are."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.2f}" if 1 <= abs(value) < LARGE else f"{value:.4g}"
    if isinstance(value, (list, tuple)):
        more = 0 if most is None else len(value) - most
        texts = [cell(each) for each in (value if more <= 0 else value[:most])]
        return " ".join([*texts, *([f"… {more:,} more"] if more > 0 else [])])
    counted = isinstance(value, int) and not isinstance(value, bool) and abs(value) < LARGE  # else a seed or a hash
    return f"{value:,}" if counted else str(value)


def print_notes(notes: Iterable[str], console: Console) -> None:
    """Print each note in a line; on a screen it wraps between words."""
    for note in notes:
        console.print(f"note: {note}", style="yellow", markup=False, soft_wrap=not console.is_terminal)


def print_rows(rows: Sequence[Mapping[str, Any]], console: Console) -> None:
    """Print rows that have the same keys, each in one line, even if the screen is too narrow."""
    if not rows:
        console.print("no rows")
        return
    lines = [list(rows[0]), *([cell(value, LIST) for value in row.values()] for row in rows)]
    wide = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    right = [isinstance(value, (int, float)) for value in rows[0].values()]
    for line in lines:
        parts = (f"{text:>{w}}" if r else f"{text:<{w}}" for text, w, r in zip(line, wide, right, strict=True))
        console.print("  ".join(parts).rstrip(), soft_wrap=True, markup=False)


def print_table(table: TextTable, console: Console, styles: Sequence[str | None] = ()) -> None:
    """Print a table; `styles` has a style for each row, if there are any."""
    if table.title:
        console.print(table.title, style="bold", markup=False)
    grid = rich.table.Table(box=None, pad_edge=False, show_header=any(table.headings))
    for i, heading in enumerate(table.headings):
        text, label = i in table.words, i == 0 and not any(table.headings)
        grid.add_column(Text(heading), justify="left" if text else "right", no_wrap=label or not text, overflow="fold")
    for row, style in zip(table.rows, styles or [None] * len(table.rows), strict=True):
        grid.add_row(*map(_lines, row), style=style)
    console.print(grid)


def _lines(text: str) -> Text:
    first, *rest = text.split("\n")
    return Text.assemble(first, *((f"\n{line}", "dim") for line in rest))


def markdown_table(table: TextTable) -> str:
    """A table in Markdown, with its title before it."""
    rule = ["---" if i in table.words else "--:" for i in range(len(table.headings))]
    lines = [f"| {' | '.join(map(escaped, row))} |" for row in (table.headings, rule, *table.rows)]
    return "\n".join([*([f"**{table.title}**", ""] if table.title else []), *lines]) + "\n"


def escaped(text: str) -> str:
    """Text that cannot end a cell of a Markdown table or be read as emphasis."""
    return text.replace("*", "\\*").replace("|", "\\|").replace("\n", " ")
