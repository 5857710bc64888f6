"""Run a command line, and print errors in one line."""

from __future__ import annotations

import re
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


IN_OUR_WORDS = {  # what Click says of a value, and what we say of it everywhere
    r"Invalid value for '([^']*)'(?: / '[^']*')*: (.*)": r"\1: \2",
    r"(.*: )(.*) is not a valid integer(?: range)?": r"\1expected a whole number, got \2",
    r"(.*: )(.*) is not a valid float(?: range)?": r"\1expected a number, got \2",
    r"(.*: )(.*) is not in the range (.*)": r"\1expected \3, got \2",
    r"(.*expected )(\S+)<=x<=(\S+)(,.*)": r"\1\2 to \3\4",
    r"(.*expected )x>=([^ ,]+)(,.*)": r"\1\2 or more\3",
}


def _usage(error: click.UsageError) -> str:
    text = " ".join(error.format_message().split()).rstrip(".")
    for theirs, ours in IN_OUR_WORDS.items():
        text = re.sub(theirs, ours, text)
    return f"{text}; see --help of the command"
