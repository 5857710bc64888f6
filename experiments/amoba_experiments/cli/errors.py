"""Errors of files and of missing packages, in plain words."""

from __future__ import annotations

import errno
import re
from pathlib import Path

from amoba_env.extras import install

REASONS = {
    errno.ENOENT: "there is no such file or folder",
    errno.EACCES: "you have no permission to read or write it",
    errno.EPERM: "you have no permission to read or write it",
    errno.EISDIR: "this is a folder; expected a file",
    errno.ENOTDIR: "a part of this path is a file, not a folder",
    errno.EEXIST: "this is there already, and it is not a folder",
    errno.EROFS: "this disk can only be read",
    errno.ENAMETOOLONG: "this name is too long",
    errno.ENOSPC: "the disk is full",
}
EXTRAS = {  # which of our extras brings a package
    "choix": "cli",
    "duckdb": "stats",
    "jinja2": "stats",
    "jax": "bench",
    "networkx": "cli",
    "onnx": "train",
    "onnxruntime": "trained",
    "onnxscript": "train",
    "pgx": "bench",
    "pyarrow": "stats",
    "pygame": "render",
    "pyspiel": "bench",
    "ray": "ray",
    "resvg_py": "render",
    "sb3_contrib": "train",
    "scipy": "cli",
    "stable_baselines3": "train",
    "tensorboard": "train",
    "torch": "train",
    "yaml": "train",
}


QUOTES = "'\""
LONG = re.compile(r"'(?:[^'\\\n]|\\.){200,}'|\S{200,}")  # what was typed, quoted or not
LONGEST = 2000  # characters of an error


def shortened(message: str) -> str:
    """A message in which long quotations keep their first characters only."""
    short = LONG.sub(lambda found: f"{found[0][:100]}...{found[0][-1] if found[0][0] in QUOTES else ''}", message)
    return short if len(short) <= LONGEST else f"{short[:LONGEST]}..."


def plain(error: OSError) -> str:
    """What is wrong with a file, with its name first."""
    reason = REASONS.get(error.errno or 0)
    if error.filename is None or (reason is None and not error.strerror):
        return reason or str(error)
    name = str(error.filename)
    folder = Path(name).parent
    if error.errno == errno.ENOENT and not folder.is_dir():
        return f"{name!r}: there is no folder {str(folder)!r}"
    return f"{name!r}: {reason or (error.strerror or '').lower()}"


def missing(error: ModuleNotFoundError) -> str:
    """Which extra of ours has the package that is not installed, or has the version of which a part is missing."""
    package, part, _ = str(error.name).partition(".")
    if package not in EXTRAS:
        return str(error)
    why = f"another version of {package} ({error})" if part else f"{package}, which is not installed"
    return f"this needs {why}: {install(EXTRAS[package])}"
