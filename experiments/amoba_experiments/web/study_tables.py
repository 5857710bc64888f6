"""The data of a study as tables: participants, their games and moves. Those who withdrew are left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from amoba_env import notation
from amoba_env.files import write, written_whole
from amoba_env.games import Game
from amoba_env.position import Position, played
from amoba_experiments.analysis.run_text import csv_text
from amoba_experiments.arena import games
from amoba_experiments.arena.games import Column
from amoba_experiments.runs.replay import game_of
from amoba_experiments.runs.store import MANIFEST, load, schema, shards
from amoba_experiments.web import archive
from amoba_experiments.web.participants import AGREED, WITHDREW, Participants

Row = dict[str, Any]

WHO = {"participant": Column("string", "the id of the participant")}
PARTICIPANTS = WHO | {
    "answer": Column("string", "agreed, declined, or null: none yet"),
    "consented": Column("timestamp[ms]", "when they agreed, in UTC; null: they did not"),
    "finished": Column("int32", "number of finished games"),
}
GAME = {
    "place": Column("int32", "the place of the game in the participant's order, from 1"),
    "entry": Column("int32", "the number of the game in the study's file, from 1"),
    "condition": Column("string", "the condition of the game in the study's file"),
    "game": Column("string", "the name of the game"),
    "opponent": Column("string", "the player on the other seats"),
    "seat": Column("int32", "the participant's seat, from 0"),
}
FROM_RUNS = ("starter", "ending", "plies", "room", "begun", "ended", "clock_main", "clock_increment", "failure")
LISTS = ("hints", "undone_from", "undone_to")
GAMES = (
    WHO
    | {"consented": PARTICIPANTS["consented"]}
    | GAME
    | {"result": Column("string", "won, drawn or lost, for the participant")}
    | {name: (games.COLUMNS | archive.COLUMNS)[name] for name in (*FROM_RUNS, *LISTS)}
    | {"moves": Column("string", "the moves in notation, with spaces between them")}
)
OF_MOVES = ("chosen", "chosen_with", "thinking", "reaction", "clock_left")
MOVES = (
    WHO
    | GAME
    | {
        "ply": Column("int32", "number of the move in the game, from 1"),
        "own": Column("bool", "whether it is a move of the participant's seat"),
        "move": Column("string", "the move in notation"),
    }
    | {
        name: Column(
            archive.COLUMNS[name].kind.removeprefix("list<").removesuffix(">"),
            archive.COLUMNS[name].says.replace("; empty:", "; null:")
            + "; null: not an own move" * (name == "reaction"),
        )
        for name in OF_MOVES
    }
)
TABLES = {"participants": PARTICIPANTS, "games": GAMES, "moves": MOVES}


def rows_of(data: Path) -> dict[str, list[Row]]:
    """The rows of each table of TABLES. Raises ValueError if the folder has no study."""
    participants = Participants.read(data)
    rooms = {
        participants.room(id, each.entry): (id, place, each)
        for id in participants.study.participants
        if participants.answer(id) == AGREED
        for place, each in enumerate(participants.plan(id), start=1)
    }
    found: dict[str, list[Row]] = {name: [] for name in TABLES}
    for game, row in _finished(data):
        if (planned := rooms.get(row["room"])) is not None:
            id, place, (entry, opponent, seat, _) = planned
            condition = participants.study.games[entry].condition
            about = {"participant": id, "place": place, "entry": entry + 1, "condition": condition}
            about |= {"game": game.name, "opponent": opponent, "seat": int(seat)}
            texts = [notation.move_text(game, action) for action in row["moves"]]
            result = "drawn" if row["winner"] is None else "won" if row["winner"] == int(seat) else "lost"
            consented = participants.answers[id].at
            found["games"].append(row | about | {"consented": consented, "result": result, "moves": " ".join(texts)})
            found["moves"] += _moves(game, row, texts, about)
    for id in participants.study.participants:
        if participants.answer(id) != WITHDREW:
            at = participants.answers[id].at if id in participants.answers else None
            count = sum(row["participant"] == id for row in found["games"])
            found["participants"].append(
                {"participant": id, "answer": participants.answer(id), "consented": at, "finished": count}
            )
    order = {id: number for number, id in enumerate(participants.study.participants)}
    for name in ("games", "moves"):
        found[name].sort(key=lambda row: (order[row["participant"]], row["place"]))
    return found


def _finished(data: Path) -> Iterator[tuple[Game, Row]]:
    """The finished games of a server."""
    for file in (data / archive.FOLDER).glob(f"*/{MANIFEST}"):
        if shards(file.parent):
            game = game_of(file.parent)
            yield from ((game, row) for row in load(file.parent).to_pylist())


def _moves(game: Game, row: Row, texts: Sequence[str], about: Row) -> Iterator[Row]:
    """The moves of a game."""
    seats = [position.to_move for position in played(Position.start(game, row["starter"]), row["moves"])]
    for number, text in enumerate(texts):
        own = seats[number] == about["seat"]
        values = {name: row[name][number] if row[name] and (own or name != "reaction") else None for name in OF_MOVES}
        yield about | {"ply": number + 1, "own": own, "move": text} | values


def tables_of(data: Path) -> dict[str, pa.Table]:
    """The tables of TABLES, with the meanings of their columns. Raises ValueError if the folder has no study."""
    return {
        name: pa.table({key: [row[key] for row in rows] for key in TABLES[name]}, schema=schema(TABLES[name]))
        for name, rows in rows_of(data).items()
    }


def export(data: Path, folder: Path) -> list[Path]:
    """Write each table as Parquet and as CSV; return the files.

    Raises:
        ValueError: the folder of the data has no study.
        OSError: a file cannot be written.
    """
    tables, found = tables_of(data), list[Path]()
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in tables.items():
        with written_whole(folder / f"{name}.parquet") as file:
            pq.write_table(table, file)
        write(folder / f"{name}.csv", csv_text(table.column_names, table.to_pylist()))
        found += [folder / f"{name}.parquet", folder / f"{name}.csv"]
    return found
