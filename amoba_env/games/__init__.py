"""The catalogue of games: one file for each, and `make(name, **options)` builds any of them.

To add a game, write a function that returns a `Game` and add it to GAMES; in a script call `register`. Nothing else has
to be changed.
"""

import functools
from collections.abc import Callable, Iterable
from typing import Any

from amoba_env import checks
from amoba_env import options as texts
from amoba_env.games.amoba import amoba
from amoba_env.games.chinese_checkers import chinese_checkers
from amoba_env.games.game import Game
from amoba_env.games.gomoku import gomoku
from amoba_env.games.halma import halma
from amoba_env.games.renju import renju
from amoba_env.games.square_halma import square_halma
from amoba_env.games.tictactoe import tictactoe
from amoba_env.options import Options, Value

__all__ = ["GAMES", "Game", "describe", "make", "make_from", "options_from_text", "register"]

GAMES: dict[str, Callable[..., Game]] = {
    "tictactoe": tictactoe,
    "gomoku": gomoku,
    "renju": renju,
    "amoba": amoba,
    "halma": halma,
    "chinese_checkers": chinese_checkers,
    "square_halma": square_halma,
}


def register(name: str, factory: Callable[..., Game]) -> None:
    """Add a game to the catalogue.

    Raises:
        ValueError: the name is taken or not a text, or the factory is not a function.
    """
    if checks.text("the name of a game", name) in GAMES or not name:
        raise ValueError(f"game name {name!r} is taken or empty")
    if not callable(factory):
        raise ValueError(f"game {name!r}: expected a function that returns a Game, got {checks.brief(factory)}")
    GAMES[name] = factory


def make(name: str, **options: Value) -> Game:
    """The game of this name. Raises ValueError for an unknown name or option, or an impossible value."""
    return make_from(name, options)


def make_from(name: str, options: Options) -> Game:
    """`make` with the options as a mapping."""
    factory = _factory(name)
    return _make(factory, tuple(texts.complete(name, factory, options).items()))


@functools.lru_cache(maxsize=64)
def _make(factory: Callable[..., Game], options: tuple[tuple[str, Any], ...]) -> Game:
    return factory(**dict(options))


def _factory(name: str) -> Callable[..., Game]:
    if not isinstance(name, str) or name not in GAMES:
        raise ValueError(f"unknown game {checks.brief(name)}; the games: {', '.join(GAMES)}")
    return GAMES[name]


def describe(name: str) -> tuple[str, dict[str, str]]:
    """What a game is, in one line, and its options with their default values as text. ValueError: no such game."""
    return texts.described(_factory(name))


def options_from_text(name: str, given: Iterable[str]) -> dict[str, Value]:
    """Options from texts such as ["size=15", "rule=exact"]. ValueError: no such game or option, a wrong value."""
    return texts.parse(name, _factory(name), given)
