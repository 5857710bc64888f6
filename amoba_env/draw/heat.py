"""Heat maps: one number for each cell, from numbers for cells or actions; short texts for numbers."""

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


def short(value: float) -> str:
    """A number in few characters: .37, -.5, 1.2, 87."""
    text = f"{value:.0f}" if abs(value) >= 10 else f"{value:.1f}" if abs(value) >= 1 else f"{value:.2f}"
    sign, digits = ("-", text[1:]) if text[0] == "-" else ("", text)
    if "." in digits:
        digits = digits.rstrip("0").rstrip(".").removeprefix("0") or "0"
    return sign + digits if digits != "0" else digits
