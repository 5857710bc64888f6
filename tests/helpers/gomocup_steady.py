"""A player whose moves follow from the position alone, and (run as a program) the same as an engine."""

import os
import zlib

import numpy as np

from amoba_agents import make_agent, register
from amoba_env.agent import Actions, Agent, Memory, Streams
from amoba_env.core import state as st
from amoba_env.core.rng import streams
from amoba_env.core.state import States
from amoba_env.games import Game


class Steady(Agent):
    """Lookahead, with the position for a random stream."""

    name = "steady"

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        cells = game.cells(states)
        seen = np.where(cells < 0, 0, np.where(cells == states[:, st.TO_MOVE, None], 1, 2)).astype(np.int8)
        own = np.concatenate([streams(zlib.crc32(row.tobytes()), 0, 1) for row in seen])
        return make_agent("lookahead:2").act(game, states, own, memory)


if __name__ == "__main__":
    from amoba_experiments.gomocup import Brain

    register("steady", Steady)
    Brain("steady", lambda count: os.read(0, count), lambda line: print(line, flush=True)).serve()
