"""A played game as a value: its moves, the positions between them, a drawing, a page to step through it.

>>> from amoba_env import Record, games
>>> record = Record(games.make("tictactoe"), "b2 a3 c1")
>>> len(record), record.text, record.positions[-1].to_move
(3, 'b2 a3 c1', 1)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from amoba_env import draw, notation
from amoba_env.games import Game
from amoba_env.position import Position, played


@dataclass(frozen=True, init=False)
class Record:
    """A game from its start, over or not. Immutable; equal if game, moves and first seat are equal."""

    game: Game
    moves: tuple[int, ...]  # the actions
    first: int  # the seat that began
    positions: tuple[Position, ...] = field(repr=False, compare=False)  # from the start to the end: one more

    def __init__(self, game: Game, moves: str | Iterable[int | str] = (), first: int = 0) -> None:
        """Play the moves: "b2 a3", or a list of texts or actions. ValueError names an illegal one and its number."""
        positions = played(game, moves, first)
        actions = (notation.last_action(game, position.state) for position in positions)
        parts = {
            "game": game,
            "moves": tuple(action for action in actions if action is not None),
            "first": first,
            "positions": tuple(positions),
        }
        for name, value in parts.items():
            object.__setattr__(self, name, value)

    @property
    def text(self) -> str:
        """The moves in notation."""
        return " ".join(notation.move_text(self.game, move) for move in self.moves)

    def html(self, *, title: str | None = None, theme: str = "light") -> str:
        """The game as one HTML page, see draw.html. ValueError for an unknown theme."""
        states = [position.state for position in self.positions]
        return draw.html(self.game, states, self.moves, title=title, theme=theme)

    def _repr_svg_(self) -> str:
        return draw.svg(self.game, self.positions[-1].state, moves=self.moves)

    def __len__(self) -> int:
        return len(self.moves)
