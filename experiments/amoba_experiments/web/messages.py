"""Messages from the network, read strictly: an unknown key or a wrong kind is refused with one clear sentence."""

from __future__ import annotations

import json
from typing import Any

from amoba_env import checks
from amoba_experiments.rooms.commands import BY_PEOPLE
from amoba_experiments.rooms.room import Command, Refusal
from amoba_experiments.rooms.settings import IN_TURN, Clock, Settings
from amoba_experiments.web.server_players import make_game

MOST_DEEP = 20  # brackets


def read(text: str | bytes) -> dict[str, Any]:
    """A message. Raises Refusal unless it is a JSON object."""
    try:
        if isinstance(text, bytes):
            text = text.decode()
        message = json.loads(text, parse_constant=_no_constant)
        json.dumps(message, ensure_ascii=False).encode()  # half a character, such as "\\ud800", cannot be written
    except (ValueError, RecursionError):
        raise Refusal("a message is one JSON object in UTF-8") from None
    if not isinstance(message, dict):
        raise Refusal("a message is one JSON object")
    return message


def _no_constant(name: str) -> None:
    raise ValueError(name)


def text(message: dict[str, Any], key: str, most: int = 200, default: str | None = None) -> str:
    """A text of a message. Raises Refusal if it is missing, no text or too long."""
    value = message.get(key, default)
    if not isinstance(value, str) or len(value) > most:
        raise Refusal(f"{key!r}: expected a text of up to {most} letters")
    return value


def one_of(message: dict[str, Any], key: str, *known: str) -> str:
    """One of these texts. Raises Refusal."""
    value = message.get(key)
    if value not in known:
        raise Refusal(f"{key!r}: expected one of {', '.join(known)}, got {checks.brief(value)}")
    return str(value)


def number(message: dict[str, Any], key: str, default: int | None, least: int, most: int) -> int | None:
    """A whole number of a message. Raises Refusal."""
    value = message.get(key, default)
    if value is None and default is None:
        return None
    if type(value) is not int or not least <= value <= most:
        raise Refusal(f"{key!r}: expected a whole number from {least} to {most}")
    return value


def command(message: dict[str, Any], holder: int) -> Command:
    """The command of a person. Raises Refusal."""
    do = message.get("do")
    if do not in BY_PEOPLE:
        raise Refusal(f"'do': expected one of {', '.join(BY_PEOPLE)}, got {checks.brief(do)}")
    at = message.get("at")
    if at is not None and not (isinstance(at, list) and len(at) == 2 and all(type(part) is int for part in at)):
        raise Refusal("'at': expected [epoch, moves played], as the room has it")
    if do == "move" and at is None:
        raise Refusal("'at': a move says which position it is for")
    return Command(
        do,
        holder,
        None if at is None else (at[0], at[1]),
        text(message, "move", 40, ""),
        took=number(message, "took", None, 0, 10**9),
        seat=number(message, "seat", None, 0, 5),
    )


def person(message: dict[str, Any]) -> tuple[str, bool]:
    """The secret by which a screen knows its person again, and whether a program plays. Raises Refusal."""
    program = message.get("program", False)
    if type(program) is not bool:
        raise Refusal(f"'program': expected true or false, got {checks.brief(program)}")
    return text(message, "person", 40, ""), program


def settings(message: dict[str, Any], seed: int) -> Settings:
    """The settings of a new room. Raises ValueError for what cannot be played or is not allowed here."""
    known = {"name", "person", "program", "game", "options", "seats", "first", "clock", "delay", "series"}
    if unknown := sorted(set(message) - known):
        raise Refusal(f"no setting {unknown[0][:40]!r}; the settings: {', '.join(sorted(known))}")
    game = make_game(message.get("game"), message.get("options", {}))
    seats = message.get("seats")
    if not isinstance(seats, list) or not all(isinstance(seat, str) and len(seat) <= 40 for seat in seats):
        raise Refusal("'seats': expected a list of me, guest and players")
    first, given, clock = message.get("first"), message.get("clock"), None
    if given is not None:
        if not isinstance(given, dict) or set(given) - {"main", "increment"}:
            raise Refusal('\'clock\': expected {"main": ms, "increment": ms} or null')
        clock = Clock(given.get("main", 0), given.get("increment", 0))
    return Settings(
        game.name,
        tuple(seats),
        dict(game.options),
        str(first) if type(first) is int else text(message, "first", 10, IN_TURN),
        clock,
        number(message, "delay", 0, 0, 60_000) or 0,
        number(message, "series", 1, 1, 10_000) or 1,
        seed,
    )
