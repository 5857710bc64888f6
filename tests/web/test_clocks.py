"""Clocks of rooms: they come back with a position, pauses are limited, and time in which nobody can move is free."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amoba_experiments.rooms.clocks import LAG, MOST_PAUSED, pause_left, until_over
from amoba_experiments.rooms.commands import apply, opened
from amoba_experiments.rooms.room import SERVER, Command, Refusal, Room
from amoba_experiments.rooms.settings import Clock, Settings

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


@pytest.mark.parametrize("ends", [["resign"], ["draw", "accept"], ["new"]])
def test_the_clocks_stop_where_they_are_when_a_game_ends(ends: list[str]) -> None:
    room, now = played(a_room("me", "guest"), *MOVES[:2])
    before = room.left
    for who, what in enumerate(ends):
        room = do(room, who, what, now + 3 * SECOND)
    assert (room.phase, room.left) == ("over", (before[0] - 3 * SECOND, before[1]))


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
    assert late.left[0] <= 0
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
    over = do(room, SERVER, "flag", end)
    assert over.phase == "over"
    assert over.left[1] <= 0


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
