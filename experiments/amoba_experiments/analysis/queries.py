"""Questions to a run on disk: the statistics of its match, tables by opening, ending and length, and anyone's SQL.

The Parquet files need none of this: any program that reads Parquet can take them as amoba_experiments.runs.store
describes them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from amoba_env import checks, games
from amoba_env.notation import move_text
from amoba_experiments.analysis.match_text import print_match
from amoba_experiments.analysis.summary import share, summarize
from amoba_experiments.arena.match import Match
from amoba_experiments.runs.store import COLUMNS, load, match_of, read_manifest, read_shard, shards, to_games

if TYPE_CHECKING:
    import duckdb

MOST_MOVES = 32767  # of any game
ROWS = 10  # the most frequent openings

PLAYERS = """
    CREATE VIEW players AS
    SELECT index, seat, seats[seat + 1] AS agent, seating[seat + 1] AS number, starter = seat AS began,
        coalesce(winner = seat, false) AS won, places[seat + 1] AS place, distances[seat + 1] AS distance,
        black = seat AS black, ending, plies, rounds, opening, digest
    FROM (SELECT *, unnest(range(len(seats))) AS seat FROM games)
"""
ENDINGS = """
    SELECT ending, count(*) AS games, avg(plies) AS plies_mean FROM games GROUP BY ending ORDER BY games DESC, ending
"""
LENGTHS = """
    SELECT agent, count(*) AS games, count(*) FILTER (won) AS wins,
        quantile_disc(plies, [0, 0.25, 0.5, 0.75, 1]) FILTER (won) AS plies_when_won,
        quantile_disc(plies, [0, 0.25, 0.5, 0.75, 1]) FILTER (NOT won) AS plies_otherwise
    FROM players GROUP BY number, agent ORDER BY number
"""
OPENINGS = """
    SELECT moves[1:?] AS opening, starter, start, count(*) AS games, count(*) FILTER (winner = starter) AS wins,
        avg(plies) AS plies_mean
    FROM games GROUP BY ALL ORDER BY games DESC, opening, starter, start LIMIT ?
"""
TIMES = """
    SELECT agent, sum(moves)::BIGINT AS moves, sum(seconds) AS seconds, sum(seconds) / sum(moves) AS seconds_a_move
    FROM times GROUP BY agent ORDER BY agent
"""


def connect(folder: Path | str) -> duckdb.DuckDBPyConnection:
    """A DuckDB connection with the views games (runs.store.SCHEMA), players (a row a game and seat) and times.

    Raises:
        ValueError: no run, no games yet, or a file that cannot be read.
        ImportError: duckdb is not installed.
    """
    try:
        import duckdb
    except ImportError:
        raise ImportError("questions to runs want duckdb: pip install 'amoba[stats]'") from None
    read_manifest(folder)
    connection = duckdb.connect()
    finished = {file.name for file in shards(folder)}  # times of other games are those of a run that was interrupted
    for kind in ("games", "times"):
        files = [file for file in shards(folder, kind) if file.name in finished]
        if not files:
            raise ValueError(f"{folder} has no {kind} yet")
        for file in files:
            read_shard(file, ["games"] if kind == "times" else ["index"])  # one clear line where one is damaged
        names = ", ".join("'" + str(file).replace("'", "''") + "'" for file in files)
        connection.execute(f"CREATE VIEW {kind} AS SELECT * FROM read_parquet([{names}])")
    connection.execute(PLAYERS)
    return connection


def query(folder: Path | str, sql: str, parameters: tuple[object, ...] = ()) -> list[dict[str, Any]]:
    """The answer to a question in SQL, see connect(); a row is a dict. Raises ValueError for what DuckDB refuses."""
    connection = connect(folder)
    import duckdb

    try:
        cursor = connection.execute(checks.text("a question", sql), parameters)
        if cursor is None:
            raise ValueError("a question in SQL is wanted, such as SELECT count(*) FROM games")
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    except duckdb.Error as error:
        raise ValueError(f"DuckDB: {' '.join(str(error).split())}") from None
    finally:
        connection.close()


def stats(folder: Path | str, first_moves: int = 2) -> dict[str, Any]:
    """All statistics of a run so far, ready for JSON.

    Args:
        folder: of the run.
        first_moves: games with the same first moves, so many, have the same opening.

    Returns:
        {"match": as of statistics.summarize, "of": games of the whole match, "endings", "lengths", "openings",
        "times": lists of rows}. Lengths are minimum, quartiles and maximum; wins of an opening are of who began.
    """
    checks.whole("first_moves", first_moves, 0, MOST_MOVES)
    match = match_of(read_manifest(folder))
    played = to_games(load(folder, COLUMNS))
    openings = query(folder, OPENINGS, (first_moves, ROWS))
    for row in openings:
        row.update(share(row["wins"], row["games"]), opening=_moves(match, row["opening"]))
    return {
        "match": summarize(match, played, None),
        "of": match.games,
        "endings": query(folder, ENDINGS),
        "lengths": query(folder, LENGTHS),
        "openings": openings,
        "times": query(folder, TIMES),
    }


def _moves(match: Match, actions: list[int]) -> str:
    game = games.make_from(match.game, match.options)
    return " ".join(move_text(game, each) if 0 <= each < game.n_actions else "none" for each in actions)


def print_stats(found: dict[str, Any], console: Console) -> None:
    """Print what stats() found."""
    print_match(found["match"], console)
    until = found["match"]["until"]
    if found["match"]["games"] < found["of"] and not (until and until["stop"]):
        console.print(f"note: {found['match']['games']:,} of {found['of']:,} games are played", style="yellow")
    for title in ("endings", "lengths", "openings", "times"):
        console.print(f"\n{title}", style="bold")
        print_rows(found[title], console)


def print_rows(rows: list[dict[str, Any]], console: Console) -> None:
    """Print rows that have the same keys as a table."""
    if not rows:
        console.print("no rows")
        return
    table = Table(*rows[0], box=None, pad_edge=False)
    for column, value in zip(table.columns, rows[0].values(), strict=True):
        column.justify = "right" if isinstance(value, (int, float)) else "left"
    for row in rows:
        table.add_row(*(Text(_cell(value)) for value in row.values()))
    console.print(table)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1 else f"{value:,.2f}"
    if isinstance(value, list):
        return " ".join(map(_cell, value))
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
