"""Work that is killed half way, in a fork of this process: it imports nothing again."""

import os
import signal
import traceback
from collections.abc import Callable

FORKS = (
    "ignore:.*multi-threaded:DeprecationWarning"  # for tests that fork: Python 3.12 warns if there are other threads
)
SECONDS = 600


def kill(*_: object) -> None:
    """kill -9 of this process, at once."""
    os.kill(os.getpid(), signal.SIGKILL)


def killed(work: Callable[[], object]) -> None:
    """Do the work in a child, and assert that it ends by `kill`, which the work has to call."""
    child = os.fork()
    if not child:
        try:
            signal.alarm(SECONDS)  # rather than wait for ever, for a lock that another thread held at the fork
            work()
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
