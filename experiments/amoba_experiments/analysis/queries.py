"""Questions to runs on disk: the statistics of a match, tables by opening, ending and length, and any SQL.

Any program that reads Parquet can read the files itself: amoba_experiments.runs.store describes them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from decimal import Decimal
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from amoba_env import checks
from amoba_env.extras import needs
from amoba_env.notation import move_text
from amoba_experiments.analysis.match_text import game_text
from amoba_experiments.analysis.openings import game_clusters, openings_of
from amoba_experiments.analysis.summary import difference_interval, seat_points, shown, summarize, wins_of
from amoba_experiments.arena.games import COLUMNS, Games
from amoba_experiments.arena.match import Match
from amoba_experiments.runs.files import from_shared_folder
from amoba_experiments.runs.store import KINDS, load_games, match_of, read_manifest, read_shard, runs_in, shards
from amoba_experiments.statistics.clusters import mean_interval, share_interval

if TYPE_CHECKING:
    import duckdb

Table = tuple[list[str], list[dict[str, Any]]]  # the names of columns, and rows
MOST_MOVES = 32767  # of any game
FIRST_MOVES = 2  # the first moves that count as the opening of a game, if the match has no openings
ROWS = 10  # this many openings are shown, the most frequent ones

PLAYERS = """
    CREATE VIEW players AS
    SELECT run, index, seat, {},
        starter = seat AS began, coalesce(winner = seat, false) AS won, black = seat AS black, ending, plies, rounds,
        opening, digest
    FROM (SELECT *, unnest(range(len(seats))) AS seat FROM games)
"""
ENDINGS = """
    SELECT ending, count(*) AS games, avg(plies) AS plies_mean FROM games GROUP BY ending ORDER BY games DESC, ending
"""
LENGTHS = """
    SELECT agent, CASE WHEN won THEN 'won' ELSE 'not won' END AS result, count(*) AS games, min(plies) AS shortest,
        quantile_disc(plies, 0.25) AS quartile_1, quantile_disc(plies, 0.5) AS median,
        quantile_disc(plies, 0.75) AS quartile_3, max(plies) AS longest
    FROM players GROUP BY number, agent, result ORDER BY number, agent, result DESC
"""
OPENINGS = """
    SELECT *, count(*) OVER () AS different FROM (
        SELECT moves[1:coalesce(?, opening_plies)] AS opening, start, count(*) AS games,
        count(*) FILTER (winner = starter) AS wins, avg(plies) AS plies_mean,
        list(index) AS numbers, coalesce(list(index) FILTER (winner = starter), []) AS won
        FROM games GROUP BY ALL
    ) ORDER BY games DESC, opening, start LIMIT ?
"""
TIMES = """
    SELECT agent, sum(moves)::BIGINT AS moves, sum(seconds) AS seconds,
        sum(seconds) / nullif(sum(moves), 0) AS seconds_a_move
    FROM times GROUP BY agent ORDER BY agent
"""


def connect(folders: Path | str | Sequence[Path | str]) -> duckdb.DuckDBPyConnection:
    """A DuckDB connection with the views games, players (a row for each game and seat), times, and columns.

    Args:
        folders: runs, or folders that have runs in them, such as those of a tournament. The column `run` of each view
            has the run's name, or its path where two runs have the same name.

    Raises:
        ValueError: no run is found, a run has no games yet, or a file cannot be read.
        ImportError: duckdb is not installed.
    """
    with needs("stats", "questions to runs"):
        import duckdb
        import pyarrow as pa
        import pyarrow.parquet as pq
    runs = all_runs(folders)
    connection, names_of = duckdb.connect(), _names(runs)
    fields: dict[tuple[str, str], pa.Field] = {}
    for kind in KINDS:
        parts = []
        for run in runs:
            finished = {file.name for file in shards(run)}  # an interrupted run may have times without the games
            files = [file for file in shards(run, kind) if file.name in finished]
            if not files:
                raise ValueError(f"{run} has no {kind} yet")
            for file in files:
                read_shard(file, ["games"] if kind == "times" else ["index"])  # names damage: DuckDB may not see it
            fields |= {(kind, field.name): field for field in pq.read_schema(files[0])}
            names = ", ".join(_quoted(str(file)) for file in files)
            parts.append(
                f"SELECT {_quoted(names_of[run])} AS run, * FROM read_parquet([{names}], union_by_name = true)"
            )
        connection.execute(f"CREATE VIEW {kind} AS {' UNION ALL BY NAME '.join(parts)}")
    by_seat = (f"{name}[seat + 1] AS {each.one}" for name, each in COLUMNS.items() if each.one)
    connection.execute(PLAYERS.format(", ".join(by_seat)))
    columns = [
        {
            "view": kind,
            "column": name,
            "type": str(field.type),
            "meaning": (field.metadata or {}).get(b"", b"").decode(),
        }
        for (kind, name), field in fields.items()
    ]
    connection.register("columns", pa.Table.from_pylist(columns))
    return connection


def _names(runs: Sequence[Path]) -> dict[Path, str]:
    """The names of runs; their paths from the folder that they share if two have the same name."""
    if len({run.name for run in runs}) == len(runs):
        return {run: run.name for run in runs}
    return dict(zip(runs, from_shared_folder(runs), strict=True))


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def all_runs(folders: Path | str | Sequence[Path | str]) -> list[Path]:
    """The runs in these folders; those without games only if none has games yet.

    Raises ValueError if a folder has no run, or one that cannot be read.
    """
    given = [folders] if isinstance(folders, (str, Path)) else folders
    found = list({run.resolve(): run for folder in given for run in runs_in(folder)}.values())
    for run in found:
        read_manifest(run)
    return [run for run in found if shards(run)] or found


def query(
    folders: Path | str | Sequence[Path | str], sql: str, parameters: tuple[object, ...] = ()
) -> list[dict[str, Any]]:
    """The result of an SQL query, see connect(): a dict for each row. ValueError if DuckDB refuses the query."""
    return query_table(folders, sql, parameters)[1]


def query_table(folders: Path | str | Sequence[Path | str], sql: str, parameters: tuple[object, ...] = ()) -> Table:
    """The names of the columns, which a result without rows has too, and the rows. Raises ValueError as query()."""
    with closing(connect(folders)) as connection:
        return _table(connection, sql, parameters)


def _table(connection: duckdb.DuckDBPyConnection, sql: str, parameters: tuple[object, ...] = ()) -> Table:
    import duckdb

    try:
        cursor = connection.execute(checks.text("sql", sql), parameters)
        if cursor is None:
            raise ValueError("expected an SQL query, such as SELECT count(*) FROM games")
        names = _distinct([column[0] for column in cursor.description or ()])
        return names, [dict(zip(names, map(_plain, row), strict=True)) for row in cursor.fetchall()]
    except duckdb.Error as error:
        raise ValueError(f"DuckDB: {' '.join(str(error).split())}") from None


def _plain(value: Any) -> Any:
    """A value in which decimal numbers, as of SQL's 1.5, are floats."""
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return float(value) if isinstance(value, Decimal) else value


def _distinct(names: Sequence[str]) -> list[str]:
    """The names of columns; where one is there already, a number follows it: games, games_2."""
    found: list[str] = []
    for name in names:
        others = (f"{name}_{number}" for number in count(2))
        found.append(next(each for each in chain([name], others) if each not in found))
    return found


def stats(folder: Path | str, first_moves: int | None = None) -> dict[str, Any]:
    """All statistics of a run so far, ready for JSON.

    Args:
        folder: the folder of the run.
        first_moves: the number of first moves that count as the opening of a game. None: the openings of the match, or
            the first FIRST_MOVES moves if it has none.

    Returns:
        {"match": the result of summary.summarize, "of": games of the whole match, "different_openings": their number,
        "endings", "lengths", "openings", "times": lists of rows}. Lengths are in plies; the openings are the ROWS most
        frequent ones, and their wins those of the player who moved first.
        The interval of a row counts openings of the match if it has several of them, else games.
    """
    if first_moves is not None:
        checks.whole("first_moves", first_moves, 0, MOST_MOVES)
    match = match_of(read_manifest(folder))
    if first_moves is None and not match.openings:
        first_moves = FIRST_MOVES
    played = load_games(folder)
    with closing(connect(folder)) as connection:
        openings = _table(connection, OPENINGS, (first_moves, ROWS))[1]
        endings, lengths, times = (_table(connection, sql)[1] for sql in (ENDINGS, LENGTHS, TIMES))
    if not all(np.isin(row["numbers"], played.index).all() for row in openings):
        played = load_games(folder)  # a match that goes on has added games since
    clusters, different = game_clusters(match, played), 0
    for row in openings:
        different = row.pop("different")
        numbers = np.array(row.pop("numbers"))
        won = np.isin(numbers, row.pop("won"))
        own = clusters[np.searchsorted(played.index, numbers)]
        alone = len(np.unique(own)) == 1  # one opening: each of its games is a trial
        row.update(wins_of(won, numbers if alone else own), opening=_moves(match, row["opening"]))
    return {
        "match": _summary(match, played),
        "of": match.games,
        "different_openings": different,
        "endings": endings,
        "lengths": lengths,
        "openings": openings,
        "times": times,
    }


def overview(runs: Sequence[Path]) -> list[dict[str, Any]]:
    """The result of summary.summarize for each of several runs, with its folder as "run"."""
    return [_one_of_several(run, match_of(read_manifest(run)), load_games(run)) for run in runs]


def _one_of_several(run: Path | str, match: Match, played: Games) -> dict[str, Any]:
    result = {"run": str(run), **_summary(match, played)}
    if result["until"]:
        result["warnings"].append("--until may have stopped it early, which the intervals here do not allow for")
    return result


def _summary(match: Match, played: Games) -> dict[str, Any]:
    """The result of summary.summarize, with a warning if games are missing."""
    result = summarize(match, played, None)
    until = result["until"]
    if result["games"] < match.games and not (until and until["stop"]):
        result["warnings"].append(f"{result['games']:,} of {match.games:,} games are played")
    return result


def compare(one: Path | str, other: Path | str) -> dict[str, Any]:
    """The differences between two runs of one game: the first minus the second, with 95 % intervals.

    Returns:
        {"game", "runs", "paired", "rows": [{"figure", "first", "second", "difference", "ci95"}], "warnings"}, for JSON.
        Agents of the same name are compared; if the names differ, the first of one run with the first of the other, and
        so on. Runs with the same openings are "paired": compared opening by opening. Others are independent. An
        interval is null if there are too few openings, or too few games.

    Raises:
        ValueError: the runs are of two games or have different numbers of agents; or as `stats` does.
    """
    two = [(match_of(read_manifest(run)), load_games(run)) for run in (one, other)]
    first, second = summaries = [_one_of_several(run, *each) for run, each in zip((one, other), two, strict=True)]
    if (first["game"], len(first["players"])) != (second["game"], len(second["players"])):
        raise ValueError(f"expected runs of the same game, got {first['game']} ({one}) and {second['game']} ({other})")
    together = _Together(two)
    rows, what = [], "points" if len(first["players"]) == 2 else "wins"
    for numbers in _pairs([first["players"], second["players"]]):
        mine, theirs = first["players"][numbers[0]], second["players"][numbers[1]]
        agents = mine["agent"] if mine["agent"] == theirs["agent"] else f"{mine['agent']} / {theirs['agent']}"
        own = [_results(played, played.seating == number) for (_, played), number in zip(two, numbers, strict=True)]
        both = shown(mine), shown(theirs)
        rows.append(_difference(f"{what} of {agents}, %", both, together.interval(both, own), 100))
    key = "first_mover_points" if what == "points" else "first_mover"
    own = [_results(played, np.arange(played.seating.shape[1]) == played.starter[:, None]) for _, played in two]
    both = first[key], second[key]
    rows.append(_difference(f"{what} of first mover, %", both, together.interval(both, own), 100))
    plies = [{"share": each["plies_mean"], "ci95": each["plies_ci95"]} for each in summaries]
    lengths = [played.plies.astype(float) for _, played in two]
    rows.append(_difference("plies a game", plies, together.interval(plies, lengths, shares=False)))
    notes = [f"{each['run']}: {warning}" for each in summaries for warning in each["warnings"]]
    if together.some:
        why = "give both the same --games, or each a --seed of its own"
        notes.insert(0, f"the runs share some openings, but the intervals treat them as independent: {why}")
    if first["options"] != second["options"]:
        one_game, other_game = (game_text(each["game"], each["options"]) for each in summaries)
        notes.insert(0, f"the games have different options: {one_game}, and {other_game}")
    runs = {"runs": [str(one), str(other)], "paired": together.paired}
    return {"game": first["game"], **runs, "rows": rows, "warnings": notes}


def _pairs(players: Sequence[Sequence[Mapping[str, Any]]]) -> list[tuple[int, ...]]:
    """The agents of two runs that are compared: those of the same name, if all names are the same, else in order."""
    names = [[str(row["agent"]) for row in rows] for rows in players]
    orders = [list(range(len(own))) for own in names]
    if names[0] != names[1] and sorted(names[0]) == sorted(names[1]):
        orders = [sorted(order, key=own.__getitem__) for own, order in zip(names, orders, strict=True)]
    return list(zip(*orders, strict=True))


def _results(played: Games, own: np.ndarray) -> np.ndarray:
    """What the seats `own`, bool[G, players] with one in each row, got: points with two players, else wins. [G]"""
    seat = own.argmax(axis=1)
    points = seat_points(played.places)[np.arange(len(seat)), seat]
    found: np.ndarray = points if own.shape[1] == 2 else (played.winner == seat).astype(float)
    return found


class _Together:
    """The games of two runs, in pairs of the same opening if both runs have the same openings equally often."""

    def __init__(self, two: Sequence[tuple[Match, Games]]) -> None:
        first, second = np.split(openings_of(two), [len(two[0][1].winner)])
        self.orders = [np.argsort(each, kind="stable") for each in (first, second)]
        self.clusters = first[self.orders[0]]
        self.paired = np.array_equal(self.clusters, second[self.orders[1]])
        self.some = not self.paired and bool(np.intersect1d(first, second).size)

    def interval(
        self, figures: Sequence[Mapping[str, Any]], values: Sequence[np.ndarray], shares: bool = True
    ) -> list[float] | None:
        """The interval of the difference of two means, `figures`, of values of games; `shares`: between 0 and 1."""
        if not self.paired:
            return difference_interval(*figures)
        one, other = (each[order] for each, order in zip(values, self.orders, strict=True))
        if not shares:
            return mean_interval(one - other, self.clusters)
        ends = share_interval((one - other + 1) / 2, self.clusters)
        return None if ends is None else [2 * end - 1 for end in ends]


def _difference(
    name: str, two: Sequence[Mapping[str, Any]], ends: list[float] | None, scale: float = 1
) -> dict[str, Any]:
    """Two figures and their difference, each times `scale`, with the ends of its interval."""
    one, other = two
    values = {"first": one["share"], "second": other["share"], "difference": one["share"] - other["share"]}
    return {
        "figure": name,
        **{key: scale * value for key, value in values.items()},
        "ci95": None if ends is None else [scale * end for end in ends],
    }


def _moves(match: Match, actions: list[int]) -> str:
    game = match.rules
    return " ".join(move_text(game, each) if 0 <= each < game.n_actions else "none" for each in actions)
