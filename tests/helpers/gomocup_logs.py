"""Engines of gomocup_brain.py as players, and what their logs say."""

import os
import shlex
import sys
import time
from pathlib import Path

HELPERS = Path(__file__).parent
IN_TIME = "ms=60000,tolerance=60000,start_ms=600000"  # an engine that compiles on a busy machine may take minutes
LATE = "ms=50,tolerance=50,start_ms=600000"


def command(how: str, log: Path) -> str:
    return shlex.join([sys.executable, "-I", "-S", str(HELPERS / "gomocup_brain.py"), how, str(log)])


def text_of(how: str, log: Path, options: str = IN_TIME) -> str:
    return f"gomocup:{command(how, log)},{options}"


def heard(log: Path) -> list[str]:
    """The lines that the engines of a log received, except INFO."""
    return [line for line in log.read_text().splitlines() if not line.startswith(("pid", "INFO"))]


def pids(log: Path) -> list[int]:
    return [int(line[4:]) for line in log.read_text().splitlines() if line.startswith("pid")] if log.exists() else []


def runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (ProcessLookupError, FileNotFoundError):
        return False


def wait_until(condition, seconds: float = 600) -> bool:  # type: ignore[no-untyped-def]
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True
