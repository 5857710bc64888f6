"""Checksums of the files of a run. Whoever reads one of them compares it first, so damage is named and never served.

    DIR/SHA256SUMS    a line for each file of games and times, as `sha256sum` writes and reads it

The line is on the disk before the file has its name. So after a kill or a power failure every file has its line. A file
that was written again has several lines, and one of them is true. Runs of version 0.1 have no lines.
The manifest has its own checksum in it, see seal().
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from amoba_experiments.runs.files import not_written, replace

SUMS = "SHA256SUMS"
SEAL = "sha256"
RETRY = "remove the file, and the same `amoba match` plays its games again"


def commit(file: Path, data: Any) -> None:
    """Write a file DIR/KIND/NAME of a run whole or not at all, and before that its checksum. Raises OSError."""
    line = f"{hashlib.sha256(data).hexdigest()}  {_name(file)}\n".encode()
    sums = _sums(file)
    try:
        with open(sums, "a+b") as out:
            end = out.seek(0, os.SEEK_END)
            out.seek(max(0, end - 1))
            whole = out.read() in (b"", b"\n")  # else the last line was torn by a full disk or a power failure
            out.write(line if whole else b"\n" + line)
            out.flush()
            os.fsync(out.fileno())
    except OSError as error:
        raise not_written(sums, error) from None
    replace(file, data)


def is_known(file: Path) -> bool:
    """Whether there is a checksum of this file."""
    return _name(file) in checksums(file)


def read_checked(file: Path) -> bytes:
    """The content of a file of a run.

    Raises:
        ValueError: it is not what was written there. The message says what can be done.
        OSError: it cannot be read.
    """
    data, known = file.read_bytes(), checksums(file).get(_name(file))
    if known is not None and hashlib.sha256(data).hexdigest() not in known:
        raise ValueError(f"{file} is damaged: it is not what was written there ({SUMS}); {RETRY}")
    return data


def checksums(file: Path) -> Mapping[str, set[str]]:
    """The checksums of the run that has this file: by name, all that were ever written."""
    sums = _sums(file)
    try:
        seen = sums.stat()
    except FileNotFoundError:
        return {}
    return _read(sums, (seen.st_ino, seen.st_size, seen.st_mtime_ns))


@functools.lru_cache(maxsize=16)
def _read(sums: Path, seen: tuple[int, ...]) -> Mapping[str, set[str]]:
    found: dict[str, set[str]] = {}
    for line in sums.read_bytes().splitlines():
        digest, _, name = line.decode("ascii", "replace").partition("  ")
        found.setdefault(name, set()).add(digest)
    return found


def seal(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a manifest with a checksum of all others under SEAL."""
    others = {key: value for key, value in values.items() if key != SEAL}
    text = json.dumps(others, sort_keys=True)
    return {**others, SEAL: hashlib.sha256(text.encode()).hexdigest()}


def check_seal(values: Mapping[str, Any]) -> None:
    """Raise ValueError unless the values are those that were sealed, or have no checksum, as in version 0.1."""
    if SEAL in values and seal(values)[SEAL] != values[SEAL]:
        raise ValueError(f"it was damaged, or edited by hand: if the values are right, remove {SEAL!r}")


def _sums(file: Path) -> Path:
    return file.parent.parent / SUMS


def _name(file: Path) -> str:
    return f"{file.parent.name}/{file.name}"
