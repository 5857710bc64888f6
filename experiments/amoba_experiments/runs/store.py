"""Runs on disk: the games of a match in Parquet files, written as they are played.

    runs/NAME/run.json                   the manifest: the match, versions, most games in a file
    runs/NAME/games/000000001000.parquet a row for each game, here from game 1000 on
    runs/NAME/times/000000001000.parquet the time of each agent for these games
    runs/NAME/SHA256SUMS                 checksums of these files, see checksums.py

The columns are declared in amoba_experiments.arena.games. Each file is written atomically: under another name, synced
and renamed. After an interruption the same call plays the missing games, and the rows are identical to those of an
uninterrupted run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from amoba_env import checks, options
from amoba_env.extras import needs
from amoba_experiments.arena.games import COLUMNS, HELD, NEVER, TIMES, Column, Ended, Games, joined
from amoba_experiments.arena.match import Match
from amoba_experiments.arena.workers import Shard
from amoba_experiments.reading import converted, read_json
from amoba_experiments.runs.checksums import RETRY, check_seal, commit, read_checked, seal
from amoba_experiments.runs.files import replace
from amoba_experiments.runs.manifest import Manifest, difference, manifest_of

if TYPE_CHECKING:
    import pyarrow as pa

    Tables = dict[str, pa.Table]  # by kind of file

MANIFEST = "run.json"
KINDS = {"games": COLUMNS, "times": TIMES}  # kinds of files, with their columns


def begin_run(folder: Path, match: Match, shard: int) -> dict[str, Any]:
    """Begin or continue a run in a folder; return its manifest. A run may get more games than it had.

    Args:
        folder: the folder.
        match: the match.
        shard: the most games in a file of a new run.

    Raises:
        ValueError: the folder has another match; the message says what differs.
    """
    manifest = manifest_of(match)
    if (folder / MANIFEST).exists():
        there = read_manifest(folder)
        longer = there["match"]["games"] < match.games  # no game depends on how many there are
        known = {**there, "match": {**there["match"], "games": match.games}} if longer else there
        if different := difference(known, manifest):
            raise ValueError(f"{folder} holds another run: {different}")
        manifest = known
        if longer:
            write_manifest(folder, manifest)
    else:
        manifest["shard"] = shard
        write_manifest(folder, manifest)
    for kind in KINDS:
        (folder / kind).mkdir(exist_ok=True)
        for leftover in (folder / kind).glob(".*.tmp"):
            leftover.unlink()
    return manifest


def shards_there(folder: Path, wanted: Iterable[Shard]) -> dict[Shard, Games]:
    """The games of these shards, as far as the folder has them. Raises ValueError if a file is damaged."""
    found = {}
    for first, count in wanted:
        if all(shard_file(folder, first, kind).exists() for kind in KINDS):
            file = shard_file(folder, first)
            rows = read_shard(file)
            numbers = rows["index"].to_numpy()
            if np.array_equal(numbers, np.arange(first, first + len(numbers))) and len(numbers) < count:
                continue  # the last file of a run that gets more games
            if not np.array_equal(numbers, np.arange(first, first + count)):
                raise ValueError(f"{file}: expected games {first} to {first + count - 1}, got others; {RETRY}")
            found[first, count] = games_of(rows, read_shard(shard_file(folder, first, "times")))
    return found


def tables_of(ended: Ended) -> Tables:
    """Finished games as the tables of a shard."""
    return {kind: table_of(columns, ended) for kind, columns in KINDS.items()}


def write_shard(folder: Path, first: int, tables: Tables) -> None:
    """Write the files of a shard, the file of games last. Raises OSError."""
    for kind in reversed(KINDS):
        write_table(shard_file(folder, first, kind), tables[kind])


def write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    """Write the manifest of a run, with its checksum. Raises OSError."""
    replace(folder / MANIFEST, (json.dumps(seal(manifest), indent=2) + "\n").encode())


def read_manifest(folder: Path | str) -> dict[str, Any]:
    """The manifest of a run. Raises ValueError if the folder is not a run."""
    file = Path(folder) / MANIFEST
    try:
        manifest = dict(checks.mapping("manifest", read_json(file)))
        check_seal(manifest)
        manifest |= msgspec.to_builtins(converted(manifest, Manifest))
        options.check("match", Match, manifest["match"])
    except FileNotFoundError:
        raise ValueError(f"expected the folder of a run, got {folder} (no {MANIFEST})") from None
    except ValueError as error:
        raise ValueError(f"{file}: expected the manifest of a run: {error}") from None
    return manifest


def runs_in(folder: Path | str) -> list[Path]:
    """The folder itself if it is a run, otherwise all runs in it. Raises ValueError if there is none."""
    folder = Path(folder)
    inside = (file.parent for file in folder.glob(f"**/{MANIFEST}"))
    found = [folder] if (folder / MANIFEST).exists() else sorted(inside, key=_numbered)
    if not found:
        raise ValueError(f"expected the folder of a run or of several, got {folder} (no {MANIFEST})")
    return found


def _numbered(path: Path) -> list[tuple[int, str]]:
    """A key by which run-2 comes before run-10."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", str(path))]


def match_of(manifest: dict[str, Any]) -> Match:
    """The match that a manifest describes. Reading its games needs none of its agents, which may be gone."""
    return Match(**manifest["match"], playable=False)


def shard_file(folder: Path, first: int, kind: str = "games") -> Path:
    """The file of a shard, by the number of its first game; `kind`: games or times."""
    return folder / kind / f"{first:012}.parquet"


def shards(folder: Path | str, kind: str = "games") -> list[Path]:
    """The files of a run, in the order of their games."""
    return sorted((Path(folder) / kind).glob("[0-9]*.parquet"))


def read_shard(file: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Read a file of a run; `columns`: None: all that it has.

    Raises ValueError if it is damaged, see checksums.py, or lacks a column; or for the name of a column that does not
    exist.
    """
    need_pyarrow()
    import pyarrow as pa
    import pyarrow.parquet as pq

    known, data = KINDS[file.parent.name], pa.BufferReader(read_checked(file))
    try:
        found = pq.read_schema(data)
        there = [name for name in columns or found.names if name in found.names]
        table = pq.read_table(data, columns=there, page_checksum_verification=True)
    except Exception as error:  # Arrow can raise anything for a damaged file
        reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
        raise ValueError(f"{file} cannot be read ({reason}); {RETRY}") from None
    for name in columns or known:
        if name not in known and name not in there:
            possible = ", ".join(dict.fromkeys([*known, *found.names]))
            raise ValueError(f"{file} has no column {name!r}: expected some of {possible}")
        kind = _type(known[name].kind) if name in known else None
        if kind and (name not in there or found.field(name).type != kind):
            raise ValueError(f"{file} cannot be read (no column {name!r} of {kind}); {RETRY}")
    return table


def game_files(folder: Path | str) -> list[Path]:
    """The files of a run's games. Raises ValueError if the folder is not a run or has no games yet."""
    read_manifest(folder)
    if not (files := shards(folder)):
        raise ValueError(f"{folder} has no games yet")
    return files


def schema(columns: Mapping[str, Column]) -> pa.Schema:
    """An Arrow schema, each column with its meaning as metadata."""
    import pyarrow as pa

    return pa.schema([pa.field(name, _type(each.kind), metadata={"": each.says}) for name, each in columns.items()])


def _type(kind: str) -> pa.DataType:
    import pyarrow as pa

    return pa.list_(_type(kind[5:-1])) if kind.startswith("list<") else pa.type_for_alias(kind)


def table_of(columns: Mapping[str, Column], source: Any) -> pa.Table:
    """A table with these columns, computed from `source`, such as the games of a shard."""
    import pyarrow as pa

    return pa.table(
        {name: _array(each, each.values(name, source)) for name, each in columns.items()}, schema=schema(columns)
    )


def _array(column: Column, values: Any) -> pa.Array | Sequence[Any] | None:
    """The values of a column in a form that Arrow reads."""
    import pyarrow as pa

    if isinstance(values, tuple):
        ends, values = values
        return pa.ListArray.from_arrays(pa.array(ends), pa.array(values))
    if not isinstance(values, np.ndarray):
        return values
    if values.ndim == 2:
        ends = np.arange(0, values.size + 1, values.shape[1], dtype=np.int32)
        return pa.ListArray.from_arrays(pa.array(ends), pa.array(values.ravel()))
    if column.names:
        return pa.array(column.names).take(pa.array(values))
    return pa.array(values, mask=None if column.null is NEVER else values == column.null)


def write_table(file: Path, table: pa.Table) -> None:
    """Write a file of a run atomically. Raises OSError."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    buffer = pa.BufferOutputStream()
    pq.write_table(table, buffer, compression="zstd", compression_level=1, write_page_checksum=True)
    commit(file, buffer.getvalue())


def load(folder: Path | str, columns: Sequence[str] | None = None) -> pa.Table:
    """The games of a run as an Arrow table with a row for each game, in the order of their numbers.

    Args:
        folder: the run.
        columns: names of columns, see amoba_experiments.arena.games; None: all. "moves" is most of the data.

    Raises:
        ValueError: the folder is not a run or has no games yet, a file cannot be read, or a column does not exist.
        ImportError: pyarrow is not installed.
    """
    need_pyarrow()
    import pyarrow as pa

    return pa.concat_tables([read_shard(file, columns) for file in game_files(folder)], promote_options="default")


def load_games(folder: Path | str) -> Games:
    """The games of a run as arrays, as amoba_experiments.analysis.summary takes them. Raises the errors of load."""
    parts = []
    for file in game_files(folder):
        times = file.parents[1] / "times" / file.name  # removed, if it was damaged
        parts.append(games_of(read_shard(file, list(HELD)), read_shard(times) if times.exists() else None))
    return joined(parts)


def games_of(games: pa.Table, times: pa.Table | None) -> Games:
    """Rows of a run as arrays."""
    columns = {name: _values(column, games[name]) for name, column in HELD.items()}
    rows = [] if times is None else times.to_pylist()
    return Games(**columns, times={row["agent"]: (row["moves"], row["seconds"]) for row in rows})


def _values(column: Column, rows: pa.ChunkedArray) -> np.ndarray:
    if column.kind.startswith("list<"):
        values: np.ndarray = rows.combine_chunks().flatten().to_numpy().reshape(len(rows), -1)
        return values
    if column.names:
        number = {name: i for i, name in enumerate(column.names)}
        return np.array([number[name] for name in rows.to_pylist()], column.dtype)
    filled = rows if column.null is NEVER else rows.fill_null(column.null)
    return np.asarray(filled.to_numpy(), column.dtype)


def need_pyarrow() -> None:
    """Raise ImportError if pyarrow is not installed."""
    with needs("stats", "runs on disk"):
        import pyarrow.parquet  # noqa: F401
