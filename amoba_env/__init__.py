"""Board games as reinforcement-learning environments over one compiled rules core.

`amoba_env.gomoku_v0.env()` is a PettingZoo AEC environment, also registered as `amoba/gomoku-v0`. ENVIRONMENTS lists
all of them. The Gymnasium environment for one seat is `amoba/Gomoku-v0`, see amoba_env.single and amoba_env.vector.
`games.make("gomoku", size=15)` makes the rules of a game, `Position` is a position to play from, `Record` is a played
game, and `records` reads and writes files of them. The parts of the package are imported when they are first used.

Importing the package registers the environments with Gymnasium and PettingZoo, unless the environment variable
AMOBA_REGISTER is 0; `register_envs` does it later.
"""

import importlib
import os
from typing import Any

__version__ = "0.2.0"

ENVIRONMENTS = (
    "tictactoe_v0",
    "gomoku_v0",
    "renju_v0",
    "amoba_v0",
    "halma_v0",
    "chinese_checkers_v0",
    "square_halma_v0",
)

_CAMEL = {"tictactoe": "TicTacToe"}
_HOME = {"Position": "amoba_env.position", "Outcome": "amoba_env.position", "Record": "amoba_env.record"}

__all__ = [
    "ENVIRONMENTS",
    "Outcome",
    "Position",
    "Record",
    "amoba_v0",
    "chinese_checkers_v0",
    "games",
    "gomoku_v0",
    "halma_v0",
    "records",
    "register_envs",
    "renju_v0",
    "square_halma_v0",
    "tictactoe_v0",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    if name in __all__:
        return importlib.import_module(f"amoba_env.{name}")
    raise AttributeError(f"module 'amoba_env' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


def register_envs() -> None:
    """Register the environments with Gymnasium and, from its version 1.27 on, with PettingZoo; never twice."""
    import gymnasium

    for name in ENVIRONMENTS:
        game = name.removesuffix("_v0")
        id = f"amoba/{_CAMEL.get(game, game.title().replace('_', ''))}-v0"
        if id not in gymnasium.registry:
            gymnasium.register(
                id,
                entry_point="amoba_env.single:SingleEnv",
                vector_entry_point="amoba_env.vector:BatchEnv",
                kwargs={"game": game},
            )
    try:
        from pettingzoo import aec_registry, register
    except ImportError:
        return
    for name in ENVIRONMENTS:
        id = f"amoba/{name.replace('_', '-')}"
        if id not in aec_registry:
            register("aec", id, f"amoba_env.{name}:env")


if os.environ.get("AMOBA_REGISTER") != "0":  # the command line starts sooner without these libraries
    register_envs()
