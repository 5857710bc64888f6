"""The command line: `amoba --help`."""

from __future__ import annotations

import sys
from typing import Any

import typer

from amoba_experiments.cli import boards, matches, studies, tournaments  # their commands enter themselves
from amoba_experiments.cli.shared import app, err

__all__ = ["app", "boards", "main", "matches", "studies", "tournaments"]

# Typer's own usage errors; their base class lives in click or, since Typer 0.26, in Typer itself.
INTERRUPTED = 130
UsageError: type[Exception] = typer.BadParameter.__mro__[1]


def main() -> None:
    """Run the command line; errors are one line (and a drawing, where one is at fault) and exit code 2."""
    try:
        code = app(sys.argv[1:] or ["--help"], standalone_mode=False)
    except UsageError as error:
        code = _fail(_usage(error))
    except (ValueError, OSError, ImportError) as error:
        code = _fail(str(error))
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    if code == INTERRUPTED:  # Typer turns Ctrl-C into this code too
        err.print("interrupted")
    sys.exit(code if isinstance(code, int) else 0)


def _usage(error: Any) -> str:
    message: str = error.format_message()
    if message.startswith("No such command"):
        names = (command.name or command.callback.__name__ for command in app.registered_commands if command.callback)
        return f"{message.rstrip('.')}; the commands: {', '.join(names)}"
    return f"{' '.join(message.split()).rstrip('.')}; see --help of the command"


def _fail(message: str) -> int:
    err.print(f"amoba: {message}", soft_wrap=True, markup=False)
    return 2
