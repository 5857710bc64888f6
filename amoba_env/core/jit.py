"""`@jit`: compile at the first call, keep the machine code on disk, compile again after every edit.

Numba's own disk cache looks only at the file of the function itself. After an edit to a function that it calls in
another file, the old machine code would be loaded. Here the name of the cache folder has a digest of all sources that
the function may depend on (the core and the package of the function), so any edit to them leads to a new folder. Code
compiled with bounds checking has folders of its own.

Compiled code therefore calls only compiled code of the core and of its own package.
"""

import atexit
import functools
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar, cast

from numba import njit
from numba.core import config as numba_config
from numba.core.caching import FunctionCache
from numba.core.compiler_lock import global_compiler_lock
from numba.core.runtime import rtsys

from amoba_env.core.compiling import give_notice
from amoba_env.core.interrupt import aside

Function = TypeVar("Function", bound=Callable[..., Any])

config: Any = numba_config  # its attributes are made at run time

CORE = Path(__file__).parent
# No tests for division by zero and no C callbacks: less to compile, and nothing here has use for them.
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}

# NUMBA_BOUNDSCHECK=1 changes the machine code, but Numba's cache does not tell the two apart.
BOUNDS = "-bounds" if config.BOUNDSCHECK else ""


@functools.cache
def cache_root() -> Path:
    """The folder for machine code: `NUMBA_CACHE_DIR`, else the user's cache, else (if read-only) a temporary one.

    Files in it are unpickled, so nobody else may be able to write to a temporary one.
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
    """A folder among the temporary files for this user alone; if its name is taken, a new one for this process."""
    if hasattr(os, "getuid"):
        root = Path(tempfile.gettempdir()) / f"amoba-{os.getuid()}"
        with suppress(OSError):
            with suppress(FileExistsError):
                root.mkdir(mode=0o700)
            found = root.lstat()  # of a link itself, wherever it leads
            if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077:
                return root
    fresh = Path(tempfile.mkdtemp(prefix="amoba-"))
    atexit.register(_remove, fresh, os.getpid())
    return fresh


def _remove(folder: Path, process: int) -> None:
    if os.getpid() == process:  # not at the end of a fork
        shutil.rmtree(folder, ignore_errors=True)


@functools.cache
def digest(folder: Path) -> str:
    """A fingerprint of the core's sources and, outside the core, of those in the package that `folder` belongs to."""
    package = folder
    while folder != CORE and (package.parent / "__init__.py").exists():
        package = package.parent
    sources = sorted({*CORE.glob("*.py"), *package.rglob("*.py")})
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in sources)).hexdigest()[:16]


class Cache:
    """Numba's disk cache of a function, in a given folder. Loading from it does not prepare Numba for compiling.

    Numba's own cache class imports all that compiling needs, with SciPy's linear algebra, when it first loads a
    function. That is a fifth of the time of a short command. Numba does the same before it compiles, so it is left out
    here. The folder is opened at the first call of the function, since most functions are never called from Python.
    """

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self.function = function
        self.folder = folder

    @functools.cached_property
    def files(self) -> Any:
        """Numba's own cache of this function."""
        before = config.CACHE_DIR
        config.CACHE_DIR = str(self.folder)
        try:
            return FunctionCache(self.function)
        finally:
            config.CACHE_DIR = before

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The compiled function for this signature, or None if it is not on the disk."""
        rtsys.initialize(context)  # the memory of arrays
        with self.files._guard_against_spurious_io_errors():
            return self.files._load_overload(signature, context)

    def __getattr__(self, name: str) -> Any:  # save_overload, flush, cache_path
        return getattr(self.files, name)


def jit(function: Function) -> Function:
    """Numba's `njit` with OPTIONS and the disk cache described above. `NUMBA_DISABLE_JIT=1` leaves plain Python."""
    if config.DISABLE_JIT:
        return function
    compiled: Any = njit(**OPTIONS)(function)
    folder = digest(Path(function.__code__.co_filename).parent) + BOUNDS
    compiled._cache = Cache(function, cache_root() / folder)
    compiled.compile = functools.partial(_compile, compiled.compile)
    return cast(Function, compiled)


def _compile(compile_now: Callable[..., Any], signature: Any) -> Any:
    """Compile in another thread, so that Ctrl-C need not wait; a function that the compiler asks for, in its own."""
    return compile_now(signature) if global_compiler_lock.is_locked() else aside(compile_now, signature)


if not config.DISABLE_JIT:
    give_notice()
