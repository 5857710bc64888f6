"""Renju positions for tests: from drawings, by chance, from the corpus; and what the core says of them."""

import random
from functools import cache
from typing import Any

import numpy as np
from naive import Point
from naive_renju import DIRECTIONS, Cells

from amoba_env import games
from amoba_env.core import renju
from amoba_env.core import state as st
from amoba_env.core.state import State
from amoba_env.games import Game
from workshop.bench import renju_points as bench


@cache
def corpus() -> list[dict[str, Any]]:
    """Its positions, all with `black` and `white`, and cells as (x, y)."""
    found = list(bench.corpus())
    for entry in found:
        moves = entry.pop("moves", None)
        if moves is not None:
            entry["black"], entry["white"] = moves[::2], moves[1::2]
        for key in ("black", "white", "forbidden", "five", "white_five"):
            entry[key] = [(column, row) for row, column in entry[key]]
    return found


def drawn(lines: list[str], corner: Point = (0, 0)) -> tuple[set[Point], set[Point], Point | None]:
    """Black's stones x, White's o, and the empty cell + of a drawing whose upper left cell is this one."""
    chars = {(corner[0] + x, corner[1] + y): char for y, line in enumerate(lines) for x, char in enumerate(line)}
    black, white = ({point for point in chars if chars[point] == stone} for stone in "xo")
    return black, white, next((point for point in chars if chars[point] == "+"), None)


def state_of(game: Game, black: set[Point] | Cells, white: set[Point] | Cells, to_move: int = 0) -> State:
    """The position with these stones; Black has seat 0. It is not settled."""
    state, width = game.start(), game.board.width
    for seat, stones in enumerate((black, white)):
        for x, y in stones:
            state[st.CELLS + y * width + x] = seat
    state[st.PLY], state[st.TO_MOVE] = len(black) + len(white), to_move
    return state


def free_cells(size: int, black: set[Point] | Cells, white: set[Point] | Cells) -> Cells:
    return frozenset((x, y) for x in range(size) for y in range(size)) - black - white


def core_kinds(size: int, black: set[Point] | Cells, white: set[Point] | Cells) -> dict[Point, str]:
    """What the core says of black stones on the empty cells, where it is more than nothing."""
    game = games.make("renju", size=size)
    kinds = np.full(size * size, 99, np.int8)
    count = renju.points(game.rules, state_of(game, black, white), kinds)
    found = {(cell % size, cell // size): renju.KINDS[what] for cell, what in enumerate(kinds.tolist()) if what}
    assert count == sum(what != "five" for what in found.values())
    return found


def scattered(dice: random.Random, size: int, black: float, white: float) -> tuple[Cells, Cells]:
    """Stones by chance: these shares of the cells."""
    luck = {(x, y): dice.random() for x in range(size) for y in range(size)}
    return (
        frozenset(point for point in luck if luck[point] < black),
        frozenset(point for point in luck if black <= luck[point] < black + white),
    )


def is_crossed(black: Cells, p: Point) -> bool:
    """May two threes meet here? Each has two black stones on its line, within three cells."""
    lines = [[(p[0] + i * dx, p[1] + i * dy) for i in range(-3, 4) if i] for dx, dy in DIRECTIONS]
    return sum(sum(point in black for point in line) >= 2 for line in lines) >= 2
