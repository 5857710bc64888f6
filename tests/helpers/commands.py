"""A command line, run in this process by the fixture `run` of conftest.py."""

import io
import signal
from collections.abc import Callable
from typing import Any

from rich.console import Console

Run = Callable[[str], tuple[int, str, str]]  # a command line as in a shell, without `amoba`: exit code, stdout, stderr


def refused(run: Run, line: str, message: str) -> None:
    """Assert that bad input is one clear line, and nothing else."""
    code, out, err = run(line)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1, err
    assert err.startswith("amoba: ")
    assert message in err


def printed(show: Callable[[Any, Console], None], what: Any, width: int = 100) -> str:
    """What a function prints on a screen of this width."""
    out = io.StringIO()
    show(what, Console(file=out, width=width))
    return out.getvalue()


def hear_interrupts() -> None:
    """In a child before it begins: Ctrl-C counts, also where a shell runs the tests in its background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
