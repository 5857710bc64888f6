"""Finished games of rooms as runs on disk, like those of `amoba match --out`, with more columns (COLUMNS).

    DIR/games/gomoku-1f0c.../run.json, games/000000000000.parquet, times/...    one run for each game and set of players

Players are texts, as in matches: "level:3", or "person:Ann#3f2a9c01d4" for people. The id after the name tells people
of the same name apart. A file has up to SHARD games: each new game is added to the last one.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from amoba_env.core import state as st
from amoba_env.core.batch import update_digests
from amoba_env.games import Game
from amoba_env.position import Position, played
from amoba_experiments.arena.games import ENDINGS, Column, Ended
from amoba_experiments.arena.match import Match
from amoba_experiments.rooms import story
from amoba_experiments.rooms.room import MACHINE, Finished, Person, PlayedMove, Room, RoomResult
from amoba_experiments.rooms.settings import Clock
from amoba_experiments.runs.checksums import read_checked
from amoba_experiments.runs.manifest import manifest_of
from amoba_experiments.runs.replay import game_of
from amoba_experiments.runs.store import (
    KINDS,
    MANIFEST,
    read_manifest,
    read_shard,
    schema,
    shard_file,
    shards,
    table_of,
    write_manifest,
    write_shard,
    write_table,
)
from amoba_experiments.web.server_players import ENGINE


class Kept(NamedTuple):
    """A finished game of a room, with the data for its columns."""

    id: str  # of the room
    room: Room
    game: Finished
    texts: Mapping[str, str]  # of the machines, by the names that they have in rooms

    @property
    def clock(self) -> Clock | None:
        """Of the room."""
        return self.room.settings.clock

    @property
    def players(self) -> list[str]:
        """The text of the player that chose each move or gave the hint; "": none."""
        return [self.texts.get(each.player, each.player) for each in self.game.moves]


# Additional columns. Lists have one entry for each move, unless the description says otherwise.
COLUMNS = {
    "room": Column("string", "the id of the room", lambda kept: [kept.id]),
    "number": Column("int32", "number of the game in its room, from 0", lambda kept: [kept.game.number]),
    "begun": Column("timestamp[ms]", "when the first move was made, in UTC", lambda kept: [kept.game.begun]),
    "ended": Column("timestamp[ms]", "when the game ended, in UTC", lambda kept: [kept.game.ended]),
    "people": Column(
        "list<string>",
        "by seat: the id of the person who took it first; null: a machine always had it",
        lambda kept: [_people(kept)],
    ),
    "chosen": Column(
        "list<string>",
        "who chose the move: person; hint: a person who saw a hint for this position; button: the strongest player, "
        "after a person pressed Machine move; program: a program on a person's seat; agent; engine",
        lambda kept: [[_chosen(each, text) for each, text in zip(kept.game.moves, kept.players, strict=True)]],
    ),
    "chosen_with": Column(
        "list<string>",
        "the player that chose the move or gave the hint; null: none",
        lambda kept: [[text or None for text in kept.players]],
    ),
    "thinking": Column(
        "list<int32>",
        "milliseconds from when the player could move until the server had the move",
        lambda kept: [[each.thinking for each in kept.game.moves]],
    ),
    "reaction": Column(
        "list<int32>",
        "the same, measured by the player's screen since it showed the position",
        lambda kept: [[each.reaction for each in kept.game.moves]],
    ),
    "clock_main": Column(
        "int32",
        "milliseconds on each clock at the start; null: no clock",
        lambda kept: [kept.clock and kept.clock.main],
    ),
    "clock_increment": Column(
        "int32", "milliseconds that a move adds; null: no clock", lambda kept: [kept.clock and kept.clock.increment]
    ),
    "clock_left": Column(
        "list<int32>",
        "milliseconds left to the player after the move; empty: no clock",
        lambda kept: [[each.left[each.seat] for each in kept.game.moves if each.left]],
    ),
    "hints": Column(
        "list<int32>",
        "for each hint: number of moves played before it",
        lambda kept: [[len(hint.line) for hint in kept.game.hints]],
    ),
    "hinted": Column(
        "list<int32>",
        "for each hint: the action that it named",
        lambda kept: [[hint.action for hint in kept.game.hints]],
    ),
    "undone_from": Column(
        "list<int32>",
        "for each undo: number of moves played before it",
        lambda kept: [[undo.moves for undo in kept.game.undos]],
    ),
    "undone_to": Column(
        "list<int32>",
        "for each undo: number of moves left; all of them if a resignation was taken back",
        lambda kept: [[undo.kept for undo in kept.game.undos]],
    ),
    "failure": Column(
        "string",
        "why a machine had no legal move: crash, timeout, illegal move, cannot start, refused, or error in a player; "
        "null: it had one",
        lambda kept: [story.failure(kept.game.result)],
    ),
}

FOLDER = "games"  # in the folder of the data
SHARD = 100  # games of a file: each is written again with every new game, so it stays small
FORGOTTEN = Person("somebody")
Place = tuple[Path, int]  # a run and the number of a game in it


def person(who: Person) -> str:
    """The text of a person as a player; somebody who was removed has no id."""
    return f"person:{who.name}#{who.id}" if who.id else f"person:{who.name}"


def keep(data: Path, id: str, room: Room, game: Finished, place: Place | None, texts: Mapping[str, str]) -> Place:
    """Write a finished game of a room; return its place.

    Args:
        data: the folder of all data.
        id: the id of the room.
        room: the room.
        game: the finished game.
        place: the place of an earlier version of the game, if moves were taken back after its end.
        texts: the texts of the machines, by their names in rooms.
    """
    seats = tuple(
        texts.get(name, name) if holder == MACHINE or who is None else person(who)
        for name, holder, who in zip(room.names, room.holders, room.persons, strict=True)
    )
    options = dict(room.game.options)
    told = json.dumps([room.game.name, options, seats, list(COLUMNS)], sort_keys=True)  # one run has the same columns
    key = hashlib.sha256(told.encode()).hexdigest()[:16]
    folder = data / FOLDER / f"{room.game.name}-{key}"
    moved = place is not None and place[0] != folder  # another machine has a seat now
    index = place[1] if place is not None and not moved else _number(folder, id, game.number)
    if (folder / MANIFEST).exists():
        manifest = read_manifest(folder)
    else:
        match = Match(room.game.name, seats, index + 1, start="rotate", options=options)
        manifest = manifest_of(match) | {"shard": SHARD}
    first = index - index % manifest["shard"]
    row = table_of(KINDS["games"], _ended(seats, index, room, game))
    more = table_of(COLUMNS, Kept(id, room, game, texts))
    for name in COLUMNS:
        row = row.append_column(more.field(name), more[name])
    _write(folder, first, pa.concat_tables([*_others(folder, first, index), row]).sort_by("index"), room.game)
    manifest["match"]["games"] = max(manifest["match"]["games"], index + 1)
    write_manifest(folder, manifest)
    if place is not None and moved:  # last: with a full disk the game is still there
        _remove(place)
    return folder, index


def _others(folder: Path, first: int, index: int) -> list[pa.Table]:
    """The games of a file, except one."""
    file = shard_file(folder, first)
    return [rows.filter(pc.field("index") != index) for rows in ([read_shard(file)] if file.exists() else [])]


def _write(folder: Path, first: int, rows: pa.Table, game: Game) -> None:
    """Write a file of games, and the times of its players."""
    for kind in KINDS:
        (folder / kind).mkdir(parents=True, exist_ok=True)
    write_shard(
        folder, first, {"games": rows, "times": pa.Table.from_pylist(_times(rows, game), schema(KINDS["times"]))}
    )


def _times(rows: pa.Table, game: Game) -> list[dict[str, Any]]:
    """The number of moves of each player and their seconds, from the games themselves."""
    moves, seconds = Counter[str](), defaultdict[str, float](float)
    for row in rows.to_pylist():
        positions = played(Position.start(game, row["starter"]), row["moves"])
        for position, thinking in zip(positions, row["thinking"], strict=False):  # the last position has no move
            agent = row["seats"][position.to_move]
            moves[agent] += 1
            seconds[agent] += thinking / 1000
    file = {"first": rows["index"][0].as_py(), "games": len(rows)}
    return [{**file, "agent": agent, "moves": moves[agent], "seconds": seconds[agent]} for agent in moves]


def _number(folder: Path, id: str, number: int) -> int:
    """The number of a game in its run: the next one, or its own if it was written before the server was killed."""
    if not (files := shards(folder)):
        return 0
    rows = read_shard(files[-1], None).select(["index", "room", "number"]).to_pylist()
    own = [row["index"] for row in rows if (row["room"], row["number"]) == (id, number)]
    return int(own[0] if own else rows[-1]["index"] + 1)


def _remove(place: Place) -> None:
    """Remove a game; a run without games too."""
    folder, index = place
    first = index - index % read_manifest(folder)["shard"]
    (rows,) = _others(folder, first, index)
    if len(rows):
        _write(folder, first, rows, game_of(folder))
    elif len(shards(folder)) == 1:
        shutil.rmtree(folder)
    else:
        for kind in KINDS:
            shard_file(folder, first, kind).unlink()


def _ended(seats: tuple[str, ...], index: int, room: Room, game: Finished) -> Ended:
    """The game in the form of the arena."""
    actions = np.array([each.action for each in game.moves], np.int32)
    state = played(Position.start(room.game, game.starter), actions.tolist())[-1].state
    rows, digest = np.zeros(len(actions), np.intp), np.array([game.starter], np.uint64)
    update_digests(digest, rows, actions)
    result = game.result
    return Ended(
        room.game,
        seats,
        np.array([index]),
        np.zeros(1, np.uint64),  # a room draws from its own seed
        np.arange(room.game.players, dtype=np.int8)[None],
        np.array([game.starter], np.int8),
        [None],
        state[None],
        winner=np.array([st.NOBODY if result.winner is None else result.winner], np.int8),
        ending=np.array([ENDINGS.index(result.ending)], np.int8),
        places=np.array([result.places], np.int8),
        digest=digest,
        opening=np.zeros(1, np.uint64),
        opening_plies=np.zeros(1, np.int32),
        steps=[(rows, actions)],
        incident=np.array([_incident(room, result)], np.str_),
        times=(),
    )


def _incident(room: Room, result: RoomResult) -> str:
    """Who ended the game and how, or why a machine had no legal move."""
    return "" if result.by is None else f"{room.names[result.by]}: {result.why or result.ending}"


def _people(kept: Kept) -> list[str | None]:
    return [
        who.id if who is not None and (holder != MACHINE or _moved(kept.game, seat)) else None
        for seat, (who, holder) in enumerate(zip(kept.room.persons, kept.room.holders, strict=True))
    ]


def _chosen(move: PlayedMove, text: str) -> str:
    if move.by != story.MACHINE_ITSELF:
        return move.by
    return "engine" if text.startswith(ENGINE) else "agent"


def _moved(game: Finished, seat: int) -> bool:
    """Whether a person made a move of a seat that is now a machine's."""
    return any(each.seat == seat and each.by != story.MACHINE_ITSELF for each in game.moves)


def forget(data: Path, name: str) -> int:
    """Remove all people of this name from all runs; return the number of these runs. The games stay."""
    found = 0
    for file in sorted((data / FOLDER).glob(f"*/{MANIFEST}")):
        manifest: dict[str, Any] = read_manifest(file.parent)
        agents = manifest["match"]["agents"]
        gone = {each for each in agents if each.startswith(f"person:{name}#")}
        if not gone:
            continue
        found += 1
        for shard in [*shards(file.parent), *shards(file.parent, "times")]:
            write_table(shard, _without(shard, gone, name))
        manifest["match"]["agents"] = [person(FORGOTTEN) if each in gone else each for each in agents]
        write_manifest(file.parent, manifest)
    return found


def withdraw(data: Path, people: Collection[str]) -> int:
    """Remove all runs of participants of a study, and remains of killed servers; return the number of games.

    If this is killed, the next call removes the rest: the files that name the players (games, manifest) go last.
    """
    removed, gone = 0, {person(Person(id, id)) for id in people}
    for folder in (data / FOLDER).glob("*"):
        files = shards(folder)
        if (folder / MANIFEST).exists():
            agents = read_manifest(folder)["match"]["agents"]
        else:  # a server was killed before it wrote one
            agents = [each for file in files for seats in read_shard(file)["seats"].to_pylist() for each in seats]
        if not agents or gone & set(agents):
            removed += sum(len(read_shard(file, ["index"])) for file in files)
            for part in (*(folder / kind for kind in reversed(KINDS)), folder):
                if part.exists():
                    shutil.rmtree(part)
    return removed


def _without(shard: Path, gone: set[str], name: str) -> pa.Table:
    """A file of a run without the names and ids of these players."""
    import pyarrow.parquet as pq

    table = pq.read_table(pa.BufferReader(read_checked(shard)))
    ids, begins = {each.partition("#")[2] for each in gone}, f"^{re.escape(name)}: "

    def cleaned(value: Any) -> Any:
        if isinstance(value, list):
            return [cleaned(each) for each in value]
        if not value or value in ids:
            return None
        return person(FORGOTTEN) if value in gone else re.sub(begins, f"{FORGOTTEN.name}: ", value)

    for column in {"seats", "agent", "incident", "people"} & set(table.column_names):
        at, field = table.column_names.index(column), table.field(column)
        table = table.set_column(at, field, pa.array(map(cleaned, table[column].to_pylist()), field.type))
    return table
