"""Checksums of the files of a run. They are checked at each reading, so damage is reported.

    DIR/SHA256SUMS    a line for each file of games and times, in the format of `sha256sum`

The line is written before the file gets its name, so after a kill or a power failure every file has its line. A file
that was written again has several lines, one of which is right, until the run is whole: see drop_old_lines(). A file
without a line is not checked. The manifest contains its own checksum, see seal().
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
RETRY = "remove the file and repeat the same `amoba match`, which plays its games again"


def commit(file: Path, data: Any) -> None:
    """Write the checksum of a file DIR/KIND/NAME of a run, then the file, atomically. Raises OSError."""
    line = f"{hashlib.sha256(data).hexdigest()}  {_name(file)}\n".encode()
    sums = _sums(file)
    try:
        with open(sums, "a+b") as out:
            end = out.seek(0, os.SEEK_END)
            out.seek(max(0, end - 1))
            whole = out.read() in (b"", b"\n")  # else a full disk or a power failure cut the last line off
            out.write(line if whole else b"\n" + line)
            out.flush()
            os.fsync(out.fileno())
    except OSError as error:
        raise not_written(sums, error) from None
    replace(file, data)


def drop_old_lines(folder: Path) -> None:
    """Remove the lines of earlier versions of files and of files that are gone, so that `sha256sum -c` finds no fault.

    The lines of a damaged file stay, and its damage is reported. Raises OSError.
    """
    sums, lines = folder / SUMS, []
    if sums.exists():
        for name, known in _read(sums, _seen(sums)).items():
            file = folder / name
            if file.is_file():
                digest = hashlib.sha256(file.read_bytes()).hexdigest() if len(known) > 1 else ""
                lines += [f"{each}  {name}\n" for each in sorted(known) if digest not in known or each == digest]
        replace(sums, "".join(lines).encode())


def read_checked(file: Path) -> bytes:
    """The content of a file of a run.

    Raises:
        ValueError: the file is damaged; the message says what to do.
        OSError: it cannot be read.
    """
    data, known = file.read_bytes(), checksums(file).get(_name(file))
    if known is not None and hashlib.sha256(data).hexdigest() not in known:
        raise ValueError(f"{file} is damaged: it does not match its checksum in {SUMS}; {RETRY}")
    return data


def checksums(file: Path) -> Mapping[str, set[str]]:
    """The checksums of the run of this file: by name, all that were ever written."""
    sums = _sums(file)
    try:
        return _read(sums, _seen(sums))
    except FileNotFoundError:
        return {}


def _seen(sums: Path) -> tuple[int, ...]:
    """Inode, size and time of change: they differ after the file is written. FileNotFoundError if it is not there."""
    seen = sums.stat()
    return seen.st_ino, seen.st_size, seen.st_mtime_ns


@functools.lru_cache(maxsize=16)
def _read(sums: Path, seen: tuple[int, ...]) -> Mapping[str, set[str]]:
    found: dict[str, set[str]] = {}
    for line in sums.read_bytes().splitlines():
        digest, _, name = line.decode("ascii", "replace").partition("  ")
        found.setdefault(name, set()).add(digest)
    return found


def seal(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a manifest, with their checksum under SEAL."""
    others = {key: value for key, value in values.items() if key != SEAL}
    text = json.dumps(others, sort_keys=True)
    return {**others, SEAL: hashlib.sha256(text.encode()).hexdigest()}


def check_seal(values: Mapping[str, Any]) -> None:
    """Raise ValueError if the checksum of a manifest is wrong. One that has none is not checked."""
    if SEAL in values and seal(values)[SEAL] != values[SEAL]:
        raise ValueError(f"it is damaged or was edited; if its values are right, remove {SEAL!r}")


def _sums(file: Path) -> Path:
    return file.parent.parent / SUMS


def _name(file: Path) -> str:
    return f"{file.parent.name}/{file.name}"
