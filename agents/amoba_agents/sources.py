"""The files that players read, and fingerprints of files and packages.

A player whose files have changed is another player, even with the same text. So players read files with `read_file`,
which notes them. `registry.fingerprint` gives all fingerprints of a player. Runs on disk store them, and matches
compare them.
"""

import functools
import hashlib
import inspect
import os
import sys
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Annotated, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from amoba_env import checks
from amoba_env.options import Option

T = TypeVar("T")

NOT_KNOWN = "not known"
OWN_PACKAGES = (
    "amoba_agents",
    "amoba_env",
    "amoba_experiments",
)  # these have digests of their own, see core/jit.py
CHUNK = 1 << 20  # bytes
FOLDER = Path(__file__).parent
READING = threading.Lock()  # Python 3.11 fails if two threads parse a long script at once

_noted: ContextVar[dict[str, Path] | None] = ContextVar("noted", default=None)


def read_file(file: str | Path, read: Callable[..., T], *more: Hashable, name: str = "") -> T:
    """Return `read(file, *more)`, cached until the file changes. Players read their files with it.

    Args:
        file: the file.
        read: the function that reads it, the same each time.
        *more: its other arguments.
        name: the name of the file in manifests of runs, the same on every machine; by default the given path, or for
            files of this package the path in the package.

    Raises:
        OSError: the file cannot be read.
    """
    note(file, name)
    found: T = _kept(read, Path(file), digest_of_file(Path(file)), more)
    return found


def _existing(file: str) -> str:
    """Return the file's path, or "" if no file was given. Raises ValueError if the file does not exist."""
    if file and not os.path.isfile(file):
        raise ValueError(f"values: the file {checks.brief(file)} does not exist")
    return file


Values = Annotated[str, Option("file of learned values (`.npz`); empty: the package's"), _existing]


def arrays_like(own: Path, file: Path) -> dict[str, NDArray[Any]]:
    """The arrays of an .npz file. ValueError unless they have the names, shapes and types of those in `own`."""
    try:
        with open(file, "rb") as content, np.load(content) as found:
            arrays = {name: found[name] for name in found.files}
    except Exception as error:  # NumPy raises many kinds of errors for other files
        raise ValueError(f"{file} is not an .npz file of learned values") from error
    known = arrays if file == own else arrays_like(own, own)
    shapes, here = ([(key, it[key].shape, it[key].dtype) for key in sorted(it)] for it in (known, arrays))
    if here != shapes:
        raise ValueError(f"{file}: expected the arrays of {own.name} in their shapes: {', '.join(sorted(known))}")
    return arrays


def note(file: str | Path, name: str = "") -> None:
    """Note that a player reads this file, for files_read(). read_file() does it; see there for the name."""
    noted, path = _noted.get(), Path(file)
    if noted is not None:
        inside = path.is_relative_to(FOLDER)
        noted[name or (path.relative_to(FOLDER.parent).as_posix() if inside else str(file))] = path


@contextmanager
def files_read() -> Iterator[dict[str, Path]]:
    """The files that players read in the block inside, in this thread, by their names."""
    outer, found = _noted.get(), dict[str, Path]()
    token = _noted.set(found)
    try:
        yield found
    finally:
        _noted.reset(token)
        if outer is not None:
            outer.update(found)


@functools.lru_cache(maxsize=32)
def _kept(read: Callable[..., T], file: Path, digest: str, more: tuple[Hashable, ...]) -> T:
    return read(file, *more)


def digest_of_file(file: Path) -> str:
    """The digest of a file's content, cached until the file is written again. Raises OSError if it cannot be read."""
    seen = file.stat()
    return _of_content(file, (seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns))


@functools.lru_cache(maxsize=1024)
def _of_content(file: Path, seen: tuple[int, ...]) -> str:
    found = hashlib.sha256()
    with open(file, "rb") as content:
        while part := content.read(CHUNK):
            found.update(part)
    return found.hexdigest()[:16]


def source_digests(factory: Callable[..., Any], module: str = "") -> dict[str, str]:
    """Digests of the sources that define a factory, except amoba's own packages.

    Args:
        factory: makes players.
        module: the module in which it was looked up, if it is not its own.

    Returns:
        A digest, or NOT_KNOWN, under a description such as "package mine".
    """
    while isinstance(factory, functools.partial):
        factory = factory.func
    parts = (module or getattr(factory, "__module__", None) or "__main__").split(".")
    if parts[0] in OWN_PACKAGES:
        return {}
    if parts[0] == "__main__":  # of a script, only the player's own lines
        return {"source in the script": _of_source(factory)}
    for i in range(1, len(parts) + 1):
        name = ".".join(parts[:i])
        file = getattr(sys.modules.get(name), "__file__", None)
        if file is not None:  # a namespace package has no file
            return {f"package {name}": _of_package(Path(file))}
    return {f"package {parts[0]}": NOT_KNOWN}


def _of_source(factory: Callable[..., Any]) -> str:
    try:
        with READING:
            return hashlib.sha256(inspect.getsource(factory).encode()).hexdigest()[:16]
    except (OSError, TypeError):
        return NOT_KNOWN


@functools.cache
def _of_package(file: Path) -> str:
    """The digest of a module's file, or of all files beside an __init__.py, as they were at the first call."""
    if file.stem != "__init__":
        return digest_of_file(file)
    names = {each: each.relative_to(file.parent) for each in file.parent.rglob("*") if each.is_file()}
    return _of_files((each, name) for each, name in names.items() if not _is_temporary(name))


def _is_temporary(name: Path) -> bool:
    """Whether a file is temporary: in a cache, or left by an editor."""
    return any(part == "__pycache__" or part.startswith(".") for part in name.parts)


def _of_files(files: Iterable[tuple[Path, Path]]) -> str:
    lines = sorted(f"{name.as_posix()} {digest_of_file(file)}\n" for file, name in files)
    return hashlib.sha256("".join(lines).encode()).hexdigest()[:16]
