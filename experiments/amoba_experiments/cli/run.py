"""Run a command line, and print errors in one line."""

from __future__ import annotations

import os
import sys
from itertools import zip_longest

import click

from amoba_experiments.cli import (  # noqa: F401  importing a module adds its commands to the app
    catalogue,
    compiling,
    live_games,
    matches,
    positions,
    studies,
    study,
    tournaments,
    training,
)
from amoba_experiments.cli.command import INTERRUPTED
from amoba_experiments.cli.errors import missing, plain, shortened
from amoba_experiments.cli.shared import app, err


def run() -> int:
    """Run a command line and return the exit code."""
    typed = arguments(sys.argv[1:])
    try:
        code = app.main(typed, prog_name="amoba", standalone_mode=False)
    except click.UsageError as error:
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
    except (KeyboardInterrupt, click.Abort):
        code = INTERRUPTED
    if code == INTERRUPTED:
        err.print("interrupted")
    return code if isinstance(code, int) else 0


def arguments(typed: list[str]) -> list[str]:
    """The words of the command line for Click; without any, --help.

    `--json` without a file becomes `--json -`.
    """
    found = []
    for word, after in zip_longest(typed, typed[1:], fillvalue="--"):
        found.append(word)
        if word == "--json" and after.startswith("-") and after != "-":
            found.append("-")
    return found or ["--help"]


def _usage(error: click.UsageError) -> str:
    return f"{' '.join(error.format_message().split()).rstrip('.')}; see --help of the command"


def _fail(message: str) -> int:
    err.print(f"amoba: {shortened(message)}", soft_wrap=True, markup=False)
    return 2
