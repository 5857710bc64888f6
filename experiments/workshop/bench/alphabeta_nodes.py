"""The search of the player `alphabeta` on one core: nodes a second."""

from __future__ import annotations

import random

import numpy as np

from amoba_agents import Seat, make_agent
from amoba_agents.alphabeta import lines as li
from amoba_agents.alphabeta.alphabeta_search import think
from amoba_agents.alphabeta.stone_values import COUNTED, StoneNetwork, network
from amoba_env.core.rng import streams
from amoba_env.core.state import State
from amoba_env.games import Game, make
from amoba_env.position import Position
from amoba_experiments.bench import Measurement, compare, seconds

POSITIONS, PLIES, LIMIT = 6, 12, 100_000


def positions(game: Game) -> list[State]:
    """Positions from the middle of games of `greedy`, each begun with four random stones in the centre."""
    found: list[State] = []
    for seed in range(100):
        draw = random.Random(seed)
        position = Position.start(game)
        seat = Seat(make_agent("greedy"), position, seed)
        x, y = game.board.coords.T.astype(int)
        middle = np.flatnonzero(np.maximum(abs(x - x.max() // 2), abs(y - y.max() // 2)) <= 2)
        for cell in draw.sample(middle.tolist(), 4):
            position = position.play(cell)
        while not position.over and position.ply < PLIES:
            position = position.play(seat.act(position))
        if not position.over and len(found) < POSITIONS:
            found.append(position.state)
    return found


def search_rate(game: Game, states: list[State], values: StoneNetwork) -> float:
    """Nodes a second, over a search of each position. A search that ends early, with a win, has fewer nodes."""
    nodes, time = 0, 0.0
    for state in states:
        w = li.workspace(game.rules)
        t = li.hash_table(w, game.n_cells, LIMIT.bit_length())
        what = game.rules, state[None], streams(0, 0, 1), w, t, values
        time += seconds(think, *what, li.MAX_PLY, LIMIT, 0, np.empty(1, np.int32), np.empty(1, np.int32))
        nodes += int(w[li.NODES])
    return nodes / time


def measure(runs: int) -> list[Measurement]:
    """Nodes a second in gomoku 10x10 and 15x15 and in renju."""
    results = []
    for name, size in (("gomoku", 10), ("gomoku", 15), ("renju", 15)):
        game = make(name, size=size)
        states = positions(game)
        for kind, values in (("learned", network(game.rules)), ("counted", COUNTED)):
            search_rate(game, states[:1], values)
            rates = [search_rate(game, states, values) for _ in range(runs)]
            results.append(compare(f"alphabeta, {name} {size}x{size}, {kind} values", "nodes/s", rates))
    return results
