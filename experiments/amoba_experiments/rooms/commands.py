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
from collections.abc import Callable
from dataclasses import replace

from amoba_env import checks, notation
from amoba_env.games import Game
from amoba_experiments.rooms import clocks, seats, story
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
    Undo,
    What,
)
from amoba_experiments.rooms.settings import GUEST, ME, Settings, first_position, starter


def opened(
    settings: Settings, name: str, now: int, game: Game | None = None, id: str = "", program: bool = False
) -> Room:
    """A new room. Whoever opens it has the seats "me"; `game`: the game of the settings, if it is already made."""
    game = game or settings.make()
    holders = tuple({ME: 0, GUEST: FREE}.get(seat, MACHINE) for seat in settings.seats)
    named = seats.safe_name(name) if 0 in holders else ""
    names = tuple({ME: named, GUEST: ""}.get(seat, seat) for seat in settings.seats)
    begins, none = starter(settings, game, 0, -1), Totals.none(game.players)
    persons = tuple(Person(named, id, program) if seat == ME else None for seat in settings.seats)
    start = first_position(settings, game, begins)
    return _begun(Room(settings, game, holders, names, "waiting", start, begins, none, persons), now)


def apply(room: Room, command: Command, now: int) -> Room:
    """The room after a command. Raises Refusal with the reason; Stale if the command was about an earlier position."""
    if command.do not in COMMANDS:
        raise Refusal(f"unknown command {checks.brief(command.do)}; the commands: {', '.join(COMMANDS)}")
    if command.at is not None and command.at != room.at:
        raise Stale("the position has changed since")
    if command.who != SERVER and command.do != "sit" and not room.seats_of(command.who):
        raise Refusal("spectators cannot do this")
    if command.who == SERVER and command.do in ("move", "illegal"):
        if command.name not in ("", room.names[room.position.to_move]):
            raise Stale("another machine sits there now")
    if command.stood:  # never by more than the turn has taken
        room = replace(room, since=max(room.since, min(now, room.since + command.stood)))
    after = COMMANDS[command.do](room, command, now)
    if after.last is not None and after.last is not room.last:
        return replace(after, last=after.last._replace(ended=now))
    return after


def _begun(room: Room, now: int) -> Room:
    """The same room at the start of its game."""
    start = first_position(room.settings, room.game, room.starter)
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
            return _over(replace(room, left=left), _lost(room, seat, "time"), room.since)
    played = PlayedMove(action, seat, thinking, reaction, command.mind, left, *story.chosen(room, command))
    moves = *room.moves, played
    room = replace(room, phase="playing", position=after, moves=moves, since=now, left=left, offer=None, last=None)
    room = replace(room, begun=room.begun or now)
    outcome = after.outcome
    return room if outcome is None else _over(room, RoomResult(outcome.winner, outcome.places, outcome.ending), now)


def _lost(room: Room, seat: int, ending: str) -> RoomResult:
    """A seat has lost. One other seat wins; several others share the first place, and nobody wins."""
    players = room.game.players
    places = tuple(players if each == seat else 1 for each in range(players))
    return RoomResult(1 - seat if players == 2 else None, places, ending, seat)


def _over(room: Room, result: RoomResult, now: int) -> Room:
    room = replace(clocks.stopped(room, now), phase="over", result=result, by=result.by, offer=None)
    if not room.moves and result.ending != "illegal":  # resigned before the first move: the game does not count
        return replace(room, last=None)
    begun = room.begun or room.since
    last = Finished(room.starter, result, room.moves, room.totals, room.number, begun, 0, room.hints, room.undos)
    return replace(room, totals=room.totals.plus(room.moves, result.winner), last=last)


def _illegal(room: Room, command: Command, now: int) -> Room:
    """A machine had no legal move."""
    _need(room, "ready", "playing")
    seat = room.position.to_move
    if command.who != SERVER or room.holders[seat] != MACHINE:
        raise Refusal("only machines can lose by this")
    return _over(room, _lost(room, seat, "illegal")._replace(why=command.move), now)


def _flag(room: Room, command: Command, now: int) -> Room:
    """The player to move has lost on time."""
    _need(room, "playing")
    if not room.left or clocks.until_over(room, now) > 0:
        raise Refusal("there is time left")
    return _over(room, _lost(room, room.position.to_move, "time"), now)


def _resign(room: Room, command: Command, now: int) -> Room:
    _need(room, "ready", "playing", "paused")
    return _gone(room, seats.own(room, command.who), "resigned", now)


def _gone(room: Room, seat: int, ending: str, now: int) -> Room:
    """The player of a seat plays no longer: the game is lost, but with three seats or more the others decide."""
    if room.game.players > 2 and room.people - {room.holders[seat]}:
        return replace(clocks.stopped(room, now), phase="left", by=seat, left_by=ending, offer=None)
    return _over(room, _lost(room, seat, ending), now)


def _claim(room: Room, command: Command, now: int) -> Room:
    """A person who is there claims a win or a draw, because another one has been away for too long."""
    _need(room, "playing")
    if command.move not in ("win", "draw"):
        raise Refusal(f"expected a claim of win or draw, got {checks.brief(command.move)}")
    if not command.away:
        raise Refusal("nobody has been away for a minute while you were there")
    if command.move == "win":
        return _gone(room, command.away[0], "left", now)
    return _over(room, RoomResult(None, (1,) * room.game.players, "left", command.away[0]), now)


def _end(room: Room, command: Command, now: int) -> Room:
    """A player has left, and another one does not want to continue."""
    return _over(room, _lost(room, _who_left(room, command), room.left_by), now)


def _who_left(room: Room, command: Command) -> int:
    """The seat of the player who has left. Others say what follows."""
    _need(room, "left")
    assert room.by is not None
    if command.who == room.holders[room.by]:
        raise Refusal("the others decide")
    return room.by


def _pause(room: Room, command: Command, now: int) -> Room:
    _need(room, "playing")
    seat = seats.own(room, command.who)
    if why := clocks.no_pause(room, seat, now):
        raise Refusal(why)
    pauses = seats.changed(room.pauses, seat, room.pauses[seat] + 1)
    return replace(clocks.stopped(room, now), phase="paused", by=seat, pauses=pauses, since=now)


def _resume(room: Room, command: Command, now: int) -> Room:
    _need(room, "paused")
    assert room.by is not None
    if room.holders[room.by] != command.who and room.by not in command.away:
        left = clocks.pause_left(room, now)
        if left is None or left > 0:
            later = "" if left is None else f"; in {math.ceil(left / 1000)} s anybody may"
            raise Refusal(f"{room.names[room.by]} asked for the pause, and ends it{later}")
    paused = seats.changed(room.paused, room.by, room.paused[room.by] + max(0, now - room.since))
    return replace(room, phase="playing", by=None, since=now, paused=paused)


def _draw(room: Room, command: Command, now: int) -> Room:
    _need(room, "playing")
    if len(room.people) < 2 and MACHINE in room.holders:
        raise Refusal("machines do not accept draws")
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
        room = _over(room, _lost(room, seats.own(room, command.who), "resigned"), now)
    _need(room, "over")
    return _asked(room, "new", command, now)


def _rematch(room: Room, command: Command, now: int) -> Room:
    _need(room, "over")
    return _asked(room, "rematch", command, now)


def _machine(room: Room, command: Command, now: int) -> Room:
    """A player has left: let a machine have the seat."""
    _who_left(room, command)
    return _asked(room, "machine", command, now)


def _asked(room: Room, what: What, command: Command, now: int) -> Room:
    if room.offer is not None and room.offer.what == what:
        return _accept(room, command, now)
    seat = seats.own(room, command.who)
    return _settled(replace(room, offer=Offer(what, seat, frozenset({command.who}))), now)


def _accept(room: Room, command: Command, now: int) -> Room:
    if room.offer is None:
        raise Refusal("nothing is offered")
    if command.move not in ("", room.offer.what):
        raise Stale("another question has taken its place")
    seats.own(room, command.who)
    return _settled(replace(room, offer=room.offer._replace(agreed=room.offer.agreed | {command.who})), now)


def _decline(room: Room, command: Command, now: int) -> Room:
    if room.offer is None:
        raise Refusal("nothing is offered")
    seats.own(room, command.who)
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
    if what == "rematch":
        return _begun(seats.moved_on(replace(room, number=room.number + 1, epoch=room.epoch + 1)), now)
    if what == "draw":
        return _over(room, RoomResult(None, (1,) * room.game.players, "agreed"), now)
    assert room.by is not None
    return replace(seats.stood_in(room, room.by), phase="playing", since=now, by=None, offer=None)


def _next(room: Room, now: int) -> Room:
    begins = starter(room.settings, room.game, room.number + 1, room.starter)
    return _begun(replace(room, number=room.number + 1, epoch=room.epoch + 1, starter=begins), now)


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
    position = first_position(room.settings, room.game, room.starter)
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
        undos=(*room.undos, Undo(len(room.moves), len(kept))),
        by=None,
        offer=None,
        result=None,
    )


COMMANDS: dict[str, Callable[[Room, Command, int], Room]] = {
    "sit": seats.taken,
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
    "claim": _claim,
    "new": _new,
    "rematch": _rematch,
    "machine": _machine,
    "accept": _accept,
    "decline": _decline,
    "level": seats.levelled,
}
BY_PEOPLE = tuple(do for do in COMMANDS if do not in ("sit", "hint", "illegal", "flag", "stand"))
