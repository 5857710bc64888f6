"""Options as text: "size=15" for a function that takes `size: int`. Games and players are made from such texts.

An option `board: Annotated[str, normal]` is passed through `normal(board)` first. So texts with the same meaning become
the same value, and a text that names a file is replaced by what the file holds.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, Literal, get_args, get_origin

import numpy as np

from amoba_env import checks

Value = int | float | str | bool
Options = Mapping[str, Value]

_KINDS: dict[object, str] = {int: "a whole number", float: "a finite number", bool: "true or false", str: "a text"}


def parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    """The options of a function, by name."""
    return inspect.signature(function, eval_str=True).parameters


def complete(name: str, function: Callable[..., Any], options: Options) -> dict[str, Value]:
    """All options of the function, with its default values.

    Raises:
        ValueError: an unknown option, or a value of another type.
    """
    known, options = parameters(function), checks.mapping(f"options of {name}", options)
    for key in options:
        if key not in known:
            raise ValueError(f"{name} has no option {checks.brief(key)}; its options: {', '.join(known) or 'none'}")
    return {key: _checked(name, known[key], options.get(key, known[key].default)) for key in known}


def _checked(name: str, parameter: inspect.Parameter, value: Any) -> Value:
    """The value of an option: NumPy's integers and bools become Python's, and texts normal."""
    kind = parameter.annotation
    if get_origin(kind) is Annotated:
        kind, normal = get_args(kind)
        if isinstance(value, kind):
            result: Value = normal(value)
            return result
    if kind is bool and isinstance(value, (bool, np.bool_)):
        return bool(value)
    if kind is int:
        return checks.whole(f"{name}: {parameter.name}", value)
    if kind is float:
        return checks.real(f"{name}: {parameter.name}", value)
    if (kind is str or kind not in _KINDS) and isinstance(value, str):
        return value
    wanted = _KINDS[kind] if kind in _KINDS else f"one of {', '.join(get_args(kind))}"
    raise checks.BadValue(f"{name}: {parameter.name}", f"must be {wanted}, not {checks.brief(value)}")


def parse(name: str, function: Callable[..., Any], texts: Iterable[str]) -> dict[str, Value]:
    """Options from texts like "size=15". Raises ValueError that says what is possible."""
    options: dict[str, Value] = {}
    for text in [texts] if isinstance(texts, str) else checks.listed(f"options of {name}", texts):
        key, equals, value = checks.text(f"{name}: an option", text).partition("=")
        if not equals:
            raise ValueError(f"{name}: option {checks.brief(text)} should read name=value")
        if key not in parameters(function):
            complete(name, function, {key: value})
        options[key] = parse_value(name, parameters(function)[key], value)
    return options


def parse_value(name: str, parameter: inspect.Parameter, text: str) -> Value:
    """The value of one option. Raises ValueError that says what is possible."""
    kind = parameter.annotation
    try:
        if kind is int:
            return int(text)
        if kind is float:
            return checks.real("", float(text))
        if kind is bool:
            return {"true": True, "false": False}[text.lower()]
    except (ValueError, KeyError):
        problem = f"takes {_KINDS[kind]}, not {checks.brief(text)}"
        raise checks.BadValue(f"{name}: option {parameter.name}", problem) from None
    if get_origin(kind) is Literal:
        checks.one_of(f"{name}: option {parameter.name}", text, get_args(kind))
    return text


def summary(function: Callable[..., Any]) -> str:
    """The first line of the docstring."""
    return (inspect.getdoc(function) or "").partition("\n")[0]


def choices(parameter: inspect.Parameter) -> str:
    """The default value as text, and the other values where they are few."""
    default = str(parameter.default).lower() if parameter.annotation is bool else str(parameter.default)
    if get_origin(parameter.annotation) is Literal:
        return "|".join([default, *(choice for choice in get_args(parameter.annotation) if choice != default)])
    return "true|false" if parameter.annotation is bool and parameter.default else default
