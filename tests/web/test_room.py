"""Rooms: who may do what, and what it does."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from rooms_by_hand import WON, a_room, after, moves, refused, three, two

from amoba_env.core.rng import STARTER, below, streams
from amoba_experiments.rooms.clocks import MOST_PAUSES
from amoba_experiments.rooms.commands import apply
from amoba_experiments.rooms.room import FREE, MACHINE, Command, Mind, Refusal, Stale, Totals
from amoba_experiments.rooms.settings import Clock, Settings
from amoba_experiments.rooms.states import state_of


def test_a_guest_sits_down() -> None:
    room = a_room("me", "guest")
    assert (room.phase, room.holders, room.names) == ("waiting", (0, FREE), ("Ann", ""))
    refused(room, 0, "move", "b2", says="not now: a seat is still free")
    for name in ("", "  ", "x" * 41, "a,b", "<b>"):
        with pytest.raises(Refusal, match="expected a name of 1 to 40"):
            after(room, Command("sit", name=name))
    with pytest.raises(Refusal, match="the name Ann is taken"):
        after(room, Command("sit", name="Ann"))
    for name, kept in (
        ("O'Brien", "O'Brien"),
        ("O\u030bze", "\u0150ze"),
        ("\u092a\u094d\u0930\u093f\u092f\u093e", None),
    ):
        assert after(room, Command("sit", name=name)).names[1] == (kept or name)
    room = after(room, Command("sit", name=" Ben  B. "))
    assert (room.phase, room.holders, room.names) == ("ready", (0, 1), ("Ann", "Ben B."))
    with pytest.raises(Refusal, match="no seat is free"):
        after(room, Command("sit", name="Cleo"))


def test_seats_are_taken_one_after_the_other() -> None:
    room = after(a_room("guest", "me", "guest", game="halma"), Command("sit", name="Ben"))
    assert (room.phase, room.holders) == ("waiting", (1, 0, FREE))
    assert after(room, Command("sit", name="Cleo")).holders == (1, 0, 2)


def test_a_game_is_won() -> None:
    room = two()
    assert state_of(room) == "A may start"
    room = after(room, WON[0])
    assert state_of(room) == "B to move"
    room = after(room, *WON[1:])
    assert room.result is not None
    assert (room.result.winner, room.result.ending, state_of(room), room.mover) == (0, "line", "A won", None)
    refused(room, 1, "move", "c3", says="not now: the game is over")


def test_games_begin_in_a_given_position() -> None:
    room = after(two(start="xx1/oo1/3 o 4"), (1, "move", "c2"))
    assert room.result is not None
    assert (room.result.winner, state_of(room)) == (1, "B won")
    assert after(room, (0, "new"), (1, "accept")).position.text.startswith("xx1/oo1/3 o 4")


def test_a_game_is_drawn() -> None:
    room = after(two(), *moves("b2 a3 c3 a1 a2 c2 b3 b1 c1", 0, 1))
    assert room.result is not None
    assert (room.result.ending, state_of(room)) == ("full_board", "draw")


def test_nobody_moves_for_another() -> None:
    refused(two(), 1, "move", "b2", says="it is Ann's turn")
    refused(two(), -1, "move", "b2", says="it is Ann's turn")
    refused(two(), 7, "move", "b2", says="spectators cannot do this")
    refused(a_room("greedy", "me"), 0, "move", "b2", says="it is greedy's turn")


def test_an_illegal_move_is_refused_in_the_words_of_the_core() -> None:
    refused(after(two(), (0, "move", "b2")), 1, "move", "b2", says="b2.* taken")
    refused(two(), 0, "move", "z9", says="no cell")
    refused(two(), 0, "dance", says="unknown command 'dance'; the commands: sit, move")


def test_a_stale_command_is_refused() -> None:
    room = two()
    assert after(room, Command("move", 0, (0, 0), "b2")).at == (0, 1)
    with pytest.raises(Stale, match="changed"):
        after(room, Command("move", 0, (0, 1), "b2"))


def test_clocks() -> None:
    room = two(clock=Clock(10_000, 1000))
    room = apply(room, Command("move", 0, None, "b2"), 60_000)  # the first move starts them
    assert room.left == (10_000, 10_000)
    room = apply(room, Command("move", 1, None, "a1", took=2000), 63_000)
    assert room.left == (10_000, 8_500)  # 2500 charged: 500 are taken for the network's; then 1000 more
    refused(room, -1, "flag", says="there is time left", now=73_000)
    over = apply(room, Command("flag"), 74_000)
    assert over.result is not None
    assert (over.result.winner, over.result.ending, state_of(over)) == (1, "time", "B won")
    late = apply(room, Command("move", 0, None, "a3"), 90_000)
    assert (late.phase, len(late.moves)) == ("over", 2)
    refused(two(), -1, "flag", says="has not begun")
    refused(after(two(), WON[0]), -1, "flag", says="there is time left")


def test_pause() -> None:
    room = apply(two(clock=Clock(10_000)), Command("move", 0, None, "b2"), 0)
    room = apply(room, Command("pause", 0), 3000)
    assert (state_of(room), room.left) == ("A pause", (10_000, 7_000))
    refused(room, 1, "resume", says="Ann asked for the pause, and ends it")
    refused(room, 1, "move", "a1", says="paused")
    room = apply(room, Command("resume", 0), 60_000)
    assert state_of(room) == "B to move"
    for _ in range(MOST_PAUSES - 1):
        room = after(room, (0, "pause"), (0, "resume"), now=60_000)
    refused(room, 0, "pause", says="2 times in a game", now=60_000)
    unclocked = after(two(), WON[0])
    for _ in range(5):
        unclocked = after(unclocked, (1, "pause"), (1, "resume"))
    assert state_of(after(unclocked, (1, "pause"))) == "B pause"


def test_resigning() -> None:
    room = after(two(), WON[0], (0, "resign"))
    assert room.result is not None
    assert (room.result.winner, room.result.places, state_of(room)) == (1, (2, 1), "A quit")
    assert state_of(after(two(), (1, "resign"))) == "B quit"
    refused(room, 0, "resign", says="over")


def test_a_game_without_a_move_is_not_counted() -> None:
    """As it is not kept on the disk either."""
    room = after(two(), (1, "resign"))
    assert (room.phase, room.totals.games, room.last) == ("over", 0, None)
    second = after(two(), *WON, (1, "new"), (0, "accept"), (0, "resign"))
    assert (second.phase, second.totals.games, second.last) == ("over", 1, None)
    alone = after(a_room("me", "me"), *moves("a1 a3 b1 b3 c1", 0), (0, "new"), (0, "resign"), (0, "undo"))
    assert (alone.phase, alone.totals.games) == ("ready", 1)


def test_a_draw_by_consent() -> None:
    room = after(two(), WON[0], (0, "draw"))
    assert room.phase == "playing"
    assert after(room, (1, "decline")).offer is None
    assert after(room, WON[1]).offer is None  # a move declines
    over = after(room, (1, "accept"))
    assert over.result is not None
    assert (over.result.ending, state_of(over)) == ("agreed", "draw")
    assert after(room, (1, "draw")) == over
    for what in ("accept", "decline"):
        refused(after(two(), WON[0]), 0, what, says="nothing is offered")
    refused(after(a_room("me", "greedy"), (0, "move", "b2")), 0, "draw", says="machines do not accept")
    assert after(a_room("me", "me"), (0, "move", "b2"), (0, "draw")).phase == "over"


def test_undo_by_consent() -> None:
    refused(after(two(), WON[0]), 1, "undo", says="You have no move to take back")
    room = after(two(), *WON[:3], (0, "undo"))
    assert len(room.moves) == 3
    back = after(room, (1, "accept"))
    assert (len(back.moves), back.at, back.position) == (2, (1, 2), after(two(), *WON[:2]).position)
    refused(after(two(), *WON), 0, "undo", says="over")


def test_undo_of_one_person() -> None:
    alone = a_room("me", "greedy")
    refused(alone, 0, "undo", says="no move to take back")
    played = after(alone, (0, "move", "b2"), (-1, "move", "a1"), (0, "move", "c3"), (-1, "move", "a2"))
    assert len(after(played, (0, "undo")).moves) == 2
    assert after(played, (0, "undo"), (0, "undo")).phase == "ready"
    won = after(a_room("me", "me"), *moves("a1 a3 b1 b3 c1", 0))
    again = after(won, (0, "undo"))
    assert (again.phase, len(again.moves), again.totals, again.last) == ("playing", 4, Totals.none(2), None)
    resigned = after(played, (0, "resign"), (0, "undo"))
    assert (len(resigned.moves), resigned.phase) == (4, "playing")


def test_a_new_game() -> None:
    room = after(two(), *WON, (1, "new"))
    assert state_of(room) == "B new game"
    room = after(room, (0, "accept"))
    assert (room.phase, room.starter, room.number, room.moves, room.totals.games) == ("ready", 1, 1, (), 1)
    assert state_of(room) == "B may start"
    in_the_middle = after(two(), WON[0], (1, "new"))
    assert in_the_middle.result is not None
    assert (in_the_middle.result.winner, state_of(in_the_middle)) == (0, "B new game")
    assert state_of(after(in_the_middle, (0, "decline"))) == "B quit"
    refused(two(), 0, "new", says="has not begun")
    alone = after(a_room("me", "greedy"), (0, "move", "b2"), (0, "new"))
    assert (alone.phase, alone.number, alone.starter) == ("ready", 1, 1)
    assert after(alone, (0, "new")).number == 2


def test_what_a_room_keeps_does_not_grow_with_its_finished_games() -> None:
    room, line = a_room("me", "me"), moves("a1 a3 b1 b3 c1", 0)
    sizes = []
    for _ in range(30):
        room = after(room, *line, (0, "new"), now=10**6)
        sizes.append(len(pickle.dumps(room)))
    assert (room.totals.games, room.totals.wins) == (30, (15, 15))
    assert sizes[-1] - sizes[2] < 50  # bytes, for numbers that have become larger
    undone = after(room, *line, (0, "undo"))
    assert (undone.totals, undone.last) == (room.totals, None)


def test_machines_play_series() -> None:
    room = after(a_room("random", "greedy", series=2), *moves("a1 a3 b1 b3 c1", -1))
    assert (room.people, room.holders) == (frozenset(), (MACHINE, MACHINE))
    assert after(room, (-1, "new")).number == 1
    refused(after(a_room("me", "me"), *moves("a1 a3 b1 b3 c1", 0)), -1, "new", says="only people")
    with pytest.raises(Refusal, match="a person with a seat"):
        after(a_room("random", "greedy"), (-1, "resign"))


def test_a_machine_without_a_legal_move_loses() -> None:
    room = after(a_room("greedy", "me"), (-1, "illegal"))
    assert room.result is not None
    assert (room.result.winner, room.result.ending, state_of(room)) == (1, "illegal", "B won")
    refused(two(), -1, "illegal", says="only machines")


def test_a_third_player_leaves() -> None:
    room = after(three(), (1, "resign"))
    assert (room.phase, state_of(room)) == ("left", "B quit")
    for do in ("machine", "end"):
        refused(room, 1, do, says="the others decide")
    refused(room, 0, "pause", says="a player has left")
    asked = after(room, (0, "machine"))
    assert asked.phase == "left"
    on = after(asked, (2, "machine"))
    assert (on.phase, on.holders, on.names) == ("playing", (0, MACHINE, 2), ("Ann", "level:5", "Cleo"))
    with pytest.raises(Refusal, match="spectators"):
        after(on, (1, "resign"))
    kept = after(asked, on.position.legal_moves() and (2, "decline"))
    assert kept.offer is None
    over = after(room, (0, "end"))
    assert over.result is not None
    assert (over.result.winner, over.result.places, state_of(over)) == (None, (1, 3, 1), "B quit")
    refused(three(), 0, "end", says="has not begun")
    shared = after(three(clock=Clock(1000)), (0, "move", "e3-d4"))
    timed = apply(shared, Command("flag"), 99_000)
    assert state_of(timed) == "B quit"
    halma = after(a_room("me", "greedy", "greedy", game="halma"), (0, "resign"))
    assert (halma.phase, state_of(halma)) == ("over", "A quit")


def test_levels_change() -> None:
    room = a_room("me", "greedy", "random", game="halma")
    assert after(room, Command("level", 0, move="level:3")).names == ("Ann", "level:3", "level:3")
    assert after(room, Command("level", 0, move="level:3", seat=2)).names == ("Ann", "greedy", "level:3")
    with pytest.raises(Refusal, match="no machine sits there"):
        after(room, Command("level", 0, move="level:3", seat=0))
    refused(two(), 0, "level", "level:3", says="a person who plays alone")


def test_who_begins() -> None:
    assert [a_room("me", "me", first=first).starter for first in ("in turn", "0", "1")] == [0, 0, 1]
    drawn = a_room("me", "me", first="drawn", seed=5)
    assert drawn.starter == below(streams(5, 0, 1, STARTER), 2)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"first": "2"}, "first: expected one of in turn, drawn, 0, 1"),
        ({"delay": -1}, "delay"),
        ({"seed": -1}, "seed"),
    ],
)
def test_settings_that_cannot_be(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Settings(**{"game": "tictactoe", "seats": ("me", "guest"), **wrong})


def test_minds_stay_with_moves() -> None:
    mind = Mind(7, "0100")
    room = after(a_room("greedy", "me"), Command("move", -1, (0, 0), "b2", mind=mind))
    assert room.moves[0].mind == mind
