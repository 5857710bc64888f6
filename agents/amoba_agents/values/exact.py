"""Exact values of positions and moves: 1 if the player to move wins with perfect play, 0 for a draw, -1 if it loses.

For placing games of two players on few cells. solver.py has the search; a `Solver` keeps its results.
"""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_agents.values.solver import GAVE_UP, LIMIT, MAX_FREE, NEVER, ONE, PLANES, SEARCHED, WON, ZERO, Words, wins
from amoba_agents.values.winning_sets import winning_sets
from amoba_env import symmetry
from amoba_env.border import checked, checked_rows
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.interrupt import call
from amoba_env.core.jit import jit
from amoba_env.core.overwrite import overwrite
from amoba_env.core.play import apply
from amoba_env.core.rules import Rules
from amoba_env.core.state import State, States
from amoba_env.games import Game
from amoba_env.position import Position

MOST_POSITIONS = 50_000_000  # a search gives up after this number of positions: a minute or less
ILLEGAL = -2  # value of a move that cannot be played
UNKNOWN = -3  # the search gave up

ExactValues = NDArray[np.int8]


class SolverArrays(NamedTuple):
    """The arrays that the compiled search works on, see solver.wins()."""

    sets: Words
    symmetry_tables: Words
    table: Words
    planes: Words
    info: NDArray[np.int64]
    bits: Words  # [n] the bit of each cell; 0 for the stones of the first position
    fixed: Words  # [2] the bits that stand for the stones that each player has in the first position


@jit
def _value(search: SolverArrays, s: State) -> int:
    """The value of a position for the player to move, or UNKNOWN."""
    sets, symmetry_tables, table, planes, info, bits, fixed = search
    me = s[st.TO_MOVE]
    if s[st.STATUS] != st.RUNNING:
        return np.int64(0 if s[st.STATUS] == st.NOBODY else 1 if s[st.STATUS] == me else -1)
    mine, theirs = fixed[me], fixed[1 - me]
    for cell in range(len(bits)):
        if s[st.CELLS + cell] == me:
            mine |= bits[cell]
        elif s[st.CELLS + cell] != st.EMPTY:
            theirs |= bits[cell]
    # Search for a win of each side in turn, with more and more quiet moves: a short win decides both searches.
    limit = np.zeros(2, np.int64)
    while limit.min() < NEVER:
        for attacking in (1, 0):
            if limit[attacking] < NEVER:
                found = wins(
                    sets, symmetry_tables, table, planes, info, mine, theirs, np.int64(attacking), limit[attacking]
                )
                if found == WON:
                    return np.int64(1 if attacking else -1)
                if found == GAVE_UP:
                    return np.int64(UNKNOWN)
                limit[attacking] = found + 1
    return np.int64(0)


@jit
def values(search: SolverArrays, states: States, out: ExactValues) -> None:
    """Write the value of each position for its player to move, or UNKNOWN, to `out`, int8[B]."""
    for b in range(len(states)):
        search.info[SEARCHED] = 0
        out[b] = _value(search, states[b])


@jit
def move_values(rules: Rules, search: SolverArrays, states: States, out: ExactValues) -> None:
    """Write the value of each move for the player who makes it, ILLEGAL or UNKNOWN, to `out`, int8[B, n]."""
    child = np.empty_like(states[0])
    out[:] = ILLEGAL
    for b in range(len(states)):
        search.info[SEARCHED] = 0
        for cell in range(rules[ru.N_CELLS]):
            if states[b, st.STATUS] == st.RUNNING and states[b, st.CELLS + cell] == st.EMPTY:
                overwrite(child, states[b])
                apply(rules, child, np.int64(cell))
                value = _value(search, child)
                out[b, cell] = value if value == UNKNOWN else -value


class Solver:
    """Exact values of a first position of a game and of all positions that follow it; results are cached."""

    def __init__(self, game: Game, first: State | None = None, max_positions: int = MOST_POSITIONS) -> None:
        """Prepare to solve positions that follow `first` (by default the start of the game).

        Args:
            game: a placing game for two.
            first: int16[CELLS + n], with at most MAX_FREE free cells.
            max_positions: the limit of positions searched for each row.

        Raises:
            ValueError: the game cannot be solved; the message says why.
        """
        start = game.start() if first is None else checked(game, first)
        free = np.flatnonzero(start[st.CELLS :] == st.EMPTY)
        plain = game.rules[ru.FAMILY] == ru.PLACE and not game.rules[ru.OTHER_GUARD]
        if not plain or game.players != 2 or game.n_actions != game.n_cells:
            raise ValueError(
                f"{game.name} cannot be solved: only placing games of two players, "
                "without forbidden points, blocked rows or openings, can"
            )
        if len(free) > MAX_FREE:
            raise ValueError(f"{game.name} is too large to solve: {len(free)} free cells; expected at most {MAX_FREE}")
        self.game, self.max_positions, self._free = game, max_positions, len(free)
        self._search = _search(game, start, free)
        self._search.info[LIMIT] = max_positions
        self._lock = threading.Lock()

    def values(self, states: States) -> ExactValues:
        """The value of each position for its player to move, int8[B].

        Raises:
            ValueError: the search gave up, or a row is invalid.
        """
        states = checked_rows(self.game, states)
        return self._solved(np.empty(len(states), np.int8), values, self._search, states)

    def move_values(self, states: States) -> ExactValues:
        """The value of each move for the player who makes it, int8[B, n], or ILLEGAL. ValueError as values()."""
        states = checked_rows(self.game, states)
        out = np.empty((len(states), self.game.n_cells), np.int8)
        return self._solved(out, move_values, self.game.rules, self._search, states)

    def positions_searched(self) -> int:
        """The number of positions that the search visited for the last row."""
        return int(self._search.info[SEARCHED])

    def _solved(self, out: ExactValues, function: Callable[..., None], *arguments: Any) -> ExactValues:
        with self._lock:
            call(function, *arguments, out)
        if (out == UNKNOWN).any():
            raise ValueError(
                f"{self.game.name} is too large to solve: no value after {self.max_positions:,} positions, "
                f"of up to {estimate(self._free):.0e}"
            )
        return out


@functools.lru_cache(maxsize=4)
def solver(game: Game) -> Solver:
    """The solver of a game, shared by all callers. ValueError for a game that cannot be solved."""
    return Solver(game)


def regret(position: Position, move: int | str) -> int:
    """The value that a move loses: 0 if it keeps the value of the position, 1 from a win to a draw or from a draw to a
    loss, 2 from a win to a loss.

    Raises:
        ValueError: an illegal move, or a game that is too large to solve.
    """
    states = np.array([position.state, position.play(move).state])
    game = position.game
    solves = solver(game) if game.n_cells <= MAX_FREE else Solver(game, position.state)
    before, after = solves.values(states).tolist()
    return int(before + after)  # the value after it is the other player's


def estimate(free: int) -> float:
    """An upper bound of the number of positions: all ways in which the players in turn fill some of the free cells."""
    return float(sum(math.comb(free, stones) * math.comb(stones, stones // 2) for stones in range(free + 1)))


def _search(game: Game, start: State, free: NDArray[np.intp]) -> SolverArrays:
    bits = np.zeros(game.n_cells, np.uint64)
    bits[free] = ONE << np.arange(len(free), dtype=np.uint64)
    # A stone of the first position in a set is replaced by a bit for its owner, and so is a guard: both close the set.
    unused = ~ZERO >> np.uint64(64 - MAX_FREE) & ~np.bitwise_or.reduce(bits)
    fixed = np.array([1 << MAX_FREE, 1 << MAX_FREE + 1], np.uint64) | np.array([unused, 0], np.uint64)
    closing = np.array([1 << MAX_FREE, 1 << MAX_FREE + 1, 0], np.uint64)  # by owner; EMPTY is -1, the last
    owner = start[st.CELLS :]
    words = set()
    for cells, guards in zip(winning_sets(game), winning_sets(game, ru.GUARDS), strict=True):
        own = int(np.bitwise_or.reduce([bits[c] | closing[owner[c]] for c in cells]))
        for c in guards:
            own |= int(closing[1 - owner[c]]) if owner[c] != st.EMPTY else 0
        if own >> MAX_FREE != 3:
            words.add((own, int(sum(bits[c] for c in guards))))
    sets = np.array(sorted(words), np.uint64).reshape(-1)
    group = symmetry.symmetries(game).cells
    kept = [row for row in group[1:] if (owner[row] == owner).all()]
    symmetry_tables = [_symmetry_table(bits, row) for row in kept]
    size = 1 << min(22, len(free) + 4)
    return SolverArrays(
        sets,
        np.concatenate(symmetry_tables) if symmetry_tables else np.empty(0, np.uint64),
        np.zeros(3 * size, np.uint64),
        np.zeros((MAX_FREE + 1) * PLANES, np.uint64),
        np.array([0, 0, not any(guards for _, guards in words)], np.int64),
        bits,
        fixed,
    )


def _symmetry_table(bits: Words, cells: NDArray[np.int32]) -> Words:
    """The image of each value of each byte of a word under a map of the cells: uint64[8 * 256]."""
    image = ONE << np.arange(64, dtype=np.uint64)
    for cell, to in enumerate(cells.tolist()):
        if bits[cell]:
            image[int(bits[cell]).bit_length() - 1] = bits[to]
    ones = np.arange(256)[:, None] >> np.arange(8) & 1
    return (ones.astype(np.uint64) * image.reshape(8, 1, 8)).sum(axis=2, dtype=np.uint64).reshape(-1)
