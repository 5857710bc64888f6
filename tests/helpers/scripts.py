"""A player whose moves depend on the position and the number of the game alone."""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

from amoba_env.agent import Actions, Agent, Memory, Streams
from amoba_env.core import play
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.games import Game


class Script(Agent):
    """Plays what choose() says; the stream of a game, never advanced, is its number."""

    name = "script"

    def __init__(self, careless: bool = False) -> None:
        self.careless = careless

    def act(self, game: Game, states: NDArray[np.int16], rng: Streams, memory: Memory) -> Actions:
        chosen = [choose(game, state, int(key), self.careless) for state, key in zip(states, rng, strict=True)]
        return np.array(chosen, np.int32)


def choose(game: Game, state: NDArray[np.int16], key: int, careless: bool = False) -> int:
    """Any legal move; men mostly go as far as they can, or games would not end. Careless: sometimes no legal one."""
    legal = np.empty(game.n_actions, np.int32)
    legal = legal[: play.moves(game.rules, state, legal)]
    dice = zlib.crc32(state.tobytes(), key & 0xFFFFFFFF)
    if careless and state[st.PLY] >= 4 and dice % 7 == 0:  # all have had a turn
        return int(np.setdiff1d(np.arange(game.n_actions), legal)[0])
    if game.moves_men and dice % 8:
        steps = ru.table(game.rules, ru.STEPS)[state[st.TO_MOVE]]
        left = steps[legal % game.n_cells] - steps[legal // game.n_cells]
        legal = legal[left == left.min()]
    return int(legal[(dice >> 3) % len(legal)])
