"""What is printed after Ctrl-C."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from amoba_experiments.cli.shared import err, out

if TYPE_CHECKING:
    from amoba_experiments.arena.match import Match


@contextmanager
def after_interrupt(hint: str) -> Iterator[None]:
    """After Ctrl-C, print how to continue."""
    try:
        yield
    except KeyboardInterrupt:
        err.say(hint)
        raise


def show_interrupted(match: Match, stop: KeyboardInterrupt, folder: Path | None) -> None:
    """Print the statistics of the games so far, and how to play the others."""
    from amoba_experiments.analysis.match_text import print_match
    from amoba_experiments.analysis.summary import summarize

    if (played := getattr(stop, "games", None)) is not None:
        print_match(summarize(match, played, None), out)
    goes_on = "" if folder is None else "; the same command plays the others"
    kept = getattr(stop, "kept", 0)
    err.say(f"{kept:,} of {match.games:,} games were kept, in whole batches{goes_on}")
