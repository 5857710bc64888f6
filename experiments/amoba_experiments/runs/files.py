"""Files of results: write and lock them, list the differences of two descriptions."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoba_env import files


def from_shared_folder(paths: Sequence[Path]) -> list[str]:
    """The paths from the folder that contains all of them; whole paths if they are on several drives of Windows."""
    whole = [Path(os.path.abspath(path)) for path in paths]
    try:
        folder = os.path.commonpath([path.parent for path in whole])
    except ValueError:
        return [path.as_posix() for path in whole]
    return [path.relative_to(folder).as_posix() for path in whole]


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Make the folder and lock it. Raises ValueError if another process has locked it."""
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as held:
        try:
            held.enter_context(files.locked(folder / ".lock"))
        except BlockingIOError:
            raise ValueError(f"{folder} is in use by another process") from None
        yield


def replace(file: Path, data: Any) -> None:
    """Write a file of a run atomically. Raises OSError."""
    try:
        files.write(file, data)
    except OSError as error:
        raise not_written(file, error) from None


def write_arrays(
    file: Path, arrays: Mapping[str, NDArray[Any]], save: Callable[..., None] = np.savez_compressed
) -> None:
    """Write arrays as .npz, whole or not at all. Raises OSError."""
    with files.written_whole(file) as temporary, temporary.open("wb") as out:
        save(out, **arrays)


def not_written(file: Path, error: OSError) -> OSError:
    """The error for a file of a run that cannot be written."""
    reason = error.strerror or str(error)
    return OSError(f"cannot write {file}: {reason}; earlier games are safe, and the same call continues")


def check_folder(folder: Path, manifest: str) -> None:
    """Raise ValueError if a folder has files, but not the manifest of such runs."""
    if folder.is_dir() and not (folder / manifest).exists() and any(each.name[0] != "." for each in folder.iterdir()):
        raise ValueError(f"{folder} has files but no {manifest}: choose another folder")


ABSENT = "absent"


def differences(there: dict[str, Any], here: dict[str, Any]) -> list[str]:
    """The differences of two descriptions, a text for each; if the games differ, only that."""
    lines: list[str] = []
    keys = ["game"] if there.get("game") != here.get("game") else dict.fromkeys([*there, *here])
    for key in keys:
        one, two = there.get(key, ABSENT), here.get(key, ABSENT)
        if isinstance(one, dict) and isinstance(two, dict):
            lines += differences(one, two)
        elif one != two:
            lines.append(f"{key} is {_short(one)} there, {_short(two)} here")
    return lines


def _short(value: Any) -> str:
    text = " ".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)
    return (text if len(text) <= 100 else f"{text[:97]}...") or "none"
