"""Heat maps: one number for each cell, from numbers for cells or actions."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amoba_env import checks
from amoba_env.games import Game


def per_cell(game: Game, heat: ArrayLike) -> NDArray[np.float64]:
    """Heat as one number for each cell, [n_cells]; NaN: none."""
    board, n = game.board, game.n_cells
    given = checks.array("heat", heat)
    if given.dtype.kind not in "iuf":
        raise ValueError(f"heat: expected numbers, got {checks.brief(heat)}")
    given = given.astype(np.float64)
    if given.shape == (board.height, board.width):
        x, y = board.coords.T
        given = given[y, x]
    finite = np.where(np.isfinite(given), given, np.nan)
    if given.shape == (n,):
        return finite
    if given.shape != (game.n_actions,):
        raise ValueError(
            f"heat: expected shape ({n},), {(board.height, board.width)} or ({game.n_actions},), got {given.shape}"
        )
    if game.moves_men:
        greatest: NDArray[np.float64] = np.fmax.reduce(finite.reshape(n, n), axis=0)
        return greatest
    return finite[:n]
