"""`@jit_later`: like `@jit`, but small calls do not wait for the compiler.

Until there is machine code, calls with few positions run as plain Python (plain.py), with the same results. Meanwhile
another process compiles and writes the machine code to the disk, where a later call finds it. From then on a call is
as fast as with `@jit`.

Calls with many positions wait for machine code. They take that of the other process if it is just compiling this
function, else they compile it. All calls wait if `AMOBA_COMPILE` is "now", if the disk is read-only, or if the other
process cannot be started.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import operator
import os
import pickle
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar, cast

import numpy as np

from amoba_env.core.jit import cache_root, config, jit
from amoba_env.core.plain import twin
from amoba_env.files import locked

Function = TypeVar("Function", bound=Callable[..., Any])

NOW = "AMOBA_COMPILE"  # environment variable
ROWS = 4  # positions of a call in plain Python, at most
TICK = 0.1  # seconds between looks at whether another process still compiles
IDLE = 20.0  # seconds without requests until the other process ends
STARTS = 3  # starts of the other process, at most


def is_small(*arguments: Any) -> bool:
    """Whether a call has few positions. A batch of positions is an array of two dimensions."""
    return all(len(each) <= ROWS for each in arguments if isinstance(each, np.ndarray) and each.ndim == 2)


def jit_later(small: Callable[..., bool] = is_small, nogil: bool = True) -> Callable[[Function], Function]:
    """A decorator like `jit`, for functions that Python calls.

    Args:
        small: takes the arguments; returns whether the call can run as plain Python while another process compiles.
        nogil: as of `jit`; False for functions of a single position, which take microseconds.
    """

    def decorate(function: Function) -> Function:
        compiled: Any = jit(function, nogil=nogil)
        if not config.DISABLE_JIT:
            compiled._compile_for_args = First(compiled, compiled._compile_for_args, small)
        return cast(Function, compiled)

    return decorate


class First:
    """Numba calls this when a function has no machine code yet for the types of its arguments."""

    def __init__(self, compiled: Any, compile_for: Callable[..., Any], small: Callable[..., bool]) -> None:
        self.compiled, self.compile_for, self.small = compiled, compile_for, small
        self.files: dict[tuple[Any, ...], Path | None] = {}

    def __call__(self, *arguments: Any) -> Callable[..., Any]:
        """The function to call with these arguments: machine code or plain Python."""
        kinds = tuple(map(self.compiled.typeof_pyval, arguments))
        file = None if os.environ.get(NOW) == "now" else self._file(kinds)
        if file is not None and not file.exists():
            if not self.small(*arguments):
                COMPILER.wait_for(file)
            elif COMPILER.ask(self.compiled.py_func, kinds, file):
                return twin(self.compiled.py_func)
        return cast(Callable[..., Any], self.compile_for(*arguments))

    def _file(self, kinds: tuple[Any, ...]) -> Path | None:
        """The file of the machine code for these types; None if it is not kept on the disk."""
        if kinds not in self.files:
            cache = self.compiled._cache
            self.files[kinds] = cache.file(kinds, self.compiled.targetctx.codegen()) if cache.content else None
        return self.files[kinds]


class CompilerProcess:
    """The other process. It compiles one function after another and ends after IDLE seconds without requests."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Forget the other process. A fork does so too: the lock that it inherits may never be released."""
        self.lock = threading.Lock()
        self.process: subprocess.Popen[bytes] | None = None
        self.starts = 0
        self.asked: list[Path] = []

    def ask(self, function: FunctionType, kinds: tuple[Any, ...], file: Path) -> bool:
        """Request the file of a function for these types of arguments, once.

        Returns False if the other process cannot compile.
        """
        if function.__module__ == "__main__" or function.__qualname__ != function.__name__:
            return False  # the other process could not import it
        with self.lock:
            try:
                if not self._runs():
                    if self.process is not None and self.process.returncode:
                        return False  # it failed; compiling in this process will show why
                    self._start()
                if file not in self.asked:
                    assert self.process is not None
                    assert self.process.stdin is not None
                    self.process.stdin.write(pickle.dumps((function.__module__, function.__name__, kinds)))
                    self.process.stdin.flush()
                    self.asked.append(file)
            except (OSError, pickle.PicklingError):
                return False
        return True

    def wait_for(self, file: Path) -> None:
        """Wait for this file if the other process compiles it now, and not if others come before it."""
        while self._runs() and file == next((each for each in self.asked if not each.exists()), None):
            time.sleep(TICK)

    def _runs(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def _start(self) -> None:
        cache_root().mkdir(parents=True, exist_ok=True)
        if self.starts == STARTS or not sys.executable or not os.access(cache_root(), os.W_OK):
            raise OSError("no other process can compile")
        self.starts += 1
        self.asked.clear()
        environment = {**os.environ, NOW: "now", "AMOBA_REGISTER": "0", "PYTHONPATH": os.pathsep.join(sys.path)}
        quiet = subprocess.DEVNULL
        self.process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=quiet,
            stderr=quiet,
            start_new_session=True,  # Ctrl-C does not end it
        )

    def close(self) -> None:
        """Send no more requests. The other process still finishes its queue, so the next start is fast."""
        if self.process is not None and self.process.stdin is not None:
            with contextlib.suppress(OSError):
                self.process.stdin.close()


COMPILER = CompilerProcess()
atexit.register(COMPILER.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=COMPILER.forget)


def compile_alone(module: str, name: str, kinds: tuple[Any, ...]) -> None:
    """Compile a function. One process at a time does for this cache, so that no function is compiled twice."""
    while True:
        try:
            with locked(cache_root() / ".lock"):
                operator.attrgetter(name)(importlib.import_module(module)).compile(kinds)
                return
        except BlockingIOError:
            time.sleep(TICK)


def serve() -> None:
    """Compile the requests from standard input."""
    requests: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def read() -> None:
        with contextlib.suppress(EOFError):
            while True:
                requests.put(pickle.load(sys.stdin.buffer))
        requests.put(None)

    threading.Thread(target=read, daemon=True).start()
    with contextlib.suppress(queue.Empty):
        while (wanted := requests.get(timeout=IDLE)) is not None:
            compile_alone(*wanted)


if __name__ == "__main__":
    serve()
