"""What alphabeta thinks of a position, and what its values and its policy say, straight from the compiled functions."""

from collections.abc import Sequence

import numpy as np

from amoba_agents.alphabeta import AlphaBeta
from amoba_agents.alphabeta import lines as li
from amoba_agents.alphabeta import stone_values as sv
from amoba_agents.alphabeta.learned_order import score_by_policy
from amoba_agents.alphabeta.stones import put_all
from amoba_env import Position
from amoba_env.core.rng import streams
from amoba_env.core.state import State
from amoba_env.games import Game


def thought(agent: AlphaBeta, position: Position, seed: int = 0) -> tuple[int, int]:
    """The move, and the value of the position."""
    actions, values = agent.think(position.game, position.state[None].copy(), streams(seed, 0, 1))
    return int(actions[0]), int(values[0])


def workspace_of(game: Game, state: State) -> np.ndarray:
    """The search's row of the position, with the stones put one after another."""
    w = li.workspace(game.rules)
    put_all(game.rules, state, w, li.hash_table(w, game.n_cells, 4))
    return w


def value_of(game: Game, state: State, seat: int, network: np.ndarray) -> int:
    """The value that the search computes."""
    return int(sv.evaluate(game.rules, state, workspace_of(game, state), network, np.int64(seat)))


def scores_of(game: Game, state: State, seat: int, network: np.ndarray, cells: Sequence[int] | np.ndarray) -> list[int]:
    """The policy's scores of some cells."""
    w = workspace_of(game, state)
    first, end = w[li.TOP], w[li.TOP] + len(cells)
    w[first:end] = cells
    sv.read_position(game.rules, state, w, network, np.int64(seat))
    score_by_policy(game.rules, state, w, network, np.int64(seat), w[li.SCORES], first, end)
    return [int(w[w[li.SCORES] + cell]) for cell in cells]
