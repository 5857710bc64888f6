"""Boards and winning patterns as text.

A board is a rectangle, `10x8` (columns x rows); or the name of a built-in board, as `cross` (files in boards/); or a
drawing, with `.` for a cell and `#` or a space for none; or the path of a file with a drawing. A drawing may be concave
and may have holes, but all its cells must be connected by sides or corners:

    ..##..
    ......      in one line: ..##../....../..##..
    ..##..

Patterns are separated by commas. Each is a row, `5` (five or more) or `5 exact` (no more than five), along a row, a
column or a diagonal; or a shape, `x` for its cells, `.` for any (or no) cell between them: `xx/.xx`, `x.x`. If it is
drawn in several lines, a space means the same as `.`.

Each text is brought to a normal form before a game is made: a file is read, and a drawing is cropped and written in one
line. So the option of a game does not depend on files and means the same on every machine.
"""

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from amoba_env.core.patterns import Shape
from amoba_env.files import decoded

MAX_SIDE = 100
READY = Path(__file__).with_name("boards")

CELL, NO_CELL, STONE = ".", "#", "x"
MARKS = "abcdefghijklmnopqrstuvwxyz"  # for the cells of parts that are cut off
RECTANGLE = re.compile(r"\s*([0-9]{1,9})\s*x\s*([0-9]{1,9})\s*")
ROW = re.compile(r"([0-9]{1,9})\s*(exact)?")

Point = tuple[int, int]  # x to the right, y downwards


class RowPattern(NamedTuple):
    """A pattern: k in a row, or (`exact`) k in a row and no more."""

    k: int
    exact: bool


def ready_boards() -> list[str]:
    """The names of the built-in boards."""
    return sorted(file.stem for file in READY.glob("*.txt"))


def normal_board(text: str) -> str:
    """The normal form of a board's text, see read_board()."""
    return read_board(text)[0]


def read_board(text: str) -> tuple[str, list[Point]]:
    """The normal form of a board's text (`10x8`, `cross`, `..##../......`) and its cells.

    Raises:
        ValueError: unknown board; a drawing that is empty, too large or not connected (the message shows the drawing,
            with letters on the cells that are cut off), or has a stray character.
    """
    size = RECTANGLE.fullmatch(text)
    if size:
        width, height = int(size[1]), int(size[2])
        _check_size(width, height)
        return f"{width}x{height}", [(x, y) for y in range(height) for x in range(width)]
    if text in ready_boards():
        return text, _cells(_cut(_read(str(READY / f"{text}.txt")), f"board {text!r}"))
    what = "board"
    if not _is_drawing(text):
        what = f"board {text[:60]!r}"
        if not os.path.isfile(text):
            known = f"a rectangle such as 10x8, a built-in board ({', '.join(ready_boards())}), a file or a drawing"
            raise ValueError(f"{what}: expected {known}; {_stray(text)}")
        text = _read(text)
    rows = _cut(text, what)
    _check_parts(rows, what)
    return "/".join(rows), _cells(rows)


def normal_patterns(text: str) -> str:
    """The normal form of the patterns' text, see read_patterns()."""
    return read_patterns(text)[0]


def read_patterns(text: str) -> tuple[str, list[RowPattern | Shape]]:
    """The normal form of the patterns' text (`5 exact,xx/.xx`) and the patterns.

    Raises:
        ValueError: a pattern that is neither a row nor a shape, or has fewer than two cells.
    """
    names: list[str] = []
    patterns: list[RowPattern | Shape] = []
    for part in text.split(","):
        row = ROW.fullmatch(part.strip())
        if row:
            pattern: RowPattern | Shape = RowPattern(int(row[1]), row[2] is not None)
            names.append(f"{pattern[0]} exact" if row[2] else f"{pattern[0]}")
            size = int(row[1])
        else:
            pattern = _read_shape(part)
            names.append("/".join(_drawn(pattern, STONE, CELL)))
            size = len(pattern)
        if size < 2:
            raise ValueError(f"pattern {part.strip()!r} has fewer than two cells")
        patterns.append(pattern)
    return ",".join(names), patterns


def _read_shape(text: str) -> Shape:
    """The cells of a shape. If it is drawn in several lines, a space means the same as a dot."""
    rows = [row.rstrip().replace(" ", CELL) if "\n" in text else row.strip() for row in _rows(text)]
    stray = [char for row in rows for char in row if char not in (STONE, CELL)]
    if stray or not any(rows):
        wanted = "expected a row such as 5 or '5 exact', or a shape drawn with x and . such as xx/.xx"
        raise ValueError(f"pattern {text.strip()[:60]!r}{f' has a stray {stray[0]!r}' if stray else ''}: {wanted}")
    cells = _cells(rows, STONE)
    left, top = min((x for x, _ in cells), default=0), min((y for _, y in cells), default=0)
    return tuple((x - left, y - top) for x, y in cells)


# --- Drawings -----------------------------------------------------------------------------------------------------


def _is_drawing(text: str) -> bool:
    """Whether a text is a drawing: it has several lines, or only the characters of drawings."""
    return "\n" in text or set(text) <= {CELL, NO_CELL, " ", "/"}


def _read(path: str) -> str:
    try:
        return decoded(Path(path).read_bytes())
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "expected text in UTF-8"
        raise ValueError(f"board {path!r} cannot be read: {reason}") from None


def _rows(text: str) -> list[str]:
    return text.replace("/", "\n").splitlines()


def _stray(text: str) -> str:
    """A message about the first character that has no meaning in a drawing; empty if there is none."""
    for y, row in enumerate(_rows(text), start=1):
        for x, char in enumerate(row, start=1):
            if char not in (CELL, NO_CELL, " "):
                wanted = "'.' is a cell, '#' or a space is not, '/' ends a row"
                return f"as a drawing it has a stray {char!r} in row {y}, column {x} ({wanted})"
    return ""


def _cut(text: str, what: str) -> list[str]:
    """The rows of a drawing, cropped to its cells. ValueError: see read_board()."""
    if stray := _stray(text):
        raise ValueError(f"{what}: {stray}")
    cells = _cells(_rows(text))
    if not cells:
        raise ValueError(f"{what}: the drawing is empty; '.' is a cell")
    columns, lines = [x for x, _ in cells], [y for _, y in cells]
    left, top = min(columns), min(lines)
    _check_size(max(columns) - left + 1, max(lines) - top + 1)
    return _drawn([(x - left, y - top) for x, y in cells], CELL, NO_CELL)


def _check_size(width: int, height: int) -> None:
    if not (1 <= width <= MAX_SIDE and 1 <= height <= MAX_SIDE):
        raise ValueError(f"board: expected 1 to {MAX_SIDE} columns and rows, got {width}x{height}")


def _cells(rows: Iterable[str], char: str = CELL) -> list[Point]:
    """The points of a drawing that have this character, in reading order."""
    return [(x, y) for y, row in enumerate(rows) for x, found in enumerate(row) if found == char]


def _drawn(cells: Iterable[Point], char: str, other: str) -> list[str]:
    """The rows of a drawing with `char` at these cells."""
    cells = set(cells)
    width, height = (max((point[axis] for point in cells), default=0) + 1 for axis in (0, 1))
    return ["".join(char if (x, y) in cells else other for x in range(width)) for y in range(height)]


def _check_parts(rows: list[str], what: str) -> None:
    """Raise ValueError unless all cells are connected. Parts other than the largest are marked."""
    board, *others = parts("/".join(rows))
    if others:
        marks = {point: MARKS[i % len(MARKS)] for i, part in enumerate(others) for point in part}
        marks |= dict.fromkeys(board, CELL)
        drawing = ("".join(marks.get((x, y), NO_CELL) for x in range(len(row))) for y, row in enumerate(rows))
        count = "one part is" if len(others) == 1 else f"{len(others)} parts are"
        reason = f"{count} cut off (cells are connected by sides and corners), marked with letters:"
        raise ValueError("\n".join([f"{what}: {reason}", *drawing]))


def parts(drawing: str) -> list[list[Point]]:
    """The parts of a drawing whose cells are connected by sides or corners, the largest first."""
    left, found = dict.fromkeys(_cells(_rows(drawing))), []
    while left:
        part = [next(iter(left))]
        del left[part[0]]
        for x, y in part:  # it grows
            for near in [(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]:
                if near in left:
                    del left[near]
                    part.append(near)
        found.append(part)
    return sorted(found, key=len, reverse=True)
