"""`amoba report`: runs on disk as one page, as HTML that needs no other files or as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from amoba_env.extras import needs
from amoba_env.files import ending, write
from amoba_experiments.analysis.page.content import content_of
from amoba_experiments.analysis.queries import all_runs

__all__ = ["report"]

KINDS = (".html", ".md")


def report(folders: Sequence[Path | str], file: Path | str, title: str | None = None) -> None:
    """Write a report on runs.

    Args:
        folders: runs that amoba_experiments.runs.store wrote, or folders that have such runs in them.
        file: ends in .html or .md.
        title: of the page; by default the game and its players.

    Raises:
        ValueError: the file ends otherwise, or there is no run, a run without games, or one with a damaged file.
        OSError: the file cannot be written.
        ImportError: the extra "stats" is not installed.
    """
    file = Path(file)
    kind = ending(file, *KINDS)
    with needs("stats", "reports"):
        from amoba_experiments.analysis.page.render import to_html, to_markdown
    content = content_of(all_runs(folders))
    text = to_html(content, title) if kind == ".html" else to_markdown(content, title)
    write(file, text)
