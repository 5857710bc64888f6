"""The history of a game: who chose its moves, hints, undos, and why machines failed."""

from __future__ import annotations

import re
from dataclasses import replace

from amoba_env import notation
from amoba_experiments.rooms.room import SERVER, Command, Hint, Refusal, Room, RoomResult

BUTTON, HINT, PERSON, PROGRAM, MACHINE_ITSELF = "button", "hint", "person", "program", "machine"
FAILURES = re.compile(r"(?:^|: )(crash|timeout|illegal move|cannot start|refused)\b")


def chosen(room: Room, command: Command) -> tuple[str, str]:
    """Who chooses the move of a command, and the player that chose it or gave a hint, or ""."""
    seat = room.position.to_move
    if command.who == SERVER:
        return MACHINE_ITSELF, room.names[seat]
    if command.name:
        return BUTTON, command.name
    line, person = tuple(each.action for each in room.moves), room.persons[seat]
    for hint in reversed(room.hints):
        if hint.line == line:
            return HINT, hint.player
    return (PROGRAM if person is not None and person.program else PERSON), ""


def hinted(room: Room, command: Command, now: int) -> Room:
    """The command `hint`: a hint is shown to the player to move."""
    if room.mover is None or room.mover not in room.seats_of(command.who):
        raise Refusal("only the player to move gets hints")
    line = tuple(each.action for each in room.moves)
    action = notation.parse_move(room.game, command.move)
    return replace(room, hints=(*room.hints, Hint(line, action, command.name)))


def failure(result: RoomResult) -> str | None:
    """Why a machine had no legal move: what an engine did, or "error" in a player; None if it had one."""
    if result.ending != "illegal":
        return None
    found = FAILURES.search(result.why)
    return found.group(1) if found else "error"
