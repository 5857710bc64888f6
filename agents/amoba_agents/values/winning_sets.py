"""The winning sets of a game, and their guards, as lists of cells."""

import numpy as np

from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.rules import table
from amoba_env.games import Game


def winning_sets(game: Game, slot: int = ru.SETS) -> list[list[int]]:
    """The cells of each winning set, or with the slot GUARDS its guards; empty where men move."""
    if game.moves_men:
        return []
    rows = table(game.rules, slot).reshape(int(game.rules[ru.N_SETS]), -1).tolist()
    return [[cell for cell in row if cell != st.NOWHERE] for row in rows]


def in_lines(game: Game) -> bool:
    """Whether two players place stones on squares, and every winning set is a line without gaps."""
    if game.moves_men or game.players != 2 or game.board.double_width:
        return False
    x, y = np.asarray(game.board.coords).T
    steps = [np.diff([x[cells], y[cells]]) for cells in map(sorted, winning_sets(game))]
    return all(len(step.T) and np.abs(step).max() == 1 and np.ptp(step, 1).max() == 0 for step in steps)
