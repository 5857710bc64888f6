"""A small game with each opening rule."""

from typing import Any

import pytest

from amoba_env import games
from amoba_env.games import Game

OPENINGS: dict[str, tuple[str, dict[str, Any]]] = {
    "swap": ("gomoku", {"size": 7, "opening": "swap"}),
    "swap2": ("gomoku", {"size": 7, "opening": "swap2"}),
    "rif26": ("renju", {"size": 9, "opening": "rif26"}),
    "soosyrv8": ("renju", {"size": 9, "opening": "soosyrv8"}),
    "taraguchi10": ("renju", {"size": 9, "opening": "taraguchi10"}),
    "yamaguchi": ("renju", {"size": 9, "opening": "yamaguchi"}),
}


every_opening = pytest.mark.parametrize("opening", OPENINGS)


def make(opening: str) -> Game:
    name, options = OPENINGS[opening]
    return games.make(name, **options)
