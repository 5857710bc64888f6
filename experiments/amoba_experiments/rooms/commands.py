"""The commands of people and of the server in a room.

`apply(room, command, now)` returns the room afterwards, or raises Refusal with the reason. There is no input or output
here and no clock: `now`, in milliseconds, comes from the caller. The same commands at the same times give the same
room, so a room is stored as its list of commands.

    waiting -> ready -> playing <-> paused
                        playing  -> left (a third player gave up) -> playing, with a machine in the seat
                        playing  -> over -> ready, the next game
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from amoba_env import checks, notation
from amoba_env.games import Game
from amoba_experiments.rooms import clocks, story
from amoba_experiments.rooms.room import (
    FREE,
    MACHINE,
    SERVER,
    Command,
    Finished,
    Offer,
    Person,
    Phase,
    PlayedMove,
    Refusal,
    Room,
    RoomResult,
    Stale,
    Totals,
)
from amoba_experiments.rooms.settings import GUEST, ME, STAND_IN, Settings, first_position

MOST_NAME = 40  # letters


def opened(
    settings: Settings, name: str, now: int, game: Game | None = None, id: str = "", program: bool = False
) -> Room:
    """A new room. Whoever opens it has the seats "me"; `game`: the game of the settings, if it is already made."""
    game = game or settings.make()
    holders = tuple({ME: 0, GUEST: FREE}.get(seat, MACHINE) for seat in settings.seats)
    named = _name(name) if 0 in holders else ""
    names = tuple({ME: named, GUEST: ""}.get(seat, seat) for seat in settings.seats)
    start = first_position(settings, game, 0)
    none = Totals.none(game.players)
    persons = tuple(Person(named, id, program) if seat == ME else None for seat in settings.seats)
    return _begun(Room(settings, game, holders, names, "waiting", start, start.to_move, none, persons), now)


def apply(room: Room, command: Command, now: int) -> Room:
    """The room after a command. Raises Refusal with the reason; Stale if the command was about an earlier position."""
    if command.do not in COMMANDS:
        raise Refusal(f"unknown command {checks.brief(command.do)}; the commands: {', '.join(COMMANDS)}")
    if command.at is not None and command.at != room.at:
        raise Stale("the position has changed since")
    if command.who != SERVER and command.do != "sit" and not room.seats_of(command.who):
        raise Refusal("spectators cannot do this")
    if command.stood:  # never by more than the turn has taken
        room = replace(room, since=max(room.since, min(now, room.since + command.stood)))
    after = COMMANDS[command.do](room, command, now)
    if after.last is not None and after.last is not room.last:
        return replace(after, last=after.last._replace(ended=now))
    return after


def _name(text: str) -> str:
    """A name that is safe in files. Raises Refusal for other characters."""
    name = unicodedata.normalize("NFC", " ".join(text.split()))
    # L, N, M: letters, digits, and marks such as the vowels of Hindi.
    safe = all(unicodedata.category(letter)[0] in "LNM" or letter in " _-.'\u2019" for letter in name)
    if not name or len(name) > MOST_NAME or not safe or unicodedata.category(name[0])[0] == "M":
        raise Refusal(
            f"expected a name of 1 to {MOST_NAME} letters, digits, spaces and _ - . ', got {checks.brief(text)}"
        )
    return name


def _begun(room: Room, now: int) -> Room:
    """The same room at the start of its game."""
    start = first_position(room.settings, room.game, room.number)
    return replace(
        room,
        phase="waiting" if FREE in room.holders else "ready",
        position=start,
        starter=start.to_move,
        moves=(),
        since=now,
        left=clocks.full(room.settings.clock, room.game.players),
        begun=0,
        hints=(),
        undos=(),
        pauses=(0,) * room.game.players,
        paused=(0,) * room.game.players,
        by=None,
        offer=None,
        result=None,
    )


def _own_seat(room: Room, who: int) -> int:
    """The seat for which a person acts: the seat to move if it is theirs, else their first seat."""
    seats = room.seats_of(who)
    if not seats:
        raise Refusal("expected a person with a seat")
    return room.position.to_move if room.position.to_move in seats else seats[0]


def _need(room: Room, *phases: Phase) -> None:
    if room.phase not in phases:
        now = {
            "waiting": "a seat is still free",
            "ready": "the game has not begun",
            "playing": "the game goes on",
            "paused": "the game is paused",
            "left": "a player has left",
            "over": "the game is over",
        }
        raise Refusal(f"not now: {now[room.phase]}")


# --- Commands: (room, command, now) -> the room afterwards ---------------------------------------------------------


def _sit(room: Room, command: Command, now: int) -> Room:
    if FREE not in room.holders:
        raise Refusal("no seat is free")
    name = _name(command.name)
    if name in room.names:
        raise Refusal(f"the name {name} is taken")
    seat, holder = room.holders.index(FREE), max(0, *room.holders) + 1
    persons = _with(room.persons, seat, Person(name, command.person, command.program))
    room = replace(
        room, holders=_with(room.holders, seat, holder), names=_with(room.names, seat, name), persons=persons
    )
    return room if FREE in room.holders else replace(room, phase="ready", since=now)


def _with(values: tuple[object, ...], index: int, value: object) -> tuple:  # type: ignore[type-arg]
    return (*values[:index], value, *values[index + 1 :])


def _move(room: Room, command: Command, now: int) -> Room:
    _need(room, "ready", "playing")
    seat = room.position.to_move
    holder = room.holders[seat]
    if holder != (MACHINE if command.who == SERVER else command.who):
        raise Refusal(f"it is {room.names[seat]}'s turn")
    try:
        after = room.position.play(command.move)
    except ValueError as error:
        raise Refusal(str(error)) from None
    thinking = max(0, now - room.since)
    reaction = thinking if command.took is None else min(max(0, command.took), thinking)
    action = notation.parse_move(room.game, command.move)
    left = room.left
    if room.phase == "playing":  # the first move starts the clocks
        left = clocks.charged(room.settings.clock, left, seat, thinking, reaction)
        if left and left[seat] <= 0:
            return _over(room, _lost(room, seat, "time"))
    played = PlayedMove(action, seat, thinking, reaction, command.mind, left, *story.chosen(room, command))
    offer = room.offer if room.offer and room.offer.what == "machine" else None
    moves = *room.moves, played
    room = replace(room, phase="playing", position=after, moves=moves, since=now, left=left, offer=offer, last=None)
    room = replace(room, begun=room.begun or now)
    outcome = after.outcome
    return room if outcome is None else _over(room, RoomResult(outcome.winner, outcome.places, outcome.ending))


def _lost(room: Room, seat: int, ending: str) -> RoomResult:
    """A seat has lost. One other seat wins; several others share the first place, and nobody wins."""
    players = room.game.players
    places = tuple(players if each == seat else 1 for each in range(players))
    return RoomResult(1 - seat if players == 2 else None, places, ending, seat)


def _over(room: Room, result: RoomResult) -> Room:
    room = replace(room, phase="over", result=result, by=result.by, offer=None)
    if not room.moves:  # resigned before the first move: the game does not count
        return replace(room, last=None)
    last = Finished(room.starter, result, room.moves, room.totals, room.number, room.begun, 0, room.hints, room.undos)
    return replace(room, totals=room.totals.plus(room.moves, result.winner), last=last)


def _illegal(room: Room, command: Command, now: int) -> Room:
    """A machine had no legal move."""
    _need(room, "ready", "playing")
    seat = room.position.to_move
    if command.who != SERVER or room.holders[seat] != MACHINE:
        raise Refusal("only machines can lose by this")
    return _over(room, _lost(room, seat, "illegal")._replace(why=command.move))


def _flag(room: Room, command: Command, now: int) -> Room:
    """The player to move has lost on time."""
    _need(room, "playing")
    if not room.left or clocks.until_over(room, now) > 0:
        raise Refusal("there is time left")
    return _over(room, _lost(room, room.position.to_move, "time"))


def _resign(room: Room, command: Command, now: int) -> Room:
    _need(room, "ready", "playing", "paused")
    seat = _own_seat(room, command.who)
    if room.game.players > 2 and room.people - {command.who}:
        return replace(clocks.stopped(room, now), phase="left", by=seat, offer=None)
    return _over(room, _lost(room, seat, "resigned"))


def _end(room: Room, command: Command, now: int) -> Room:
    """A player has left, and another one does not want to continue."""
    _need(room, "left")
    assert room.by is not None
    if command.who == room.holders[room.by]:
        raise Refusal("the others decide")
    return _over(room, _lost(room, room.by, "resigned"))


def _pause(room: Room, command: Command, now: int) -> Room:
    _need(room, "playing")
    seat = _own_seat(room, command.who)
    if why := clocks.no_pause(room, seat, now):
        raise Refusal(why)
    pauses = _with(room.pauses, seat, room.pauses[seat] + 1)
    return replace(clocks.stopped(room, now), phase="paused", by=seat, pauses=pauses, since=now)


def _resume(room: Room, command: Command, now: int) -> Room:
    _need(room, "paused")
    assert room.by is not None
    if room.holders[room.by] != command.who:
        left = clocks.pause_left(room, now)
        if left is None or left > 0:
            later = "" if left is None else f"; in {math.ceil(left / 1000)} s anybody may"
            raise Refusal(f"{room.names[room.by]} asked for the pause, and ends it{later}")
    paused = _with(room.paused, room.by, room.paused[room.by] + max(0, now - room.since))
    return replace(room, phase="playing", by=None, since=now, paused=paused)


def _draw(room: Room, command: Command, now: int) -> Room:
    _need(room, "playing")
    if len(room.people) < 2 and MACHINE in room.holders:
        raise Refusal("machines continue by themselves")
    return _asked(room, "draw", command, now)


def _undo(room: Room, command: Command, now: int) -> Room:
    if room.people == {command.who}:
        return _taken_back(room, command.who, now)
    _need(room, "playing")
    _back_to(room, command.who)
    return _asked(room, "undo", command, now)


def _new(room: Room, command: Command, now: int) -> Room:
    if command.who == SERVER:
        _need(room, "over")
        if room.people:
            raise Refusal("only people can ask for a new game")
        return _next(room, now)
    if room.phase == "ready" and room.people == {command.who}:
        return _next(room, now)
    if room.phase in ("playing", "paused"):  # asking for it in the middle is giving up
        room = _over(room, _lost(room, _own_seat(room, command.who), "resigned"))
    _need(room, "over")
    return _asked(room, "new", command, now)


def _machine(room: Room, command: Command, now: int) -> Room:
    """A player has left: let a machine have the seat."""
    _need(room, "left")
    assert room.by is not None
    if command.who == room.holders[room.by]:
        raise Refusal("the others decide")
    return _asked(room, "machine", command, now)


def _asked(room: Room, what: Literal["draw", "undo", "new", "machine"], command: Command, now: int) -> Room:
    if room.offer is not None and room.offer.what == what:
        return _accept(room, command, now)
    seat = _own_seat(room, command.who)
    return _settled(replace(room, offer=Offer(what, seat, frozenset({command.who}))), now)


def _accept(room: Room, command: Command, now: int) -> Room:
    if room.offer is None:
        raise Refusal("nothing is offered")
    _own_seat(room, command.who)
    return _settled(replace(room, offer=room.offer._replace(agreed=room.offer.agreed | {command.who})), now)


def _decline(room: Room, command: Command, now: int) -> Room:
    if room.offer is None:
        raise Refusal("nothing is offered")
    _own_seat(room, command.who)
    return replace(room, offer=None)


def _settled(room: Room, now: int) -> Room:
    """An offer is carried out when everybody agrees, except those who have left."""
    assert room.offer is not None
    what, seat, agreed = room.offer
    gone = {room.holders[room.by]} if room.phase == "left" and room.by is not None else set()
    if room.people - gone - agreed:
        return room
    if what == "undo":
        return _taken_back(room, room.holders[seat], now)
    if what == "new":
        return _next(room, now)
    if what == "draw":
        return _over(room, RoomResult(None, (1,) * room.game.players, "agreed"))
    assert room.by is not None
    return replace(
        room,
        phase="playing",
        holders=_with(room.holders, room.by, MACHINE),
        names=_with(room.names, room.by, STAND_IN),
        since=now,
        by=None,
        offer=None,
    )


def _next(room: Room, now: int) -> Room:
    return _begun(replace(room, number=room.number + 1, epoch=room.epoch + 1), now)


def _back_to(room: Room, who: int) -> int:
    """The number of moves before a person's last turn. Raises Refusal if there was none."""
    own = [number for number, played in enumerate(room.moves) if room.holders[played.seat] == who]
    if not own:
        raise Refusal("You have no move to take back.")
    return own[-1]


def _taken_back(room: Room, who: int, now: int) -> Room:
    _need(room, "playing", "over", "ready")
    resigned = room.result is not None and room.result.ending == "resigned"
    kept = room.moves if resigned else room.moves[: _back_to(room, who)]
    position = first_position(room.settings, room.game, room.number)
    for played in kept:
        position = position.play(played.action)
    if room.last is not None:  # the game was over
        room = replace(room, totals=room.last.before, last=None)
    return replace(
        room,
        phase="playing" if kept else "ready",
        position=position,
        epoch=room.epoch + 1,
        moves=kept,
        since=now,
        left=clocks.at_move(room, len(kept)),
        undos=story.undone(room, len(kept)),
        by=None,
        offer=None,
        result=None,
    )


def _level(room: Room, command: Command, now: int) -> Room:
    """Another machine takes the seats of all machines, or one of them."""
    if room.people != {command.who}:
        raise Refusal("only a person who plays alone chooses the machines")
    seats = [seat for seat, holder in enumerate(room.holders) if holder == MACHINE]
    if command.seat is not None:
        seats = [seat for seat in seats if seat == command.seat]
    if not seats:
        raise Refusal("no machine sits there")
    names = tuple(command.move if seat in seats else name for seat, name in enumerate(room.names))
    return replace(room, names=names)


COMMANDS: dict[str, Callable[[Room, Command, int], Room]] = {
    "sit": _sit,
    "move": _move,
    "hint": story.hinted,
    "illegal": _illegal,
    "flag": _flag,
    "resign": _resign,
    "end": _end,
    "pause": _pause,
    "resume": _resume,
    "stand": lambda room, command, now: room,  # to tell only how long nobody could move
    "draw": _draw,
    "undo": _undo,
    "new": _new,
    "machine": _machine,
    "accept": _accept,
    "decline": _decline,
    "level": _level,
}
BY_PEOPLE = tuple(do for do in COMMANDS if do not in ("sit", "hint", "illegal", "flag", "stand"))
