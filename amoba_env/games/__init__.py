"""The catalogue of games: one file for each; `make(name, **options)` makes a game.

To add a game, write a function that returns a `Game` in a file of the same name, and add the name to BUILT_IN. A script
calls `register`; an installed package has an entry point of the group `amoba.games`. Everything else follows from this.
"""

import functools
from collections.abc import Callable, Iterable
from typing import Any

from amoba_env import options as texts
from amoba_env.games.game import Game
from amoba_env.ids import ids
from amoba_env.options import Options, Value
from amoba_env.registry import Registry

__all__ = ["GAMES", "Game", "describe", "make", "make_from", "options_from_text", "register"]

BUILT_IN = "tictactoe", "gomoku", "renju", "omok", "amoba", "halma", "chinese_checkers", "square_halma"
GAMES: Registry[Game] = Registry(
    "game", {name: f"amoba_env.games.{name}:{name}" for name in BUILT_IN}, ids, defaults=True
)


def register(name: str, factory: Callable[..., Game]) -> None:
    """Add a game.

    Raises:
        ValueError: its name or ids are taken, the name is invalid, the factory is not a function, or one of its options
            has no default value.
    """
    GAMES.register(name, factory)


def make(name: str, **options: Value) -> Game:
    """The game of this name. ValueError for an unknown name or option, or an impossible value."""
    return make_from(name, options)


def make_from(name: str, options: Options) -> Game:
    """Like make(), with the options as a mapping."""
    factory = GAMES.function(name)
    return _make(factory, tuple(texts.complete(name, factory, options).items()))


@functools.lru_cache(maxsize=64)
def _make(factory: Callable[..., Game], options: tuple[tuple[str, Any], ...]) -> Game:
    return factory(**dict(options))


def describe(name: str) -> tuple[str, dict[str, str]]:
    """A game in one line, and its options with their default values as text. ValueError: an unknown game."""
    return texts.described(GAMES.function(name))


def options_from_text(name: str, given: Iterable[str]) -> dict[str, Value]:
    """Options from texts such as ["size=15", "rule=exact"]. ValueError: an unknown game, option or value."""
    return texts.parse(name, GAMES.function(name), given)
