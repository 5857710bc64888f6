"""The journal of rooms: their commands in order, in one SQLite file.

A room is restored by replaying its commands, so only its settings and commands are written. A thread writes all waiting
statements as one transaction. `write` returns when they are on the disk; only then is a move acknowledged.

Each row ends with a checksum of its other columns, since SQLite has none. A room that is damaged, or whose commands
cannot be replayed, is set aside: its rows stay, and the other rooms continue.
"""

from __future__ import annotations

import asyncio
import json
import queue
import sqlite3
import threading
import zlib
from collections.abc import Collection, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from amoba_experiments.reading import converted
from amoba_experiments.rooms.commands import apply, opened
from amoba_experiments.rooms.room import Command, Refusal, Room
from amoba_experiments.rooms.seats import safe_name
from amoba_experiments.rooms.settings import Settings
from amoba_experiments.runs.files import locked

ROOMS = "rooms.sqlite"  # the file, in the folder of the data
VERSION = 2  # of the file, as SQLite's user_version; 0: a new file
TABLES = """
    CREATE TABLE IF NOT EXISTS rooms
        (id TEXT PRIMARY KEY, settings TEXT, name TEXT, opened INTEGER, person TEXT, crc INTEGER);
    CREATE TABLE IF NOT EXISTS commands
        (room TEXT, n INTEGER, now INTEGER, command TEXT, crc INTEGER, PRIMARY KEY (room, n)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS keys (hash TEXT PRIMARY KEY, room TEXT, holder INTEGER, crc INTEGER);
    CREATE TABLE IF NOT EXISTS kept
        (room TEXT, number INTEGER, folder TEXT, game INTEGER, crc INTEGER, PRIMARY KEY (room, number)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS alive (id INTEGER PRIMARY KEY, now INTEGER);
"""
OF_ROOMS = {"commands": "room, n, now, command", "keys": "hash, room, holder", "kept": "room, number, folder, game"}
MENDING = "restore the folder from a backup, or choose another --data"
DISK = sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN
INVITED = -1  # holder of a key that is an invitation

Statement = tuple[str, tuple[Any, ...]]


class Stored(NamedTuple):
    """A room restored from the disk."""

    id: str
    room: Room
    commands: int
    keys: dict[str, int]  # hash -> holder, or INVITED
    kept: tuple[int, str, int] | None  # the last finished game that was written: see kept_row()
    unwritten: list[Room]  # at the end of each game that was not


class Journal:
    """The file, locked for this process, and the thread that writes it.

    Attributes:
        aside: by id, why rooms could not be restored; complete when stored() has ended.
    """

    def __init__(self, file: Path) -> None:
        """Open or make the file.

        Raises:
            ValueError: it is damaged, in use, of another version, or another file.
            OSError: the disk is full or cannot be written.
        """
        self.aside: dict[str, str] = {}
        with ExitStack() as closing:
            closing.enter_context(locked(file.parent))
            try:
                self._db = sqlite3.connect(file, check_same_thread=False, isolation_level=None)
                closing.callback(self._db.close)
                self._db.text_factory = _text
                _prepare(self._db)
            except sqlite3.DatabaseError as error:
                _raise_of_disk(file, error)
                raise ValueError(f"{file}: expected a journal of rooms: {error}; {MENDING}") from None
            self._closing = closing.pop_all()
        self._waiting: queue.SimpleQueue[tuple[list[Statement], asyncio.Future[None]] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write, name="journal", daemon=True)
        self._thread.start()

    async def write(self, *statements: Statement) -> None:
        """Write statements; return when they are on the disk. Raises OSError."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.put((list(statements), done))
        await done

    def close(self) -> None:
        """Write the waiting statements and close the file."""
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
            except Exception as found:  # after any error the thread goes on, so that nobody waits for ever
                with suppress(sqlite3.Error):  # there may be no transaction
                    self._db.execute("ROLLBACK")
                error = OSError(f"the journal cannot be written: {found}")
            for _, done in group:
                done.get_loop().call_soon_threadsafe(_settle, done, error)
            if last:
                return

    def stored(self) -> Iterator[Stored]:
        """The rooms on the disk, with their commands replayed. Rooms that fail go to `aside`."""
        for row in self._db.execute("SELECT * FROM rooms ORDER BY opened, id").fetchall():
            try:
                found = self._played_again(row)
            except Exception as error:  # a damaged row, or one of other rules, can raise anything
                self.aside[row[0]] = f"{type(error).__name__}: {error}"
            else:
                yield found

    def _played_again(self, row: tuple[Any, ...]) -> Stored:
        """Replay a room. Raises ValueError for damage, and other errors for impossible commands."""
        id, settings, name, begun, person = _whole("rooms", row)
        room = opened(converted(json.loads(settings), Settings), name, begun, None, **json.loads(person))
        commands, ends, again = self._rows("commands", id), dict[int, Room](), set[int]()
        for number, (_, n, now, text) in enumerate(sorted(commands)):
            if n != number:
                raise ValueError(f"command {number} is missing")
            before, room = room.last, apply(room, msgspec.json.decode(text, type=Command), now)
            if room.last is None:  # no end, or one that was taken back
                if ends.pop(room.totals.games, None) is not None:
                    again.add(room.totals.games)
            elif room.last is not before:
                ends[room.last.before.games] = room
        keys = {hash: holder for hash, _, holder in self._rows("keys", id)}
        kept = {number: (number, folder, game) for _, number, folder, game in self._rows("kept", id)}
        again &= {max(kept, default=0)}  # the server may have been killed before it wrote the second end
        unwritten = [end for games, end in ends.items() if games not in kept or games in again]
        return Stored(id, room, len(commands), keys, kept[max(kept)] if kept else None, unwritten)

    def _rows(self, table: str, id: str) -> list[tuple[Any, ...]]:
        """The rows of a room, without their checksums. Raises ValueError for damage."""
        found = self._db.execute(f"SELECT * FROM {table} WHERE room = ?", (id,))
        return [_whole(table, row) for row in found]

    def alive(self) -> int:
        """The time of the last command or sign of life; 0: none."""
        times = self._db.execute("SELECT max(now) FROM commands UNION ALL SELECT max(now) FROM alive").fetchall()
        return max((time for (time,) in times if type(time) is int), default=0)  # skips damaged values

    def forget(self, name: str) -> int:
        """Remove the rooms in which somebody of this name had a seat; return their number."""
        ids = {id for id, opener in self._db.execute("SELECT id, name FROM rooms") if _same(name, opener)}
        sits = self._db.execute("SELECT room, command FROM commands WHERE command LIKE '%\"sit\"%'")
        return self._remove(ids | {id for id, text in sits if _sat(name, text)})

    def withdraw(self, people: Collection[str]) -> int:
        """Remove the rooms that people with these ids opened; return their number."""
        opened = self._db.execute("SELECT id, person FROM rooms").fetchall()
        ids = [f'"id": {json.dumps(each)}' for each in people]
        return self._remove({id for id, person in opened if any(each in person for each in ids)})

    def _remove(self, ids: Collection[str]) -> int:
        try:
            self._db.execute("BEGIN")
            for sql, values in (statement for id in ids for statement in gone_rows(id)):
                self._db.execute(sql, values)
            self._db.execute("COMMIT")
            self._db.execute("VACUUM")  # else deleted rows stay in the file
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.DatabaseError as error:
            _raise_of_disk("the journal", error)
            raise
        return len(ids)


def _raise_of_disk(file: object, error: sqlite3.DatabaseError) -> None:
    """Raise OSError if the error is of the disk and not of the file."""
    if getattr(error, "sqlite_errorcode", 0) & 0xFF in DISK:
        raise OSError(f"{file} cannot be written: {error}") from None


def _prepare(db: sqlite3.Connection) -> None:
    """Check the file, and make its tables. Raises ValueError for another version, sqlite3.DatabaseError for damage."""
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version not in (0, VERSION):
        raise ValueError(f"expected rooms of version {VERSION}, got version {version}")
    (found,) = db.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        raise sqlite3.DatabaseError(f"it is damaged: {' '.join(found.split())}")
    db.create_function("crc", -1, _crc, deterministic=True)
    db.executescript(f"PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; {TABLES}")
    if version == 0:
        db.execute(f"PRAGMA user_version = {VERSION}")
    db.execute("SELECT id, settings, name, opened, person, crc FROM rooms LIMIT 1")  # fails without these columns
    for table, columns in OF_ROOMS.items():
        of_none = f"SELECT 1 FROM {table} WHERE crc({columns}) != crc AND room NOT IN (SELECT id FROM rooms)"
        if db.execute(of_none).fetchone():
            raise sqlite3.DatabaseError(f"it is damaged: a row of {table} belongs to no room")


def _crc(*values: str | int) -> int:
    """The checksum of a row."""
    return zlib.crc32(json.dumps(values).encode())


def _whole(table: str, row: tuple[Any, ...]) -> tuple[Any, ...]:
    """A row without its checksum. Raises ValueError if the checksum is wrong."""
    *values, crc = row
    if _crc(*values) != crc:
        raise ValueError(f"a row of {table} is damaged")
    return tuple(values)


def _text(found: bytes) -> str:
    return found.decode(errors="replace")  # the checksum detects replaced bytes


def _same(name: str, given: str) -> bool:
    """Whether a person who gave this name has the name `name`, see safe_name()."""
    try:
        return safe_name(given) == name
    except Refusal:  # no name, where only machines play
        return False


def _sat(name: str, command: str) -> bool:
    try:
        return _same(name, json.loads(command)["name"])
    except (ValueError, KeyError, TypeError, AttributeError):  # damaged
        return name in command


def _settle(done: asyncio.Future[None], error: OSError | None) -> None:
    if not done.done():  # the waiting task may have been cancelled
        if error is None:
            done.set_result(None)
        else:
            done.set_exception(error)


def _row(table: str, *values: str | int) -> Statement:
    kind = "INSERT OR REPLACE" if table == "kept" else "INSERT"
    return f"{kind} INTO {table} VALUES ({'?, ' * len(values)}?)", (*values, _crc(*values))


def room_row(id: str, settings: Settings, name: str, now: int, person: str, program: bool) -> Statement:
    """A new room, with the name and id of its creator."""
    return _row(
        "rooms", id, msgspec.json.encode(settings).decode(), name, now, json.dumps({"id": person, "program": program})
    )


def command_row(id: str, number: int, now: int, command: Command) -> Statement:
    """A room's next command."""
    return _row("commands", id, number, now, msgspec.json.encode(command).decode())


def key_row(id: str, hash: str, holder: int) -> Statement:
    """A key of a room, for a person or an invitation."""
    return _row("keys", hash, id, holder)


def alive_row(now: int) -> Statement:
    """A sign of life: after the last one there was no server."""
    return "INSERT OR REPLACE INTO alive VALUES (1, ?)", (now,)


def kept_row(id: str, number: int, folder: str, game: int) -> Statement:
    """The place of a finished game of a room: the number of games before it, its run, and its number there."""
    return _row("kept", id, number, folder, game)


def gone_rows(id: str) -> list[Statement]:
    """Remove a room."""
    return [
        ("DELETE FROM rooms WHERE id = ?", (id,)),
        *((f"DELETE FROM {each} WHERE room = ?", (id,)) for each in OF_ROOMS),
    ]


def used_row(hash: str) -> Statement:
    """Remove a used invitation."""
    return "DELETE FROM keys WHERE hash = ?", (hash,)
