"""The common part of the halma family: seats around a board that looks the same to each of them.

Seat 0 sees the board as it is. The other seats see it turned, so that every seat sees its goal at the same place.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_env import checks
from amoba_env.core import board as boards
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.games.game import Game
from amoba_env.options import Option, Options

COLORS = ("red", "white", "green", "blue", "yellow", "violet")

MaxPlies = Annotated[int, Option("moves after which the game is truncated", 1, st.MOST_PLIES)]
Adjudicate = Annotated[
    bool, Option("true: at max_plies the least step distance wins (shared: a draw) in place of truncation")
]
AntiSpoiling = Annotated[bool, Option("true: a player wins as soon as its goal is full and has one of its own men")]

Point = tuple[int, int]
Cells = NDArray[np.int64]  # a number for each cell, or some cells


class Seats(NamedTuple):
    """Homes, goals and views of the seats."""

    view: Cells  # [players, n] cell -> its number relative to that seat
    home: Cells  # [players, men] first cells of the men, in the order of their numbers
    goal: Cells  # [men] the goal of seat 0; every seat sees its own there
    steps: Cells  # [n] step distance for seat 0


def race(name: str, options: Options, board: boards.Board, seats: Seats) -> Game:
    """The game of these seats; `options` has max_plies and adjudicate, and may have anti_spoiling.

    Raises:
        ValueError: max_plies is out of range.
    """
    n, (players, men) = board.n_cells, seats.home.shape
    max_plies = checks.whole(f"{name}: max_plies", options["max_plies"], 1, st.MOST_PLIES)
    view, back = seats.view, np.argsort(seats.view, axis=1)
    cells = np.full(n, st.EMPTY)
    for seat, own in enumerate(seats.home):
        cells[own] = seat
    x, y = board.coords.T.astype(int)
    numbers = {
        ru.FAMILY: ru.HALMA,
        ru.PLAYERS: players,
        ru.N_CELLS: n,
        ru.N_ACTIONS: n * n,
        ru.PLY_LIMIT: max_plies,
        ru.ADJUDICATE: int(options["adjudicate"]),
        ru.ANTI_SPOILING: int(options.get("anti_spoiling", False)),
        ru.HEIGHT: board.height,
        ru.WIDTH: board.width,
        ru.DIRECTIONS: board.neighbor.shape[1],
        ru.MEN: men,
    }
    rules = ru.pack(
        numbers,
        {
            ru.START: ru.start_row(cells),
            ru.NEIGHBOR: board.neighbor,
            ru.SITE: (y * board.width + x)[view],
            ru.VIEW: view,
            ru.BACK: back,
            ru.HOMES: seats.home,
            ru.GOALS: np.sort(back[:, seats.goal], axis=1),
            ru.STEPS: seats.steps[view],
        },
    )
    colors = COLORS[:players]
    return Game(name, options, board, rules, "".join(color[0] for color in colors), colors)


def seats_around(
    board: boards.Board,
    turn: Callable[[int, int], Point],
    places: Sequence[int],
    home: Cells,
    goal: Cells,
    steps: Cells,
) -> Seats:
    """The seats at these places, from home, goal and step distances of seat 0.

    A place is a number of turns from seat 0. `turn` maps a point (x, y) to its image under one turn clockwise.
    """
    back = np.argsort(cells_of(board, [turn(int(x), int(y)) for x, y in board.coords]))
    views = [np.arange(board.n_cells)]
    for _ in range(max(places)):
        views.append(back[views[-1]])
    view = np.array([views[place] for place in places])
    return Seats(view, np.argsort(view, axis=1)[:, home], goal, steps)


def cells_of(board: boards.Board, points: Iterable[Point]) -> Cells:
    """The cells of these (x, y) points."""
    index = {(int(x), int(y)): cell for cell, (x, y) in enumerate(board.coords)}
    return np.array([index[point] for point in points])
