"""A child process that is spoken to in lines, with time limits, and that leaves nothing behind.

Every process has a session and process group of its own: Ctrl-C at the terminal does not reach it, and it is killed
with all that it started (but what has left the group). Should this Python be killed, guard.py does it.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO

from amoba_agents.gomocup.protocol import lines

GRACE = 0.5  # seconds between END and the end
PATIENCE = 2.0  # seconds for what a process said before its end
MOST_UNREAD = 1000  # lines; more stay in the pipe
UNHEARD = ("MESSAGE", "DEBUG")  # lines for people


class Process:
    """A program that runs.

    Attributes:
        last_words: the last line that it wrote to its standard error.
    """

    def __init__(self, argv: Sequence[str]) -> None:
        """Start it. Raises OSError."""
        pipe = subprocess.PIPE
        self._child = subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
        _guard(self._child.pid)
        self._heard: queue.SimpleQueue[tuple[float, str | None]] = queue.SimpleQueue()
        self._unsaid: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._killed = threading.Event()
        self.last_words = ""
        # A pipe may block for ever, a thread that reads or writes it too: nobody waits for these.
        self._threads = [
            threading.Thread(target=work, args=(stream,), daemon=True)
            for work, stream in (
                (self._hear, self._child.stdout),
                (self._hear_errors, self._child.stderr),
                (self._speak, self._child.stdin),
            )
        ]
        for thread in self._threads:
            thread.start()

    def _hear(self, stream: IO[bytes]) -> None:
        with stream:
            for line in lines(stream.read1):  # type: ignore[attr-defined]
                if line[:7].upper().startswith(UNHEARD):
                    continue
                while self._heard.qsize() >= MOST_UNREAD and not self._killed.wait(0.01):
                    pass  # until somebody reads
                self._heard.put((time.perf_counter(), line))
        self._heard.put((time.perf_counter(), None))

    def _hear_errors(self, stream: IO[bytes]) -> None:
        with stream:
            for line in lines(stream.read1):  # type: ignore[attr-defined]
                self.last_words = line

    def _speak(self, stream: IO[bytes]) -> None:
        with contextlib.suppress(OSError), stream:
            while (text := self._unsaid.get()) is not None:
                stream.write(text)
                stream.flush()

    def send(self, *commands: str) -> None:
        """Write lines; does not wait until they are read."""
        self._unsaid.put("".join(f"{command}\r\n" for command in commands).encode())

    def receive(self, until: float) -> tuple[float, str]:
        """The next line, and when it came; times are those of time.perf_counter.

        Raises:
            TimeoutError: none came until then.
            EOFError: none will come.
        """
        try:
            when, line = self._heard.get(timeout=max(0.0, until - time.perf_counter()))
        except queue.Empty:
            raise TimeoutError from None
        if line is None:
            self._heard.put((when, None))
            raise EOFError
        if when > until:
            raise TimeoutError
        return when, line

    def forget_unread(self) -> None:
        """Drop the lines that nobody asked for."""
        while not self._heard.empty():
            when, line = self._heard.get()
            if line is None:
                self._heard.put((when, None))
                return

    def kill(self) -> int:
        """End it and all that it started at once; returns its exit status, below zero for a signal."""
        if self._child.returncode is not None:
            return self._child.returncode
        self._killed.set()
        # Before wait(): until then its number belongs to nobody else.
        if sys.platform == "win32":
            subprocess.run(["taskkill", "/T", "/F", "/PID", str(self._child.pid)], capture_output=True)
        else:
            with contextlib.suppress(OSError):
                os.killpg(self._child.pid, signal.SIGKILL)
        status = self._child.wait()
        _guard(-self._child.pid)
        self._unsaid.put(None)
        for thread in self._threads:
            thread.join(PATIENCE)  # not for ever: what has left the group may keep a pipe open
        return status

    def leave(self) -> None:
        """Ask it to leave by END, and do not wait."""
        self.send("END")
        self._unsaid.put(None)

    def left(self, until: float) -> bool:
        """Wait until then for it to say no more; tells whether it does."""
        self._threads[0].join(max(0.0, until - time.perf_counter()))
        return not self._threads[0].is_alive()


def end(processes: Iterable[Process]) -> None:
    """Ask them to leave; after GRACE, the same for all, they are killed."""
    processes = list(processes)
    for process in processes:
        process.leave()
    last = time.perf_counter() + GRACE
    for process in processes:
        process.left(last)
        process.kill()


_guards: dict[int, subprocess.Popen[bytes]] = {}  # of this process, and of those that it was forked from
_guards_lock = threading.Lock()


def _guard(number: int) -> None:
    """Tell the guard of this process of a process group, see guard.py."""
    if sys.platform == "win32":
        return
    with _guards_lock:
        guard = _guards.get(os.getpid())
        if guard is None or guard.poll() is not None:
            command = [sys.executable, "-I", "-S", str(Path(__file__).with_name("guard.py"))]
            nowhere = subprocess.DEVNULL
            guard = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=nowhere, stderr=nowhere, start_new_session=True
            )
            _guards[os.getpid()] = guard
        assert guard.stdin is not None
        with contextlib.suppress(OSError):
            guard.stdin.write(b"%d\n" % number)
            guard.stdin.flush()


def dismiss_guard() -> None:
    """The guard of this process, if there is one, kills what it still watches and ends."""
    with _guards_lock:
        guard = _guards.pop(os.getpid(), None)
    if guard is not None:
        guard.communicate()
