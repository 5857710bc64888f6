"""A game is data: a board, a rules row, and names."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from amoba_env import checks
from amoba_env.core import opening_rules as op
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.board import Board
from amoba_env.core.rules import Rules
from amoba_env.core.state import State, States
from amoba_env.options import Options

MOST_ROWS = 1 << 26  # of a batch


@dataclass(frozen=True, eq=False)
class Game:
    """A game with its options, made by `amoba_env.games.make`. Games are equal if name, options and rules are equal."""

    name: str
    options: Options
    board: Board
    rules: Rules  # int32 row, see core/rules.py
    symbols: str  # a letter for each seat, for drawings in text: "xo"
    colors: tuple[str, ...]  # a word for each seat: "black", "white"
    drawing: ClassVar[Callable[["Game"], str] | None] = None  # set by amoba_env: the SVG that notebooks show

    @property
    def players(self) -> int:
        """Number of seats."""
        return int(self.rules[ru.PLAYERS])

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return int(self.rules[ru.N_CELLS])

    @cached_property
    def n_actions(self) -> int:
        """Size of the action space: cells (and the choices of an opening), or cells * cells in halma."""
        return int(self.rules[ru.N_ACTIONS])

    @cached_property
    def observation_shape(self) -> tuple[int, int, int]:
        """(H, W, C) of an observation: rows, columns and planes, see `core.play.observe`."""
        return int(self.rules[ru.HEIGHT]), int(self.rules[ru.WIDTH]), int(self.rules[ru.PLANES])

    @property
    def observation_high(self) -> int:
        """The largest number in an observation."""
        return op.HIGHEST[self.rules[ru.OPENING_RULE]] if self.choices else 1

    @cached_property
    def seen_numbers(self) -> NDArray[np.int64]:
        """Board action -> action relative to each seat, int64 [players, n_actions]."""
        actions = np.arange(self.n_actions)
        if not self.moves_men:
            return np.tile(actions, (self.players, 1))
        view = ru.table(self.rules, ru.VIEW).astype(np.int64)
        origin, target = np.divmod(actions, self.n_cells)
        return view[:, origin] * self.n_cells + view[:, target]

    @property
    def most_plies(self) -> int:
        """No game has more moves than this."""
        choices = op.MOST_CHOICES if self.choices else 0
        return int(self.rules[ru.PLY_LIMIT]) if self.moves_men else self.n_cells + choices

    @property
    def moves_men(self) -> bool:
        """Whether a move carries a man from cell to cell (halma) rather than placing a stone."""
        return bool(self.rules[ru.FAMILY] == ru.HALMA)

    @property
    def choices(self) -> tuple[str, ...]:
        """Names of the actions without a stone, such as "swap" in an opening; they are numbered after the cells."""
        return op.CHOICE_NAMES[self.rules[ru.OPENING_RULE]]

    def start(self, first: int = 0) -> State:
        """The first position, seat `first` to move: int16[CELLS + n_cells], a new row. ValueError: unknown seat."""
        first = self.seat(first)
        row = ru.table(self.rules, ru.START).astype(np.int16)
        row[st.TO_MOVE] = first
        row[st.BLACK] = first if self.rules[ru.COLORED] else 0
        return row

    def seat(self, number: int) -> int:
        """A seat as an int. ValueError if the game does not have it."""
        if not 0 <= checks.whole("seat", number) < self.players:
            raise ValueError(f"expected a seat of {self.name}, 0..{self.players - 1}, got {checks.brief(number)}")
        return int(number)

    def action(self, number: int) -> int:
        """An action, legal or not, as an int. ValueError if it is not in the action space."""
        if not 0 <= checks.whole("action", number) < self.n_actions:
            raise ValueError(f"expected an action of {self.name}, 0..{self.n_actions - 1}, got {checks.brief(number)}")
        return int(number)

    def batch(self, count: int, first: NDArray[np.integer] | int = 0) -> States:
        """`count` first positions: int16[count, CELLS + n_cells].

        Args:
            count: the number of positions.
            first: the seat that begins: one for all, or [count].

        Raises:
            ValueError: an impossible number of positions, or an unknown seat.
        """
        count = checks.whole("count", count, 0, MOST_ROWS)
        given = checks.array("first", first)
        if (
            given.dtype.kind not in "iu"
            or given.shape not in ((), (count,))
            or not np.isin(given, range(self.players)).all()
        ):
            raise ValueError(
                f"first: expected a seat, 0..{self.players - 1}, or {count} seats, got {checks.brief(first)}"
            )
        states = np.tile(self.start(), (count, 1))
        states[:, st.TO_MOVE] = first
        states[:, st.BLACK] = first if self.rules[ru.COLORED] else 0
        return states

    def symbol(self, state: State, seat: int) -> str:
        """The letter of a seat's stones or men. In an opening seats may swap colours."""
        return self.symbols[(seat - int(state[st.BLACK])) % self.players]

    def color(self, state: State, seat: int) -> str:
        """The colour of a seat's stones or men."""
        return self.colors[(seat - int(state[st.BLACK])) % self.players]

    def cells(self, state: State) -> State:
        """The cells of a position or a batch, a view: the owner's seat or EMPTY."""
        return state[..., st.CELLS :]

    def distances(self, states: States) -> NDArray[np.int16]:
        """The steps that each seat's men have left, [B, players], in a game where men move."""
        cells, steps = self.cells(states), ru.table(self.rules, ru.STEPS).astype(np.int16)
        return np.stack([(cells == seat) @ steps[seat] for seat in range(self.players)], axis=1)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        same = (self.name, dict(self.options)) == (other.name, dict(other.options))
        return self is other or (same and np.array_equal(self.rules, other.rules))

    def __hash__(self) -> int:
        return hash((self.name, *sorted(self.options.items())))

    def _repr_svg_(self) -> str | None:
        return None if Game.drawing is None else Game.drawing(self)

    def __str__(self) -> str:
        return " ".join([self.name, *(f"{name}={value}" for name, value in self.options.items())])

    def __repr__(self) -> str:
        options = "".join(f", {key}={value!r}" for key, value in self.options.items())
        return f"games.make({self.name!r}{options})"

    def __reduce__(self) -> tuple[object, ...]:
        from amoba_env.games import make_from  # a copy in another process is the same catalogue entry

        return make_from, (self.name, dict(self.options))
