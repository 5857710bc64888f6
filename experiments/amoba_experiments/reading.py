"""Values of JSON, from files and from the network, converted to declared types or refused in one line."""

from __future__ import annotations

import re
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from amoba_env import checks

T = TypeVar("T")

WORDS = {"int": "a whole number", "float": "a number", "str": "a text", "bool": "true or false", "null": "null"}
WORDS |= {"array": "a list", "object": "an object"}


def converted(value: object, kind: type[T]) -> T:
    """The value as one of this type: a class of msgspec, a dataclass, a NamedTuple.

    Raises:
        ValueError: it is not one. The message names the part that is wrong, what is expected there, and what it is.
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        said, _, path = str(error).partition(" - at `$")
        if error.__cause__ is not None:  # the class itself refuses the value
            raise ValueError(str(error.__cause__)) from None
        raise ValueError(_told(value, kind, said, path.removesuffix("`"))) from None


def _told(value: Any, kind: type, said: str, path: str) -> str:
    """An error of msgspec in our words: 'seat': expected a whole number <= 5, got 7."""
    if field := re.fullmatch("Object contains unknown field `(.*)`", said):
        known = "" if path else f"; expected some of {', '.join(get_type_hints(kind))}"
        return f"unknown: {checks.brief(field[1])}{known}"
    for name, number in re.findall(r"\.(\w+)|\[(\d+)\]", path.partition("[...]")[0]):
        value = value[name] if name else value[int(number)]
    if field := re.fullmatch("Object missing required field `(.*)`", said):
        path, said = f"{path}.{field[1]}", "Expected a value"
    hint = get_type_hints(kind).get(path.removeprefix("."))
    if get_origin(hint) is Literal and said.startswith(("Invalid", "Expected `")):
        said = f"Expected one of {', '.join(get_args(hint))}"
    expected = re.sub(r"`([\w| ]+)`", _in_words, said.partition(", got")[0])
    where = f"{path.removeprefix('.').replace('[...]', '')!r}: " if path else ""
    return f"{where}{expected[0].lower()}{expected[1:]}, got {checks.brief(value)}"


def _in_words(kinds: re.Match[str]) -> str:
    return " or ".join(WORDS.get(kind, kind) for kind in kinds[1].split(" | "))
