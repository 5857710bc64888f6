"""The search of the player `alphabeta` on one core: nodes a second, and what the parts of a node cost.

At each node a search puts a stone and takes it back. So that is the least time of a node. A search also looks for wins
by fours, and where it goes on or ends it values the position and puts the moves in order.
"""

from __future__ import annotations

import random

import numpy as np

from amoba_agents import Seat, make_agent
from amoba_agents.alphabeta.alphabeta_search import think
from amoba_agents.alphabeta.lines import MAX_PLY, NODES, TOP, HashTable, StoneWork, hash_table, workspace
from amoba_agents.alphabeta.order import list_empty, score_cells, score_learned
from amoba_agents.alphabeta.stone_values import COUNTED, StoneNetwork, evaluate, network
from amoba_agents.alphabeta.stones import put, remove
from amoba_agents.values.ties import select_best
from amoba_env.core import state as st
from amoba_env.core.jit import jit
from amoba_env.core.refcount import uncounted
from amoba_env.core.rng import streams
from amoba_env.core.rules import Rules
from amoba_env.core.state import State
from amoba_env.games import Game, make
from amoba_env.position import Position
from amoba_experiments.bench import Result, compare, seconds

POSITIONS, PLIES, LIMIT = 6, 12, 100_000
STONES, TIMES = 40, 1000
VALUE, ORDER = range(2)


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
        w = workspace(game.rules)
        t = hash_table(w, game.n_cells, LIMIT.bit_length())
        what = game.rules, state[None], streams(0, 0, 1), w, t, values
        time += seconds(think, *what, MAX_PLY, LIMIT, 0, np.empty(1, np.int32), np.empty(1, np.int32))
        nodes += int(w[NODES])
    return nodes / time


@jit
def put_and_take(rules: Rules, s: State, w: StoneWork, t: HashTable, cells: np.ndarray, times: int) -> None:
    """Put stones on the cells, for each seat in turn, and take them back; this many times."""
    rules, s, w, t = uncounted(rules), uncounted(s), uncounted(w), uncounted(t)
    for _ in range(times):
        for i in range(len(cells)):
            put(rules, s, w, t, np.int64(i & 1), cells[i])
        for i in range(len(cells) - 1, -1, -1):
            remove(rules, s, w, t, np.int64(i & 1), cells[i])


def floor(game: Game) -> float:
    """Nanoseconds of putting a stone and taking it back."""
    w = workspace(game.rules)
    t = hash_table(w, game.n_cells, 4)
    cells = np.random.default_rng(0).permutation(game.n_cells)[:STONES]
    return 1e9 * seconds(put_and_take, game.rules, game.start(), w, t, cells, TIMES) / TIMES / STONES


@jit
def repeat(rules: Rules, s: State, w: StoneWork, values: StoneNetwork, part: int, times: int) -> int:
    """Value a position, or list and score its moves and choose the first; this many times."""
    rules, s, w, values = uncounted(rules), uncounted(s), uncounted(w), uncounted(values)
    seat, top, no_cell, total = np.int64(s[st.TO_MOVE]), w[TOP], np.int64(-1), np.int64(0)
    for _ in range(times):
        if part == VALUE:
            total += evaluate(rules, s, w, values, seat)
            continue
        end = list_empty(rules, s, w)[0]
        if len(values) > 0:
            scores = score_learned(rules, s, w, values, seat, np.int64(0), top, end, no_cell)
        else:
            scores = score_cells(rules, w, seat, np.int64(0), top, end, no_cell)
        total += select_best(w, scores, top, end)
    return total


def part_time(game: Game, states: list[State], values: StoneNetwork, part: int) -> float:
    """Nanoseconds of a part of a node, the mean over the positions."""
    time = 0.0
    for state in states:
        w = workspace(game.rules)
        t = hash_table(w, game.n_cells, 4)
        s = state.copy()
        for cell in np.flatnonzero(s[st.CELLS :] != st.EMPTY):
            put(game.rules, s, w, t, np.int64(s[st.CELLS + cell]), np.int64(cell))
        time += seconds(repeat, game.rules, s, w, values, part, TIMES)
    return 1e9 * time / TIMES / len(states)


def measure(runs: int) -> list[Result]:
    """Nodes a second in gomoku 10x10 and 15x15 and in renju, and what the parts of a node cost."""
    results = []
    for name, size in (("gomoku", 10), ("gomoku", 15), ("renju", 15)):
        game = make(name, size=size)
        states = positions(game)
        for kind, values in (("learned", network(game.rules)), ("counted", COUNTED)):
            search_rate(game, states[:1], values)
            rates = [search_rate(game, states, values) for _ in range(runs)]
            results.append(compare(f"alphabeta, {name} {size}x{size}, {kind} values", "nodes/s", rates))
            for part, what in ((VALUE, "a value"), (ORDER, "moves in order")):
                part_time(game, states[:1], values, part)
                times = [part_time(game, states, values, part) for _ in range(runs)]
                results.append(compare(f"{what}, {kind}", "ns", times))
        floor(game)
        results.append(compare("a stone put and taken", "ns", [floor(game) for _ in range(runs)]))
    return results
