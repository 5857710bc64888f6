"""The command for tournaments."""

from __future__ import annotations

import time
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from experiments.cli.shared import (
    CORES,
    GameName,
    GameOptions,
    Jobs,
    Json,
    RayAddress,
    Seed,
    app,
    check_writable,
    err,
    out,
    workers,
    write_json,
)
from experiments.progress import progress_bar


class FormatChoice(str, Enum):
    """Who meets whom."""

    round_robin = "round-robin"
    knockout = "knockout"
    gauntlet = "gauntlet"
    swiss = "swiss"


@app.command()
def tournament(
    game: GameName,
    agents: Annotated[list[str], typer.Argument(metavar="AGENT...", help="The players, best first if known.")],
    format: Annotated[FormatChoice, typer.Option(help="Who meets whom.")] = FormatChoice.round_robin,
    games: Annotated[int, typer.Option(min=1, help="How many games a pairing.")] = 120,
    seed: Seed = 0,
    openings: Annotated[
        str | None, typer.Option(metavar="WHAT", help="random:4, or a file with moves or a position a line.")
    ] = None,
    paired: Annotated[
        bool | None,
        typer.Option(
            "--paired/--no-paired", help="Each opening with every order of seats.", show_default="up to 4 seats"
        ),
    ] = None,
    rounds: Annotated[
        int | None, typer.Option(min=1, help="Rounds of swiss.", show_default="log2 of the agents")
    ] = None,
    jobs: Jobs = CORES,
    folder: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Keep every game there; goes on after an interruption.")
    ] = None,
    ray: RayAddress = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress bar.")] = False,
    option: GameOptions = None,
    markdown_file: Annotated[
        str | None, typer.Option("--markdown", metavar="FILE", help="Write the tables as Markdown; - for stdout.")
    ] = None,
    json_file: Json = None,
) -> None:
    """Play a tournament: cross table, Elo ratings with intervals, and who is likely the stronger."""
    from amoba_env.games import options_from_text
    from experiments.arena import compile_for
    from experiments.openings import openings_from
    from experiments.tournament import Tournament, play_tournament, summarize
    from experiments.tournament.report import markdown, print_tournament

    lines = () if openings is None else openings_from(openings)
    options = options_from_text(game, option or ())
    what = Tournament(game, tuple(agents), format.value, games, seed, options, lines, paired, rounds)
    if json_file == markdown_file == "-":
        raise ValueError("only one of --json and --markdown can go to stdout")
    for file in (json_file, markdown_file):
        check_writable(file)
    with workers(jobs, ray) as players, progress_bar(err, "games", quiet) as bar:
        task = bar.add_task("compiling", total=what.pairings * games)
        compile_for(what.match((0,) * what.seats, 0), what.agents)
        begun = time.perf_counter()
        rounds_, matches = play_tournament(
            what,
            folder,
            players,
            progress=lambda count: bar.advance(task, count),
            begin=lambda name: bar.update(task, description=name),
        )
        seconds = time.perf_counter() - begun if folder is None else None
        bar.update(task, description="ratings")
        result = summarize(what, rounds_, matches, seconds)
    if "-" not in (json_file, markdown_file):
        print_tournament(result, out)
    write_json(result, json_file)
    if markdown_file == "-":
        print(markdown(result), end="")
    elif markdown_file is not None:
        Path(markdown_file).write_text(markdown(result))
    if folder is not None:
        write_json(result, str(folder / "result.json"))
        (folder / "result.md").write_text(markdown(result))
