"""The command line: `amoba --help`."""

from __future__ import annotations

import gc
import io
import os
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line. An error is one line (and a drawing, where one is at fault) and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a screen that knows only ASCII shows ? for what it cannot show
    try:
        os.getcwd()  # which imports ask for too
    except OSError:
        sys.exit(_failed("the current folder is gone: change to another one"))
    gc.set_threshold(100_000)  # what is imported stays: with less looking for garbage commands start sooner
    _import_without_registries()
    try:
        from amoba_experiments.cli.run import run
    except ModuleNotFoundError as error:
        if str(error.name).startswith("amoba"):
            raise
        from amoba_env.extras import install

        sys.exit(_failed(f"the command line needs {error.name}: {install('cli')}"))
    sys.exit(run())


def _failed(why: str) -> int:
    """Say why nothing can be done, before there is a console to say it on."""
    print(f"amoba: {why}", file=sys.stderr)
    return 2


def _import_without_registries() -> None:
    """Import amoba_env without Gymnasium and PettingZoo: commands make no environments by name, and start sooner."""
    before = os.environ.get("AMOBA_REGISTER")
    os.environ["AMOBA_REGISTER"] = "0"
    try:
        import amoba_env  # noqa: F401
    finally:
        del os.environ["AMOBA_REGISTER"]
        if before is not None:
            os.environ["AMOBA_REGISTER"] = before
