"""Runs on disk: the games of a match in Parquet files, written as they are played.

    runs/NAME/run.json                   the manifest: the match, versions, number of games in a file
    runs/NAME/games/000000001000.parquet a row for each game, here from game 1000 on, see SCHEMA
    runs/NAME/times/000000001000.parquet how long each agent took for these games, see TIMES
    runs/NAME/SHA256SUMS                 checksums of all these, see checksums.py

Each file is there as a whole or not at all: it is written under another name, synced and renamed. After an
interruption the same call plays the missing games, and the rows are the same, bit for bit, as without it.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from amoba_env import checks, games, options
from amoba_env.core import endings as en
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.rules import table
from amoba_experiments.arena.fingerprints import Fingerprints, unchanged_files
from amoba_experiments.arena.games import Games, Trace
from amoba_experiments.arena.match import Match
from amoba_experiments.arena.play import batch_of, has_black, play_shard
from amoba_experiments.arena.stopping import rule_is_met
from amoba_experiments.arena.workers import Progress, Shard, Work, Workers, cut, workers_of
from amoba_experiments.reading import converted
from amoba_experiments.runs.checksums import RETRY, check_seal, commit, read_checked, seal
from amoba_experiments.runs.files import check_folder, locked, read_json, replace
from amoba_experiments.runs.manifest import Manifest, difference, manifest_of

if TYPE_CHECKING:
    import pyarrow as pa

    Tables = tuple[pa.Table, pa.Table]  # of games, and of times

MANIFEST = "run.json"
KINDS = ("games", "times")  # of files
SCHEMA = {  # the columns of games/*.parquet: type and meaning
    "index": ("int64", "number of the game in the match"),
    "seed": (
        "uint64",
        "the random stream of the game at its start (amoba_experiments.arena.match.Match.streams)",
    ),
    "seats": ("list<string>", "the agent of each seat"),
    "seating": ("list<int8>", "the same as numbers in the manifest's list of agents"),
    "starter": ("int8", "the seat that made the first move; after a given position the seat to move there"),
    "opening": ("uint64", "a hash of the opening, whoever begins: equal openings have equal ones"),
    "opening_plies": ("int32", "this many of the moves are the opening"),
    "start": ("string", "the given position in which the moves begin; null: the start of the game"),
    "winner": ("int8", "the seat that won; null: nobody"),
    "black": ("int8", "the seat with the black stones at the end; null where seats have no colours of that kind"),
    "black_won": ("bool", "whether the winner had the black stones; null: nobody won, or no colours"),
    "places": ("list<int8>", "the place of each seat, 1 is best; seats that share a place have the same number"),
    "ending": (
        "string",
        "line, goal, full_board, no_moves, max_plies, distance, illegal, forbidden; of people: resigned, time, agreed",
    ),
    "plies": ("int32", "moves played, those of the opening too"),
    "rounds": ("int32", "completed turns of all players: plies // players"),
    "distances": ("list<int16>", "halma: steps that each seat's men were away; null elsewhere"),
    "digest": ("uint64", "a hash of opening and moves: equal games have equal ones"),
    "moves": ("list<int32>", "the actions in the board's own numbers; an illegal one that lost is the last"),
    "incident": ("string", "what an agent reported, such as why it had no legal move; null: nothing"),
}
COLUMNS = [
    "index",
    "seating",
    "starter",
    "winner",
    "ending",
    "plies",
    "digest",
    "opening",
    "black",
    "places",
    "incident",
]  # what statistics need
TIMES = {  # of times/*.parquet
    "first": ("int64", "the first game of the file"),
    "games": ("int64", "games in the file"),
    "agent": ("string", "the agent"),
    "moves": ("int64", "moves that it made in them, on all its seats"),
    "seconds": ("float64", "wall time of its calls; a call is for all games in which it is to move"),
}


def write_run(
    folder: Path | str,
    match: Match,
    jobs: int | Workers | None = None,
    batch: int | None = None,
    progress: Progress | None = None,
) -> None:
    """Play the games of a match that are not in the folder yet, and write them, `batch` games to a file.

    Args:
        folder: where to write; it is made if it does not exist.
        match: what to play.
        jobs: a number of threads (default: one for each core), or a Ray cluster (see arena/cluster.py).
        batch: how many games to put into a file and to play in lockstep; the rows do not depend on it. A run that is
            continued keeps its own number.
        progress: called with the number of games that the folder has, and then as in arena.play_match.

    Raises:
        ValueError: the folder holds another match (the message says what differs), or a file in it cannot be read; or a
            file that an agent reads has changed since the run began, here or on a node of the cluster.
        OSError: the disk is full, or the folder cannot be written; files that were written stay.
        ImportError: pyarrow is not installed.
    """
    _arrow()
    folder, workers = Path(folder), workers_of(jobs)
    check_folder(folder, MANIFEST)
    with locked(folder):
        manifest = _open(folder, match, batch_of(match, workers, batch))
        size, work = int(manifest["shard"]), partial(_play, match, manifest["fingerprints"])
        for name in KINDS:
            (folder / name).mkdir(exist_ok=True)
            for leftover in (folder / name).glob(".*.tmp"):
                leftover.unlink()
        parts: list[Games] = []
        for block in match.blocks:
            files = cut(block, size)
            _write_block(folder, work, files, workers, progress)
            if match.until:
                parts += [to_games(read_shard(_file(folder, first), COLUMNS)) for first, _ in files]
            if rule_is_met(match, parts):
                break


def _write_block(
    folder: Path, work: Work[Tables], files: Sequence[Shard], workers: Workers, progress: Progress | None
) -> None:
    """Play the games of those of these files that are missing."""
    missing, found = [], 0
    for first, count in files:
        if all(_file(folder, first, kind).exists() for kind in KINDS):
            check_shard(_file(folder, first), first, count)
            read_shard(_file(folder, first, "times"))
            found += count
        else:
            missing.append((first, count))
    if progress is not None and found:
        progress(found)

    def keep(shard: Shard, tables: Tables) -> None:
        write_table(_file(folder, shard[0], "times"), tables[1])
        write_table(_file(folder, shard[0]), tables[0])

    workers.run(work, missing, keep, progress)


def _play(
    match: Match,
    begun: Fingerprints,
    first: int,
    count: int,
    progress: Progress | None,
    cancel: threading.Event | None,
) -> Tables:
    """Play a shard; returns its rows and times."""
    trace = Trace()
    with unchanged_files(match, begun):
        played = play_shard(match, first, count, progress, cancel, None, trace)
    return to_table(match, first, played, trace), _times(first, count, trace)


def _open(folder: Path, match: Match, shard: int) -> dict[str, Any]:
    """Begin a run in a folder, or continue it; returns its manifest."""
    manifest = manifest_of(match)
    if (folder / MANIFEST).exists():
        there = read_manifest(folder)
        if different := difference(there, manifest):
            raise ValueError(f"{folder} holds another run: {different}")
        return there
    manifest["shard"] = shard
    write_manifest(folder, manifest)
    return manifest


def write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    """Write the manifest of a run, with its checksum. Raises OSError."""
    replace(folder / MANIFEST, (json.dumps(seal(manifest), indent=2) + "\n").encode())


def read_manifest(folder: Path | str) -> dict[str, Any]:
    """The manifest of a run. Raises ValueError if it is none."""
    file = Path(folder) / MANIFEST
    try:
        manifest = dict(checks.mapping("a manifest", read_json(file)))
        check_seal(manifest)
        manifest |= msgspec.to_builtins(converted(manifest, Manifest))
        options.check("match", Match, manifest["match"])
    except FileNotFoundError:
        raise ValueError(f"{folder} is not a run: it has no {MANIFEST}") from None
    except ValueError as error:
        raise ValueError(f"{file} cannot be read as the manifest of a run: {error}") from None
    return manifest


def runs_in(folder: Path | str) -> list[Path]:
    """The folder itself if it is a run, otherwise all runs in it. Raises ValueError if there is none."""
    folder = Path(folder)
    found = [folder] if (folder / MANIFEST).exists() else sorted(file.parent for file in folder.glob(f"**/{MANIFEST}"))
    if not found:
        raise ValueError(f"{folder} is not a run, and there is none in it: no {MANIFEST}")
    return found


def match_of(manifest: dict[str, Any]) -> Match:
    """The match that a manifest describes. Reading its games needs none of its agents, which may be gone."""
    return Match(**manifest["match"], playable=False)


def _file(folder: Path, first: int, kind: str = "games") -> Path:
    return folder / kind / f"{first:012}.parquet"


def shards(folder: Path | str, kind: str = "games") -> list[Path]:
    """The files of a run, in the order of their games."""
    return sorted((Path(folder) / kind).glob("[0-9]*.parquet"))


def check_shard(file: Path, first: int, count: int) -> None:
    """Raise ValueError unless the file has exactly the games first .. first + count - 1."""
    index = read_shard(file)["index"].to_numpy()
    if not np.array_equal(index, np.arange(first, first + count)):
        raise ValueError(f"{file} does not have games {first} to {first + count - 1}; {RETRY}")


OFF_BOARD = {
    "time": en.RESIGNED,
    "agreed": en.NOT_OVER,
}  # endings of games between people that are not part of the rules


def read_shard(file: Path, columns: list[str] | None = None) -> pa.Table:
    """Read a file of a run. Raises ValueError if it is damaged, see checksums.py, or has other columns."""
    _arrow()
    import pyarrow as pa
    import pyarrow.parquet as pq

    wanted = schema(TIMES if file.parent.name == "times" else SCHEMA)
    data = pa.BufferReader(read_checked(file))
    try:
        found = pq.read_schema(data)
        missing = [
            name
            for name in columns or wanted.names
            if name not in found.names or found.field(name).type != wanted.field(name).type
        ]
        if not missing:
            return pq.read_table(data, columns=columns, page_checksum_verification=True)
        reason = f"no column {missing[0]!r} of {wanted.field(missing[0]).type}"
    except Exception as error:  # whatever Arrow makes of a damaged file
        reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
    raise ValueError(f"{file} cannot be read ({reason}); {RETRY}")


def to_table(match: Match, first: int, played: Games, trace: Trace) -> pa.Table:
    """The rows of a shard, see SCHEMA."""
    import pyarrow as pa

    game = games.make_from(match.game, match.options)
    count, players = played.seating.shape
    won = played.status >= 0
    colored = has_black(game)
    index = np.arange(first, first + count)
    number = match.origin(index)[1] // match.orders
    text = [match.openings[i] for i in (number % len(match.openings)).tolist()] if match.openings else []
    cells, steps = game.cells(trace.states), table(game.rules, ru.STEPS)
    distances = np.zeros((count, players), np.int16)
    for seat in range(players if game.moves_men else 0):
        distances[:, seat] = (cells == seat) @ steps[seat].astype(np.int16)
    ends, actions = trace.moves()
    columns = {
        "index": index,
        "seed": match.streams(index),
        "seats": _lists(pa.array(match.agents).take(pa.array(played.seating.ravel())), players),
        "seating": _lists(pa.array(played.seating.ravel()), players),
        "starter": played.starter,
        "opening": played.opening,
        "opening_plies": trace.opening_plies,
        "start": [each if "/" in each else None for each in text] or [None] * count,
        "winner": pa.array(played.status, mask=~won),
        "black": pa.array(played.black, mask=np.full(count, not colored)),
        "black_won": pa.array(played.status == played.black, mask=~won | (not colored)),
        "places": _lists(pa.array(played.places.ravel()), players),
        "ending": pa.array(en.NAMES).take(pa.array(played.ending)),
        "plies": played.plies,
        "rounds": played.plies // players,
        "distances": _lists(pa.array(distances.ravel()), players) if game.moves_men else [None] * count,
        "digest": played.digest,
        "moves": pa.ListArray.from_arrays(pa.array(ends), pa.array(actions)),
        "incident": pa.array(played.incident.tolist(), mask=played.incident == ""),
    }
    return pa.table(columns, schema=schema(SCHEMA))


def schema(columns: dict[str, tuple[str, str]]) -> pa.Schema:
    """An Arrow schema, each column with its meaning as metadata."""
    import pyarrow as pa

    def kind(text: str) -> pa.DataType:
        return pa.list_(kind(text[5:-1])) if text.startswith("list<") else pa.type_for_alias(text)

    return pa.schema([pa.field(name, kind(text), metadata={"": says}) for name, (text, says) in columns.items()])


def _lists(values: pa.Array, length: int) -> pa.Array:
    import pyarrow as pa

    return pa.ListArray.from_arrays(pa.array(np.arange(0, len(values) + 1, length, dtype=np.int32)), values)


def _times(first: int, count: int, trace: Trace) -> pa.Table:
    import pyarrow as pa

    rows = [
        {"first": first, "games": count, "agent": each.name, "moves": each.moves, "seconds": each.seconds}
        for each in trace.agents
    ]
    return pa.Table.from_pylist(rows, schema(TIMES))


def write_table(file: Path, table: pa.Table) -> None:
    """Write a file of a run, whole or not at all. Raises OSError."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    buffer = pa.BufferOutputStream()
    pq.write_table(table, buffer, compression="zstd", compression_level=1, write_page_checksum=True)
    commit(file, buffer.getvalue())


def load(folder: Path | str, columns: list[str] | None = None) -> pa.Table:
    """The games of a run as an Arrow table with a row for each game, in the order of their numbers; see SCHEMA.

    Args:
        folder: the run.
        columns: names of columns; None: all. "moves" is most of the data.

    Raises:
        ValueError: the folder is not a run or has no games yet, or a file cannot be read.
        ImportError: pyarrow is not installed.
    """
    _arrow()
    import pyarrow as pa

    read_manifest(folder)
    files = shards(folder)
    if not files:
        raise ValueError(f"{folder} has no games yet")
    return pa.concat_tables([read_shard(file, columns) for file in files])


def to_games(table: pa.Table) -> Games:
    """Rows of a run as arrays, as amoba_experiments.analysis.summary takes them."""
    number = {name: i for i, name in enumerate(en.NAMES)} | OFF_BOARD
    arrays = {name: table[name].to_numpy() for name in ("index", "starter", "plies", "digest", "opening")}
    return Games(
        seating=_matrix(table["seating"]),
        status=table["winner"].fill_null(st.NOBODY).to_numpy(),
        ending=np.array([number[name] for name in table["ending"].to_pylist()], np.int8),
        black=table["black"].fill_null(0).to_numpy(),
        places=_matrix(table["places"]),
        incident=np.array(table["incident"].fill_null("").to_pylist(), np.str_),
        **arrays,
    )


def _matrix(column: pa.ChunkedArray) -> np.ndarray:
    """Lists of one length as an array with two axes."""
    values: np.ndarray = column.combine_chunks().flatten().to_numpy().reshape(len(column), -1)
    return values


def _arrow() -> None:
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise ImportError("runs on disk need pyarrow: pip install 'amoba[stats]'") from None
