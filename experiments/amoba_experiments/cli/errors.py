"""Errors of files, of values and of missing packages, in words."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from amoba_env.extras import install
from amoba_experiments.cli.command import INTERRUPTED
from amoba_experiments.cli.shared import err

REASONS = {
    errno.ENOENT: "the file or folder does not exist",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.EISDIR: "this is a folder; expected a file",
    errno.ENOTDIR: "part of this path is a file, not a folder",
    errno.EEXIST: "expected a folder, got a file",
    errno.EROFS: "the disk is read-only",
    errno.ENAMETOOLONG: "the name is too long",
    errno.ENOSPC: "the disk is full",
}
EXTRAS = {  # package -> the extra that installs it
    "duckdb": "stats",
    "jinja2": "stats",
    "jax": "bench",
    "onnx": "train",
    "onnxruntime": "trained",
    "onnxscript": "train",
    "pgx": "bench",
    "pyarrow": "stats",
    "pygame": "render",
    "pyspiel": "openspiel",
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
LONG = re.compile(r"'(?:[^'\\\n]|\\.){200,}'|\S{200,}")  # a long value, quoted or not
LONGEST = 2000  # characters of an error


def shortened(message: str) -> str:
    """The message with long quotations cut off."""
    short = LONG.sub(lambda found: f"{found[0][:100]}...{found[0][-1] if found[0][0] in QUOTES else ''}", message)
    return short if len(short) <= LONGEST else f"{short[:LONGEST]}..."


def plain(error: OSError) -> str:
    """The error of a file, with its name first."""
    reason = REASONS.get(error.errno or 0)
    if error.filename is None or (reason is None and not error.strerror):
        return reason or str(error)
    name = str(error.filename)
    folder = Path(name).parent
    if error.errno == errno.ENOENT and not folder.is_dir():
        return f"{name!r}: the folder {str(folder)!r} does not exist"
    return f"{name!r}: {reason or (error.strerror or '').lower()}"


def missing(error: ModuleNotFoundError) -> str:
    """The message about a missing package, or a missing part of one, with the extra that installs it."""
    package, part, _ = str(error.name).partition(".")
    if package not in EXTRAS:
        return str(error)
    why = f"another version of {package} ({error})" if part else f"{package}, which is not installed"
    return f"this needs {why}: {install(EXTRAS[package])}"


def fail(message: str) -> int:
    """Print an error in one line; returns the exit code."""
    err.say(f"amoba: {shortened(message)}")
    return 2


def exit_code(work: Callable[[], Any]) -> int:
    """Do the work. Returns the exit code; an error becomes a line."""
    try:
        code = work()
    except BrokenPipeError:  # the reader of the output has closed it, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        code = 1
    except OSError as error:
        code = fail(plain(error))
    except ModuleNotFoundError as error:
        code = fail(missing(error))
    except (ValueError, ImportError) as error:
        code = fail(str(error))
    except KeyboardInterrupt:
        code = INTERRUPTED
    if code == INTERRUPTED:
        err.print("interrupted")
    return code if isinstance(code, int) else 0
