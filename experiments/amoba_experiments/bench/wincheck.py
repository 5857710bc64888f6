"""How long the win test of a move takes on boards of growing size.

The core looks only at the winning sets through the last cell. Beside it two tests look at the whole board: one goes
from every stone along the four axes; the other passes once over the cells, with a counter for each row, column and
diagonal that has room for five (on 10x10: 10 + 10 + 11 + 11 = 42 for each player).
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.jit import jit
from amoba_env.core.place import wins
from amoba_env.core.rng import Stream, below, streams
from amoba_env.core.rules import Rules
from amoba_env.core.state import State
from amoba_env.games import Game, make
from amoba_experiments.bench import Result, compare, seconds

SIZES = (10, 15, 19, 30, 50, 70, 100)
K = 5
LINES, SCAN, COUNTERS = range(3)
WHAT = ("win test", "move of a game")
METHODS = {LINES: "last cell", SCAN: "board scan", COUNTERS: "counters"}


@jit
def _scan(s: State, size: int) -> bool:
    """Is there a five? Looks from every stone along the four axes."""
    for y in range(size):
        for x in range(size):
            owner = s[st.CELLS + y * size + x]
            if owner == st.EMPTY:
                continue
            for dx, dy in ((1, 0), (0, 1), (1, 1), (-1, 1)):
                end_x, end_y = x + (K - 1) * dx, y + (K - 1) * dy
                if 0 <= end_x < size and end_y < size:
                    i = 1
                    while i < K and s[st.CELLS + (y + i * dy) * size + x + i * dx] == owner:
                        i += 1
                    if i == K:
                        return True
    return False


@jit
def _counters(s: State, size: int, me: int, count: NDArray[np.int64]) -> bool:
    """Has `me` a five? Passes once over the cells; `count` has the run so far in each row, column and diagonal."""
    count[:] = 0
    long = size - K  # a diagonal has room for five if it is at most so far from the middle one
    columns, falling, rising = size, 2 * size, 2 * size + 2 * long + 1
    for y in range(size):
        for x in range(size):
            mine = s[st.CELLS + y * size + x] == me
            count[y] = count[y] + 1 if mine else 0
            count[columns + x] = count[columns + x] + 1 if mine else 0
            if count[y] >= K or count[columns + x] >= K:
                return True
            d = x - y + long
            if 0 <= d <= 2 * long:
                count[falling + d] = count[falling + d] + 1 if mine else 0
                if count[falling + d] >= K:
                    return True
            d = x + y - (size - 1) + long
            if 0 <= d <= 2 * long:
                count[rising + d] = count[rising + d] + 1 if mine else 0
                if count[rising + d] >= K:
                    return True
    return False


@jit
def test_once(rules: Rules, s: State, method: int, count: NDArray[np.int64]) -> bool:
    """Has the last stone won?"""
    if method == LINES:
        return wins(rules, s, s[st.TO])
    if method == SCAN:
        return _scan(s, rules[ru.WIDTH])
    return _counters(s, rules[ru.WIDTH], s[st.CELLS + s[st.TO]], count)


@jit
def test_often(rules: Rules, s: State, method: int, count: NDArray[np.int64], times: int) -> int:
    """Repeat the test for `times` last stones, spread over the board; return how many won."""
    won = 0
    cell = 0
    for _ in range(times):
        cell = (cell + 7919) % rules[ru.N_CELLS]
        while s[st.CELLS + cell] == st.EMPTY:
            cell = (cell + 1) % rules[ru.N_CELLS]
        s[st.TO] = cell
        won += test_once(rules, s, method, count)
    return won


@jit
def play_out(rules: Rules, s: State, method: int, count: NDArray[np.int64], stream: Stream) -> int:
    """Play a random game with this win test instead of the core's; return its plies."""
    n = np.int64(rules[ru.N_CELLS])
    free = np.arange(n)
    for ply in range(n):
        pick = below(stream, n - ply)
        cell = free[pick]
        free[pick] = free[n - ply - 1]
        s[st.CELLS + cell] = ply & 1
        s[st.TO] = cell
        if test_once(rules, s, method, count):
            return ply + 1
    return n


def counters(size: int) -> int:
    """The number of counters of a player in the test that passes once over the cells: 42 on 10x10."""
    return 2 * size + 2 * (2 * (size - K) + 1)


def quiet_board(game: Game) -> State:
    """A board with stones on every second cell, like a chessboard, and at most two of a colour in a row anywhere."""
    size = int(game.rules[ru.WIDTH])
    state = game.start()
    for cell in range(game.n_cells):
        y, x = divmod(cell, size)
        if (x + y) % 2:
            state[st.CELLS + cell] = (x // 2 + y) % 2
    return state


def test_cost(game: Game, method: int, count: NDArray[np.int64]) -> float:
    """Nanoseconds of a win test on a board that is half full."""
    times = 20_000 if method == LINES else 200_000 // game.n_cells + 20
    return seconds(test_often, game.rules, quiet_board(game), method, count, times) / times * 1e9


def game_cost(game: Game, method: int, count: NDArray[np.int64], seed: int) -> float:
    """Nanoseconds of a move in whole random games, which are the same for every method."""
    boards = [game.start() for _ in range(2000 // game.n_cells + 2)]
    stream = streams(seed, 0, 1)
    plies = 0

    def play() -> None:
        nonlocal plies
        for board in boards:
            plies += play_out(game.rules, board, method, count, stream)

    return seconds(play) / plies * 1e9


def measure(runs: int) -> list[Result]:
    """Nanoseconds of a test and of a move of a whole game, by method and size; and how they grow with the size."""
    costs: dict[tuple[str, int, int], list[float]] = defaultdict(list)
    for size in SIZES:
        game = make("gomoku", size=size)
        count = np.zeros(counters(size), np.int64)
        for run in range(runs + 1):
            for method in METHODS:
                found = test_cost(game, method, count), game_cost(game, method, count, run)
                if run:  # the first one warms up
                    for what, cost in zip(WHAT, found, strict=True):
                        costs[what, size, method].append(cost)
    results = []
    for what in WHAT:
        for size in SIZES:
            for peer in (SCAN, COUNTERS):
                ours, theirs = costs[what, size, LINES], costs[what, size, peer]
                results.append(compare(f"{what}, {size}x{size}", "ns", ours, METHODS[peer], theirs))
        for method, name in METHODS.items():
            pairs = zip(costs[what, SIZES[0], method], costs[what, SIZES[-1], method], strict=True)
            growth = [large / small for small, large in pairs]
            results.append(compare(f"{what}, {SIZES[0]} to {SIZES[-1]}: {name}", "x", growth))
    return results
