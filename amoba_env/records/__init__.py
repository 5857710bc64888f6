"""Files of played games: SGF and Piskvork's .psq for stones on rectangles, JSON lines for every game, RenLib's trees.

    records = read("games.sgf")                                   # the file names the game; every move is checked
    records = read("match.psq", game="gomoku", rule="exact")      # the rules, if the file does not name them
    write(records, "games.jsonl")

A record is an `amoba_env.Record`; names, comments and times are in `record.about`. JSON lines store everything. The
modules of the other formats list what these cannot store.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from amoba_env import checks, files
from amoba_env.options import Options, Value
from amoba_env.record import About, Record, Result
from amoba_env.records import jsonl, psq, renlib, sgf
from amoba_env.records.rules import CONTROLS

__all__ = ["FORMATS", "About", "Record", "Result", "from_text", "read", "read_each", "to_text", "write"]


class Format(NamedTuple):
    """The writer and the reader of a format.

    The reader yields for each game its place in the text, and a function that makes the record or raises ValueError.
    """

    dump: Callable[[Sequence[Record]], str]
    parse: Callable[[str, str | None, Options], Iterator[tuple[str, Callable[[], Record]]]]


FORMATS = {
    "sgf": Format(sgf.dump, sgf.parse),
    "psq": Format(psq.dump, psq.parse),
    "jsonl": Format(jsonl.dump, jsonl.parse),
    "lib": Format(renlib.dump, renlib.parse),
}
WRITTEN = ("sgf", "psq", "jsonl")  # .lib can only be read


def read(path: str | Path, format: str | None = None, game: str | None = None, **options: Value) -> list[Record]:
    """Read the records of a file.

    Args:
        path: the file.
        format: "sgf", "psq", "jsonl" or "lib"; by default the suffix of the path.
        game: the name of the game, if the file has none or a wrong one.
        options: options of that game. The size of the board comes from the file.

    Raises:
        ValueError: the file has an error; the message names file, line, game and move.
        OSError: the file cannot be read.
    """
    return _good(read_each(path, format, game, **options))


def read_each(
    path: str | Path, format: str | None = None, game: str | None = None, **options: Value
) -> list[Record | ValueError]:
    """For each game of a file its record, or the error that says where and why it is bad; arguments as for `read`.

    Raises:
        ValueError: an unknown format.
        OSError: the file cannot be read.
    """
    kind = format or format_of(path)
    _format(kind)
    data = _path(path).read_bytes()
    try:
        found = _each(_decoded(data, kind), kind, game, **options)
    except ValueError as error:
        found = [error]
    return [ValueError(f"{path}: {each}") if isinstance(each, ValueError) else each for each in found]


def write(records: Iterable[Record], path: str | Path, format: str | None = None) -> None:
    """Write a file.

    Raises:
        ValueError: the format cannot store one of the records; then nothing is written.
        OSError: the file cannot be written.
    """
    try:
        text = to_text(records, format or format_of(path, WRITTEN))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    files.write(_path(path), text)


def from_text(text: str, format: str, game: str | None = None, **options: Value) -> list[Record]:
    """The records in a text, see `read`. Raises ValueError if it has an error or no record."""
    return _good(_each(text, format, game, **options))


def _good(found: Sequence[Record | ValueError]) -> list[Record]:
    for each in found:
        if isinstance(each, ValueError):
            raise each
    return [each for each in found if isinstance(each, Record)]


def _each(text: str, format: str, game: str | None, **options: Value) -> list[Record | ValueError]:
    if game is not None:
        checks.text("game", game)
    text = checks.text("records", text)
    if checks.text("format", format) != "lib":
        text = CONTROLS.sub("", text.removeprefix("\ufeff"))
    found: list[Record | ValueError] = []
    for place, make in _format(format).parse(text, game, options):
        try:
            found.append(make())
        except (ValueError, RecursionError) as error:
            found.append(ValueError(f"{place}{error}"))
    return found or [ValueError("expected at least one game, got none")]


def to_text(records: Iterable[Record], format: str) -> str:
    """The records as text. Raises ValueError if the format cannot store one of them, or if there are none."""
    given = checks.listed("records", records)
    for record in given:
        if not isinstance(record, Record):
            raise ValueError(f"records: expected objects of the class Record, got {checks.brief(record)}")
    if not given:
        raise ValueError("expected at least one record, got none")
    return _format(format).dump(given)


def format_of(path: str | Path, among: Iterable[str] = FORMATS) -> str:
    """The format by the suffix of a path. Raises ValueError for an unknown suffix, and names the formats `among`."""
    kind = _path(path).suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        raise ValueError(f"{str(path)!r}: expected a file that ends in {', '.join(f'.{known}' for known in among)}")
    return kind


def _path(path: str | Path) -> Path:
    try:
        return Path(path)
    except TypeError:
        raise ValueError(f"file: expected a path or a text, got {checks.brief(path)}") from None


def _format(name: str) -> Format:
    if not isinstance(name, str) or name not in FORMATS:
        raise ValueError(f"unknown format {checks.brief(name)}; the formats: {', '.join(FORMATS)}")
    return FORMATS[name]


def _decoded(data: bytes, format: str) -> str:
    """The text of a file; of a .lib file a character for each byte.

    The encoding is the one that the file names (SGF), else UTF-8, else (not JSON) Latin-1.
    """
    if format == "lib":
        return data.decode("latin-1")
    declared = re.search(rb"\bCA\[([\w:.-]+)\]", data[:4096]) if format == "sgf" else None
    encoding = declared[1].decode() if declared else "utf-8"
    try:
        text = files.decoded(data, encoding)
        if "\0" in text:
            raise ValueError("expected text, got binary data")
        return text
    except LookupError:
        raise ValueError(f"CA[{encoding}]: unknown encoding") from None
    except UnicodeDecodeError:
        if declared or format == "jsonl":
            raise ValueError(f"expected text in {encoding}, got other bytes") from None
        return data.decode("latin-1")
