"""What is kept of rooms: their commands, in the order in which they came, in one SQLite file.

A room is its settings and its commands played again, so nothing else is written. A thread writes; whatever waits is one
transaction, and `write` returns when it is on the disk: only then is a move acknowledged.

Each row ends in a checksum of what stands before it, as SQLite has none. A room that is damaged, or whose commands
cannot be played again, is set aside: its rows stay, and the other rooms go on.
"""

from __future__ import annotations

import asyncio
import json
import queue
import sqlite3
import threading
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from amoba_experiments.rooms.commands import apply, opened
from amoba_experiments.rooms.room import Command, Room
from amoba_experiments.rooms.settings import Settings, settings_of
from amoba_experiments.runs.files import locked

VERSION = 1  # of the file, as SQLite's user_version; 0 had neither checksums nor `person`
TABLES = """
    CREATE TABLE IF NOT EXISTS rooms (id TEXT PRIMARY KEY, settings TEXT, name TEXT, opened INTEGER);
    CREATE TABLE IF NOT EXISTS commands (room TEXT, n INTEGER, now INTEGER, command TEXT, PRIMARY KEY (room, n))
        WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS keys (hash TEXT PRIMARY KEY, room TEXT, holder INTEGER);
    CREATE TABLE IF NOT EXISTS kept (room TEXT PRIMARY KEY, number INTEGER, folder TEXT, game INTEGER);
    CREATE TABLE IF NOT EXISTS alive (id INTEGER PRIMARY KEY, now INTEGER);
"""  # of version 0
FIRST_UPGRADE = """
    ALTER TABLE rooms ADD COLUMN person TEXT NOT NULL DEFAULT '{}';
    ALTER TABLE rooms ADD COLUMN crc INTEGER;
    ALTER TABLE commands ADD COLUMN crc INTEGER;
    ALTER TABLE keys ADD COLUMN crc INTEGER;
    ALTER TABLE kept ADD COLUMN crc INTEGER;
    UPDATE rooms SET crc = crc(id, settings, name, opened, person);
"""
OF_ROOMS = {"commands": "room, n, now, command", "keys": "hash, room, holder", "kept": "room, number, folder, game"}
MENDING = "put a copy of the folder in its place, or choose another --data"
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
    """The file, and the thread that writes it. Nobody else can open it meanwhile.

    Attributes:
        aside: why rooms could not be played again, by id; known when stored() has ended.
    """

    def __init__(self, file: Path) -> None:
        """Open or make the file. Raises ValueError: it is damaged, of a newer version, in use, or none of ours."""
        self.aside: dict[str, str] = {}
        with ExitStack() as closing:
            closing.enter_context(locked(file.parent))
            try:
                self._db = sqlite3.connect(file, check_same_thread=False, isolation_level=None)
                closing.callback(self._db.close)
                self._db.text_factory = _text
                _prepare(self._db)
            except sqlite3.DatabaseError as error:
                raise ValueError(f"{file} cannot be read as a journal of rooms: {error}; {MENDING}") from None
            self._closing = closing.pop_all()
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
        self._closing.close()

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
        """The rooms on the disk, each with its commands played again; those for which that fails go to `aside`."""
        for row in self._db.execute("SELECT * FROM rooms ORDER BY opened, id").fetchall():
            try:
                found = self._played_again(row)
            except Exception as error:  # whatever a damaged row, or one of other rules, raises
                self.aside[row[0]] = f"{type(error).__name__}: {error}"
            else:
                yield found

    def _played_again(self, row: tuple[Any, ...]) -> Stored:
        """A room. Raises ValueError for damage, and whatever impossible commands raise."""
        id, settings, name, begun, person = _whole("rooms", row)
        room = opened(settings_of(json.loads(settings)), name, begun, None, **json.loads(person))
        commands = self._rows("commands", id)
        for number, (_, n, now, text) in enumerate(sorted(commands)):
            if n != number:
                raise ValueError(f"command {number} is missing")
            room = apply(room, msgspec.json.decode(text, type=Command), now)
        keys = {hash: holder for hash, _, holder in self._rows("keys", id)}
        kept = next(((number, folder, game) for _, number, folder, game in self._rows("kept", id)), None)
        return Stored(id, room, len(commands), keys, kept)

    def _rows(self, table: str, id: str) -> list[tuple[Any, ...]]:
        """The rows of a room, without their checksums. Raises ValueError for damage."""
        found = self._db.execute(f"SELECT * FROM {table} WHERE room = ?", (id,))
        return [_whole(table, row) for row in found]

    def alive(self) -> int:
        """The last time that is written here, of a command or a sign of life; 0 if nothing is."""
        times = self._db.execute("SELECT max(now) FROM commands UNION ALL SELECT max(now) FROM alive").fetchall()
        return max((time for (time,) in times if type(time) is int), default=0)  # a damaged one is none

    def forget(self, name: str) -> int:
        """Remove the rooms in which somebody of this name sat; returns how many."""
        ids = {id for id, opener in self._db.execute("SELECT id, name FROM rooms") if _same(name, opener)}
        sits = self._db.execute("SELECT room, command FROM commands WHERE command LIKE '%\"sit\"%'")
        ids |= {id for id, text in sits if _sat(name, text)}
        for sql, values in (statement for id in ids for statement in gone_rows(id)):
            self._db.execute(sql, values)
        self._db.execute("VACUUM")  # deleted rows stay in the file otherwise
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return len(ids)


def _prepare(db: sqlite3.Connection) -> None:
    """Check the file, and bring it to this version. Raises ValueError: a newer one; sqlite3.DatabaseError: damage."""
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version > VERSION:
        raise ValueError(f"the rooms are of version {version}, but this amoba reads versions up to {VERSION}")
    (found,) = db.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        raise sqlite3.DatabaseError(f"it is damaged: {' '.join(found.split())}")
    db.create_function("crc", -1, _crc, deterministic=True)
    db.executescript(f"PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; {TABLES}")
    if version < 1:
        sums = ";".join(f"UPDATE {table} SET crc = crc({columns})" for table, columns in OF_ROOMS.items())
        db.executescript(f"BEGIN; {FIRST_UPGRADE} {sums}; PRAGMA user_version = 1; COMMIT")
    db.execute("SELECT id, settings, name, opened, person, crc FROM rooms LIMIT 1")  # the columns have their names
    for table, columns in OF_ROOMS.items():
        of_none = f"SELECT 1 FROM {table} WHERE crc({columns}) != crc AND room NOT IN (SELECT id FROM rooms)"
        if db.execute(of_none).fetchone():
            raise sqlite3.DatabaseError(f"it is damaged: a row of {table} names no room")


def _crc(*values: str | int) -> int:
    """The checksum of a row."""
    return zlib.crc32(json.dumps(values).encode())


def _whole(table: str, row: tuple[Any, ...]) -> tuple[Any, ...]:
    """A row without its checksum. Raises ValueError if that is of another row."""
    *values, crc = row
    if _crc(*values) != crc:
        raise ValueError(f"a row of {table} is damaged")
    return tuple(values)


def _text(found: bytes) -> str:
    return found.decode(errors="replace")  # which a checksum finds


def _same(name: str, given: str) -> bool:
    return " ".join(given.split()) == name


def _sat(name: str, command: str) -> bool:
    try:
        return _same(name, json.loads(command)["name"])
    except (ValueError, KeyError, TypeError, AttributeError):  # damaged
        return name in command


def _settle(done: asyncio.Future[None], error: OSError | None) -> None:
    if not done.done():  # whoever waited may be gone
        if error is None:
            done.set_result(None)
        else:
            done.set_exception(error)


def _row(table: str, *values: str | int) -> Statement:
    kind = "INSERT OR REPLACE" if table == "kept" else "INSERT"
    return f"{kind} INTO {table} VALUES ({'?, ' * len(values)}?)", (*values, _crc(*values))


def room_row(id: str, settings: Settings, name: str, now: int, person: str, program: bool) -> Statement:
    """A new room, and the id of the person who opened it."""
    return _row(
        "rooms", id, msgspec.json.encode(settings).decode(), name, now, json.dumps({"id": person, "program": program})
    )


def command_row(id: str, number: int, now: int, command: Command) -> Statement:
    """A room's next command."""
    return _row("commands", id, number, now, msgspec.json.encode(command).decode())


def key_row(id: str, hash: str, holder: int) -> Statement:
    """A key of a room: of a person, or an invitation."""
    return _row("keys", hash, id, holder)


def alive_row(now: int) -> Statement:
    """A sign of life: the time after the last one is time in which there was no server."""
    return "INSERT OR REPLACE INTO alive VALUES (1, ?)", (now,)


def kept_row(id: str, number: int, folder: str, game: int) -> Statement:
    """Where a room's last finished game is: how many were over before it, its run, and its number there."""
    return _row("kept", id, number, folder, game)


def gone_rows(id: str) -> list[Statement]:
    """A room is forgotten."""
    return [
        ("DELETE FROM rooms WHERE id = ?", (id,)),
        *((f"DELETE FROM {each} WHERE room = ?", (id,)) for each in OF_ROOMS),
    ]


def used_row(hash: str) -> Statement:
    """An invitation that has been taken."""
    return "DELETE FROM keys WHERE hash = ?", (hash,)
