"""Board games as reinforcement-learning environments over one compiled rules core.

`amoba_env.gomoku_v0.env()` is a PettingZoo AEC environment, also registered as `amoba/gomoku-v0`; ENVIRONMENTS lists
all of them. `amoba/Gomoku-v0` is the Gymnasium environment for one seat: see amoba_env.single and amoba_env.vector.
`games.make("gomoku", size=15)` makes a game, `Position` is a position of it, `Record` is a played game, and `records`
reads and writes files of games. Each part of the package is imported when it is first used.

Importing the package registers the environments with Gymnasium and PettingZoo. With the environment variable
AMOBA_REGISTER=0 it does not; `register_envs` does it later.
"""

import importlib
import os
import sys
from typing import Any

from amoba_env import environments, ids

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
    """Register the environments with Gymnasium and PettingZoo; a game that is added later is registered too.

    Notebooks then draw a game that a cell returns.
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
