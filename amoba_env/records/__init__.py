"""Files of played games: SGF and Piskvork's .psq for stones on rectangles, JSON lines for every game.

    records = read("games.sgf")                                   # the file names the game; every move is checked
    records = read("match.psq", game="gomoku", rule="exact")      # this format does not name the game
    write(records, "games.jsonl")

A record is an `amoba_env.Record`; names, comments and times are in `record.about`. JSON lines keep everything. The
modules of the other formats say what these cannot hold.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from amoba_env import checks, files
from amoba_env.options import Options, Value
from amoba_env.record import About, Record, Result
from amoba_env.records import jsonl, psq, sgf

__all__ = ["FORMATS", "About", "Record", "Result", "from_text", "read", "to_text", "write"]


class Format(NamedTuple):
    """The functions that write and read a format."""

    dump: Callable[[Sequence[Record]], str]
    parse: Callable[[str, str | None, Options], list[Record]]


FORMATS = {
    "sgf": Format(sgf.dump, sgf.parse),
    "psq": Format(psq.dump, psq.parse),
    "jsonl": Format(jsonl.dump, jsonl.parse),
}


def read(path: str | Path, format: str | None = None, game: str | None = None, **options: Value) -> list[Record]:
    """The records in a file.

    Args:
        path: of the file.
        format: "sgf", "psq" or "jsonl"; by default the ending of the path.
        game: its name, if the file does not name it or names a wrong one.
        options: of that game, except for the size of the board, which is in the file.

    Raises:
        ValueError: the file cannot be understood; the message names file, game and move, and says why.
        OSError: the file cannot be read.
    """
    kind = format or format_of(path)
    try:
        return from_text(_decoded(_path(path).read_bytes(), kind), kind, game, **options)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def write(records: Iterable[Record], path: str | Path, format: str | None = None) -> None:
    """Write a file.

    Raises:
        ValueError: the format cannot hold one of the records; then nothing is written.
        OSError: the file cannot be written.
    """
    try:
        text = to_text(records, format or format_of(path))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    files.write(_path(path), text)


def from_text(text: str, format: str, game: str | None = None, **options: Value) -> list[Record]:
    """The records in a text, see `read`. Raises ValueError if it cannot be understood or has no record."""
    if game is not None:
        checks.text("game", game)
    records = _format(format).parse(checks.text("records", text).removeprefix("\ufeff"), game, options)
    if not records:
        raise ValueError("it holds no game")
    return records


def to_text(records: Iterable[Record], format: str) -> str:
    """The records as text. Raises ValueError if the format cannot hold one of them, or if there are none."""
    given = checks.listed("records", records)
    for record in given:
        if not isinstance(record, Record):
            raise ValueError(f"records to write are of the class Record, not {checks.brief(record)}")
    if not given:
        raise ValueError("no game to write")
    return _format(format).dump(given)


def format_of(path: str | Path) -> str:
    """The format that a path ends in. Raises ValueError for another end."""
    kind = _path(path).suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        raise ValueError(f"{str(path)!r}: expected a file that ends in {', '.join(f'.{known}' for known in FORMATS)}")
    return kind


def _path(path: str | Path) -> Path:
    try:
        return Path(path)
    except TypeError:
        raise ValueError(f"a file is a path or a text, not {checks.brief(path)}") from None


def _format(name: str) -> Format:
    if not isinstance(name, str) or name not in FORMATS:
        raise ValueError(f"unknown format {checks.brief(name)}; the formats: {', '.join(FORMATS)}")
    return FORMATS[name]


def _decoded(data: bytes, format: str) -> str:
    """The text of a file, in the encoding that the file names (SGF), else in UTF-8, else (not for JSON) in Latin-1."""
    declared = re.search(rb"\bCA\[([\w:.-]+)\]", data[:4096]) if format == "sgf" else None
    encoding = declared[1].decode() if declared else "utf-8"
    try:
        if b"\0" in data:
            raise ValueError("it is not a text")
        return data.decode(encoding)
    except LookupError:
        raise ValueError(f"CA[{encoding}]: unknown encoding") from None
    except UnicodeDecodeError:
        if declared or format == "jsonl":
            raise ValueError(f"it is not a text in {encoding}") from None
        return data.decode("latin-1")
