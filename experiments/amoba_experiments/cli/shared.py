"""What the commands share: the app, consoles, options, files."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from amoba_env.files import write
from amoba_experiments.cli.screen import Screen


class Commands(TyperGroup):
    """Commands whose list in --help has a whole sentence for each; Typer would cut it to one line."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list."""
        texts = {name: " ".join((self.commands[name].help or "").split()) for name in self.list_commands(ctx)}
        with formatter.section("Commands"):
            formatter.write_dl([(name, f"{text.partition('. ')[0].rstrip('.')}.") for name, text in texts.items()])


app = typer.Typer(
    cls=Commands,
    help="Board games as reinforcement-learning environments: play, match, rate and train players.",
    epilog="Example: amoba match gomoku greedy random --games 1000. `amoba COMMAND --help` has an example of each.",
    rich_markup_mode=None,
)
out = Screen(highlight=False)
err = Screen(stderr=True, highlight=False)


def _show_version(wanted: bool) -> None:
    if wanted:
        from amoba_env import __version__

        print(f"amoba {__version__}")
        raise typer.Exit


def _trust(wanted: bool) -> None:
    if wanted:
        from amoba_agents import trust

        trust()


@app.callback()
def _amoba(
    trust: Annotated[
        bool,
        typer.Option(
            "--trust",
            help="Load players from .zip and .pt2 files, which can run code. May also stand after the command.",
            is_eager=True,
            callback=_trust,
        ),
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_show_version)
    ] = False,
) -> None:
    pass


def folder_of(text: str) -> Path:
    """The folder of this name. Raises BadParameter for an empty name, which would mean the current folder."""
    if not text:
        raise typer.BadParameter("a folder is wanted, not ''")
    return Path(text)


def file_of(text: str) -> Path:
    """The file of this name. Raises BadParameter for an empty name."""
    if not text:
        raise typer.BadParameter("a file is wanted, not ''")
    return Path(text)


def game_names(typed: str) -> list[str]:
    """The games whose names begin with this, for completion in a shell."""
    from amoba_env.games import GAMES

    return [name for name in GAMES if name.startswith(typed)]


def agent_names(typed: str) -> list[str]:
    """The players whose names begin with this, for completion in a shell."""
    from amoba_agents import names

    return [name for name in names() if name.startswith(typed)]


GameName = Annotated[
    str, typer.Argument(metavar="GAME", help="Name of a game: see `amoba games`.", autocompletion=game_names)
]
GameOptions = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="NAME=VALUE", help="An option of the game, such as size=15; may be repeated."),
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of all random choices: the same seed gives the same games.")]
Seeds = Annotated[
    int, typer.Option(min=1, help="Divide the games among so many seeds; the tables show how much the seeds differ.")
]
Jobs = Annotated[
    int | None,
    typer.Option(min=1, help="Number of threads. The games are the same for any number.", show_default="all cores"),
]
RayAddress = Annotated[
    str | None,
    typer.Option("--ray", metavar="ADDRESS", help="Play on a Ray cluster: auto, HOST:PORT, or local to start one."),
]
Json = Annotated[
    str | None,
    typer.Option("--json", metavar="FILE", help="Write the results as JSON to a file; without FILE, print them."),
]
Openings = Annotated[
    str | None,
    typer.Option(metavar="WHAT", help="random:4 for 4 random moves, or a file with moves or a position in each line."),
]
OutFolder = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="DIR",
        parser=folder_of,
        help="Keep every game in this folder. After an interruption the same command goes on.",
    ),
]

Quiet = Annotated[bool, typer.Option("--quiet", help="Show no progress.")]
Count = Annotated[int, typer.Option("--games", "-n", min=1, help="Number of games.")]

CORES = os.cpu_count() or 1


def example(*lines: str) -> str:
    """The last lines of a command's help."""
    return "Example: " + "; ".join(lines)


def refuse(context: typer.Context, why: str, *names: str) -> None:
    """Raise ValueError if one of these options was given: it would do nothing.

    Args:
        context: of the command.
        why: "with --sql": when the options do nothing.
        names: of parameters of the command.
    """
    for name in names:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            option = next(each for each in context.command.params if each.name == name)
            raise ValueError(f"{max(option.opts, key=len)} does nothing {why}")


def check_writable(file: str | None) -> None:
    """Raise OSError if the file cannot be written, before any games are played. No new file is left behind."""
    if file is not None and file != "-":
        there = os.path.exists(file)
        with open(file, "a"):
            pass
        if not there:
            os.unlink(file)


def check_folder(folder: Path | None) -> None:
    """Raise OSError if the folder cannot be made, before any games are played. No new folder is left behind."""
    if folder is not None:
        made = [each for each in (folder, *folder.parents) if not each.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        for each in made:
            each.rmdir()


def write_json(result: Any, file: str | None) -> None:
    """Write a result to a file, or to stdout; None writes nothing."""
    if file is not None:
        write_text(file, json.dumps(result, indent=2, default=str) + "\n")


def write_text(file: str | Path, text: str) -> None:
    """Write a text file and name it on stderr; `-` is stdout.

    After an interruption the file is either complete or as it was before.
    """
    if file == "-":
        print(text, end="")
        return
    write(file, text)
    written(file)


def written(*files: str | Path) -> None:
    """Print on stderr which files were written."""
    err.print(f"written: {', '.join(map(str, files))}", soft_wrap=True, markup=False)
