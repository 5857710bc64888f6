"""Commands about one position or record: count, solve, analyse, draw, explain, convert."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Annotated, Any, cast

import click

from amoba_env.files import ending
from amoba_experiments.cli.command import Argument, Flag
from amoba_experiments.cli.progress import progress_bar
from amoba_experiments.cli.shared import (
    GameName,
    GameOptions,
    Json,
    Quiet,
    app,
    check_writable,
    err,
    example,
    finite,
    game_from,
    out,
    position_from,
    refuse,
    write_json,
    write_text,
    written,
)


@app.command(epilog=example("amoba perft halma 3"))
def perft(
    game: GameName,
    depth: Annotated[int, Argument(min=1, help="Number of moves to look ahead.")],
    position: Annotated[
        str | None,
        Flag(metavar="TEXT", help="Start from this position, in notation; otherwise from the start."),
    ] = None,
    divide: Annotated[bool, Flag("--divide", help="Show the count for each first move too.")] = False,
    option: GameOptions = None,
) -> None:
    """Count all sequences of legal moves of a given length (perft), the test of a move generator."""
    from amoba_env.core import play as core
    from amoba_env.core.interrupt import call
    from amoba_experiments.positions.perft import check_depth

    rules = game_from(game, option)
    begin = position_from(rules, position)
    check_depth(begin, depth)
    if not divide:
        out.print(call(core.perft, rules.rules, begin.state, depth))
        return
    total = 0
    for move in begin.legal_moves():
        after = begin.play(move)
        count = call(core.perft, rules.rules, after.state, depth - 1)
        total += count
        out.print(f"{move}: {count}")
    out.print(f"total: {total}")


@app.command(epilog=example("amoba solve tictactoe --position 'xo1/1x1/3 o'"))
def solve(
    game: GameName,
    position: Annotated[
        str | None, Flag(metavar="TEXT", help="Solve this position, in notation; otherwise the start.")
    ] = None,
    option: GameOptions = None,
    limit: Annotated[
        int | None, Flag(min=1, help="Give up after searching this many positions.", show_default="50 million")
    ] = None,
    json_file: Json = None,
) -> None:
    """Find the exact value of a position and all its best moves, in games of two on small boards."""
    from amoba_experiments.positions.solve import print_solution, solution

    rules = game_from(game, option)
    begin = position_from(rules, position)
    check_writable(json_file)
    result = solution(begin, limit)
    if json_file != "-":
        print_solution(begin, result, out)
    write_json(result, json_file)


@app.command(
    epilog=example(
        "amoba analyse gomoku 'e5 f6 e6 f5 e7 f7' -o analysis.html", "amoba analyse renju games.sgf --ms 1000"
    )
)
def analyse(
    game: GameName,
    moves: Annotated[
        str, Argument(metavar="FILE|MOVES", help="Moves as 'h8 i9', or a file: .sgf, .psq, .jsonl, .lib.")
    ],
    ms: Annotated[int, Flag(min=1, help="Milliseconds of search for each position.")] = 300,
    nodes: Annotated[
        int | None, Flag(min=1, help="Nodes for each position, in place of --ms: the result is then repeatable.")
    ] = None,
    best: Annotated[int, Flag(min=1, help="Number of best moves for each position.")] = 3,
    number: Annotated[int | None, Flag(min=1, help="Number of the game in the file.", show_default="the first")] = None,
    file: Annotated[
        Path | None,
        Flag("-o", "--out", metavar="FILE", help="A curve (.svg) or a page (.html)."),
    ] = None,
    option: GameOptions = None,
    json_file: Json = None,
    quiet: Quiet = False,
) -> None:
    """Analyse a game: the best moves with values and lines, and the moves that lost it."""
    from amoba_env import games
    from amoba_experiments.positions.analyse import KINDS, analysis, picture, print_analysis
    from amoba_experiments.positions.given import record_of
    from amoba_experiments.positions.judge import Effort

    if nodes is not None:
        refuse("with --nodes", "ms")
    options = games.options_from_text(game, option or ())
    record = record_of(games.make_from(game, options), moves, number, options)
    check_writable(json_file)
    if file is not None:
        ending(file, *KINDS)
        check_writable(str(file))
    with progress_bar(err, "positions", quiet) as bar:
        task = bar.add_task(game, total=len(record.positions))
        result = analysis(record, Effort(ms, nodes or 0), best, lambda done: bar.advance(task, done))
    if json_file != "-":
        print_analysis(result, out)
    if file is not None:
        write_text(file, picture(result, record, file))
    write_json(result, json_file)


@app.command(epilog=example("amoba forbidden positions.jsonl --json labelled.jsonl"))
def forbidden(
    file: Annotated[
        str, Argument(metavar="FILE", help="Positions as JSON lines, also compressed (.gz); - reads stdin.")
    ],
    json_file: Json = None,
) -> None:
    """Find Black's forbidden points in many positions of renju.

    Without --json it prints a summary. With --json it writes each position again, with the keys forbidden, kinds and
    five.
    """
    from amoba_experiments.positions.forbidden import label_lines, read_lines

    check_writable(json_file)
    rows: list[dict[str, Any]] = []
    bad = 0
    for number, result in label_lines(read_lines(file)):
        if isinstance(result, str):
            bad += 1
            err.say(f"amoba: line {number}: {result}")
        else:
            rows.append(result)
    text = "".join(json.dumps(finite(row), separators=(",", ":")) + "\n" for row in rows)
    if json_file is not None:
        write_text(json_file, text)
    if json_file != "-":
        kinds = Counter(kind for row in rows for kind in row["kinds"])
        found = ", ".join(f"{count:,} {kind.replace('_', '-')}" for kind, count in sorted(kinds.items())) or "none"
        out.print(
            f"{len(rows):,} position{'s' * (len(rows) != 1)}; forbidden points: {found}"
            + (f"; {bad} bad line{'s' * (bad != 1)}" if bad else "")
        )
    if bad:
        raise click.exceptions.Exit(2)


@app.command(epilog=example("amoba draw gomoku --moves 'e5 f6 e6' -o game.svg"))
def draw(
    game: GameName,
    file: Annotated[
        Path,
        Flag("-o", "--out", metavar="FILE", help="A file that ends in .svg, .png or .html."),
    ],
    game_file: Annotated[
        str | None,
        Argument(metavar="FILE", help="A file: games (.sgf, .psq, .jsonl, .lib), or moves or a position."),
    ] = None,
    number: Annotated[int | None, Flag(min=1, help="Number of the game in the file.", show_default="the first")] = None,
    position: Annotated[str | None, Flag(metavar="TEXT", help="Begin at this position.")] = None,
    moves: Annotated[str | None, Flag(metavar="MOVES", help="Then play these moves, such as 'h8 i9'.")] = None,
    theme: Annotated[
        str | None,
        Flag(help="Colours: light or dark.", show_default="pages follow the reader's system, pictures are light"),
    ] = None,
    marks: Annotated[str | None, Flag(help="Letters or shapes on stones and men, in addition to colours.")] = None,
    size: Annotated[int, Flag(min=1, help="Length of the longer side, in pixels.")] = 480,
    option: GameOptions = None,
) -> None:
    """Draw a position or a game. A game as .html is a page to step through."""
    from amoba_env import Record, games
    from amoba_experiments.positions.draw import draw_file
    from amoba_experiments.positions.given import record_of

    if file.suffix.lower() == ".html":
        refuse("in a page, which is as large as its reader's window", "size")
    if game_file is not None:
        refuse("with a file of a game", "position", "moves")
    options = games.options_from_text(game, option or ())
    rules = games.make_from(game, options)
    if game_file is None and number is None:
        record = Record(rules, moves or "", start=position)
    else:
        record = record_of(rules, game_file or "", number, options)
    draw_file(record, file, theme, size, cast(Any, marks))
    written(file)


@app.command("explain", epilog=example("amoba explain halma -o search.svg", "amoba explain renju 'h8 a1 h9' i9"))
def explain_move(
    game: GameName,
    words: Annotated[
        list[str] | None, Argument(metavar="POSITION MOVE", help="In games of stones: a position and a move.")
    ] = None,
    player: Annotated[
        str, Flag(metavar="AGENT", help="The player whose search is drawn: greedy or lookahead:DEPTH.")
    ] = "lookahead:2",
    position: Annotated[
        str | None, Flag(metavar="TEXT", help="Where men move: the position; otherwise the start.")
    ] = None,
    seed: Annotated[int, Flag(min=0, help="Seed of the choice among equal moves.")] = 0,
    file: Annotated[
        Path | None,
        Flag("-o", "--out", metavar="FILE", help="A file that ends in .svg."),
    ] = None,
    theme: Annotated[str, Flag(help="Colours of the picture: light or dark.")] = "light",
    option: GameOptions = None,
) -> None:
    """Explain a move: draw a search of the halma family (-o), or why a point is forbidden or a five does not win."""
    from amoba_env import Position
    from amoba_env.explain import explain
    from amoba_experiments.positions.search_picture import explain_file

    rules = game_from(game, option)
    if rules.moves_men:
        if words or file is None:
            raise ValueError(f"{game}: expected -o FILE for the picture (and --position TEXT for another position)")
        begin = position_from(rules, position)
        explain_file(begin, player, seed, file, theme)
        written(file)
        return
    refuse(f"in {game}: the answer is a line of text", "file", "player", "position", "seed", "theme")
    if words is None or len(words) != 2:
        raise ValueError(f"{game}: expected POSITION and MOVE; a position is notation, or moves such as 'h8 i9'")
    out.print(str(explain(Position.from_text(rules, words[0]), words[1])), markup=False)


@app.command(epilog=example("amoba convert games.sgf games.jsonl", "amoba convert runs/first first.sgf"))
def convert(
    files: Annotated[
        list[Path],
        Argument(metavar="IN... OUT", help="Files (.sgf, .psq, .jsonl, .lib) or runs to read, then the file to write."),
    ],
    game: Annotated[str | None, Flag(metavar="GAME", help="The game, if the files do not name it.")] = None,
    option: GameOptions = None,
    skip_bad: Annotated[bool, Flag("--skip-bad", help="Leave out bad games, and list them.")] = False,
) -> None:
    """Convert game records between SGF, Piskvork's .psq and JSON lines; convert the games of runs to these.

    Every move is checked.
    """
    from amoba_experiments.runs.convert import convert_files

    err.say(convert_files(files, game, option or (), skip_bad))
