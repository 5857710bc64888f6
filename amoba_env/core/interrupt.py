"""Ctrl-C ends compiled code within a moment, wherever it runs.

Python handles signals in its main thread, and only between two of its own instructions: not in compiled code. So with
`call(function, ...)` another thread computes, and the main thread waits. On Ctrl-C the main thread sets a flag of the
process. Long loops of compiled code read it, once for each position or simulation, and end:

    if cancelled():
        break

Their result is then meaningless and dropped: `call` raises KeyboardInterrupt instead, in every thread.

Machine code on the disk refers to the flag by a symbol that each process resolves to its own address, so reading the
flag is one instruction that hits the processor's cache.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from llvmlite import binding, ir
from numba import types
from numba.core import config as numba_config

from amoba_env.core.plain import in_place_of

Result = TypeVar("Result")
Answers = SimpleQueue[tuple[Any, "BaseException | None"]]
Inbox = SimpleQueue[tuple[Callable[[], Any], Answers]]

config: Any = numba_config  # its attributes are made at run time

TICK = 0.1  # seconds between checks for signals, where the system does not wake a waiting thread
GRACE = 0.5  # seconds that a cancelled call has to end; code that does not read the flag runs on in its thread
NAME = "amoba_cancelled"

_flag = np.zeros(1, np.uint8)
binding.add_symbol(NAME, _flag.ctypes.data)


def cancelled() -> bool:
    """Whether the running calls are cancelled. For loops of compiled code."""
    return bool(_flag[0])


if not (TYPE_CHECKING or config.DISABLE_JIT):

    @in_place_of(cancelled)
    def cancelled(typing_context: Any) -> Any:  # noqa: D103

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            byte = ir.IntType(8)
            flag = builder.module.globals.get(NAME) or ir.GlobalVariable(builder.module, byte, NAME)
            return builder.icmp_unsigned("!=", builder.load_atomic(flag, "monotonic", 1), byte(0))

        return types.boolean(), generate


class _Thread(threading.local):
    interrupts = -1  # the value of _interrupts when the outermost call of this thread began; -1: none is running


_here = _Thread()
_changed = threading.Condition()
_running = 0  # number of calls
_interrupts = 0  # number so far
_idle: list[Inbox] = []  # the inboxes of threads that wait for work


def interrupt() -> None:
    """Cancel all running calls, in all threads. They raise KeyboardInterrupt."""
    global _interrupts
    with _changed:
        _interrupts += 1
        _flag[0] = _running > 0


@contextmanager
def interruptible() -> Iterator[None]:
    """A context that counts as one call: `interrupt()` ends the compiled code in it.

    A call that begins while cancelled calls are ending waits for them.

    Raises:
        KeyboardInterrupt: the call was cancelled.
    """
    global _running
    outermost = _here.interrupts < 0
    if outermost:
        with _changed:
            while _flag[0]:
                _changed.wait(TICK)
            _running += 1
            _here.interrupts = _interrupts
    elif _here.interrupts != _interrupts:
        raise KeyboardInterrupt
    begun = _here.interrupts
    try:
        yield
    finally:
        if outermost:
            _here.interrupts = -1
            with _changed:
                _running -= 1
                if not _running:
                    _flag[0] = 0
                    _changed.notify_all()
    if begun != _interrupts:
        raise KeyboardInterrupt


def raise_if_cancelled() -> None:
    """For Python code that waits: raise KeyboardInterrupt if the call of this thread is cancelled."""
    if _here.interrupts not in (-1, _interrupts):
        raise KeyboardInterrupt


def joins_this_call() -> Callable[[], None]:
    """A function for another thread to call, which then belongs to the call of this thread."""
    return partial(setattr, _here, "interrupts", _here.interrupts)


def call(function: Callable[..., Result], *arguments: Any) -> Result:
    """Return `function(*arguments)`, which may take long; Ctrl-C ends it.

    In the main thread this costs some 25 microseconds, as another thread does the work.

    Raises:
        KeyboardInterrupt: the call was cancelled; what the function has written is meaningless.
    """
    if threading.get_ident() != threading.main_thread().ident:
        with interruptible():
            return function(*arguments)
    begun, answers = _interrupts, Answers()

    def work() -> Result:
        with interruptible():
            if begun != _interrupts:  # cancelled before it began
                raise KeyboardInterrupt
            return function(*arguments)

    try:
        hand_over(work, answers)
        result, error = _wait(answers, begun)
    except BaseException:  # from the handler of a signal
        interrupt()
        with suppress(Empty):
            answers.get(timeout=GRACE)
        raise
    if error is not None:
        raise error
    return result  # type: ignore[no-any-return, unused-ignore]


def aside(function: Callable[..., Result], *arguments: Any) -> Result:
    """Return `function(*arguments)`, computed by another thread. Ctrl-C ends the waiting, not the work.

    For Numba: an exception while it compiles leaves it in an inconsistent state.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    begun, answers = _interrupts, Answers()
    hand_over(partial(function, *arguments), answers)
    result, error = _wait(answers, begun)
    if error is not None:
        raise error
    return result  # type: ignore[no-any-return, unused-ignore]


def _wait(answers: Answers, begun: int) -> tuple[Any, BaseException | None]:
    """The answer. KeyboardInterrupt if all calls are cancelled while this thread waits."""
    while True:
        with suppress(Empty):
            return answers.get(timeout=TICK)
        if begun != _interrupts:
            raise KeyboardInterrupt


def hand_over(work: Callable[[], Any], answers: Answers) -> None:
    """Give work to an idle thread, or to a new one. The result, or the error, comes to `answers`.

    Threads wait for more work until the process ends.
    """
    try:
        inbox = _idle.pop()
    except IndexError:
        inbox = Inbox()
        threading.Thread(target=_serve, args=(inbox,), name="amoba-call", daemon=True).start()
    inbox.put((work, answers))


def _serve(inbox: Inbox) -> None:
    while True:
        work, answers = inbox.get()
        result: Any = None
        error: BaseException | None = None
        try:
            result = work()
        except BaseException as raised:
            error = raised
        _idle.append(inbox)
        answers.put((result, error))
        del work, answers, result, error  # hold nothing while waiting


def _forget() -> None:
    """Forget all threads: a fork does not copy them."""
    global _running, _changed
    _idle.clear()
    _changed = threading.Condition()
    _running = 0
    _flag[0] = 0
    _here.interrupts = -1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
