"""Files of results: write and lock them, read JSON and YAML, list the differences of two descriptions."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoba_env import checks, files


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


def read_json(file: Path) -> Any:
    """The value in a JSON file. Raises ValueError if it is not JSON, OSError if it cannot be read."""
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{file}: expected JSON: {reason(error)}") from None


def read_yaml(what: str, file: Path) -> dict[str, Any]:
    """The mapping in a YAML file, empty for an empty file; `what` it is, in errors.

    Raises:
        ValueError: it is not YAML, or not a mapping, or a key is there twice; the message has the file, and the line of
            an error in YAML.
        OSError: it cannot be read.
    """
    import yaml

    class Loader(yaml.SafeLoader):  # type: ignore[misc] # yaml has no types
        """YAML's own loader takes the last of two equal keys."""

        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
            keys = [key.value for key, _ in node.value]
            for key in keys:
                if keys.count(key) > 1:
                    raise ValueError(f"line {node.start_mark.line + 1}: expected one value of {key}, got two")
            made: dict[Any, Any] = super().construct_mapping(node, deep)
            return made

    try:
        return dict(checks.mapping(what, yaml.load(file.read_text(encoding="utf-8"), Loader)))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ValueError(f"{file}: {reason(error)}") from None


def reason(error: Exception) -> str:
    """Why a text file cannot be read, in one line."""
    if isinstance(error, UnicodeDecodeError):
        return "expected text in UTF-8"
    if isinstance(error, RecursionError):
        return "too deeply nested"
    return " ".join(str(error).split())


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
