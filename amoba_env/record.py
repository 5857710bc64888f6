"""A played game as a value: its moves, its positions, a drawing, and a web page to step through it.

>>> from amoba_env import Record, games
>>> record = Record(games.make("tictactoe"), "b2 a3 c1")
>>> len(record), record.text, record.positions[-1].to_move
(3, 'b2 a3 c1', 1)

Files of records are in amoba_env.records.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import NamedTuple

from amoba_env import checks, draw, notation
from amoba_env.core import endings as en
from amoba_env.games import Game
from amoba_env.position import Position, played

MOST_MILLISECONDS = 10**15 - 1  # of a move: all file formats hold 15 digits
ON_BOARD = tuple(ending for code, ending in enumerate(en.NAMES) if ending and code not in en.FORFEITS)


class Result(NamedTuple):
    """Who won a game, and how it ended."""

    winner: int | None  # seat; None: nobody
    ending: str  # as in Outcome, or, off the board, "resigned", "time", "forfeit", "agreed", ..., ""


@dataclass(frozen=True)
class About:
    """What is known about a game besides its moves."""

    players: tuple[str, ...] = ()  # names by seat, or empty
    result: Result | None = None  # only where the game did not end on the board
    event: str = ""
    date: str = ""
    comments: Mapping[int, str] = field(default_factory=dict)  # moves played -> comment
    times: tuple[int, ...] = ()  # milliseconds spent on each move, or empty
    more: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # other content of a file, kept unchanged


@dataclass(frozen=True, init=False)
class Record:
    """A played game, finished or not, from the game's first position or another one. Immutable.

    Records are equal if game, start, moves and first seat are equal; `about` is not compared.
    """

    game: Game
    moves: tuple[int, ...]  # the actions
    first: int  # the seat that began
    start: str | None  # the first position in notation, if it is not the game's own
    about: About = field(repr=False, compare=False)
    positions: tuple[Position, ...] = field(repr=False, compare=False)  # from start to end: one more than moves

    def __init__(
        self,
        game: Game,
        moves: str | Iterable[int | str] = (),
        first: int | None = None,
        start: Position | str | None = None,
        about: About | None = None,
    ) -> None:
        """Play the moves: "b2 a3", or a list of texts or actions; `start` is a position, or its notation.

        Raises:
            ValueError: an illegal move (the message has its number); an impossible start; a `first` that is not to move
                there; a result that contradicts the board; names, times or comments that do not fit.
        """
        begin = _begin(game, first, start)
        positions = played(begin, moves)
        actions = (notation.last_action(game, position.state) for position in positions[1:])
        parts = {
            "game": game,
            "moves": tuple(action for action in actions if action is not None),
            "first": begin.to_move,
            "start": None if begin == Position.start(game, begin.to_move) else begin.text,
            "about": _checked(about or About(), positions),
            "positions": tuple(positions),
        }
        for name, value in parts.items():
            object.__setattr__(self, name, value)

    @property
    def text(self) -> str:
        """The moves in notation."""
        return " ".join(notation.move_text(self.game, move) for move in self.moves)

    @property
    def result(self) -> Result | None:
        """How the game ended: on the board, else as `about` says; None if unknown."""
        outcome = self.positions[-1].outcome
        return self.about.result if outcome is None else Result(outcome.winner, outcome.ending)

    def with_about(self, about: About) -> Record:
        """The same game with another `about`. ValueError as for a new record."""
        twin = copy.copy(self)
        object.__setattr__(twin, "about", _checked(about, self.positions))
        return twin

    def html(self, *, title: str | None = None, theme: str = "auto", marks: draw.Marks | None = None) -> str:
        """The game as one HTML page, see draw.html. ValueError for an unknown theme or kind of marks."""
        states = [position.state for position in self.positions]
        return draw.html(self.game, states, self.moves, title=title, theme=theme, marks=marks)

    def _repr_html_(self) -> str:
        """What notebooks show: the page to step through, in a frame of its own."""
        return f'<iframe srcdoc="{escape(self.html())}" width="100%" height="560" style="border: 0"></iframe>'

    def __len__(self) -> int:
        return len(self.moves)


def _begin(game: Game, first: int | None, start: Position | str | None) -> Position:
    if not isinstance(game, Game):
        raise ValueError(f"game: expected a game, such as games.make('gomoku'), got {checks.brief(game)}")
    if start is None:
        return Position.start(game, 0 if first is None else first)
    if not isinstance(start, (str, Position)):
        raise ValueError(f"start: expected a Position or its text, got {checks.brief(start)}")
    begin = Position.from_text(game, start if isinstance(start, str) else start.text)
    if isinstance(start, Position) and start != begin:
        raise ValueError(f"no game of {game} can start from {start!r}")  # of another game, or after a forfeit
    if first is not None and game.seat(first) != begin.to_move:
        raise ValueError(f"first: seat {first} is not to move in {begin.text}")
    return begin


def _checked(about: About, positions: Sequence[Position]) -> About:
    """`about`, checked; without its result if the game ended on the board."""
    game, number, last = positions[0].game, len(positions) - 1, positions[-1].outcome
    _check_kinds(about)
    if len(about.players) not in (0, game.players):
        raise ValueError(f"players: expected {game.players} names, one for each seat, got {len(about.players)}")
    if len(about.times) not in (0, number):
        raise ValueError(f"times: expected {number}, one for each move, got {len(about.times)}")
    if not all(0 <= played <= number for played in about.comments):
        raise ValueError(f"comments: expected 0..{number} moves played, got {max(about.comments)}")
    if about.result is None:
        return about
    winner, ending = about.result
    if winner not in (None, *range(game.players)):
        raise ValueError(f"result: expected a seat of {game.name}, 0..{game.players - 1}, got {winner}")
    if last is None:
        if ending in ON_BOARD:
            raise ValueError(f"the result says {ending!r}, but after {number} moves the game is not over")
        return about
    if winner != last.winner or (ending in ON_BOARD and ending != last.ending):
        board, said = (_words(positions[-1], *result) for result in ((last.winner, last.ending), about.result))
        raise ValueError(f"the result says {said}, but on the board it is {board}")
    return replace(about, result=None)


def _check_kinds(about: About) -> None:
    """Raise ValueError unless every part of `about` has the right type."""
    if not isinstance(about, About):
        raise ValueError(f"about: expected an About, got {checks.brief(about)}")
    for name in ("event", "date"):
        checks.text(name, getattr(about, name))
    for name, listed in {"players": about.players, "times": about.times}.items():
        if not isinstance(listed, (tuple, list)):
            raise ValueError(f"{name}: expected a list, got {checks.brief(listed)}")
    for name in about.players:
        checks.text("players", name)
    for time in about.times:
        checks.whole("times", time, 0, MOST_MILLISECONDS)
    for name in ("comments", "more"):
        if not isinstance(getattr(about, name), Mapping):
            raise ValueError(f"{name}: expected a mapping, got {checks.brief(getattr(about, name))}")
    for after, comment in about.comments.items():
        checks.whole("comments", after, 0)
        checks.text("comments", comment)
    for key, values in about.more.items():
        checks.text("more", key)
        if not isinstance(values, (tuple, list)) or not all(isinstance(value, str) for value in values):
            raise ValueError(f"more: expected a list of texts for {checks.brief(key)}, got {checks.brief(values)}")
    if about.result is not None:
        if not isinstance(about.result, tuple) or len(about.result) != 2:
            raise ValueError(f"result: expected Result(winner, ending), got {checks.brief(about.result)}")
        winner, ending = about.result
        if winner is not None:
            checks.whole("winner", winner)
        checks.text("ending", ending)


def _words(position: Position, winner: int | None, ending: str) -> str:
    who = "nobody" if winner is None else position.game.color(position.state, winner)
    return f"{who} wins ({ending})" if ending else f"{who} wins"
