"""Options as text: "size=15" for the function that takes `size: int`. Games and players are both made this way.

An option `board: Annotated[str, settled]` is given to the function as `settled(board)`, before anything is made: so
texts that mean the same are the same value, and a value does not change with what it was read from.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, Literal, get_args, get_origin

import numpy as np

Value = int | float | str | bool
Options = Mapping[str, Value]

_KINDS: dict[object, str] = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}


def parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    """The options of a function, by name."""
    return inspect.signature(function, eval_str=True).parameters


def complete(name: str, function: Callable[..., Any], options: Options) -> dict[str, Value]:
    """All options of the function, with its default values.

    Raises:
        ValueError: an option that it has not, or a value of another type.
    """
    known = parameters(function)
    for key in options:
        if key not in known:
            raise ValueError(f"{name} has no option {key!r}; its options: {', '.join(known) or 'none'}")
    return {key: _checked(name, known[key], options.get(key, known[key].default)) for key in known}


def _checked(name: str, parameter: inspect.Parameter, value: Any) -> Value:
    """The value, NumPy's integers and bools as Python's, and a text settled."""
    kind = parameter.annotation
    if get_origin(kind) is Annotated:
        kind, settled = get_args(kind)
        if isinstance(value, kind):
            result: Value = settled(value)
            return result
    if kind is bool and isinstance(value, (bool, np.bool_)):
        return bool(value)
    if kind is int and isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return int(value)
    if kind is float and isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool):
        return float(value)
    if (kind is str or kind not in _KINDS) and isinstance(value, str):
        return value
    wanted = _KINDS[kind] if kind in _KINDS else f"one of {', '.join(get_args(kind))}"
    raise ValueError(f"{name}: {parameter.name} must be {wanted}, not {value!r}")


def parse(name: str, function: Callable[..., Any], texts: Iterable[str]) -> dict[str, Value]:
    """Options from texts like "size=15". Raises ValueError that says what is possible."""
    options: dict[str, Value] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"{name}: option {text!r} should read name=value")
        if key not in parameters(function):
            complete(name, function, {key: value})
        options[key] = parse_value(name, parameters(function)[key], value)
    return options


def parse_value(name: str, parameter: inspect.Parameter, text: str) -> Value:
    """The value of one option. Raises ValueError that says what is possible."""
    kind = parameter.annotation
    try:
        if kind is int or kind is float:
            return kind(text)
        if kind is bool:
            return {"true": True, "false": False}[text.lower()]
    except (ValueError, KeyError):
        raise ValueError(f"{name}: option {parameter.name} takes {_KINDS[kind]}, not {text!r}") from None
    if get_origin(kind) is Literal and text not in get_args(kind):
        raise ValueError(f"{name}: option {parameter.name} must be one of {', '.join(get_args(kind))}, not {text!r}")
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
