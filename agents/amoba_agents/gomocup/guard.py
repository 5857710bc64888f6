"""A program that kills process groups when its standard input ends, because its parent has ended or was killed.

Each input line is the number of a process group to watch, or its negative to stop watching it.
"""

import contextlib
import os
import signal
import sys
from collections.abc import Iterable


def kill(group: int) -> None:
    """Kill a process group. On Windows, kill the process of this number and those that it started."""
    if sys.platform == "win32":
        import subprocess

        subprocess.run(["taskkill", "/T", "/F", "/PID", str(group)], capture_output=True)
    else:
        with contextlib.suppress(OSError):
            os.killpg(group, signal.SIGKILL)


def watch(lines: Iterable[str]) -> None:
    """Watch the groups in `lines`; at the end of the lines kill them."""
    groups: set[int] = set()
    for line in lines:
        number = int(line)
        (groups.add if number > 0 else groups.discard)(abs(number))
    for group in groups:
        kill(group)


if __name__ == "__main__":
    watch(sys.stdin)
