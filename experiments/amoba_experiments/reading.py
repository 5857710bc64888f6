"""Values from JSON (files, network), converted to declared types, or refused in one line."""

from __future__ import annotations

import re
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from amoba_env import checks

T = TypeVar("T")


def converted(value: object, kind: type[T]) -> T:
    """The value converted to a type: a msgspec class, a dataclass, a NamedTuple.

    Raises:
        ValueError: it does not fit. The message names the wrong part, what is expected there, and what it is.
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        said, _, path = str(error).partition(" - at `$")
        if error.__cause__ is not None:  # the class itself refuses the value
            raise ValueError(str(error.__cause__)) from None
        raise ValueError(_told(value, kind, said, path.removesuffix("`"))) from None


def _told(value: Any, kind: type, said: str, path: str) -> str:
    """An error of msgspec in our words: 'seat': expected int <= 5, got 7."""
    if field := re.fullmatch("Object contains unknown field `(.*)`", said):
        return f"unknown: {checks.brief(field[1])}; expected some of {', '.join(get_type_hints(kind))}"
    for name, number in re.findall(r"\.(\w+)|\[(\d+)\]", path.partition("[...]")[0]):
        value = value[name] if name else value[int(number)]
    if field := re.fullmatch("Object missing required field `(.*)`", said):
        path, said = f"{path}.{field[1]}", "Expected a value"
    hint = get_type_hints(kind).get(path[1:])
    if get_origin(hint) is Literal:
        said = f"Expected one of {', '.join(get_args(hint))}" if "a value" not in said else said
    expected = said.partition(", got")[0].replace("`", "")
    where = f"{path.removeprefix('.')!r}: " if path else ""
    return f"{where}{expected[0].lower()}{expected[1:]}, got {checks.brief(value)}"
