"""The catalogue: one file a game, `make(name, **options)` builds any of them.

To add a game, write a function that returns a `Game` and enter it in GAMES; nothing else needs to know.
"""

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, get_args, get_origin

from amoba_env.games.game import Game, Options
from amoba_env.games.gomoku import gomoku
from amoba_env.games.halma import halma
from amoba_env.games.tictactoe import tictactoe

__all__ = ["GAMES", "Game", "describe", "make", "make_from", "options_from_text"]

GAMES: dict[str, Callable[..., Game]] = {"tictactoe": tictactoe, "gomoku": gomoku, "halma": halma}


def make(name: str, **options: int | str | bool) -> Game:
    """The game of this name. Raises ValueError for an unknown name or option, or an impossible value."""
    return make_from(name, options)


def make_from(name: str, options: Options) -> Game:
    """`make` with the options as a mapping."""
    parameters = _parameters(name)
    for key in options:
        if key not in parameters:
            possible = ", ".join(parameters) or "none"
            raise ValueError(f"{name} has no option {key!r}; its options: {possible}")
    return _make(name, tuple(sorted({key: options.get(key, p.default) for key, p in parameters.items()}.items())))


@functools.lru_cache(maxsize=64)
def _make(name: str, options: tuple[tuple[str, Any], ...]) -> Game:
    return GAMES[name](**dict(options))


def _parameters(name: str) -> Mapping[str, inspect.Parameter]:
    if name not in GAMES:
        raise ValueError(f"unknown game {name!r}; the games: {', '.join(GAMES)}")
    return inspect.signature(GAMES[name]).parameters


def describe(name: str) -> tuple[str, dict[str, str]]:
    """What a game is, in one line, and its options with their default values as text."""
    parameters = _parameters(name)
    summary = (inspect.getdoc(GAMES[name]) or "").splitlines()[0]
    return summary, {key: _choices(p) for key, p in parameters.items()}


def _choices(parameter: inspect.Parameter) -> str:
    if get_origin(parameter.annotation) is Literal:
        rest = [choice for choice in get_args(parameter.annotation) if choice != parameter.default]
        return "|".join([str(parameter.default), *rest])
    return str(parameter.default).lower()


def options_from_text(name: str, texts: Iterable[str]) -> dict[str, int | str | bool]:
    """Options from ["size=15", "rule=exact"], as the command line has them."""
    parameters = _parameters(name)
    options: dict[str, int | str | bool] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"option {text!r} should read name=value, for example size=15")
        kind = parameters[key].annotation if key in parameters else str
        try:
            options[key] = _value(kind, value)
        except ValueError:
            raise ValueError(f"{name}: option {key} takes {_KINDS[kind]}, not {value!r}") from None
    return options


_KINDS = {int: "a whole number", bool: "true or false"}


def _value(kind: Any, text: str) -> int | str | bool:
    if kind is bool:
        if text.lower() not in ("true", "false"):
            raise ValueError(text)
        return text.lower() == "true"
    return int(text) if kind is int else text
