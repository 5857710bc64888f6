"""The command line: `amoba --help`."""

from __future__ import annotations

import gc
import io
import os
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line. An error prints one line (and the drawing that is wrong, if any) and gives exit code 2."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # an ASCII terminal shows ? for other characters
    try:
        os.getcwd()  # imports call it too
    except OSError:
        sys.exit(_failed("the current folder does not exist any more: change to another one"))
    gc.set_threshold(100_000)  # commands start sooner with fewer garbage collections
    _import_without_registries()
    try:
        from amoba_experiments.cli.run import run
    except ModuleNotFoundError as error:
        if str(error.name).startswith("amoba"):
            raise
        sys.exit(_failed(f"the command line needs {error.name}: pip install 'amoba[cli]'"))
    sys.exit(run())


def _failed(why: str) -> int:
    """Print an error before the console exists; return the exit code."""
    print(f"amoba: {why}", file=sys.stderr)
    return 2


def _import_without_registries() -> None:
    """Import amoba_env without registering environments, which no command needs: commands start sooner."""
    before = os.environ.get("AMOBA_REGISTER")
    os.environ["AMOBA_REGISTER"] = "0"
    try:
        import amoba_env  # noqa: F401
    finally:
        del os.environ["AMOBA_REGISTER"]
        if before is not None:
            os.environ["AMOBA_REGISTER"] = before
