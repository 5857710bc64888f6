"""Finished games of rooms as runs on disk, like those of `amoba match --out`, with more columns: see COLUMNS.

    DIR/games/gomoku-1f0c.../run.json, games/000000000000.parquet, times/...    one run for each game and set of players

The players are texts, as in matches: "level:3", and "person:Ann#3f2a9c01d4" for people: the name, and an id apart from
it, so that two people of one name are two players. A file has one game.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from amoba_env.core import endings as en
from amoba_env.core import state as st
from amoba_env.core.batch import update_digests
from amoba_env.core.state import State
from amoba_env.position import Position, played
from amoba_experiments.arena.games import Games, Trace
from amoba_experiments.arena.match import Match
from amoba_experiments.rooms import story
from amoba_experiments.rooms.room import MACHINE, Finished, Person, Played, Result, Room
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

# More columns than in matches. Lists have one entry for each move, unless they say something else.
COLUMNS = {
    "room": ("string", "the id of the room"),
    "number": ("int32", "number of the game in its room, from 0"),
    "begun": ("timestamp[ms]", "when the first move was made, in UTC"),
    "ended": ("timestamp[ms]", "when the game ended, in UTC"),
    "people": (
        "list<string>",
        "by seat: the id of the person who took it first; null: a machine always had it",
    ),
    "chosen": (
        "list<string>",
        "who chose the move: person; hint: a person who was shown a hint for this position; button: the strongest "
        "player, for a person who pressed Machine move; program: a program on a person's seat; agent; engine",
    ),
    "chosen_with": ("list<string>", "the player that chose the move or gave the hint; null: none"),
    "thinking": ("list<int32>", "milliseconds from when the player could move until the server had the move"),
    "reaction": ("list<int32>", "the same as the player's screen measured it, from when it showed the position"),
    "clock_main": ("int32", "milliseconds on each clock at the start; null: no clock"),
    "clock_increment": ("int32", "milliseconds that a move adds; null: no clock"),
    "clock_left": ("list<int32>", "milliseconds left to the player after the move; empty: no clock"),
    "hints": ("list<int32>", "for each hint that was shown: how many moves had been played"),
    "hinted": ("list<int32>", "for each hint: the action that it named"),
    "undone_from": ("list<int32>", "for each time that moves were taken back: how many had been played"),
    "undone_to": ("list<int32>", "for each such time: how many were left; all of them if a resignation was taken back"),
    "failure": (
        "string",
        "why a machine had no legal move: crash, timeout, illegal move, cannot start, refused, or error in a player; "
        "null: it had one",
    ),
}

FOLDER = "games"  # in the folder of the data
FORGOTTEN = Person("somebody")
Place = tuple[Path, int]  # a run and the number of a game in it


def person(who: Person) -> str:
    """The text of a person as a player. In rooms of older versions people have no id."""
    return f"person:{who.name}#{who.id}" if who.id else f"person:{who.name}"


def keep(data: Path, id: str, room: Room, game: Finished, place: Place | None, texts: Mapping[str, str]) -> Place:
    """Write a finished game of a room; returns where it is.

    Args:
        data: the folder of all data.
        id: of the room.
        room: the room.
        game: one that is over.
        place: where it was written before a move was taken back after its end.
        texts: of the machines, by the names that they have in rooms.
    """
    seats = tuple(
        texts.get(name, name) if holder == MACHINE or who is None else person(who)
        for name, holder, who in zip(room.names, room.holders, room.persons, strict=True)
    )
    options = dict(room.game.options)
    told = json.dumps([room.game.name, options, seats, list(COLUMNS)], sort_keys=True)  # one run has the same columns
    key = hashlib.sha256(told.encode()).hexdigest()[:16]
    folder = data / FOLDER / f"{room.game.name}-{key}"
    index = place[1] if place is not None else _next_number(folder)
    match = Match(room.game.name, seats, index + 1, start="rotate", options=options)
    tables = _tables(match, index, id, room, game, texts)
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


def _tables(
    match: Match, index: int, id: str, room: Room, game: Finished, texts: Mapping[str, str]
) -> tuple[pa.Table, pa.Table]:
    """The row of a game, and the times of its players."""
    actions = np.array([each.action for each in game.moves], np.int32)
    last = played(Position.start(room.game, game.starter), actions.tolist())[-1]
    state: State = last.state
    trace = Trace()
    trace.states, trace.opening_plies = state[None], np.zeros(1, np.int32)
    trace.note(np.zeros(len(actions), np.intp), actions)
    digest = np.array([game.starter], np.uint64)
    update_digests(digest, np.zeros(len(actions), np.intp), actions)
    result = game.result
    known = result.ending in en.NAMES
    games = Games(
        index=np.array([index]),
        seating=np.arange(room.game.players, dtype=np.int8)[None],
        starter=np.array([game.starter], np.int8),
        status=np.array([st.NOBODY if result.winner is None else result.winner], np.int8),
        ending=np.array([en.NAMES.index(result.ending) if known else en.RESIGNED], np.int8),
        plies=np.array([len(actions)], np.int16),
        digest=digest,
        opening=np.zeros(1, np.uint64),
        black=state[st.BLACK : st.BLACK + 1].astype(np.int8),
        places=np.array([result.places], np.int8),
        incident=np.array([_incident(room, result)], np.str_),
    )
    table = to_table(match, index, games, trace)
    table = table.set_column(table.column_names.index("ending"), table.field("ending"), [[result.ending]])
    more = schema(COLUMNS)
    for name, value in _story(id, room, game, texts).items():
        table = table.append_column(more.field(name), pa.array([value], more.field(name).type))
    rows = [
        {"first": index, "games": 1, "agent": agent, "moves": len(own), "seconds": sum(own) / 1000}
        for seat, agent in enumerate(match.agents)
        for own in [[each.thinking for each in game.moves if each.seat == seat]]
    ]
    return table, pa.Table.from_pylist(rows, schema(TIMES))


def _incident(room: Room, result: Result) -> str:
    """Who ended the game and how, or why a machine had no legal move."""
    return "" if result.by is None else f"{room.names[result.by]}: {result.why or result.ending}"


def _story(id: str, room: Room, game: Finished, texts: Mapping[str, str]) -> dict[str, Any]:
    """The values of COLUMNS for a game."""
    clock, players = room.settings.clock, [texts.get(each.player, each.player) for each in game.moves]
    return {
        "room": id,
        "number": game.number,
        "begun": game.begun,
        "ended": game.ended,
        "people": [
            who.id if who is not None and (holder != MACHINE or _moved(game, seat)) else None
            for seat, (who, holder) in enumerate(zip(room.persons, room.holders, strict=True))
        ],
        "chosen": [_chosen(each, text) for each, text in zip(game.moves, players, strict=True)],
        "chosen_with": [text or None for text in players],
        "thinking": [each.thinking for each in game.moves],
        "reaction": [each.reaction for each in game.moves],
        "clock_main": None if clock is None else clock.main,
        "clock_increment": None if clock is None else clock.increment,
        "clock_left": [each.left[each.seat] for each in game.moves if each.left],
        "hints": [len(hint.line) for hint in game.hints],
        "hinted": [hint.action for hint in game.hints],
        "undone_from": [undo.moves for undo in game.undos],
        "undone_to": [undo.kept for undo in game.undos],
        "failure": story.failure(game.result),
    }


def _chosen(move: Played, text: str) -> str:
    if move.by != story.MACHINE_ITSELF:
        return move.by
    return "engine" if text.startswith("gomocup:") else "agent"


def _moved(game: Finished, seat: int) -> bool:
    """Whether a person made a move of a seat that a machine has now."""
    return any(each.seat == seat and each.by != story.MACHINE_ITSELF for each in game.moves)


def forget(data: Path, name: str) -> int:
    """Take all people of a name out of all runs; returns in how many runs they were. The games stay."""
    found = 0
    for file in sorted((data / FOLDER).glob(f"*/{MANIFEST}")):
        manifest: dict[str, Any] = read_manifest(file.parent)
        agents = manifest["match"]["agents"]
        gone = {each for each in agents if each == f"person:{name}" or each.startswith(f"person:{name}#")}
        if not gone:
            continue
        found += 1
        for shard in [*shards(file.parent), *shards(file.parent, "times")]:
            write_table(shard, _without(shard, gone, name))
        manifest["match"]["agents"] = [person(FORGOTTEN) if each in gone else each for each in agents]
        write_manifest(file.parent, manifest)
    return found


def _without(shard: Path, gone: set[str], name: str) -> pa.Table:
    """A file of a run without the names and ids of these players."""
    import pyarrow.parquet as pq

    table, new = pq.read_table(pa.BufferReader(read_checked(shard))), person(FORGOTTEN)
    ids = {each.partition("#")[2] for each in gone}
    for column in {"seats", "agent", "incident", "people"} & set(table.column_names):
        values = table[column].to_pylist()
        if column == "seats":
            values = [[new if each in gone else each for each in seats] for seats in values]
        elif column == "people":
            values = [[None if each in ids else each for each in people] for people in values]
        elif column == "agent":
            values = [new if each in gone else each for each in values]
        else:
            values = [each and each.replace(f"{name}: ", f"{FORGOTTEN.name}: ") for each in values]
        at = table.column_names.index(column)
        table = table.set_column(at, table.field(column), pa.array(values, table.field(column).type))
    return table
