"""Run a command line, and print errors in one line."""

from __future__ import annotations

import sys
from itertools import zip_longest
from typing import Any

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
from amoba_experiments.cli.errors import exit_code, fail
from amoba_experiments.cli.shared import app


def run() -> int:
    """Run a command line and return the exit code."""
    typed = arguments(sys.argv[1:])

    def work() -> Any:
        try:
            return app.main(typed, prog_name="amoba", standalone_mode=False)
        except click.UsageError as error:
            return fail(_usage(error))
        except click.Abort:
            return INTERRUPTED

    return exit_code(work)


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
