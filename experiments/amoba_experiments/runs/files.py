"""Files of results: write them whole or not at all, read JSON, and tell two descriptions apart."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Make the folder, and let nobody else write there meanwhile. Raises ValueError if somebody does."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "w") as file:
        try:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:  # a system without such locks
            pass
        except BlockingIOError:
            raise ValueError(f"{folder} is in use by another process") from None
        yield


@contextmanager
def written_whole(file: Path) -> Iterator[Path]:
    """A temporary name to write to. Afterwards the file gets its own name; after an error it is removed."""
    temporary = file.with_name(f".{file.name}.tmp")
    try:
        yield temporary
        os.replace(temporary, file)
    finally:
        temporary.unlink(missing_ok=True)


def replace(file: Path, data: Any) -> None:
    """Write a file whole or not at all, even if the power fails. Raises OSError; then nothing is left behind."""
    try:
        with written_whole(file) as temporary, open(temporary, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        folder = os.open(file.parent, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)
    except OSError as error:
        reason = error.strerror or str(error)
        raise OSError(f"cannot write {file}: {reason}; what was written before stays, the same call goes on") from None


def read_json(file: Path) -> Any:
    """The value in a JSON file. Raises ValueError if it is no JSON, OSError if it cannot be read."""
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{file} cannot be read as JSON: {reason(error)}") from None


def reason(error: Exception) -> str:
    """Why a text file cannot be read, in one line."""
    if isinstance(error, UnicodeDecodeError):
        return "it is no text in UTF-8"
    if isinstance(error, RecursionError):
        return "it is too deeply nested"
    return " ".join(str(error).split())


def differences(there: dict[str, Any], here: dict[str, Any]) -> list[str]:
    """The differences of two descriptions, each in words."""
    lines: list[str] = []
    for key in dict.fromkeys([*there, *here]):
        one, two = there.get(key), here.get(key)
        if isinstance(one, dict) and isinstance(two, dict):
            lines += differences(one, two)
        elif one != two:
            lines.append(f"{key} is {_short(one)} there, {_short(two)} here")
    return lines


def _short(value: Any) -> str:
    text = " ".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)
    return (text if len(text) <= 100 else f"{text[:97]}...") or "none"
