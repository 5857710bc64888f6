"""The command line: `amoba --help`."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

app = typer.Typer(
    help="Board games as reinforcement-learning environments: play, match and measure players.",
    add_completion=False,
    rich_markup_mode=None,
)
out = Console(highlight=False)
err = Console(stderr=True, highlight=False)

GameName = Annotated[str, typer.Argument(metavar="GAME", help="Name of a game, see `amoba games`.")]
GameOptions = Annotated[
    list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="Option of the game; may be repeated.")
]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same games.")]
Jobs = Annotated[int, typer.Option(min=1, help="Threads. The games do not depend on it.", show_default="all cores")]
Json = Annotated[str | None, typer.Option("--json", metavar="FILE", help="Write the results as JSON; - for stdout.")]
Count = Annotated[int, typer.Option(min=1, help="How many games.")]

CORES = os.cpu_count() or 1


class StartChoice(str, Enum):
    """Who begins."""

    random = "random"
    rotate = "rotate"
    first = "first"


class TiesChoice(str, Enum):
    """How ties are broken."""

    thesis = "thesis"
    uniform = "uniform"


@app.command("games")
def list_games() -> None:
    """List the games and their options."""
    from amoba_env import games

    _list("game", games.GAMES, games.describe)


@app.command("agents")
def list_agents() -> None:
    """List the players and their options; write them as lookahead:2 or lookahead:2,ties=thesis."""
    import agents

    _list("agent", agents.AGENTS, agents.describe)


def _list(kind: str, names: Any, describe: Callable[[str], tuple[str, dict[str, str]]]) -> None:
    table = Table(kind, "what it is", "options", box=None, pad_edge=False)
    table.columns[2].overflow = "fold"
    for name in names:
        summary, options = describe(name)
        table.add_row(name, summary, " ".join(f"{key}={value}" for key, value in options.items()))
    out.print(table)


@app.command()
def perft(
    game: GameName,
    depth: Annotated[int, typer.Argument(min=1, help="How many moves ahead.")],
    position: Annotated[str | None, typer.Option(metavar="TEXT", help="Start from this position.")] = None,
    divide: Annotated[bool, typer.Option("--divide", help="Count below each first move.")] = False,
    option: GameOptions = None,
) -> None:
    """Count the move sequences of a length: the check on a move generator."""
    from amoba_env import Position, games
    from amoba_env.core import play as core

    rules = games.make_from(game, games.options_from_text(game, option or ()))
    begin = Position.start(rules) if position is None else Position.from_text(rules, position)
    if not divide:
        out.print(core.perft(rules.rules, begin.state, depth))
        return
    total = 0
    for move in begin.legal_moves():
        after = begin.play(move)
        count = core.perft(rules.rules, after.state, depth - 1)
        total += count
        out.print(f"{move}: {count}")
    out.print(f"total: {total}")


@app.command()
def solve(
    game: GameName,
    position: Annotated[str | None, typer.Option(metavar="TEXT", help="Solve this position.")] = None,
    option: GameOptions = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Give up after so many positions.", show_default="50 million")
    ] = None,
    json_file: Json = None,
) -> None:
    """Find the exact value of a position and all best moves, in placing games that are small enough."""
    from amoba_env import Position, games
    from experiments.solve import print_solution, solution

    rules = games.make_from(game, games.options_from_text(game, option or ()))
    begin = Position.start(rules) if position is None else Position.from_text(rules, position)
    _check_writable(json_file)
    result = solution(begin, limit)
    if json_file != "-":
        print_solution(begin, result, out)
    _write_json(result, json_file)


@app.command()
def match(
    game: GameName,
    agents: Annotated[list[str], typer.Argument(metavar="AGENT...", help="A player for each seat.")],
    games: Count = 10_000,
    seed: Seed = 0,
    start: Annotated[StartChoice, typer.Option(help="Who begins.")] = StartChoice.random,
    agents_rotate: Annotated[bool, typer.Option("--agents-rotate", help="Every agent gets every seat.")] = False,
    jobs: Jobs = CORES,
    batch: Annotated[
        int | None, typer.Option(min=1, help="Games in lockstep. The games do not depend on it.", show_default="1000")
    ] = None,
    openings: Annotated[
        str | None, typer.Option(metavar="WHAT", help="random:4, or a file with moves or a position a line.")
    ] = None,
    paired: Annotated[bool, typer.Option("--paired", help="Each opening with every order of the agents.")] = False,
    regret: Annotated[bool, typer.Option("--regret", help="Score each move against perfect play.")] = False,
    folder: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Keep every game there; goes on after an interruption.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress bar.")] = False,
    option: GameOptions = None,
    json_file: Json = None,
) -> None:
    """Play many games between players and print the statistics."""
    import time

    from amoba_env.games import options_from_text
    from experiments.arena import Match, compile_for, play_match
    from experiments.openings import openings_from
    from experiments.progress import progress
    from experiments.regret import Regrets
    from experiments.runs import COLUMNS, load, to_games, write_run

    lines = () if openings is None else openings_from(openings)
    options = options_from_text(game, option or ())
    what = Match(game, tuple(agents), games, seed, start.value, agents_rotate, options, lines, paired)
    if regret and folder is not None:
        raise ValueError("--regret scores games while they are played: it goes without --out")
    _check_writable(json_file)
    regrets = Regrets(what) if regret else None
    watch = None if regrets is None else regrets.watch
    with progress(err, quiet) as bar:
        task = bar.add_task("compiling", total=games)
        compile_for(what)
        bar.update(task, description=game)
        begun = time.perf_counter()
        if folder is None:
            played = play_match(what, jobs, batch, lambda count: bar.advance(task, count), watch)
        else:
            write_run(folder, what, jobs, batch, lambda count: bar.advance(task, count))
            played = to_games(load(folder, COLUMNS))
        seconds = time.perf_counter() - begun if folder is None else None
    from experiments.report import print_match
    from experiments.statistics import summarize

    result = summarize(what, played, seconds)
    if regrets is not None:
        regrets.enter(result)
    if json_file != "-":
        print_match(result, out)
    _write_json(result, json_file)


@app.command("stats")
def show_stats(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A folder that `amoba match --out` wrote.")],
    first_moves: Annotated[int, typer.Option(min=0, help="Games with so many moves alike have one opening.")] = 2,
    sql: Annotated[
        str | None, typer.Option(metavar="QUERY", help="Your own question to the views games, players, times.")
    ] = None,
    json_file: Json = None,
) -> None:
    """Statistics of games on disk: by agent, seat, opening, ending and length, or by your own SQL."""
    from experiments.stats import print_rows, print_stats, query, stats

    _check_writable(json_file)
    if sql is None:
        result: Any = stats(run, first_moves)
        show: Callable[[Any, Console], None] = print_stats
    else:
        result, show = query(run, sql), print_rows
    if json_file != "-":
        show(result, out)
    _write_json(result, json_file)


@app.command()
def reproduce(
    what: Annotated[str, typer.Argument(metavar="STUDY", help="halma: the thesis's table.")],
    games: Count = 10_000,
    seed: Seed = 0,
    ties: Annotated[TiesChoice, typer.Option(help="The thesis's tie rule, or a uniform choice.")] = TiesChoice.thesis,
    jobs: Jobs = CORES,
    folder: Annotated[Path, typer.Option("--out", metavar="DIR", help="For the Markdown and JSON files.")] = Path(
        "runs"
    ),
) -> None:
    """Play a published study again, beside its figures; writes Markdown and JSON."""
    if what != "halma":
        raise ValueError(f"unknown study {what!r}; the studies: halma")
    from experiments import reproduce as study
    from experiments.arena import Match, compile_for
    from experiments.progress import progress

    folder.mkdir(parents=True, exist_ok=True)
    matches = study.halma_matches(games, seed, ties.value)
    with progress(err) as bar:
        task = bar.add_task("compiling", total=games * len(matches))
        for each in matches:
            compile_for(each)

        def advance(row: Match) -> Callable[[int], None]:
            bar.update(task, description="-".join(text.partition(":")[2][:1] for text in row.agents))
            return lambda count: bar.advance(task, count)

        result = study.reproduce_halma(games, seed, ties.value, jobs, advance)
    table = Table(*study.HEADINGS, box=None, pad_edge=False)
    for column in table.columns[2:]:
        column.justify = "right"
    for number, row in enumerate(study.table(result)):
        table.add_row(*row, style=("bold", "dim", None)[number % 3], end_section=number % 3 == 2)
    out.print(table)
    out.print(study.caption(result), soft_wrap=True)
    name = folder / f"halma-{ties.value}"
    name.with_suffix(".md").write_text(study.markdown(result))
    name.with_suffix(".json").write_text(json.dumps(result, indent=2) + "\n")
    err.print(f"written: {name}.md, {name}.json")


@app.command()
def forbidden(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Positions as JSON lines, .gz too; - for stdin.")],
    json_file: Json = None,
) -> None:
    """Find renju's forbidden points: the lines come back with forbidden, kinds and five (--json), or are counted."""
    from experiments.forbidden import label_lines, read_lines

    _check_writable(json_file)
    rows: list[dict[str, Any]] = []
    bad = 0
    for number, result in label_lines(read_lines(file)):
        if isinstance(result, str):
            bad += 1
            err.print(f"amoba: line {number}: {result}", soft_wrap=True, markup=False)
        else:
            rows.append(result)
    text = "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)
    if json_file == "-":
        sys.stdout.write(text)
    elif json_file is not None:
        Path(json_file).write_text(text)
    if json_file != "-":
        kinds = Counter(kind for row in rows for kind in row["kinds"])
        found = ", ".join(f"{count:,} {kind.replace('_', '-')}" for kind, count in sorted(kinds.items())) or "none"
        out.print(f"{len(rows):,} positions; forbidden points: {found}" + (f"; {bad} bad lines" if bad else ""))
    if bad:
        raise typer.Exit(2)


@app.command()
def bench(
    names: Annotated[list[str] | None, typer.Argument(metavar="NAME...", help="Which; all if none is named.")] = None,
    runs: Annotated[int, typer.Option(min=1, help="Medians of so many runs.")] = 5,
    json_file: Json = None,
    table: Annotated[
        Path | None, typer.Option("--table", metavar="FILE", help="Measure nothing: print this JSON file as Markdown.")
    ] = None,
) -> None:
    """Measure speed, side by side with peers: aec, batch, halma, renju, rollouts, wincheck."""
    from experiments.bench import BENCHMARKS, markdown, report, run_benchmarks

    if table is not None:
        out.print(markdown(json.loads(table.read_text())), markup=False, soft_wrap=True)
        return
    for name in names or ():
        if name not in BENCHMARKS:
            raise ValueError(f"unknown benchmark {name!r}; the benchmarks: {', '.join(BENCHMARKS)}")
    _check_writable(json_file)
    results = run_benchmarks(names or list(BENCHMARKS), runs, err if json_file == "-" else out)
    _write_json(report(results), json_file)


@app.command()
def play(
    game: GameName,
    seat: Annotated[int, typer.Option(min=0, help="Your seat.")] = 0,
    against: Annotated[str, typer.Option(metavar="AGENT", help="The player on the other seats.")] = "greedy",
    first: Annotated[int, typer.Option(min=0, help="The seat that begins.")] = 0,
    seed: Annotated[int | None, typer.Option(min=0, help="Of the agents' choices.", show_default="random")] = None,
    option: GameOptions = None,
) -> None:
    """Play a game yourself, in the terminal."""
    import secrets

    from agents import make_agent
    from amoba_env import games
    from experiments import terminal

    rules = games.make_from(game, games.options_from_text(game, option or ()))
    terminal.play(rules, seat, [make_agent(against)], secrets.randbits(32) if seed is None else seed, first, out)


@app.command()
def draw(
    game: GameName,
    file: Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="Ends in .svg, .png or .html.")],
    position: Annotated[str | None, typer.Option(metavar="TEXT", help="Draw this position.")] = None,
    moves: Annotated[str | None, typer.Option(metavar="MOVES", help="Draw the game of these, as 'h8 i9'.")] = None,
    theme: Annotated[str, typer.Option(help="light or dark")] = "light",
    size: Annotated[int, typer.Option(min=1, help="Of the longer side, in pixels.")] = 480,
    option: GameOptions = None,
) -> None:
    """Draw a position, or a game (as .html a page to step through it)."""
    from amoba_env import games
    from experiments.drawing import draw_file

    rules = games.make_from(game, games.options_from_text(game, option or ()))
    draw_file(rules, file, position, moves, theme, size)


def _check_writable(file: str | None) -> None:
    """Find out before the games are played, not after."""
    if file not in (None, "-"):
        with open(str(file), "a"):
            pass


def _write_json(result: Any, file: str | None) -> None:
    text = json.dumps(result, indent=2, default=str)
    if file == "-":
        print(text)
    elif file is not None:
        Path(file).write_text(text + "\n")


# Typer's own usage errors; their base class lives in click or, since Typer 0.26, in Typer itself.
INTERRUPTED = 130
UsageError: type[Exception] = typer.BadParameter.__mro__[1]


def main() -> None:
    """Run the command line; errors are one line (and a drawing, where one is at fault) and exit code 2."""
    try:
        code = app(sys.argv[1:] or ["--help"], standalone_mode=False)
    except UsageError as error:
        code = _fail(_usage(error))
    except (ValueError, OSError, ImportError) as error:
        code = _fail(str(error))
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    if code == INTERRUPTED:  # Typer turns Ctrl-C into this code too
        err.print("interrupted")
    sys.exit(code if isinstance(code, int) else 0)


def _usage(error: Any) -> str:
    message: str = error.format_message()
    if message.startswith("No such command"):
        names = (command.name or command.callback.__name__ for command in app.registered_commands if command.callback)
        return f"{message.rstrip('.')}; the commands: {', '.join(names)}"
    return f"{' '.join(message.split()).rstrip('.')}; see --help of the command"


def _fail(message: str) -> int:
    err.print(f"amoba: {message}", soft_wrap=True, markup=False)
    return 2
