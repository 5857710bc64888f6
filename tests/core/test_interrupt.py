"""Ctrl-C ends compiled loops (core/interrupt.py). Without the flag these tests would not end."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
import pytest
from numpy.typing import NDArray

from amoba_env.core import interrupt
from amoba_env.core.interrupt import call, cancelled, interruptible
from amoba_env.core.jit import jit

Shared = NDArray[np.int64]


@jit
def endless(begun: Shared) -> int:
    """Count until it is cancelled."""
    count = np.int64(0)
    begun[0] += 1
    while not cancelled():
        count += 1
    return count


def when(begun: Callable[[], bool], then: Callable[[], object]) -> threading.Thread:
    """A thread that waits until something has begun, and then does something."""

    def wait() -> None:
        while not begun():
            time.sleep(0.001)
        then()

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


@contextmanager
def ctrl_c(begun: Callable[[], bool]) -> Iterator[None]:
    """Ctrl-C once something has begun; the signal's handler is Python's own."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    thread = when(begun, lambda: os.kill(os.getpid(), signal.SIGINT))
    try:
        yield
    finally:
        thread.join()
        signal.signal(signal.SIGINT, before)


def test_in_the_main_thread_and_again() -> None:
    for _ in range(3):
        begun = np.zeros(1, np.int64)
        with pytest.raises(KeyboardInterrupt), ctrl_c(lambda begun=begun: bool(begun[0])):
            call(endless, begun)
        assert call(abs, -3) == 3
        assert not interrupt._flag[0]


def test_another_handler_of_the_signal_is_asked() -> None:
    """One that does not raise lets the call go on; what one raises is raised."""
    begun, heard = np.zeros(1, np.int64), []

    def handler(number: int, frame: object) -> None:
        heard.append(number)
        if len(heard) == 2:
            raise TimeoutError

    before = signal.signal(signal.SIGINT, handler)
    first = when(lambda: bool(begun[0]), lambda: os.kill(os.getpid(), signal.SIGINT))
    second = when(lambda: len(heard) == 1, lambda: os.kill(os.getpid(), signal.SIGINT))
    try:
        with pytest.raises(TimeoutError):
            call(endless, begun)
    finally:
        first.join()
        second.join()
        signal.signal(signal.SIGINT, before)


def test_in_all_threads() -> None:
    begun = np.zeros(3, np.int64)
    with ThreadPoolExecutor(3) as pool:
        futures = [pool.submit(call, endless, begun[i : i + 1]) for i in range(3)]
        when(lambda: bool(begun.all()), interrupt.interrupt).join()
        for future in futures:
            assert isinstance(future.exception(), KeyboardInterrupt)
        assert pool.submit(call, abs, -3).result() == 3


def test_calls_inside_a_cancelled_one_do_not_begin() -> None:
    begun = np.zeros(1, np.int64)

    def several() -> None:
        with interruptible():
            for _ in range(1000):
                with pytest.raises(KeyboardInterrupt):
                    call(endless, begun)

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(several)
        when(lambda: bool(begun[0]), interrupt.interrupt).join()
        assert isinstance(future.exception(), KeyboardInterrupt)
    assert begun[0] == 1


def test_errors_and_results_pass() -> None:
    with pytest.raises(ZeroDivisionError):
        call(divmod, 1, 0)
    assert call(divmod, 7, 2) == (3, 1)


def test_an_interrupt_without_calls_changes_nothing() -> None:
    interrupt.interrupt()
    assert call(abs, -3) == 3
    with interruptible():
        assert not interrupt._flag[0]


def test_a_fork_has_threads_of_its_own() -> None:
    """In a process of its own, since other tests have threads that do not survive a fork."""
    script = (
        "import os\nfrom amoba_env.core.interrupt import call\ncall(abs, -3)\n"
        "child = os.fork()\nif not child:\n    os._exit(call(abs, -4))\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "4\n"
