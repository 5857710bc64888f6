"""The common part of all commands: the app, consoles, options, files."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click
from click.core import ParameterSource

from amoba_env.files import check_writable as check_file
from amoba_env.files import write
from amoba_experiments.cli.command import Argument, Commands, Flag
from amoba_experiments.cli.screen import Screen

if TYPE_CHECKING:
    from amoba_env.games import Game
    from amoba_env.position import Position

out = Screen(highlight=False)
err = Screen(stderr=True, highlight=False)


def _show_version(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        from amoba_env import __version__

        print(f"amoba {__version__}")
        context.exit()


app = Commands(
    params=[
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_version,
            help="Print the version.",
        )
    ],
    help="Board games as reinforcement-learning environments: play, match, rate and train players.",
    epilog="Example: amoba match gomoku greedy random --games 1000. `amoba COMMAND --help` has an example of each.",
)


def game_names(typed: str) -> list[str]:
    """The games whose names begin with this, for completion in a shell."""
    from amoba_env.games import GAMES

    return [name for name in GAMES if name.startswith(typed)]


def agent_names(typed: str) -> list[str]:
    """The players whose names begin with this, for completion in a shell."""
    from amoba_agents import AGENTS

    return [name for name in AGENTS if name.startswith(typed)]


GameName = Annotated[str, Argument(metavar="GAME", help="Name of a game: see `amoba games`.", complete=game_names)]
GameOptions = Annotated[
    list[str] | None,
    Flag("--option", metavar="NAME=VALUE", help="An option of the game, such as size=15; may be repeated."),
]
Jobs = Annotated[
    int | None,
    Flag(min=1, help="Number of threads. The games are the same for any number.", show_default="all cores"),
]
RayAddress = Annotated[
    str | None,
    Flag("--ray", metavar="ADDRESS", help="Play on a Ray cluster: auto, HOST:PORT, or local to start one."),
]
Json = Annotated[
    str | None,
    Flag("--json", metavar="FILE", help="Write the results as JSON to a file; without FILE, print them."),
]
Openings = Annotated[
    str | None,
    Flag(
        metavar="WHAT",
        help="random:4 for 4 random moves, or a file with an opening (moves, or a position) in each line.",
    ),
]
OutFolder = Annotated[
    Path | None,
    Flag(
        "--out",
        metavar="DIR",
        help="Keep every game in this folder. After an interruption the same command continues.",
    ),
]

Quiet = Annotated[bool, Flag("--quiet", help="Show no progress.")]


def example(*lines: str) -> str:
    """The last lines of a command's help."""
    return "Example: " + "; ".join(lines)


def game_from(name: str, option: Sequence[str] | None) -> Game:
    """The game with these options as texts. ValueError as from games.make."""
    from amoba_env import games

    return games.make_from(name, games.options_from_text(name, option or ()))


def position_from(game: Game, text: str | None) -> Position:
    """The position of this text, or the start. ValueError for an impossible one."""
    from amoba_env import Position

    return Position.start(game) if text is None else Position.from_text(game, text)


def refuse(why: str, *names: str) -> None:
    """Raise ValueError if one of these options was given, but has no effect.

    Args:
        why: when it has no effect: "with --sql".
        names: parameters of the command.
    """
    context = click.get_current_context()
    for each in context.command.params:
        if each.name in names and context.get_parameter_source(each.name) is ParameterSource.COMMANDLINE:
            raise ValueError(f"{max(each.opts, key=len)} has no effect {why}")


def check_writable(file: str | None) -> None:
    """Raise OSError if the file cannot be written, before any games are played. It does not leave a new file."""
    if file is not None and file != "-":
        check_file(file)


def refuse_own_files(file: str, *folders: Path) -> None:
    """Raise ValueError if the file is the manifest of a run or a tournament in one of these folders."""
    from amoba_experiments.analysis.tournament.play_tournament import MANIFEST as OF_TOURNAMENT
    from amoba_experiments.runs.store import MANIFEST as OF_RUN

    for folder in folders:
        if Path(file).resolve() in [(folder / own).resolve() for own in (OF_RUN, OF_TOURNAMENT)]:
            raise ValueError(f"expected another name: {file} is the run's own file")


def check_folder(folder: Path | None) -> None:
    """Raise OSError if the folder cannot be made, before any games are played. It does not leave a new folder."""
    if folder is not None:
        folder = Path(os.path.abspath(folder))
        made = [each for each in (folder, *folder.parents) if not each.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        for each in made:
            each.rmdir()


def write_json(result: Any, file: str | None) -> None:
    """Write a result to a file, or to stdout; None writes nothing. JSON has no infinite numbers: they are null."""
    if file is not None:
        write_text(file, json.dumps(finite(result), indent=2, default=str, allow_nan=False) + "\n")


def finite(value: Any) -> Any:
    """A result in which numbers that are infinite, or no numbers, are None."""
    if isinstance(value, dict):
        return {name: finite(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def write_text(file: str | Path, text: str) -> None:
    """Write a text file and name it on stderr; `-` is stdout.

    After an interruption the file is either complete or unchanged.
    """
    if file == "-":
        print(text, end="")
        return
    write(file, text)
    written(file)


def written(*files: str | Path) -> None:
    """Print on stderr which files were written."""
    err.say(f"written: {', '.join(map(str, files))}")
