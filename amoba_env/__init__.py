"""Board games as reinforcement-learning environments over one compiled rules core.

`amoba_env.gomoku_v0.env()` is a PettingZoo AEC environment, also registered as `amoba/gomoku-v0`. ENVIRONMENTS
names all of them. The Gymnasium environment for one seat is `amoba/Gomoku-v0`, see amoba_env.single, amoba_env.vector.
`games.make("gomoku", size=15)` makes the rules of a game, `Position` is a position to play from, `Record` is a played
game, and `records` reads and writes files of them. The parts of the package are imported when they are first used.

Importing the package registers the environments with Gymnasium and PettingZoo, unless the environment variable
AMOBA_REGISTER is 0; `register_envs` does it later.
"""

import importlib
import os
import sys
from typing import TYPE_CHECKING, Any

from amoba_env import environments, ids

if TYPE_CHECKING:
    from amoba_env import games, records
    from amoba_env.position import Outcome, Position
    from amoba_env.record import Record

    ENVIRONMENTS: tuple[str, ...]

__version__ = "0.2.0"

_HOME = {"Position": "amoba_env.position", "Outcome": "amoba_env.position", "Record": "amoba_env.record"}

__all__ = ["ENVIRONMENTS", "Outcome", "Position", "Record", "games", "records", "register_envs"]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    if name == "ENVIRONMENTS":
        return tuple(game + ids.VERSION for game in importlib.import_module("amoba_env.games").GAMES)
    if name in __all__ or name.endswith(ids.VERSION):
        try:
            return importlib.import_module(f"amoba_env.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"amoba_env.{name}":
                raise
    raise AttributeError(f"module 'amoba_env' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *__getattr__("ENVIRONMENTS")})


def register_envs() -> None:
    """Register the environments with Gymnasium and PettingZoo, and from now on those of games that are added.

    Notebooks then show a game as a drawing.
    """
    games = importlib.import_module("amoba_env.games")
    games.Game.drawing = environments.drawing
    if environments.register not in games.GAMES.followers:
        games.GAMES.followers.append(environments.register)
    for game in games.GAMES:
        environments.register(game)


if environments.FINDER not in sys.meta_path:
    sys.meta_path.append(environments.FINDER)
if os.environ.get("AMOBA_REGISTER") != "0":  # the command line starts sooner without these libraries
    register_envs()
