"""Fingerprints of files and packages: a player whose files have changed is another player, though its text is the same.

`registry.fingerprint` says what a player is made of; runs on disk keep it, and matches compare it.
"""

import functools
import hashlib
import inspect
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

NOT_KNOWN = "not known"
OWN = (
    "amoba_agents",
    "amoba_env",
    "amoba_experiments",
)  # have digests of their own, see core/jit.py
PART = 1 << 20  # bytes


def digest_of_file(file: Path) -> str:
    """Of its content, which is read again when it was written. Raises OSError if it cannot be read."""
    seen = file.stat()
    return _of_content(file, (seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns))


@functools.lru_cache(maxsize=1024)
def _of_content(file: Path, seen: tuple[int, ...]) -> str:
    found = hashlib.sha256()
    with open(file, "rb") as content:
        while part := content.read(PART):
            found.update(part)
    return found.hexdigest()[:16]


def made_by(factory: Callable[..., Any], module: str = "") -> dict[str, str]:
    """The sources that a factory comes from, beyond OWN: a digest, or NOT_KNOWN, by what it is of.

    Args:
        factory: makes players.
        module: that it was asked of, if not its own.
    """
    while isinstance(factory, functools.partial):
        factory = factory.func
    parts = (module or getattr(factory, "__module__", None) or "__main__").split(".")
    if parts[0] in OWN:
        return {}
    if parts[0] == "__main__":  # a script also has lines that are no part of the player
        return {"source in the script": _of_source(factory)}
    for i in range(1, len(parts) + 1):
        name = ".".join(parts[:i])
        file = getattr(sys.modules.get(name), "__file__", None)
        if file is not None:  # a namespace has none
            return {f"package {name}": _of_package(Path(file))}
    return {f"package {parts[0]}": NOT_KNOWN}


def _of_source(factory: Callable[..., Any]) -> str:
    try:
        return hashlib.sha256(inspect.getsource(factory).encode()).hexdigest()[:16]
    except (OSError, TypeError):
        return NOT_KNOWN


@functools.cache
def _of_package(file: Path) -> str:
    """Of a module's file, or of all files beside an __init__.py, as they were when it was first asked for."""
    if file.stem != "__init__":
        return digest_of_file(file)
    names = {each: each.relative_to(file.parent) for each in file.parent.rglob("*") if each.is_file()}
    return _of_files((each, name) for each, name in names.items() if not _passing(name))


def _passing(name: Path) -> bool:
    """Whether a file comes and goes: caches, what editors leave."""
    return any(part == "__pycache__" or part.startswith(".") for part in name.parts)


def _of_files(files: Iterable[tuple[Path, Path]]) -> str:
    lines = sorted(f"{name.as_posix()} {digest_of_file(file)}\n" for file, name in files)
    return hashlib.sha256("".join(lines).encode()).hexdigest()[:16]
