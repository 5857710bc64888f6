"""Players for tests of the arena."""

import numpy as np

from amoba_agents.players.random import Random
from amoba_env.core import state as st


class Next(Random):
    """The next free cell: no chance in it."""

    name = "next"

    def act(self, game, states, rng, memory):  # type: ignore[no-untyped-def]
        return (game.cells(states) < 0).argmax(axis=1).astype(np.int32)


class Careless(Random):
    """Random, but for every game's fourth move, which is on a taken cell."""

    name = "careless"

    def act(self, game, states, rng, memory):  # type: ignore[no-untyped-def]
        actions = super().act(game, states, rng, memory)
        taken = (game.cells(states) >= 0).argmax(axis=1)
        return np.where(states[:, st.PLY] == 3, taken, actions).astype(np.int32)


class Silent(Random):
    """No move, as an engine that has crashed."""

    name = "silent"

    def act(self, game, states, rng, memory):  # type: ignore[no-untyped-def]
        return np.full(len(states), -1, np.int32)


class Stubborn(Random):
    """Always action 0: illegal from its second move on."""

    name = "stubborn"

    def act(self, game, states, rng, memory):  # type: ignore[no-untyped-def]
        return np.zeros(len(states), np.int32)
