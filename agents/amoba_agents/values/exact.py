"""Values of positions and moves: 1 the player to move wins, 0 a draw, -1 it loses, if both play as well as can be.

For placing games of two players on few cells; solver.py has the search, which every `Solver` keeps a table for.
"""

from __future__ import annotations

import functools
import math
import threading
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_agents.values.solver import GAVE_UP, LIMIT, LOOKED, MAX_FREE, NEVER, ONE, PLANES, WON, ZERO, Words, wins
from amoba_env import symmetry
from amoba_env.border import checked, checked_rows
from amoba_env.core import rules as tables
from amoba_env.core.jit import jit
from amoba_env.core.play import apply
from amoba_env.core.rules import N_CELLS, Rules
from amoba_env.core.state import CELLS, EMPTY, NOBODY, NOWHERE, RUNNING, STATUS, TO_MOVE, State, States
from amoba_env.games import Game
from amoba_env.position import Position

LOOKS = 50_000_000  # positions looked at before a search gives up; a minute or less
ILLEGAL = -2  # value of a move that cannot be played
UNKNOWN = -3  # value where the search gave up

Values = NDArray[np.int8]


class Search(NamedTuple):
    """What the compiled search works on, see solver.wins()."""

    sets: Words
    turns: Words
    table: Words
    planes: Words
    info: NDArray[np.int64]
    bits: Words  # [n] the bit of each cell; 0 for stones that stand from the first
    fixed: Words  # [2] what stands for the stones that each player has from the first


@jit
def _value(search: Search, s: State) -> int:
    """The value of a position for the player to move, or UNKNOWN."""
    sets, turns, table, planes, info, bits, fixed = search
    me = s[TO_MOVE]
    if s[STATUS] != RUNNING:
        return np.int64(0 if s[STATUS] == NOBODY else 1 if s[STATUS] == me else -1)
    mine, theirs = fixed[me], fixed[1 - me]
    for cell in range(len(bits)):
        if s[CELLS + cell] == me:
            mine |= bits[cell]
        elif s[CELLS + cell] != EMPTY:
            theirs |= bits[cell]
    # Both questions take turns, with more and more quiet moves: a short win of either settles both.
    limit = np.zeros(2, np.int64)
    while limit.min() < NEVER:
        for attacking in (1, 0):
            if limit[attacking] < NEVER:
                found = wins(sets, turns, table, planes, info, mine, theirs, np.int64(attacking), limit[attacking])
                if found == WON:
                    return np.int64(1 if attacking else -1)
                if found == GAVE_UP:
                    return np.int64(UNKNOWN)
                limit[attacking] = found + 1
    return np.int64(0)


@jit
def values(search: Search, states: States, out: Values) -> None:
    """out[b] (int8[B]): the value of each position for its player to move, or UNKNOWN."""
    for b in range(len(states)):
        search.info[LOOKED] = 0
        out[b] = _value(search, states[b])


@jit
def move_values(rules: Rules, search: Search, states: States, out: Values) -> None:
    """out[b, cell] (int8[B, n]): the value of each move for the player who makes it, ILLEGAL or UNKNOWN."""
    child = np.empty_like(states[0])
    out[:] = ILLEGAL
    for b in range(len(states)):
        search.info[LOOKED] = 0
        for cell in range(rules[N_CELLS]):
            if states[b, STATUS] == RUNNING and states[b, CELLS + cell] == EMPTY:
                child[:] = states[b]
                apply(rules, child, cell)
                value = _value(search, child)
                out[b, cell] = value if value == UNKNOWN else -value


class Solver:
    """Finds values in one game, of the first position and all that follow it; remembers what it found."""

    def __init__(self, game: Game, first: State | None = None, looks: int = LOOKS) -> None:
        """Prepare to solve positions that follow `first` (by default the start of the game).

        Args:
            game: a placing game for two.
            first: int16[CELLS + n], with at most MAX_FREE free cells.
            looks: positions that the search may look at for each that is asked about.

        Raises:
            ValueError: a game that cannot be solved, and why.
        """
        start = game.start() if first is None else checked(game, first)
        free = np.flatnonzero(start[CELLS:] == EMPTY)
        if game.rules[tables.FAMILY] != tables.PLACE or game.players != 2 or game.n_actions != game.n_cells:
            raise ValueError(
                f"{game.name} cannot be solved: only placing games of two players, "
                "without forbidden points or openings, can"
            )
        if len(free) > MAX_FREE:
            raise ValueError(
                f"{game.name} is too large to solve: {len(free)} free cells, up to {estimate(len(free)):.0e} "
                f"positions; at most {MAX_FREE} free cells are possible"
            )
        self.game, self.looks, self._free = game, looks, len(free)
        self._search = _search(game, start, free)
        self._lock = threading.Lock()

    def values(self, states: States) -> Values:
        """The value of each position for its player to move, int8[B].

        Raises:
            ValueError: it takes too long, or what is wrong with a row.
        """
        states = checked_rows(self.game, states)
        out = np.empty(len(states), np.int8)
        with self._lock:
            self._search.info[LIMIT] = self.looks
            values(self._search, states, out)
        return self._checked(out)

    def move_values(self, states: States) -> Values:
        """The value of each move for who makes it, int8[B, n], or ILLEGAL. ValueError as for values()."""
        states = checked_rows(self.game, states)
        out = np.empty((len(states), self.game.n_cells), np.int8)
        with self._lock:
            self._search.info[LIMIT] = self.looks
            move_values(self.game.rules, self._search, states, out)
        return self._checked(out)

    def looked(self) -> int:
        """How many positions were looked at for the last one asked about."""
        return int(self._search.info[LOOKED])

    def stop(self) -> None:
        """Let the call that another thread is in give up."""
        self._search.info[LIMIT] = 0

    def _checked(self, out: Values) -> Values:
        if (out == UNKNOWN).any():
            raise ValueError(
                f"{self.game.name} is too large to solve: no value after {self.looks:,} positions, "
                f"of up to {estimate(self._free):.0e}"
            )
        return out


@functools.lru_cache(maxsize=4)
def solver(game: Game) -> Solver:
    """The solver of a game, shared by all who ask. Raises ValueError for a game that cannot be solved."""
    return Solver(game)


def regret(position: Position, move: int | str) -> int:
    """What a move loses: 0 if it keeps the value of the position, 1 or 2 if it gives a draw or a win away.

    Raises:
        ValueError: an illegal move, or a game that is too large to solve.
    """
    states = np.array([position.state, position.play(move).state])
    game = position.game
    solves = solver(game) if game.n_cells <= MAX_FREE else Solver(game, position.state)
    before, after = solves.values(states).tolist()
    return int(before + after)  # the value after it is the other player's


def estimate(free: int) -> float:
    """At most so many positions: all ways to fill some of the free cells, the players in turn."""
    return float(sum(math.comb(free, stones) * math.comb(stones, stones // 2) for stones in range(free + 1)))


def _search(game: Game, start: State, free: NDArray[np.intp]) -> Search:
    bits = np.zeros(game.n_cells, np.uint64)
    bits[free] = ONE << np.arange(len(free), dtype=np.uint64)
    # A cell of a set that a player owns from the first is that player's bit, and so is a guard that the other owns:
    # either closes the set.
    unused = ~ZERO >> np.uint64(64 - MAX_FREE) & ~np.bitwise_or.reduce(bits)
    fixed = np.array([1 << MAX_FREE, 1 << MAX_FREE + 1], np.uint64) | np.array([unused, 0], np.uint64)
    closing = np.array([1 << MAX_FREE, 1 << MAX_FREE + 1, 0], np.uint64)  # by owner; EMPTY is -1, the last
    owner = start[CELLS:]
    words = set()
    for cells, guards in zip(_rows(game, tables.SETS), _rows(game, tables.GUARDS), strict=True):
        own = int(np.bitwise_or.reduce([bits[c] | closing[owner[c]] for c in cells]))
        for c in guards:
            own |= int(closing[1 - owner[c]]) if owner[c] != EMPTY else 0
        if own >> MAX_FREE != 3:
            words.add((own, int(sum(bits[c] for c in guards))))
    sets = np.array(sorted(words), np.uint64).reshape(-1)
    group = symmetry.symmetries(game).cells
    kept = [row for row in group[1:] if (owner[row] == owner).all()]
    turns = [_turn_table(bits, row) for row in kept]
    size = 1 << min(22, len(free) + 4)
    return Search(
        sets,
        np.concatenate(turns) if turns else np.empty(0, np.uint64),
        np.zeros(3 * size, np.uint64),
        np.zeros((MAX_FREE + 1) * PLANES, np.uint64),
        np.array([0, 0, not any(guards for _, guards in words)], np.int64),
        bits,
        fixed,
    )


def _rows(game: Game, slot: int) -> list[list[int]]:
    """The winning sets or their guards, as cells."""
    rows = tables.table(game.rules, slot).reshape(int(game.rules[tables.N_SETS]), -1).tolist()
    return [[cell for cell in row if cell != NOWHERE] for row in rows]


def _turn_table(bits: Words, cells: NDArray[np.int32]) -> Words:
    """The image of every value of each of a word's bytes under a map of the cells: uint64[8 * 256]."""
    image = ONE << np.arange(64, dtype=np.uint64)
    for cell, to in enumerate(cells.tolist()):
        if bits[cell]:
            image[int(bits[cell]).bit_length() - 1] = bits[to]
    ones = np.arange(256)[:, None] >> np.arange(8) & 1
    return (ones.astype(np.uint64) * image.reshape(8, 1, 8)).sum(axis=2, dtype=np.uint64).reshape(-1)
