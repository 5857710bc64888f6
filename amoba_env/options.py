"""Options as text: "size=15" for the function that takes `size: int`. Games and players are both made this way."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, get_args, get_origin

Value = int | str | bool
Options = Mapping[str, Value]

_KINDS: dict[object, str] = {int: "a whole number", bool: "true or false"}


def parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    """The options of a function, by name."""
    return inspect.signature(function).parameters


def complete(name: str, function: Callable[..., Any], options: Options) -> dict[str, Value]:
    """All options of the function, with its default values.

    Raises:
        ValueError: an option that it has not, or a value of another type.
    """
    known = parameters(function)
    for key, value in options.items():
        if key not in known:
            raise ValueError(f"{name} has no option {key!r}; its options: {', '.join(known) or 'none'}")
        kind = known[key].annotation
        if kind in _KINDS and (not isinstance(value, kind) or isinstance(value, bool) != (kind is bool)):
            raise ValueError(f"{name}: {key} must be {_KINDS[kind]}, not {value!r}")
        if get_origin(kind) is Literal and not isinstance(value, str):
            raise ValueError(f"{name}: {key} must be one of {', '.join(get_args(kind))}, not {value!r}")
    return {key: options.get(key, parameter.default) for key, parameter in known.items()}


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
        if kind is int:
            return int(text)
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
