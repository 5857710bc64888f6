"""Positions of random games."""

import random

from amoba_env import Position
from amoba_env.games import Game


def random_position(game: Game, draw: random.Random, least: int, most: int) -> Position:
    """A position that is not over, after a random number of random moves between these two."""
    while True:
        position = Position.start(game)
        for _ in range(draw.randint(least, most)):
            if not position.over:
                position = position.play(draw.choice(position.legal_actions().tolist()))
        if not position.over:
            return position
