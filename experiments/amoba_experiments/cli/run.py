"""Run a command line, and print errors in one line."""

from __future__ import annotations

import copy
import functools
import os
import sys
from itertools import zip_longest
from typing import Any

import typer
from typer.models import CommandInfo

from amoba_experiments.cli import (  # importing a module adds its commands to the app
    boards,
    matches,
    studies,
    tournaments,
    training,
    web,
)
from amoba_experiments.cli.errors import missing, plain, shortened
from amoba_experiments.cli.shared import app, err

__all__ = ["app", "boards", "matches", "run", "studies", "tournaments", "training", "web"]

INTERRUPTED = 130
# Typer's own usage errors; their base class lives in click or, since Typer 0.26, in Typer itself.
UsageError: type[Exception] = typer.BadParameter.__mro__[1]


def run() -> int:
    """Run what was typed, and return the exit code."""
    typed = arguments(sys.argv[1:])
    try:
        code = _app_for(typed[0])(typed, prog_name="amoba", standalone_mode=False)
    except UsageError as error:
        code = _fail(_usage(error))
    except BrokenPipeError:  # the reader of the output has closed it, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        code = 1
    except OSError as error:
        code = _fail(plain(error))
    except ModuleNotFoundError as error:
        code = _fail(missing(error))
    except (ValueError, ImportError) as error:
        code = _fail(str(error))
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    if code == INTERRUPTED:  # Typer turns Ctrl-C into this code too
        err.print("interrupted")
    return code if isinstance(code, int) else 0


@functools.cache
def _app_for(word: str) -> typer.Typer:
    """The app with only the command of this name, or else with all: Typer builds each command that an app has."""
    chosen = [command for command in app.registered_commands if _name(command) == word]
    if not chosen:
        return app
    small = copy.copy(app)
    small.registered_commands = chosen
    return small


def _name(command: CommandInfo) -> str:
    return command.name or str(getattr(command.callback, "__name__", ""))


def arguments(typed: list[str]) -> list[str]:
    """The words that were typed, as Typer understands them; without any, --help.

    `--json` without a file becomes `--json -`. `--trust` may stand anywhere, since many commands have players.
    """
    found = ["--trust"] if "--trust" in typed else []
    typed = [word for word in typed if word != "--trust"]
    for word, after in zip_longest(typed, typed[1:], fillvalue="--"):
        found.append(word)
        if word == "--json" and after.startswith("-") and after != "-":
            found.append("-")
    return found or ["--help"]


def _usage(error: Any) -> str:
    message: str = error.format_message()
    if message.startswith("No such command"):
        end = " The" if message.endswith("?") else "; the"
        return f"{message.rstrip('.')}{end} commands: {', '.join(map(_name, app.registered_commands))}"
    message = message.replace("Value error, ", "")  # which Typer puts before the words of its own checks
    return f"{' '.join(message.split()).rstrip('.')}; see --help of the command"


def _fail(message: str) -> int:
    err.print(f"amoba: {shortened(message)}", soft_wrap=True, markup=False)
    return 2
