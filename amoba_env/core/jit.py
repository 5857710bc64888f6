"""`@jit`: compile at the first call and keep the machine code on the disk.

Numba's own disk cache checks only the file of the function itself. After an edit to a function that it calls in another
file, the cache would load the old machine code. Here the name of a cache file has a digest of everything that the
machine code depends on, see content.py.

The cache only saves time. A damaged file is compiled and written again. If the disk is read-only, functions are
compiled at each start. In both cases one message says so.
"""

import atexit
import functools
import hashlib
import os
import pickle
import re
import shutil
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import config as numba_config
from numba.core.runtime import rtsys
from numba.core.serialize import dumps
from numba.core.sigutils import normalize_signature

from amoba_env.core import content, parts
from amoba_env.core.compiling import give_notice, tell_of_damage, tell_of_disk

Function = TypeVar("Function", bound=Callable[..., Any])

config: Any = numba_config  # its attributes are made at run time

# No checks for division by zero and no C callbacks: nothing here needs them, and there is less to compile.
OPTIONS: dict[str, Any] = {"nopython": True, "error_model": "numpy", "no_cfunc_wrapper": True}
FORMAT = 7  # of the files
CHECKSUM = 32  # bytes
DAY, UNUSED_DAYS = 86_400, 30  # seconds; files that were not loaded for this many days are deleted


@functools.cache
def cache_root() -> Path:
    """The folder for machine code: `NUMBA_CACHE_DIR`, else the user's cache, else (if read-only) a temporary folder.

    Its files are unpickled, so a temporary folder must be closed to other users.
    """
    if config.CACHE_DIR:
        return Path(config.CACHE_DIR) / "amoba"
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    root = Path(home) / "amoba"
    try:
        root.mkdir(parents=True, exist_ok=True)
        if os.access(root, os.W_OK):
            return root
    except OSError:
        pass
    return _temporary()


def _temporary() -> Path:
    """A temporary folder that only this user can read; if its name is taken, a new one for this process."""
    if hasattr(os, "getuid"):
        root = Path(tempfile.gettempdir()) / f"amoba-{os.getuid()}"
        with suppress(OSError):
            with suppress(FileExistsError):
                root.mkdir(mode=0o700)
            found = root.lstat()  # does not follow links
            if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077:
                return root
    fresh = Path(tempfile.mkdtemp(prefix="amoba-"))
    atexit.register(_remove, fresh, os.getpid())
    return fresh


def _remove(folder: Path, process: int) -> None:
    if os.getpid() == process:  # not at the end of a fork
        shutil.rmtree(folder, ignore_errors=True)


def remove_all() -> tuple[int, int]:
    """Delete all machine code; return the numbers of files and bytes. Running processes keep what they loaded."""
    sizes = []
    for each in cache_root().glob("*.bin*"):
        with suppress(FileNotFoundError):  # another process has removed or renamed it
            size = each.stat().st_size
            each.unlink()
            sizes.append(size)
    return len(sizes), sum(sizes)


@functools.cache  # once
def _remove_unused() -> None:
    """Delete machine code that was not loaded for UNUSED_DAYS, such as that of older versions."""
    with suppress(OSError):
        for each in list(cache_root().glob("*.bin*")):
            with suppress(OSError):  # another process may have removed it
                if each.stat().st_mtime < time.time() - UNUSED_DAYS * DAY:
                    each.unlink()


class Cache:
    """The machine code of a function on the disk, in place of Numba's cache.

    Each signature has a file, which begins with a checksum. Loading does not prepare Numba for compiling: that imports
    SciPy's linear algebra, a fifth of the time of a short command.
    """

    def __init__(self, function: FunctionType) -> None:
        self.function = function

    @property
    def cache_path(self) -> str:
        """The folder, for Numba's statistics."""
        return str(cache_root())

    @functools.cached_property
    def content(self) -> str | None:
        """The digest of what the code depends on; None if it cannot be computed, then nothing is stored."""
        try:
            return content.digest(self.function)
        except content.Unknown:
            return None

    def file(self, signature: Any, codegen: Any, part: bool = False) -> Path:
        """The file for this signature, this version of Numba and this processor; of a part, see parts.py."""
        kinds = [content.describe(kind) for kind in normalize_signature(signature)[0]]
        maker = sys.implementation.cache_tag, numba.__version__, np.__version__, codegen.magic_tuple()
        key = repr((FORMAT, self.content, kinds, maker, sorted(OPTIONS.items()), bool(config.BOUNDSCHECK)))
        name = re.sub(r"[^\w.]", "", f"{self.function.__module__}.{self.function.__qualname__}")
        return cache_root() / f"{name[-100:]}-{hashlib.sha256(key.encode()).hexdigest()[:32]}{'.part' * part}.bin"

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The compiled function for this signature, or None if its file is missing or damaged."""
        rtsys.initialize(context)  # the memory of arrays
        if self.content is None:
            return None
        for part in (False, True):
            file = self.file(signature, context.codegen(), part)
            try:
                data = file.read_bytes()
                if file.stat().st_mtime < time.time() - DAY:
                    with suppress(OSError):
                        os.utime(file)  # it is in use
                if hashlib.sha256(data[CHECKSUM:]).digest() != data[:CHECKSUM]:
                    raise ValueError
                return parts.rebuilt(context, pickle.loads(data[CHECKSUM:]))
            except FileNotFoundError:
                pass
            except Exception:  # whatever it is, compiling helps
                tell_of_damage(file.parent)
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Store a compiled function for this signature, if possible."""
        if self.content is None or result.library.has_dynamic_globals:
            return
        file = self.file(signature, result.codegen, not result.library.is_machine_code)
        data = dumps(result._reduce())
        new = file.with_name(f"{file.name}.{os.getpid()}-{threading.get_ident()}")
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            try:
                new.write_bytes(hashlib.sha256(data).digest() + data)
                os.replace(new, file)
                _remove_unused()
            finally:
                new.unlink(missing_ok=True)
        except OSError as error:
            tell_of_disk(file.parent, error.strerror or "")

    def flush(self) -> None:
        """Do nothing: a function that is compiled again is written again."""


def jit(function: Function, *, nogil: bool = True) -> Function:
    """Numba's `njit` with OPTIONS and the disk cache above. With `NUMBA_DISABLE_JIT=1` functions stay plain Python.

    Args:
        function: the function to compile.
        nogil: whether other threads of Python run meanwhile. A thread that calls very short functions with it over and
            over lets nobody else run: it takes the lock again before another thread wakes up.
    """
    if config.DISABLE_JIT:
        return function
    if not nogil:
        vars(function)["nogil"] = False  # for the digest
    compiled = parts.Dispatcher(function, {}, {**OPTIONS, "nogil": nogil})
    compiled._cache = Cache(cast(FunctionType, function))
    return cast(Function, compiled)


if not config.DISABLE_JIT:
    give_notice()
