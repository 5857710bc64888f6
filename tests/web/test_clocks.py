"""Clocks of rooms: they come back with a position, pauses are limited, and time in which nobody can move is free."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amoba_experiments.rooms.clocks import LAG, MOST_PAUSED, pause_left, until_over
from amoba_experiments.rooms.commands import apply, opened
from amoba_experiments.rooms.room import SERVER, Command, Mind, Refusal, Room
from amoba_experiments.rooms.settings import Clock, Settings, settings_of
from amoba_experiments.web.journal import Journal, alive_row

SECOND = 1000
MOVES = ["b2", "a1", "a2", "c2", "a3", "c1"]


def a_room(*seats: str, main: int = 10 * SECOND, increment: int = 5 * SECOND, **more: Any) -> Room:
    room = opened(Settings("tictactoe", seats, clock=Clock(main, increment), **more), "Ann", 0)
    return apply(room, Command("sit", name="Ben"), 0) if "guest" in seats else room


def played(room: Room, *moves: str, each: int = SECOND, begun: int = 0) -> tuple[Room, int]:
    """The room after moves of whoever is to move, and the time."""
    now = begun
    for move in moves:
        now += each
        who = room.holders[room.position.to_move]
        room = apply(room, Command("move", who, None, move), now)
    return room, now


def do(room: Room, who: int, what: str, now: int, **more: Any) -> Room:
    return apply(room, Command(what, who, None, **more), now)


def refused(room: Room, who: int, what: str, now: int) -> None:
    with pytest.raises(Refusal):
        do(room, who, what, now)


def test_undo_brings_the_clocks_of_the_position_back() -> None:
    room, now = played(a_room("me", "me"), *MOVES[:2])
    before = room.left
    for _ in range(5):
        room, now = played(room, MOVES[2], each=3 * SECOND, begun=now)
        assert room.left != before
        room = do(room, 0, "undo", now)
        assert room.left == before


@pytest.mark.parametrize("seats", [("me", "me"), ("me", "random"), ("random", "me"), ("me", "guest")])
@pytest.mark.parametrize("count", range(1, len(MOVES) + 1))
def test_takebacks_of_any_number_of_moves(seats: tuple[str, ...], count: int) -> None:
    """One after the other, with people and with machines, down to the start of the game."""
    room, lefts = a_room(*seats), []
    for number in range(count):
        lefts.append(room.left)
        room, now = played(room, MOVES[number], each=(number + 1) * 300, begun=number * SECOND)
    people = sorted(room.people)
    while any(room.holders[move.seat] == people[0] for move in room.moves):
        room = do(room, people[0], "undo", now)
        if len(people) > 1:
            room = do(room, 1, "accept", now)
        assert room.left == lefts[len(room.moves)]


def test_undo_after_the_end_brings_them_back_too() -> None:
    room, now = played(a_room("me", "random"), *MOVES[:4])
    flagged = do(room, SERVER, "flag", now + 60 * SECOND)
    assert do(flagged, 0, "undo", now + 60 * SECOND).left == room.moves[1].left
    late = do(room, 0, "move", now + 60 * SECOND, move=MOVES[4])
    assert late.phase == "over"
    assert do(late, 0, "undo", now + 60 * SECOND).left == room.moves[1].left
    resigned = do(room, 0, "resign", now + 3 * SECOND)
    assert do(resigned, 0, "undo", now + 3 * SECOND).left == room.left


def test_undo_takes_what_a_pause_had_charged() -> None:
    room, now = played(a_room("me", "me"), *MOVES[:3])
    before = room.left
    for what in ("pause", "resume"):
        room = do(room, 0, what, now + 4 * SECOND)
    room, now = played(room, MOVES[3], begun=now + 4 * SECOND)
    assert do(room, 0, "undo", now).left == before


def test_pauses_are_limited_and_then_anybody_resumes() -> None:
    room, now = played(a_room("me", "guest"), "b2")
    room = do(room, 0, "pause", now)
    assert pause_left(room, now) == MOST_PAUSED
    refused(room, 1, "resume", now + MOST_PAUSED - 1)
    refused(room, 2, "resume", now + MOST_PAUSED)  # who watches
    assert pause_left(room, now + 10 * MOST_PAUSED) == 0
    on = do(room, 1, "resume", now + MOST_PAUSED)
    assert (on.phase, on.by, on.left) == ("playing", None, room.left)
    refused(on, 0, "pause", now + MOST_PAUSED)  # it has been used up
    assert do(on, 1, "pause", now + MOST_PAUSED).phase == "paused"  # the other's has not


def test_the_limit_is_of_all_pauses_of_a_player_in_a_game() -> None:
    room, now = played(a_room("me", "guest"), "b2")
    room = do(do(room, 0, "pause", now), 0, "resume", now + MOST_PAUSED - SECOND)
    now += MOST_PAUSED - SECOND
    room = do(room, 0, "pause", now)
    refused(room, 1, "resume", now + SECOND - 1)
    assert do(room, 1, "resume", now + SECOND).phase == "playing"
    over = do(room, 0, "new", now)
    fresh = do(over, 1, "accept", now)
    assert (fresh.paused, fresh.pauses) == ((0, 0), (0, 0))


def test_without_a_clock_only_who_paused_resumes() -> None:
    room = apply(opened(Settings("tictactoe", ("me", "guest")), "Ann", 0), Command("sit", name="Ben"), 0)
    paused = do(played(room, "b2")[0], 0, "pause", SECOND)
    refused(paused, 1, "resume", 100 * MOST_PAUSED)
    assert pause_left(paused, 100 * MOST_PAUSED) is None


def test_a_pause_after_the_time_is_over_saves_nobody() -> None:
    room, now = played(a_room("me", "guest"), "b2")
    end = now + 10 * SECOND + LAG
    for who in (0, 1):
        refused(room, who, "pause", end)
        paused = do(room, who, "pause", end - 1)  # within the network's share there is a moment left
        on = do(paused, who, "resume", end)
        assert on.left[1] == until_over(on, end) - LAG == 1
        refused(on, SERVER, "flag", end)
    assert do(room, SERVER, "flag", end).phase == "over"


def test_time_in_which_nobody_can_move_is_charged_to_nobody() -> None:
    room, now = played(a_room("me", "guest"), "b2")
    later = now + 60 * SECOND
    stood = apply(room, Command("stand", SERVER, stood=58 * SECOND), later)
    assert (stood.left, until_over(stood, later)) == (room.left, 8 * SECOND + LAG)
    moved = apply(room, Command("move", 1, None, "a1", took=60 * SECOND, stood=58 * SECOND), later)
    assert (moved.left[1], moved.moves[1].thinking, moved.moves[1].reaction) == (13 * SECOND, 2 * SECOND, 2 * SECOND)
    assert apply(room, Command("stand", SERVER, stood=10**9), later).since == later  # no more than there was
    assert apply(room, Command("stand", SERVER, stood=-5), later).since == room.since


@given(stood=st.integers(0, 10**6), took=st.none() | st.integers(0, 10**6))
def test_commands_are_read_as_they_were_written(stood: int, took: int | None) -> None:
    command = Command("move", 1, (0, 1), "a1", took=took, stood=stood)
    assert msgspec.json.decode(msgspec.json.encode(command), type=Command) == command


def test_commands_of_older_files_are_read() -> None:
    text = '{"do": "move", "at": [0, 1], "move": "d3", "mind": [17316437622149410922, "0100ff7f"]}'
    command = Command("move", SERVER, (0, 1), "d3", mind=Mind(17316437622149410922, "0100ff7f"))
    assert msgspec.json.decode(text, type=Command) == command
    assert json.loads(msgspec.json.encode(command)) == json.loads(text)


OLD = [  # an undo leaves the clocks as they are, and pauses have no limit
    (0, {"do": "move", "who": 0, "at": [0, 0], "move": "b2"}),
    (9_000, {"do": "move", "who": 0, "at": [0, 1], "move": "a1"}),
    (9_000, {"do": "undo", "who": 0}),
    (14_000, {"do": "move", "who": 0, "at": [1, 1], "move": "a1"}),
    (14_000, {"do": "undo", "who": 0}),
    (14_100, {"do": "pause", "who": 0}),
    (10**8, {"do": "resume", "who": 0}),
    (10**8, {"do": "pause", "who": 0}),
    (2 * 10**8, {"do": "resume", "who": 0}),
    (2 * 10**8 + 1_500, {"do": "flag"}),
]


def test_rooms_of_old_journals_go_on_as_they_began(tmp_path: Path) -> None:
    """There is no sign of life in them, and their settings name no version; new commands can follow."""
    settings = {"game": "tictactoe", "seats": ["me", "me"], "options": {}, "first": "0", "delay": 0, "series": 1}
    settings |= {"clock": {"main": 10_000, "increment": 5_000}, "seed": 0, "start": ""}
    file = tmp_path / "rooms.sqlite"
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute("CREATE TABLE rooms (id TEXT PRIMARY KEY, settings TEXT, name TEXT, opened INTEGER)")
        db.execute("CREATE TABLE keys (hash TEXT PRIMARY KEY, room TEXT, holder INTEGER)")
        db.execute("CREATE TABLE kept (room TEXT PRIMARY KEY, number INTEGER, folder TEXT, game INTEGER)")
        db.execute(
            "CREATE TABLE commands (room TEXT, n INTEGER, now INTEGER, command TEXT, PRIMARY KEY (room, n)) "
            "WITHOUT ROWID"
        )
        db.execute("INSERT INTO rooms VALUES ('old', ?, 'Ann', 0)", (json.dumps(settings),))
        for number, (now, command) in enumerate(OLD[:-1]):
            db.execute("INSERT INTO commands VALUES ('old', ?, ?, ?)", (number, now, json.dumps(command)))
    journal = Journal(file)
    (stored,) = journal.stored()
    assert (stored.room.phase, stored.room.left) == ("playing", (10_000, 5_900))
    assert stored.room.settings.version == 1
    assert journal.alive() == OLD[-2][0]
    with pytest.raises(Refusal):
        apply(stored.room, msgspec.convert(OLD[-1][1], Command), OLD[-1][0])
    journal.close()


def test_new_rooms_have_the_new_rules_after_a_restart() -> None:
    settings = a_room("me", "me").settings
    assert settings.version == 2
    as_json = json.loads(json.dumps({**settings.__dict__, "clock": settings.clock.__dict__}))
    assert settings_of(as_json) == settings
    del as_json["version"]
    assert settings_of(as_json) == replace(settings, version=1)


def test_the_last_sign_of_life(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "rooms.sqlite")
    assert journal.alive() == 0
    for now in (5, 7):
        asyncio.run(journal.write(alive_row(now)))
        assert journal.alive() == now
    journal.close()
