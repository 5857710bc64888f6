"""What the commands share: the app, consoles, options, files."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

if TYPE_CHECKING:
    from amoba_experiments.arena.workers import Workers

app = typer.Typer(
    help="Board games as reinforcement-learning environments: play, match and measure players.",
    add_completion=False,
    rich_markup_mode=None,
)
out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


def folder_of(text: str) -> Path:
    """The folder of this name; an empty name is none, not the folder that one is in."""
    if not text:
        raise typer.BadParameter("a folder is wanted, not ''")
    return Path(text)


GameName = Annotated[str, typer.Argument(metavar="GAME", help="Name of a game, see `amoba games`.")]
GameOptions = Annotated[
    list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="Option of the game; may be repeated.")
]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same games.")]
Seeds = Annotated[
    int, typer.Option(min=1, help="The games come in turn from so many seeds; tables show the spread between them.")
]
Jobs = Annotated[int, typer.Option(min=1, help="Threads. The games do not depend on it.", show_default="all cores")]
RayAddress = Annotated[
    str | None,
    typer.Option("--ray", metavar="ADDRESS", help="Play on a Ray cluster: auto, HOST:PORT, or local for a new one."),
]
Json = Annotated[str | None, typer.Option("--json", metavar="FILE", help="Write the results as JSON; - for stdout.")]
Openings = Annotated[
    str | None, typer.Option(metavar="WHAT", help="random:4, or a file with moves or a position a line.")
]
OutFolder = Annotated[
    Path | None,
    typer.Option(
        "--out", metavar="DIR", parser=folder_of, help="Keep every game there; goes on after an interruption."
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress bar.")]
Count = Annotated[int, typer.Option(min=1, help="How many games.")]

CORES = os.cpu_count() or 1


@contextmanager
def workers(jobs: int, ray: str | None) -> Iterator[Workers]:
    """Who plays: so many threads, or the Ray cluster at an address."""
    from amoba_experiments.arena.workers import workers_of

    if ray is None:
        yield workers_of(jobs)
        return
    from amoba_experiments.arena.cluster import Ray

    with Ray(ray) as cluster:
        yield cluster


def check_writable(file: str | None) -> None:
    """Find out before the games are played, not after; nothing is left where there was nothing."""
    if file is not None and file != "-":
        there = os.path.exists(file)
        with open(file, "a"):
            pass
        if not there:
            os.unlink(file)


def check_folder(folder: Path | None) -> None:
    """The same of a folder to write."""
    if folder is not None:
        made = [each for each in (folder, *folder.parents) if not each.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        for each in made:
            each.rmdir()


def write_json(result: Any, file: str | None) -> None:
    """Write a result to a file, or to stdout; None writes nothing."""
    text = json.dumps(result, indent=2, default=str)
    if file == "-":
        print(text)
    elif file is not None:
        Path(file).write_text(text + "\n")
