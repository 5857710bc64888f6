"""Commands for many games: matches, their statistics, benchmarks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rich.console import Console

from amoba_experiments.arena.options import Games, MatchFields
from amoba_experiments.cli.command import Argument, Flag
from amoba_experiments.cli.interrupted import show_interrupted
from amoba_experiments.cli.playing import Playing, takes_playing
from amoba_experiments.cli.progress import progress_bar
from amoba_experiments.cli.shared import (
    GameName,
    GameOptions,
    Jobs,
    Json,
    Openings,
    Quiet,
    agent_names,
    app,
    check_writable,
    err,
    example,
    game_from,
    out,
    refuse,
    refuse_own_files,
    write_json,
    write_text,
    written,
)

if TYPE_CHECKING:
    from amoba_experiments.arena.match import Match


@app.command(epilog=example("amoba match gomoku alphabeta greedy --games 200"))
@partial(takes_playing, settings=MatchFields)
def match(
    game: GameName,
    agents: Annotated[
        list[str],
        Argument(metavar="AGENT...", help="A player for each seat: see `amoba agents`.", complete=agent_names),
    ],
    *,
    openings: Openings = None,
    batch: Annotated[
        int | None,
        Flag(
            min=1,
            help="The most games that a thread plays in lockstep. The games do not depend on it.",
            show_default="1000",
        ),
    ] = None,
    regret: Annotated[bool, Flag("--regret", help="Score each move against perfect play.")] = False,
    playing: Playing,
    **settings: Any,
) -> None:
    """Play many games between players and print the statistics."""
    from amoba_agents import make_agent
    from amoba_experiments.arena.match import Match

    what = Match(game, tuple(agents), openings=openings or (), **playing.fields_for(game), **settings)
    if regret and playing.folder is not None:
        raise ValueError("--regret: expected no --out, since regret is measured while games are played")
    if regret and playing.ray is not None:
        raise ValueError("--regret: expected no --ray, since regret is measured in this process")
    playing.check_files()
    for text in () if playing.quiet else dict.fromkeys(agents):
        if words := make_agent(text).introduction():
            err.say(f"{text}: {words}")
    result = _play(what, playing, batch, regret)
    if playing.json_file != "-":
        from amoba_experiments.analysis.match_text import print_match

        print_match(result, out)
    write_json(result, playing.json_file)


def _play(what: Match, playing: Playing, batch: int | None, regret: bool) -> dict[str, Any]:
    """Play a match, or the games that are missing in its folder; return its statistics."""
    import time

    from amoba_experiments.analysis.openings import game_clusters
    from amoba_experiments.analysis.summary import summarize
    from amoba_experiments.arena.shard import compile_for
    from amoba_experiments.runs.play_match import play_match

    folder, regrets = playing.folder, None
    if regret:
        from amoba_experiments.analysis.regret import Regrets

        regrets = Regrets(what.rules, len(what.agents))
    watch = None if regrets is None else regrets.watch
    with playing.workers() as players, progress_bar(err, "games", playing.quiet) as bar:
        task = bar.add_task(what.game, total=what.games)
        compile_for(what)
        begun = time.perf_counter()
        try:
            played = play_match(
                what, folder, jobs=players, batch=batch, progress=lambda count: bar.advance(task, count), watch=watch
            )
        except KeyboardInterrupt as stop:
            bar.stop()
            show_interrupted(what, stop, folder)
            raise
        seconds = time.perf_counter() - begun if folder is None else None
    result = summarize(what, played, seconds)
    if regrets is not None:
        regrets.add_to(result["players"], game_clusters(what, played))
    return result


@app.command(epilog=example("amoba evaluate gomoku trained"))
def evaluate(
    game: GameName,
    agent: Annotated[str, Argument(metavar="AGENT", help="A player: see `amoba agents`.", complete=agent_names)],
    jobs: Jobs = None,
    quiet: Quiet = False,
    option: GameOptions = None,
    json_file: Json = None,
) -> None:
    """Grade an agent by a fixed panel of players, from fixed openings: points and Elo, with intervals.

    The last line can be quoted in a paper. Figures from the same version of the panel are comparable.
    """
    from amoba_experiments.analysis.panel import counted, grade, line_of, panel_for
    from amoba_experiments.analysis.summary import percent
    from amoba_experiments.analysis.text_tables import print_rows
    from amoba_experiments.arena.shard import compile_for

    panel = panel_for(game_from(game, option))
    matches = panel.matches(agent)
    check_writable(json_file)
    with progress_bar(err, "games", quiet) as bar:
        task = bar.add_task(agent, total=sum(each.games for each in matches))
        compile_for(matches[0], (agent, *panel.elo))
        found = grade(panel, agent, jobs, lambda count: bar.advance(task, count))
    if json_file != "-":
        rows = found["members"].items()
        print_rows(
            [{"against": name, "Elo": round(panel.elo[name]), counted(found): percent(row)} for name, row in rows], out
        )
        out.say(line_of(found))
    write_json(found, json_file)


@app.command(epilog=example("amoba exploit gomoku trained --games 40"))
@takes_playing
def exploit(
    game: GameName,
    agent: Annotated[str, Argument(metavar="AGENT", help="A player: see `amoba agents`.", complete=agent_names)],
    sims: Annotated[int, Flag(min=1, max=10_000, help="Simulated games for a move.")] = 64,
    games: Annotated[Games, Flag("--games", "-n")] = 100,
    openings: Openings = "random:4",
    *,
    playing: Playing,
) -> None:
    """Measure how exploitable a player is: the points that a best responder gets against it.

    The responder is the player `exploit:AGENT`; AGENT has all other seats. Its share is a lower bound: a better search
    may get more. With two players, each opening is played with both seats.
    """
    from amoba_agents.players.exploit import Exploit
    from amoba_env.games import make_from
    from amoba_experiments.analysis.summary import interval_text, points_of
    from amoba_experiments.arena.match import Match

    given = playing.fields_for(game)
    others = make_from(game, given["options"]).players - 1
    agents, lines = (Exploit(agent, sims).name, *[agent] * others), openings or "random:4"
    what = Match(game, agents, games, rotate=others > 1, openings=lines, paired=others == 1, **given)
    playing.check_files()
    result = _play(what, playing, None, False)
    share, ends = result["exploited"] = points_of(result["players"][0])
    if playing.json_file != "-":
        from amoba_experiments.analysis.match_text import print_match

        print_match(result, out)
        gets = f"{100 * share:.1f} % of the points, 95 % interval {interval_text(ends)}"
        out.say(f"the responder to {agent} gets {gets}: a lower bound for a best response")
    write_json(result, playing.json_file)


@app.command("stats", epilog=example("amoba stats runs/first"))
def show_stats(
    runs: Annotated[
        list[Path], Argument(metavar="RUN...", help="Runs, or folders with runs: of a match, a tournament or a server.")
    ],
    first_moves: Annotated[
        int | None,
        Flag(
            min=0,
            help="Count this many first moves as the opening of a game.",
            show_default="the openings of the match",
        ),
    ] = None,
    sql: Annotated[
        str | None,
        Flag(metavar="QUERY", help="An SQL query on the views games, players, times and columns."),
    ] = None,
    csv_file: Annotated[
        str | None,
        Flag("--csv", metavar="FILE", help="Write the rows of --sql, or else all games, as CSV; - for stdout."),
    ] = None,
    json_file: Json = None,
) -> None:
    """Statistics of games on disk: by agent, seat, opening, ending and length, or by your own SQL.

    Two runs are compared. A folder with several runs, such as a tournament, gets a line for each.
    """
    from amoba_experiments.analysis import queries, run_text
    from amoba_experiments.analysis.text_tables import print_rows

    if sql is not None:
        refuse("with --sql", "first_moves")
    if csv_file == json_file == "-":
        raise ValueError("expected one of --csv and --json on stdout, got both")
    found = queries.all_runs(runs)
    _note_unplayed(runs)
    for file in filter(None, (json_file, csv_file)):
        refuse_own_files(file, *runs, *found)
        check_writable(file)
    if len(found) > 1:
        refuse("with several runs", "first_moves")
    show: Callable[[Any, Console], None]
    table: queries.Table | None = None
    result: Any
    if sql is not None:
        table = queries.query_table(found, sql)
        result, show = table[1], print_rows
    elif len(found) == 1:
        result, show = queries.stats(found[0], first_moves), run_text.print_stats
    elif len(runs) == len(found) == 2:
        result, show = queries.compare(*found), run_text.print_comparison
    else:
        result, show = queries.overview(found), run_text.print_overview
    if "-" not in (json_file, csv_file):
        show(result, out)
    write_json(result, json_file)
    if csv_file is not None:
        table = table or queries.query_table(found, "SELECT * FROM games ORDER BY run, index")
        write_text(csv_file, run_text.csv_text(*table))


@app.command(epilog=example("amoba report runs/first -o first.html"))
def report(
    runs: Annotated[
        list[Path], Argument(metavar="RUN...", help="Runs, or folders with runs: of a match, a tournament or a server.")
    ],
    file: Annotated[Path, Flag("-o", "--out", metavar="FILE", help="A file that ends in .html or .md.")],
    title: Annotated[str | None, Flag(metavar="TEXT", help="Title of the page.", show_default="what is played")] = None,
) -> None:
    """Write a report on runs: shares, lengths, first moves, games to step through, who beats whom."""
    from amoba_experiments.analysis.page import report as write

    check_writable(str(file))
    write(runs, file, title)
    _note_unplayed(runs)
    written(file)


def _note_unplayed(folders: list[Path]) -> None:
    """Name the runs that have no games yet, which statistics of several runs leave out."""
    from amoba_experiments.runs.store import runs_in, shards

    if len(runs := [run for folder in folders for run in runs_in(folder)]) > 1:
        for run in runs:
            if not shards(run):
                err.say(f"note: {run} has no games yet")


@app.command(epilog=example("amoba bench startup"))
def bench(
    names: Annotated[
        list[str] | None,
        Argument(metavar="NAME...", help="Benchmarks; by default all. `train` may be followed by a game."),
    ] = None,
    runs: Annotated[int, Flag(min=1, max=1000, help="Number of measurements; medians are shown.")] = 5,
    json_file: Json = None,
    table: Annotated[
        Path | None,
        Flag("--table", metavar="FILE", help="Print this file of results as a table in Markdown, without measuring."),
    ] = None,
) -> None:
    """Measure speed, beside other libraries where possible: aec, batch, matches, startup, train."""
    from amoba_env import games
    from amoba_experiments.bench import BENCHMARKS, markdown, report, run_benchmarks
    from amoba_experiments.reading import read_json

    if table is not None:
        refuse("with --table", "names", "runs", "json_file")
        out.say(markdown(read_json(table)))
        return
    more = {}
    if names and names[0] == "train" and len(names) == 2 and names[1] not in BENCHMARKS:
        more["game"] = games.make(names.pop()).name
    for name in names or ():
        if name not in BENCHMARKS:
            raise ValueError(f"unknown benchmark {name!r}; the benchmarks: {', '.join(BENCHMARKS)}")
    check_writable(json_file)
    results = run_benchmarks(names or list(BENCHMARKS), runs, err if json_file == "-" else out, **more)
    write_json(report(results), json_file)
