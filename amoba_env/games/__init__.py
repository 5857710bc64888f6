"""The catalogue of games: one file for each; `make(name, **options)` makes a game.

To add a game, write a function that returns a `Game` in a file of the same name, and add the name to BUILT_IN. A script
calls `register`; an installed package has an entry point of the group `amoba.games`. Everything else follows from this.
"""

import functools
from collections.abc import Callable, Iterable
from typing import Any

from amoba_env import checks
from amoba_env import options as texts
from amoba_env.games.game import Game
from amoba_env.ids import ids
from amoba_env.options import Options, Value
from amoba_env.registry import Registry

__all__ = ["GAMES", "Game", "describe", "make", "make_from", "options_from_text", "register"]

BUILT_IN = "tictactoe", "gomoku", "renju", "omok", "amoba", "halma", "chinese_checkers", "square_halma"
RESERVED = frozenset(  # parameters of environments and of make(), which a game's options must not share
    {"name", "game", "opponent", "seat", "first", "position", "random_plies", "on_illegal", "render_mode"}
    | {"num_envs", "num_threads", "autoreset_mode", "max_episode_steps"}
    | {"id", "disable_env_checker", "vectorization_mode", "vector_kwargs", "wrappers"}  # of Gymnasium
)
GAMES: Registry[Game] = Registry(
    "game", {name: f"amoba_env.games.{name}:{name}" for name in BUILT_IN}, ids, defaults=True, reserved=RESERVED
)


def register(name: str, factory: Callable[..., Game]) -> None:
    """Add a game.

    Raises:
        ValueError: its name or ids are taken, the name is invalid, the factory is not a function, or one of its options
            has no default value or the name of an environment's option.
    """
    GAMES.register(name, factory)


def make(name: str, **options: Value) -> Game:
    """The game of this name. ValueError for an unknown name or option, or an impossible value."""
    return make_from(name, options)


def make_from(name: str, options: Options) -> Game:
    """Like make(), with the options as a mapping."""
    factory = GAMES.function(name)
    return _make(name, factory, tuple(texts.complete(name, factory, options).items()))


@functools.lru_cache(maxsize=64)
def _make(name: str, factory: Callable[..., Game], options: tuple[tuple[str, Any], ...]) -> Game:
    """Raises ValueError unless the game's own name and options, from which copies are made, give the same game."""
    game = factory(**dict(options))
    if not isinstance(game, Game):
        raise ValueError(f"game {name!r}: expected a function that returns a Game, got {checks.brief(game)}")
    try:
        again = texts.complete(game.name, GAMES.function(game.name), game.options)
        same = (game.name, again) == (name, dict(options)) or make_from(game.name, again) == game
    except ValueError:
        same = False
    if not same:
        raise ValueError(f"game {name!r}: expected a Game with this name and the options that it was made with")
    return game


def describe(name: str) -> tuple[str, dict[str, str]]:
    """A game in one line, and its options with their default values as text. ValueError: an unknown game."""
    return texts.described(GAMES.function(name))


def options_from_text(name: str, given: Iterable[str]) -> dict[str, Value]:
    """Options from texts such as ["size=15", "rule=exact"]. ValueError: an unknown game, option or value."""
    return texts.parse(name, GAMES.function(name), given)
