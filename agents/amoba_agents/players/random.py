"""The player that moves at random."""

import numpy as np
from numpy.typing import NDArray

from amoba_env.agent import Actions, Agent, Memory, Streams
from amoba_env.core import rules as ru
from amoba_env.core.families import by_family
from amoba_env.core.play import moves
from amoba_env.core.rng import below
from amoba_env.core.rules import Rules
from amoba_env.core.state import States
from amoba_env.games import Game


@by_family()
def _choose(rules: Rules, states: States, streams: NDArray[np.uint64], actions: NDArray[np.int32]) -> None:
    legal = np.empty(rules[ru.N_ACTIONS], np.int32)
    for b in range(len(states)):
        count = moves(rules, states[b], legal)
        actions[b] = legal[below(streams[b : b + 1], count)]


class Random(Agent):
    """A legal move, all equally likely."""

    name = "random"
    rowwise = True

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        """See Agent."""
        actions = np.empty(len(states), np.int32)
        _choose(game.rules, states, rng, actions)
        return actions
