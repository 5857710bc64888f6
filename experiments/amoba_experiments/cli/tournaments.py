"""The commands for tournaments and rating ladders."""

from __future__ import annotations

import time
from functools import partial
from math import factorial
from typing import TYPE_CHECKING, Annotated, Any

from amoba_experiments.arena.options import OPENINGS_EACH, Paired, TournamentFields
from amoba_experiments.cli.command import Argument, Flag
from amoba_experiments.cli.interrupted import after_interrupt
from amoba_experiments.cli.playing import Playing, takes_playing
from amoba_experiments.cli.progress import progress_bar
from amoba_experiments.cli.shared import (
    GameName,
    Openings,
    app,
    check_writable,
    err,
    example,
    out,
    refuse_own_files,
    write_json,
    write_text,
)

if TYPE_CHECKING:
    from amoba_experiments.analysis.tournament import Tournament

LADDER_GAMES = ", ".join(f"{each * factorial(seats)} with {seats} seats" for seats, each in OPENINGS_EACH.items())

Markdown = Annotated[str | None, Flag("--markdown", metavar="FILE", help="Write the tables as Markdown; - for stdout.")]


@app.command(epilog=example("amoba tournament gomoku random greedy lookahead:2"))
@partial(takes_playing, settings=TournamentFields)
def tournament(
    game: GameName,
    agents: Annotated[
        list[str], Argument(metavar="AGENT...", help="The players; in a gauntlet the first meets all others.")
    ],
    *,
    openings: Openings = None,
    paired: Annotated[Paired | None, Flag("--paired/--no-paired", show_default="paired with up to 4 seats")] = None,
    markdown_file: Markdown = None,
    playing: Playing,
    **settings: Any,
) -> None:
    """Play a tournament: a cross table, Elo ratings with intervals, and who is probably stronger."""
    from amoba_experiments.analysis.tournament import Tournament

    given = playing.fields_for(game) | settings
    what = Tournament(game, tuple(agents), openings=openings or (), paired=paired, **given)
    _play(what, playing, markdown_file)


@app.command("ladder", epilog=example("amoba ladder tictactoe"))
@takes_playing
def rating_ladder(
    game: GameName,
    games: Annotated[
        int | None,
        Flag("--games", "-n", min=1, help="Games of each pairing.", show_default=LADDER_GAMES),
    ] = None,
    levels: Annotated[bool, Flag("--levels", help="Rate the ten levels only.")] = False,
    markdown_file: Markdown = None,
    *,
    playing: Playing,
) -> None:
    """Rate the built-in players of a game: a round robin from random openings, each in every order of the seats."""
    from amoba_experiments.analysis.tournament.ladder import ladder

    what = ladder(game, games_each=games, levels=levels, **playing.fields_for(game))
    _play(what, playing, markdown_file, brief=True)


def _play(what: Tournament, playing: Playing, markdown_file: str | None, brief: bool = False) -> None:
    """Play a tournament, or the games that its folder does not have yet; print and write its result."""
    from amoba_experiments.analysis.tournament import play_tournament, summarize
    from amoba_experiments.analysis.tournament.text import markdown, print_tournament
    from amoba_experiments.arena.shard import compile_for

    folder, json_file = playing.folder, playing.json_file
    if json_file == markdown_file == "-":
        raise ValueError("expected one of --json and --markdown on stdout, got both")
    if markdown_file is not None and folder is not None:
        refuse_own_files(markdown_file, folder)
    check_writable(markdown_file)
    playing.check_files()
    kept = f"{folder} has the games that were played; the same command plays the others"
    hint = "no game was kept; with --out DIR the same command goes on" if folder is None else kept
    with (
        after_interrupt(hint),
        playing.workers() as players,
        progress_bar(err, "games", playing.quiet) as bar,
    ):
        task = bar.add_task("starting", total=len(what.lineups) * what.games)
        compile_for(what.match((0,) * what.seats), what.agents)
        begun = time.perf_counter()
        matches = play_tournament(
            what,
            folder,
            players,
            progress=lambda count: bar.advance(task, count),
            begin=lambda name: bar.update(task, description=name),
        )
        seconds = time.perf_counter() - begun if folder is None else None
        bar.update(task, description="ratings")
        result = summarize(what, matches, seconds)
    if "-" not in (json_file, markdown_file):
        print_tournament(result, out, brief)
    write_json(result, json_file)
    if markdown_file is not None:
        write_text(markdown_file, markdown(result, brief))
    if folder is not None:
        write_json(result, str(folder / "result.json"))
        write_text(folder / "result.md", markdown(result, brief))
