"""What is kept of rooms: two servers, other versions, rooms that cannot be played again, damage of any byte."""

from __future__ import annotations

import asyncio
import json
import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from commands import Run, refused
from rooms_http import LINE, look, opened, play, two
from scale import tries
from starlette.testclient import TestClient

from amoba_experiments.rooms.room import Command
from amoba_experiments.rooms.settings import Settings
from amoba_experiments.runs.store import load, runs_in
from amoba_experiments.web import journal
from amoba_experiments.web.hub import Hub
from amoba_experiments.web.journal import Journal, Stored
from amoba_experiments.web.serve import forget
from amoba_experiments.web.server import app

FILE = "rooms.sqlite"


def stored(folder: Path) -> tuple[dict[str, Stored], dict[str, str]]:
    """The rooms of a folder, and those that are set aside. Raises ValueError."""
    found = Journal(folder / FILE)
    try:
        return {each.id: each for each in found.stored()}, found.aside
    finally:
        found.close()


def write(folder: Path, *sql: str) -> None:
    with closing(sqlite3.connect(folder / FILE)) as db:
        db.executescript(";".join(sql))


def three_rooms(folder: Path) -> list[str]:
    """A folder with a finished game, one that goes on, and one that waits; returns the ids."""
    with TestClient(app(Hub(folder)), base_url="http://127.0.0.1") as client:
        over, keys = two(client)
        play(client, over, keys, LINE)
        goes_on, keys = two(client)
        play(client, goes_on, keys, LINE[:2])
        return [over, goes_on, opened(client, "me", "guest")["room"]]


def test_one_server_on_a_folder(tmp_path: Path, run: Run) -> None:
    hub = Hub(tmp_path)
    with pytest.raises(ValueError, match="is in use by another process"):
        Hub(tmp_path)
    with pytest.raises(ValueError, match="is in use by another process"):
        forget(tmp_path, "Ann")
    refused(run, f"serve --no-open --port 0 --data {tmp_path}", "is in use by another process")
    asyncio.run(hub.close())
    asyncio.run(Hub(tmp_path).close())


def test_a_full_disk_is_no_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error

    found = Journal(tmp_path / FILE)
    monkeypatch.setattr(journal, "gone_rows", full)
    with pytest.raises(OSError, match=r"the journal cannot be written: database or disk is full$"):
        found._remove(["id"])
    found.close()
    monkeypatch.setattr(journal, "_prepare", full)
    with pytest.raises(OSError, match=r"rooms.sqlite cannot be written: database or disk is full$"):
        Journal(tmp_path / FILE)


def test_the_second_end_of_a_game_is_written_after_a_kill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A game was over, a move was taken back, and the server died before it wrote the other end."""

    async def first() -> None:
        hub = Hub(tmp_path)
        live, *_ = await hub.open(Settings("tictactoe", ("me", "me")), "Ann")
        for command in (*(("move", move) for move in ("a1", "b1", "a2", "b2", "a3")), ("undo", ""), ("move", "c3")):
            await hub.command(live, Command(command[0], 0, live.room.at, command[1]))
            while live.room.phase == "over" and live.kept is None:
                await asyncio.sleep(0.01)
        monkeypatch.setattr(hub, "_keep", lambda *_: None)
        await hub.command(live, Command("move", 0, live.room.at, "b3"))
        await hub.close()

    async def second() -> None:
        hub = Hub(tmp_path)
        hub.restore()
        await hub.close()

    asyncio.run(first())
    asyncio.run(second())
    (run,) = runs_in(tmp_path / "games")
    (game,) = load(run).to_pylist()
    assert (game["winner"], game["plies"]) == (1, 6)


def test_a_newer_version_is_refused(tmp_path: Path, run: Run) -> None:
    three_rooms(tmp_path)
    write(tmp_path, f"PRAGMA user_version = {journal.VERSION + 1}")
    with pytest.raises(ValueError, match=f"expected rooms of version {journal.VERSION}, got"):
        Hub(tmp_path)
    refused(run, f"serve --no-open --port 0 --data {tmp_path}", f"expected rooms of version {journal.VERSION}, got")


@pytest.mark.parametrize(
    "command",
    [
        '{"do": "move", "who": 0, "move": "a1"}',  # taken already
        '{"do": "dance"}',
        '{"do": "move", "rhythm": 3}',
        "[]",
        "{",
    ],
)
def test_a_room_that_cannot_be_played_again_is_set_aside(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    """The others go on. It stays on the disk, and can be forgotten."""
    over, goes_on, waits = three_rooms(tmp_path)
    sql, values = journal._row("commands", goes_on, 3, 5000, command)
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        db.execute(sql, values)
        db.commit()
    for _ in range(2):
        with TestClient(app(Hub(tmp_path)), base_url="http://127.0.0.1") as client:
            assert goes_on in json.loads(capsys.readouterr().out)["error"]
            assert look(client, over)["state"] == "A won"
            assert look(client, waits)["phase"] == "waiting"
            assert "cannot be restored" in look(client, goes_on)["why"]
    assert forget(tmp_path, "Ben").startswith("Ben: 2 rooms")
    assert list(stored(tmp_path)[0]) == [waits]
    assert b"Ben" not in (tmp_path / FILE).read_bytes()


def test_a_command_that_is_missing_sets_a_room_aside(tmp_path: Path) -> None:
    over, goes_on, waits = three_rooms(tmp_path)
    write(tmp_path, f"DELETE FROM commands WHERE room = '{over}' AND n = 2")
    rooms, aside = stored(tmp_path)
    assert (set(rooms), set(aside)) == ({goes_on, waits}, {over})


def test_no_damage_is_served(tmp_path: Path) -> None:
    """Any byte may change: the file is refused, a room is set aside, or all rooms are as they were."""
    ids = three_rooms(tmp_path)
    write(tmp_path, "PRAGMA wal_checkpoint(TRUNCATE)")
    before, _ = stored(tmp_path)
    whole = (tmp_path / FILE).read_bytes()
    drawn, seen = random.Random(1), {"refused": 0, "aside": 0, "same": 0}
    used = [number for number, byte in enumerate(whole) if byte]  # most of the file is empty
    for _ in range(tries(60, 3000)):
        damaged = bytearray(whole)
        damaged[drawn.choice(used)] ^= 1 << drawn.randrange(8)
        (tmp_path / FILE).write_bytes(damaged)
        try:
            rooms, aside = stored(tmp_path)
        except ValueError:
            seen["refused"] += 1
            continue
        assert all(rooms[id] == before[id] for id in rooms if id in before)
        assert set(rooms) <= set(ids)
        assert len(rooms) + len(aside) == len(ids)
        seen["aside" if aside else "same"] += 1
    assert seen["refused"]
    assert seen["aside"]
