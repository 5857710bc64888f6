"""Settings and commands as JSON and back, for files of rooms."""

from __future__ import annotations

from typing import Any

from amoba_experiments.rooms.room import Command, Mind
from amoba_experiments.rooms.settings import Clock, Settings


def settings_of(given: dict[str, Any]) -> Settings:
    """Settings from JSON. Raises ValueError for what cannot be played."""
    clock = given.get("clock")
    return Settings(
        **{"version": 1, **given, "seats": tuple(given["seats"]), "clock": None if clock is None else Clock(**clock)}
    )


def command_json(command: Command) -> dict[str, Any]:
    """A command for JSON, without what it does not say."""
    given = {key: value for key, value in command._asdict().items() if value != Command._field_defaults.get(key)}
    if command.mind is not None:
        given["mind"] = [command.mind.rng, command.mind.memory.hex()]
    return given


def command_of(given: dict[str, Any]) -> Command:
    """The command of this JSON."""
    mind, at = given.get("mind"), given.get("at")
    return Command(
        **{
            **given,
            "at": None if at is None else (at[0], at[1]),
            "mind": None if mind is None else Mind(mind[0], bytes.fromhex(mind[1])),
        }
    )
