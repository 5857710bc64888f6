"""Messages about compiling and about the cache on the disk, on the logger "amoba_env".

By default they go to standard error; `logging.getLogger("amoba_env").setLevel("ERROR")` silences them.
"""

import functools
import logging
import threading
import time
from pathlib import Path
from typing import Any

from numba.core import event

NOTICE_SECONDS = 2.0  # of compiling, in total, before the message
MESSAGE = "amoba: compiling, once, for some seconds; the machine code is kept on disk for later starts"

logger = logging.getLogger("amoba_env")
Listener: Any = event.Listener


class Notice(Listener):  # type: ignore[misc, unused-ignore]
    """Logs MESSAGE once, after Numba has spent this many `seconds` on compiling our functions."""

    def __init__(self, seconds: float = NOTICE_SECONDS) -> None:
        self.left = seconds
        self.depth = 0  # compiling a function compiles those that it calls
        self.begun = 0.0
        self.timer: threading.Timer | None = None
        self.told = False

    def on_start(self, what: Any) -> None:
        """Numba begins to compile a function, one at a time."""
        if _is_ours(what):
            self.depth += 1
            if self.depth == 1 and not self.told:
                self.begun = time.monotonic()
                self.timer = threading.Timer(max(0.0, self.left), self.tell)
                self.timer.daemon = True
                self.timer.start()

    def on_end(self, what: Any) -> None:
        """Numba has compiled the function."""
        if self.depth and _is_ours(what):
            self.depth -= 1
            if self.depth == 0 and self.timer is not None:
                self.timer.cancel()
                self.left -= time.monotonic() - self.begun

    def tell(self) -> None:
        """Log MESSAGE."""
        self.told = True
        logger.warning(MESSAGE)


@functools.cache  # once
def tell_of_damage(folder: Path) -> None:
    """Log that machine code on the disk is damaged or cannot be read."""
    logger.warning(f"amoba: machine code in {folder} is damaged, or cannot be read; it is compiled again")


@functools.cache
def tell_of_disk(folder: Path, why: str) -> None:
    """Log that machine code cannot be written to the disk."""
    logger.warning(f"amoba: machine code cannot be kept in {folder} ({why}); it is compiled at each start")


def _is_ours(what: Any) -> bool:
    return str(what.data["dispatcher"].py_func.__module__).startswith("amoba_")


NOTICE = Notice()


def give_notice() -> None:
    """Log a message when compiling takes long, from now on."""
    event.register("numba:compile", NOTICE)


def is_compiling() -> bool:
    """Whether one of our functions is being compiled now, in any thread."""
    return NOTICE.depth > 0
