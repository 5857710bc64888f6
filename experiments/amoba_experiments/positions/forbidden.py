"""Renju's forbidden points of positions in JSON lines: `amoba forbidden`."""

from __future__ import annotations

import gzip
import json
import sys
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from amoba_env import checks, games, notation
from amoba_env.core import renju
from amoba_env.core import state as st
from amoba_env.files import decoded
from amoba_env.position import Position
from amoba_experiments.reading import reason

Point = list[int]
GZIP = b"\x1f\x8b"  # the first bytes of a gzip file


def position_of(row: dict[str, Any]) -> Position:
    """The position, Black to move, of {"black": [[row, col], ...], "white": [...]} or {"moves": [...]}, "size" 15.

    Raises:
        ValueError: a missing key, a stone off the board, two stones on a point, or White to move: "moves" are an odd
            number and "to_move" is not given, or it is not "black".
    """
    size = row.get("size", 15)
    game = games.make("renju", size=size)
    if "moves" in row:
        moves = _points(row, "moves", size)
        stones = moves[::2], moves[1::2]
    elif "black" in row:
        stones = _points(row, "black", size), _points(row, "white", size)
    else:
        raise ValueError("expected 'moves', or 'black' and 'white'")
    if "moves" in row and len(moves) % 2 and "to_move" not in row:
        raise ValueError(
            "'moves': an odd number, with White to move; expected an even number, as only Black has forbidden points"
        )
    if row.get("to_move", "black") != "black":
        raise ValueError(f"to_move {checks.brief(row['to_move'])}: expected 'black', who alone has forbidden points")
    cells = np.full(game.n_cells, st.EMPTY)
    for seat, points in enumerate(stones):
        for y, x in points:
            if cells[size * y + x] != st.EMPTY:
                raise ValueError(f"two stones on [{y}, {x}]")
            cells[size * y + x] = seat
    return Position(game, notation.position_from_cells(game, cells, to_move=0))


def _points(row: dict[str, Any], key: str, size: int) -> list[Point]:
    points = row.get(key, [])
    if not isinstance(points, list):
        raise ValueError(f"{key!r}: expected a list of [row, col]")
    for point in points:
        pair = isinstance(point, list) and len(point) == 2 and all(type(part) is int for part in point)
        if not pair or not all(0 <= part < size for part in point):
            raise ValueError(f"{checks.brief(point)} in {key!r}: expected [row, col] from 0 to {size - 1}")
    return points


def label(row: dict[str, Any]) -> dict[str, Any]:
    """The row with `forbidden`, their `kinds` in parallel, and `five` as the rules have them."""
    position = position_of(row)
    kinds = np.zeros(position.game.n_cells, np.int8)
    renju.points(position.game.rules, position.state, kinds)
    size = position.game.board.width
    found = [(divmod(cell, size), int(kinds[cell])) for cell in np.flatnonzero(kinds).tolist()]
    return {
        **row,
        "forbidden": [list(point) for point, kind in found if kind != renju.FIVE],
        "kinds": [renju.KINDS[kind] for _, kind in found if kind != renju.FIVE],
        "five": [list(point) for point, kind in found if kind == renju.FIVE],
    }


def label_lines(lines: Iterable[str]) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """For each line that is not blank its number from 1, and the labelled row or what is wrong with it."""
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                row = json.loads(line)
                if not isinstance(row, dict):
                    raise ValueError("expected an object")
                yield number, label(row)
            except json.JSONDecodeError as error:
                yield number, f"expected JSON: {error}"
            except ValueError as error:
                yield number, str(error)
            except RecursionError:
                yield number, "expected a position, got JSON that is too deeply nested"


def read_lines(file: str) -> list[str]:
    """The lines of a text file, compressed or not; - is the standard input. ValueError: it is not a text, or closed."""
    if file == "-" and sys.stdin is None:
        raise ValueError("the standard input is closed")
    data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    try:
        return decoded(gzip.decompress(data) if data[:2] == GZIP else data).removesuffix("\n").split("\n")
    except (UnicodeDecodeError, EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{file}: expected a file of JSON lines: {reason(error)}") from None
