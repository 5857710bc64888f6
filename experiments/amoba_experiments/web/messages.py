"""Messages from the network. Invalid ones are refused with one sentence."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from amoba_env import checks, options
from amoba_experiments.reading import converted
from amoba_experiments.rooms.commands import BY_PEOPLE
from amoba_experiments.rooms.room import Command, Refusal
from amoba_experiments.rooms.settings import IN_TURN, Clock, Settings
from amoba_experiments.web.server_players import make_game

Word = Annotated[str, Meta(max_length=40)]


class Who(Struct):
    """The person at a screen: a secret of the screen that identifies them, and whether it is a program."""

    name: Word = ""
    person: Word = ""
    program: bool = False


class Joining(Who, kw_only=True):
    """A person takes the seat of an invitation."""

    name: Word
    invite: Annotated[str, Meta(max_length=200)]
    key: Annotated[str, Meta(pattern="^$|^.{20,40}$")] = ""  # that this person will have


class NewRoom(Who, forbid_unknown_fields=True, kw_only=True):
    """The settings of a new room, see Settings."""

    game: Any = None
    options: Any = {}
    seats: list[Word]
    first: int | Annotated[str, Meta(max_length=10)] = IN_TURN
    clock: dict[str, int] | None = None
    delay: int = 0
    series: int = 1


class Doing(Struct):
    """A command of a person."""

    do: str
    at: tuple[int, int] | None = None  # [epoch, moves played], as the room has it
    move: Word = ""
    took: Annotated[int, Meta(ge=0, le=10**9)] | None = None
    seat: Annotated[int, Meta(ge=0, le=5)] | None = None


class Asking(Struct):
    """A question."""

    ask: Literal["hint", "why", "play"]
    cell: Annotated[str, Meta(max_length=10)] = ""


class Reviewing(Struct):
    """The review of a finished game begins or ends."""

    do: Literal["start", "stop"]


class Named(Struct):
    """A message that may have an id, which its answer repeats."""

    id: Word | None = None


def read(text: str | bytes) -> dict[str, Any]:
    """A message as a dict. Raises Refusal unless it is a JSON object."""
    try:
        found: dict[str, Any] = msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        raise Refusal("expected one JSON object in UTF-8") from None
    return found


def command(message: dict[str, Any], holder: int) -> Command:
    """The command of a person. Raises ValueError."""
    given = converted({"do": "", **message}, Doing)
    if given.do not in BY_PEOPLE:
        raise Refusal(f"'do': expected one of {', '.join(BY_PEOPLE)}, got {checks.brief(given.do)}")
    if given.do == "move" and given.at is None:
        raise Refusal("'at': expected the position of the move, got none")
    return Command(given.do, holder, given.at, given.move, took=given.took, seat=given.seat)


def settings(given: NewRoom, seed: int) -> Settings:
    """The settings of a new room. Raises ValueError for settings that are impossible or not allowed here."""
    game = make_game(given.game, given.options)
    clock = None if given.clock is None else Clock(**options.check("clock", Clock, given.clock))
    seats, first = tuple(given.seats), str(given.first)
    return Settings(game.name, seats, dict(game.options), first, clock, given.delay, given.series, seed)
