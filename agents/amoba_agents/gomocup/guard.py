"""A program that kills process groups when its standard input ends: when who started it has ended, in whatever way.

A line is the number of a group to watch, or the same below zero: one to forget.
"""

import contextlib
import os
import signal
import sys

if __name__ == "__main__":
    groups: set[int] = set()
    for line in sys.stdin:
        number = int(line)
        (groups.add if number > 0 else groups.discard)(abs(number))
    for group in groups:
        with contextlib.suppress(OSError):
            os.killpg(group, signal.SIGKILL)
