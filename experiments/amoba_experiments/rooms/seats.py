"""Seats of a room: who sits down, which machine plays, whose turn it is, who moves on to another seat."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from typing import Any

from amoba_env import checks
from amoba_experiments.rooms.room import FREE, MACHINE, Command, Person, Refusal, Room, Totals
from amoba_experiments.rooms.settings import STAND_IN

MOST_NAME = 40  # letters


def safe_name(text: str) -> str:
    """A name that is safe in files. Raises Refusal for other characters."""
    name = unicodedata.normalize("NFC", " ".join(text.split()))
    # L, N, M: letters, digits, and marks such as the vowels of Hindi.
    safe = all(unicodedata.category(letter)[0] in "LNM" or letter in " _-.'\u2019" for letter in name)
    if not name or len(name) > MOST_NAME or not safe or unicodedata.category(name[0])[0] == "M":
        raise Refusal(
            f"expected a name of 1 to {MOST_NAME} letters, digits, spaces and _ - . ', got {checks.brief(text)}"
        )
    return name


def changed(values: tuple[Any, ...], seat: int, value: object) -> tuple[Any, ...]:
    """The same values by seat, but for one seat."""
    return (*values[:seat], value, *values[seat + 1 :])


def own(room: Room, who: int) -> int:
    """The seat for which a person acts: the seat to move if it is theirs, else their first seat."""
    seats = room.seats_of(who)
    if not seats:
        raise Refusal("expected a person with a seat")
    return room.position.to_move if room.position.to_move in seats else seats[0]


def taken(room: Room, command: Command, now: int) -> Room:
    """The command `sit`: a guest takes the first free seat."""
    if FREE not in room.holders:
        raise Refusal("no seat is free")
    name = safe_name(command.name)
    if name in room.names:
        raise Refusal(f"the name {name} is taken")
    seat, holder = room.holders.index(FREE), max(0, *room.holders) + 1
    persons = changed(room.persons, seat, Person(name, command.person, command.program))
    room = replace(
        room, holders=changed(room.holders, seat, holder), names=changed(room.names, seat, name), persons=persons
    )
    return room if FREE in room.holders else replace(room, phase="ready", since=now)


def stood_in(room: Room, seat: int) -> Room:
    """A machine has the seat of a person who left."""
    return replace(room, holders=changed(room.holders, seat, MACHINE), names=changed(room.names, seat, STAND_IN))


def levelled(room: Room, command: Command, now: int) -> Room:
    """The command `level`: another machine takes the seats of all machines, or one of them."""
    if room.people != {command.who}:
        raise Refusal("only a person who plays alone chooses the machines")
    seats = [seat for seat, holder in enumerate(room.holders) if holder == MACHINE]
    if command.seat is not None:
        seats = [seat for seat in seats if seat == command.seat]
    if not seats:
        raise Refusal("no machine sits there")
    names = tuple(command.move if seat in seats else name for seat, name in enumerate(room.names))
    return replace(room, names=names)


def moved_on(room: Room) -> Room:
    """Everybody sits one seat further, and takes along what was counted."""

    def turned(values: tuple[Any, ...]) -> tuple[Any, ...]:
        return (*values[-1:], *values[:-1])

    games, nobody, rounds, *by_seat = room.totals
    holders, names, persons = map(turned, (room.holders, room.names, room.persons))
    totals = Totals(games, nobody, rounds, *map(turned, by_seat))
    return replace(room, holders=holders, names=names, persons=persons, totals=totals)
