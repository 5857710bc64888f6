"""Halma on the 37-cell star, after Zoltán Vécsey's thesis (JATE): men race to the opposite point."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from amoba_env.core import board as boards
from amoba_env.core import rules as tables
from amoba_env.core.state import EMPTY
from amoba_env.games.game import Game
from amoba_env.options import Options

MAX_PLIES = 600  # by default; halma itself has no end between players who block each other

# First cells (x, y) of the men in the order of their numbers, and the tip each player runs to.
RED = ((6, 8), (5, 7), (7, 7), (4, 6), (6, 6), (8, 6)), (6, 0)
WHITE = ((8, 2), (10, 2), (12, 2), (9, 3), (11, 3), (10, 4)), (0, 6)
GREEN = ((0, 2), (2, 2), (4, 2), (1, 3), (3, 3), (2, 4)), (12, 6)

Point = tuple[int, int]


def halma(players: int = 3, max_plies: int = MAX_PLIES, adjudicate: bool = False) -> Game:
    """Six men race across the star; adjudicate: at max_plies the least distance wins, else no result."""
    if players not in (2, 3):
        raise ValueError(f"halma: players must be 2 or 3, not {players}")
    if not 1 <= max_plies <= 32767:
        raise ValueError(f"halma: max_plies must be 1..32767, not {max_plies}")
    options: Options = {"players": players, "max_plies": max_plies, "adjudicate": adjudicate}
    return race("halma", options, boards.hexagram(2), [RED, WHITE, GREEN][:players], "rwg", ("red", "white", "green"))


def race(
    name: str,
    options: Options,
    board: boards.Board,
    seats: Sequence[tuple[Sequence[Point], Point]],
    symbols: str,
    colors: tuple[str, ...],
) -> Game:
    """A halma game on a hexagram: each seat has its men's first cells and its tip, and is the first one turned."""
    n, players = board.n_cells, len(seats)
    index = {(int(x), int(y)): cell for cell, (x, y) in enumerate(board.coords)}
    home = np.array([[index[point] for point in men] for men, _ in seats])
    tips = [tip for _, tip in seats]
    steps = np.array([[step_distance(point, tip) for point in board.coords.tolist()] for tip in tips])
    goal = np.array([np.sort(np.argsort(row, kind="stable")[: home.shape[1]]) for row in steps])
    cells = np.full(n, EMPTY)
    for seat, men in enumerate(home):
        cells[men] = seat
    view = np.array([_turn(board, index, tip, tips[0]) for tip in tips])
    x, y = board.coords.T.astype(int)
    numbers = {
        tables.FAMILY: tables.HALMA,
        tables.PLAYERS: players,
        tables.N_CELLS: n,
        tables.N_ACTIONS: n * n,
        tables.MAX_PLIES: int(options["max_plies"]),
        tables.ADJUDICATE: int(options["adjudicate"]),
        tables.HEIGHT: board.height,
        tables.WIDTH: board.width,
        tables.DIRECTIONS: board.neighbor.shape[1],
        tables.MEN: home.shape[1],
        tables.PLANES: players + 1,
    }
    rules = tables.pack(
        numbers,
        {
            tables.START: tables.start_row(cells),
            tables.NEIGHBOR: board.neighbor,
            tables.SITE: (y * board.width + x)[view],
            tables.VIEW: view,
            tables.BACK: np.argsort(view, axis=1),
            tables.HOME: home,
            tables.GOAL: goal,
            tables.STEPS: steps,
        },
    )
    return Game(name, options, board, rules, symbols[:players], colors[:players])


def step_distance(cell: Sequence[int], tip: Sequence[int]) -> int:
    """Steps that a lone man needs from a cell to a tip, both (x, y) on the double-width grid."""
    dx, dy = abs(cell[0] - tip[0]), abs(cell[1] - tip[1])
    return (dx + dy) // 2 if dx > dy else dy


def _turn(board: boards.Board, index: dict[Point, int], tip: Point, top: Point) -> NDArray[np.int64]:
    """The turn of the star by a multiple of 60 degrees that carries `tip` to `top`: cell -> cell."""
    side = board.height // 4
    # Axial coordinates around the centre (3 side, 2 side) are x = 2 q + r, y = r; a sixth of a turn takes
    # (q, r) to (-r, q + r).
    image = {point: point for point in index}
    while image[tip] != top:
        for point, (x, y) in image.items():
            q, r = (x - 3 * side - (y - 2 * side)) // 2, y - 2 * side
            q, r = -r, q + r
            image[point] = (2 * q + r + 3 * side, r + 2 * side)
    return np.array([index[image[(int(x), int(y))]] for x, y in board.coords])
