"""Finished games of rooms as runs on disk, like those of `amoba match --out`, with the times of every move.

    DIR/games/gomoku-1f0c.../run.json, games/000000000000.parquet, times/...    one run for each game and set of players

The players are texts, as in matches: "level:3", and "person:Ann" for people. A file has one game. Two columns more than
in matches: `thinking` and `reaction`, milliseconds of each move as the server and as the player's own screen saw it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from amoba_env.core.batch import update_digests
from amoba_env.core.state import BLACK, ENDINGS, NOBODY, RESIGNED, State
from amoba_env.position import Position, played
from amoba_experiments.arena.games import Games, Trace
from amoba_experiments.arena.match import Match
from amoba_experiments.rooms.room import MACHINE, Finished, Room
from amoba_experiments.runs.checksums import read_checked
from amoba_experiments.runs.manifest import manifest_of
from amoba_experiments.runs.store import (
    MANIFEST,
    TIMES,
    read_manifest,
    schema,
    shards,
    to_table,
    write_manifest,
    write_table,
)

FOLDER = "games"  # in the folder of the data
FORGOTTEN = "somebody"
Place = tuple[Path, int]  # a run and the number of a game in it


def person(name: str) -> str:
    """The text of a person as a player."""
    return f"person:{name}"


def keep(data: Path, room: Room, game: Finished, place: Place | None, texts: Mapping[str, str]) -> Place:
    """Write a finished game of a room; returns where it is.

    Args:
        data: the folder of all data.
        room: the room.
        game: one that is over.
        place: where it was written before a move was taken back after its end.
        texts: of the machines, by the names that they have in rooms.
    """
    seats = tuple(
        texts.get(name, name) if holder == MACHINE else person(name)
        for name, holder in zip(room.names, room.holders, strict=True)
    )
    options = dict(room.game.options)
    key = hashlib.sha256(json.dumps([room.game.name, options, seats], sort_keys=True).encode()).hexdigest()[:16]
    folder = data / FOLDER / f"{room.game.name}-{key}"
    index = place[1] if place is not None else _next_number(folder)
    match = Match(room.game.name, seats, index + 1, start="rotate", options=options)
    tables = _tables(match, index, room, game)
    for kind, table in zip(("times", "games"), reversed(tables), strict=True):
        (folder / kind).mkdir(parents=True, exist_ok=True)
        write_table(folder / kind / f"{index:012}.parquet", table)
    _manifest(folder, match, index)
    return folder, index


def _next_number(folder: Path) -> int:
    """The number of a run's next game, without a look at the names of all its files, which may be very many."""
    number: int = read_manifest(folder)["match"]["games"] if (folder / MANIFEST).exists() else 0
    while (folder / "games" / f"{number:012}.parquet").exists():  # the server was killed before it wrote the manifest
        number += 1
    return number


def _manifest(folder: Path, match: Match, index: int) -> None:
    """Say how many games there are."""
    manifest = read_manifest(folder) if (folder / MANIFEST).exists() else manifest_of(match) | {"shard": 1}
    manifest["match"]["games"] = max(manifest["match"]["games"], index + 1)
    write_manifest(folder, manifest)


def _tables(match: Match, index: int, room: Room, game: Finished) -> tuple[pa.Table, pa.Table]:
    """The row of a game, and the times of its players."""
    actions = np.array([each.action for each in game.moves], np.int32)
    last = played(Position.start(room.game, game.starter), actions.tolist())[-1]
    state: State = last.state
    trace = Trace()
    trace.states, trace.opening_plies = state[None], np.zeros(1, np.int32)
    trace.note(np.zeros(len(actions), np.intp), actions)
    digest = np.array([game.starter], np.uint64)
    opening = digest.copy()
    update_digests(digest, np.zeros(len(actions), np.intp), actions)
    result = game.result
    known = result.ending in ENDINGS
    games = Games(
        index=np.array([index]),
        seating=np.arange(room.game.players, dtype=np.int8)[None],
        starter=np.array([game.starter], np.int8),
        status=np.array([NOBODY if result.winner is None else result.winner], np.int8),
        ending=np.array([ENDINGS.index(result.ending) if known else RESIGNED], np.int8),
        plies=np.array([len(actions)], np.int16),
        digest=digest,
        opening=opening,
        black=state[BLACK : BLACK + 1].astype(np.int8),
        places=np.array([result.places], np.int8),
        incident=np.array(["" if result.by is None else f"{room.names[result.by]}: {result.ending}"], np.str_),
    )
    table = to_table(match, index, games, trace)
    table = table.set_column(table.column_names.index("ending"), table.field("ending"), [[result.ending]])
    for name in ("thinking", "reaction"):
        times = pa.array([[getattr(each, name) for each in game.moves]], pa.list_(pa.int32()))
        table = table.append_column(name, times)
    rows = [
        {"first": index, "games": 1, "agent": agent, "moves": len(own), "seconds": sum(own) / 1000}
        for seat, agent in enumerate(match.agents)
        for own in [[each.thinking for each in game.moves if each.seat == seat]]
    ]
    return table, pa.Table.from_pylist(rows, schema(TIMES))


def forget(data: Path, name: str) -> int:
    """Take a person's name out of all runs; returns in how many runs it was. The games stay."""
    found, old, new = 0, person(name), person(FORGOTTEN)
    for file in sorted((data / FOLDER).glob(f"*/{MANIFEST}")):
        manifest: dict[str, Any] = read_manifest(file.parent)
        if old not in manifest["match"]["agents"]:
            continue
        found += 1
        for shard in [*shards(file.parent), *shards(file.parent, "times")]:
            table = _renamed(shard, old, new, name)
            write_table(shard, table)
        agents = [new if agent == old else agent for agent in manifest["match"]["agents"]]
        manifest["match"]["agents"] = agents
        write_manifest(file.parent, manifest)
    return found


def _renamed(shard: Path, old: str, new: str, name: str) -> pa.Table:
    import pyarrow.parquet as pq

    table = pq.read_table(pa.BufferReader(read_checked(shard)))
    for column in {"seats", "agent", "incident"} & set(table.column_names):
        values = table[column].to_pylist()
        if column == "seats":
            values = [[new if each == old else each for each in seats] for seats in values]
        elif column == "agent":
            values = [new if each == old else each for each in values]
        else:
            values = [each and each.replace(f"{name}: ", f"{FORGOTTEN}: ") for each in values]
        at = table.column_names.index(column)
        table = table.set_column(at, table.field(column), pa.array(values, table.field(column).type))
    return table
