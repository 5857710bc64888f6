"""What is kept of rooms: their commands, in the order in which they came, in one SQLite file.

A room is its settings and its commands played again, so nothing else is written. A thread writes; whatever waits is one
transaction, and `write` returns when it is on the disk: only then is a move acknowledged.
"""

from __future__ import annotations

import asyncio
import json
import queue
import sqlite3
import threading
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from amoba_experiments.rooms.codec import command_json, command_of, settings_of
from amoba_experiments.rooms.commands import apply, opened
from amoba_experiments.rooms.room import Command, Room
from amoba_experiments.rooms.settings import Settings

TABLES = """
    CREATE TABLE IF NOT EXISTS rooms (id TEXT PRIMARY KEY, settings TEXT, name TEXT, opened INTEGER);
    CREATE TABLE IF NOT EXISTS commands (room TEXT, n INTEGER, now INTEGER, command TEXT, PRIMARY KEY (room, n))
        WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS keys (hash TEXT PRIMARY KEY, room TEXT, holder INTEGER);
    CREATE TABLE IF NOT EXISTS kept (room TEXT PRIMARY KEY, number INTEGER, folder TEXT, game INTEGER);
    CREATE TABLE IF NOT EXISTS alive (id INTEGER PRIMARY KEY, now INTEGER);
"""
ROOM_COLUMNS = {"rooms": "id", "commands": "room", "keys": "room", "kept": "room"}  # by table: who has which row
INVITED = -1  # holder of a key that is an invitation

Statement = tuple[str, tuple[Any, ...]]


class Stored(NamedTuple):
    """A room as it was found on the disk."""

    id: str
    room: Room
    commands: int
    keys: dict[str, int]  # hash -> holder, or INVITED
    kept: tuple[int, str, int] | None  # the last finished game that was written: see kept_row()


class Journal:
    """The file, and the thread that writes it."""

    def __init__(self, file: Path | str) -> None:
        """Open or make the file. Raises ValueError if it is none of ours."""
        try:
            self._db = sqlite3.connect(file, check_same_thread=False, isolation_level=None)
            self._db.executescript(f"PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; {TABLES}")
        except sqlite3.DatabaseError as error:
            raise ValueError(f"{file} cannot be read as a journal of rooms: {error}") from None
        self._waiting: queue.SimpleQueue[tuple[list[Statement], asyncio.Future[None]] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write, name="journal", daemon=True)
        self._thread.start()

    async def write(self, *statements: Statement) -> None:
        """Returns when this is on the disk. Raises OSError if it cannot be written."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.put((list(statements), done))
        await done

    def close(self) -> None:
        """Write what waits, and close the file."""
        self._waiting.put(None)
        self._thread.join()
        self._db.close()

    def _write(self) -> None:
        while (first := self._waiting.get()) is not None:
            group, last = [first], False
            while not self._waiting.empty() and not last:
                more = self._waiting.get()
                if more is None:
                    last = True
                else:
                    group.append(more)
            try:
                self._db.execute("BEGIN")
                for statements, _ in group:
                    for sql, values in statements:
                        self._db.execute(sql, values)
                self._db.execute("COMMIT")
                error = None
            except sqlite3.Error as found:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                error = OSError(f"the journal cannot be written: {found}")
            for _, done in group:
                done.get_loop().call_soon_threadsafe(_settle, done, error)
            if last:
                return

    def stored(self) -> Iterator[Stored]:
        """The rooms on the disk, each with its commands played again."""
        rows = self._db.execute("SELECT id, settings, name, opened FROM rooms ORDER BY opened, id").fetchall()
        for id, settings, name, begun in rows:
            room, count = opened(settings_of(json.loads(settings)), name, begun), 0
            found = self._db.execute("SELECT now, command FROM commands WHERE room = ? ORDER BY n", (id,))
            for now, text in found:
                room, count = apply(room, command_of(json.loads(text)), now), count + 1
            keys = dict(self._db.execute("SELECT hash, holder FROM keys WHERE room = ?", (id,)).fetchall())
            kept = self._db.execute("SELECT number, folder, game FROM kept WHERE room = ?", (id,)).fetchone()
            yield Stored(id, room, count, keys, kept)

    def alive(self) -> int:
        """The last time that is written here, of a command or a sign of life; 0 if nothing is."""
        times = self._db.execute("SELECT max(now) FROM commands UNION ALL SELECT max(now) FROM alive").fetchall()
        return max(time or 0 for (time,) in times)

    def forget(self, name: str) -> int:
        """Remove the rooms in which somebody of this name sat; returns how many."""
        ids = [stored.id for stored in self.stored() if name in stored.room.names]
        for sql, values in (statement for id in ids for statement in gone_rows(id)):
            self._db.execute(sql, values)
        self._db.execute("VACUUM")  # deleted rows stay in the file otherwise
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return len(ids)


def _settle(done: asyncio.Future[None], error: OSError | None) -> None:
    if not done.done():  # whoever waited may be gone
        if error is None:
            done.set_result(None)
        else:
            done.set_exception(error)


def room_row(id: str, settings: Settings, name: str, now: int) -> Statement:
    """A new room."""
    return "INSERT INTO rooms VALUES (?, ?, ?, ?)", (id, json.dumps(asdict(settings)), name, now)


def command_row(id: str, number: int, now: int, command: Command) -> Statement:
    """A room's next command."""
    return "INSERT INTO commands VALUES (?, ?, ?, ?)", (id, number, now, json.dumps(command_json(command)))


def key_row(id: str, hash: str, holder: int) -> Statement:
    """A key of a room: of a person, or an invitation."""
    return "INSERT INTO keys VALUES (?, ?, ?)", (hash, id, holder)


def alive_row(now: int) -> Statement:
    """A sign of life: the time after the last one is time in which there was no server."""
    return "INSERT OR REPLACE INTO alive VALUES (1, ?)", (now,)


def kept_row(id: str, number: int, folder: str, game: int) -> Statement:
    """Where a room's last finished game is: how many were over before it, its run, and its number there."""
    return "INSERT OR REPLACE INTO kept VALUES (?, ?, ?, ?)", (id, number, folder, game)


def gone_rows(id: str) -> list[Statement]:
    """A room is forgotten."""
    return [(f"DELETE FROM {table} WHERE {column} = ?", (id,)) for table, column in ROOM_COLUMNS.items()]


def used_row(hash: str) -> Statement:
    """An invitation that has been taken."""
    return "DELETE FROM keys WHERE hash = ?", (hash,)
