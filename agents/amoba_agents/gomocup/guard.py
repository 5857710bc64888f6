"""A program that kills process groups when its standard input ends: when its parent has ended, in any way.

Each input line is the number of a process group to watch, or its negative to stop watching it.
"""

import contextlib
import os
import signal
import sys
from collections.abc import Iterable


def kill(group: int) -> None:
    """Kill a group, which has the number of its first process. On Windows, that process and those that it started."""
    if sys.platform == "win32":
        import subprocess

        subprocess.run(["taskkill", "/T", "/F", "/PID", str(group)], capture_output=True)
    else:
        with contextlib.suppress(OSError):
            os.killpg(group, signal.SIGKILL)


def watch(lines: Iterable[str]) -> None:
    """See above."""
    groups: set[int] = set()
    for line in lines:
        number = int(line)
        (groups.add if number > 0 else groups.discard)(abs(number))
    for group in groups:
        kill(group)


if __name__ == "__main__":
    watch(sys.stdin)
