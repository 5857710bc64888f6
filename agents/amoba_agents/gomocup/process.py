"""A child process with line-based input and output and time limits. It leaves no processes behind.

Every child has its own session and process group. So Ctrl-C in the terminal does not reach it, and it can be killed
together with all processes that it started, except those that left the group. If this Python is killed, guard.py kills
the group.
"""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, Any

from amoba_agents.gomocup.guard import kill
from amoba_agents.gomocup.protocol import lines
from amoba_env.core.interrupt import TICK, raise_if_cancelled

GRACE = 0.5  # seconds from END to the kill
JOIN_TIMEOUT = 2.0  # seconds for the threads to read the rest of the output
MOST_UNREAD = 1000  # lines in memory; more stay in the pipe
# A group of its own, which Ctrl-C does not reach; 0x200 is Windows' CREATE_NEW_PROCESS_GROUP.
APART: dict[str, Any] = {"creationflags": 0x200} if sys.platform == "win32" else {"start_new_session": True}
IGNORED = ("MESSAGE", "DEBUG")  # lines for people only


class Process:
    """A running program.

    Attributes:
        last_error_line: the last line that it wrote to its standard error.
        written_at: when the input was last written to its pipe, a time of time.perf_counter.
    """

    def __init__(self, argv: Sequence[str]) -> None:
        """Start the program. Raises OSError."""
        pipe = subprocess.PIPE
        self._child = subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=pipe, **APART)
        _tell_guard(self._child.pid)
        self._output: queue.SimpleQueue[tuple[float, str | None]] = queue.SimpleQueue()
        self._pending_input: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._killed = threading.Event()
        self.last_error_line = ""
        self.written_at = 0.0
        # A pipe may block its thread for ever. So these are daemon threads, and nothing waits for them.
        self._threads = [
            threading.Thread(target=work, args=(stream,), daemon=True)
            for work, stream in (
                (self._read_output, self._child.stdout),
                (self._read_errors, self._child.stderr),
                (self._write_input, self._child.stdin),
            )
        ]
        for thread in self._threads:
            thread.start()

    def _read_output(self, stream: IO[bytes]) -> None:
        with stream:
            for line in lines(stream.read1):  # type: ignore[attr-defined]
                if line[:7].upper().startswith(IGNORED):
                    continue
                while self._output.qsize() >= MOST_UNREAD and not self._killed.wait(0.01):
                    pass  # until a line is read
                self._output.put((time.perf_counter(), line))
        self._output.put((time.perf_counter(), None))

    def _read_errors(self, stream: IO[bytes]) -> None:
        with stream:
            for line in lines(stream.read1):  # type: ignore[attr-defined]
                self.last_error_line = line

    def _write_input(self, stream: IO[bytes]) -> None:
        with contextlib.suppress(OSError), stream:
            while (text := self._pending_input.get()) is not None:
                self.written_at = time.perf_counter()
                stream.write(text)
                stream.flush()

    def send(self, *commands: str) -> None:
        """Write lines. Does not wait until they are read."""
        self._pending_input.put("".join(f"{command}\r\n" for command in commands).encode())

    def receive(self, until: float) -> tuple[float, str]:
        """The next line and the time when it came, as of time.perf_counter.

        Raises:
            TimeoutError: no line came in time.
            EOFError: the output has ended.
            KeyboardInterrupt: the match of this thread is cancelled.
        """
        when, line = self._next_line(until)
        if line is None:
            self._output.put((when, None))
            raise EOFError
        if when > until:
            raise TimeoutError
        return when, line

    def _next_line(self, until: float) -> tuple[float, str | None]:
        while True:
            raise_if_cancelled()
            with contextlib.suppress(queue.Empty):
                return self._output.get(timeout=min(TICK, max(0.0, until - time.perf_counter())))
            if time.perf_counter() >= until:
                raise TimeoutError

    def discard_unread(self) -> None:
        """Discard the lines that have arrived so far."""
        while not self._output.empty():
            when, line = self._output.get()
            if line is None:
                self._output.put((when, None))
                return

    def kill(self) -> int:
        """Kill it and all processes that it started; returns its exit status, negative for a signal."""
        if self._child.returncode is not None:
            return self._child.returncode
        self._killed.set()
        # Kill before wait(): until then no other process can get this number.
        kill(self._child.pid)
        status = self._child.wait()
        _tell_guard(-self._child.pid)
        self._pending_input.put(None)
        for thread in self._threads:
            thread.join(JOIN_TIMEOUT)  # a process that left the group may keep a pipe open
        return status

    def request_end(self) -> None:
        """Send END and close its input. Does not wait."""
        self.send("END")
        self._pending_input.put(None)

    def wait_closed(self, until: float) -> bool:
        """Wait until its output ends, but no longer than `until`; returns whether it has ended."""
        self._threads[0].join(max(0.0, until - time.perf_counter()))
        return not self._threads[0].is_alive()


def end(processes: Iterable[Process]) -> None:
    """Ask the processes to end; kill those that still run after GRACE seconds in all."""
    processes = list(processes)
    for process in processes:
        process.request_end()
    last = time.perf_counter() + GRACE
    for process in processes:
        process.wait_closed(last)
        process.kill()


_guards: dict[int, subprocess.Popen[bytes]] = {}  # of this process, and of those that it was forked from
_guards_lock = threading.Lock()


def _tell_guard(number: int) -> None:
    """Tell the guard of this process to watch a process group, or to stop (negative number); see guard.py."""
    with _guards_lock:
        guard = _guards.get(os.getpid())
        if guard is None or guard.poll() is not None:
            command = [sys.executable, "-I", "-S", str(Path(__file__).with_name("guard.py"))]
            nowhere = subprocess.DEVNULL
            guard = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=nowhere, stderr=nowhere, **APART)
            _guards[os.getpid()] = guard
        assert guard.stdin is not None
        with contextlib.suppress(OSError):
            guard.stdin.write(b"%d\n" % number)
            guard.stdin.flush()


def dismiss_guard() -> None:
    """End the guard of this process, if there is one. It kills the groups that it still watches."""
    with _guards_lock:
        guard = _guards.pop(os.getpid(), None)
    if guard is not None:
        guard.communicate()
