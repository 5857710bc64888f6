"""Values from files and the network, converted to declared types, or refused in one line: JSON, and YAML of people."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from amoba_env import checks
from amoba_env.options import check, kind_of, parameters, possible

T = TypeVar("T")


def read_json(file: Path) -> Any:
    """The value in a JSON file. Raises ValueError if it is not JSON, OSError if it cannot be read."""
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{file}: expected JSON: {reason(error)}") from None


def read_yaml(what: str, file: Path) -> dict[str, Any]:
    """The mapping in a YAML file, empty for an empty file; `what` it is, in errors.

    Raises:
        ValueError: it is not YAML, or not a mapping, or a key is there twice; the message has the file, and the line of
            an error in YAML.
        OSError: it cannot be read.
    """
    import yaml

    class Loader(yaml.SafeLoader):  # type: ignore[misc] # yaml has no types
        """YAML's own loader takes the last of two equal keys."""

        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
            keys = [key.value for key, _ in node.value]
            for key in keys:
                if keys.count(key) > 1:
                    raise ValueError(f"line {node.start_mark.line + 1}: expected one value of {key}, got two")
            made: dict[Any, Any] = super().construct_mapping(node, deep)
            return made

    try:
        return dict(checks.mapping(what, yaml.load(file.read_text(encoding="utf-8"), Loader)))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ValueError(f"{file}: {reason(error)}") from None


def reason(error: Exception) -> str:
    """Why a text file cannot be read, in one line."""
    if isinstance(error, UnicodeDecodeError):
        return "expected text in UTF-8"
    if isinstance(error, RecursionError):
        return "too deeply nested"
    return " ".join(str(error).split())


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


def from_yaml(what: str, kind: type[T], values: object, path: str = "") -> T:
    """A dataclass whose fields are options (see amoba_env.options) from the values of a YAML file.

    YAML reads 5e-4 as a text and the id 7 as a number, and a list of one may lack its brackets: that is put right.

    Args:
        what: its name in errors, if it is the whole file: "a study".
        kind: the class. Fields may be such classes too, or tuples of them.
        values: a mapping; None counts as empty.
        path: its place in the file: "games[2]".

    Raises:
        ValueError: an unknown, missing or impossible value. The message begins with the path.
    """
    known, read = parameters(kind), dict(checks.mapping(path or what, values))
    for key, parameter in known.items():
        if key in read and read[key] is not parameter.default:
            read[key] = _declared(kind_of(parameter), read[key], f"{path}: {key}" if path else key)
    checked = check(path or what, kind, read)
    try:
        return kind(**checked)
    except ValueError as error:  # the class itself refuses the values
        raise ValueError(f"{path}: {error}" if path else str(error)) from None


def _declared(kind: Any, value: Any, path: str) -> Any:
    if get_origin(kind) is tuple:
        each = get_args(kind)[0]
        values = [value] if each is str and isinstance(value, (str, int)) else value
        if not isinstance(values, (list, tuple)):
            raise checks.BadValue(path, f"expected {possible(kind)}, got {checks.brief(value)}")
        return tuple(_declared(each, one, f"{path}[{number}]") for number, one in enumerate(values, start=1))
    if is_dataclass(kind) and isinstance(kind, type) and not isinstance(value, kind):
        return from_yaml(path, kind, value, path)
    if kind is str and type(value) is int:
        return str(value)
    if kind is float and isinstance(value, str):
        with suppress(ValueError):
            return float(value)
    return value
