"""The settings of a room."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from amoba_env import checks, games
from amoba_env.core.rng import STARTER, below, streams
from amoba_env.games import Game
from amoba_env.options import Option, Value, convert_fields
from amoba_env.position import Position

ME, GUEST = "me", "guest"  # seats of people; any other text is the text of a player
IN_TURN, DRAWN = "in turn", "drawn"
STAND_IN = "level:5"  # takes the seat of a player who left
MOST_MS = 24 * 3600 * 1000
MOST_SERIES = 10_000


@dataclass(frozen=True)
class Clock:
    """Each player's time for a game, and what a move adds, in milliseconds."""

    main: Annotated[int, Option("milliseconds for a game", 1000, MOST_MS)]
    increment: Annotated[int, Option("milliseconds added by a move", 0, MOST_MS)] = 0

    def __post_init__(self) -> None:
        """Raise ValueError for impossible times."""
        convert_fields(self, "clock: ")


@dataclass(frozen=True)
class Settings:
    """The settings of a room."""

    game: str
    seats: tuple[str, ...]  # by seat: "me" (who opens the room), "guest" (invited), or the text of a player
    options: Mapping[str, Value] = field(default_factory=dict)
    first: str = IN_TURN  # who begins: "in turn" (the next seat in each game), "drawn", or always this seat: "0"
    clock: Clock | None = None
    delay: Annotated[int, Option("pause after a machine's move, in milliseconds", 0, 60_000)] = 0
    series: Annotated[int, Option("games in a row where only machines play", 1, MOST_SERIES)] = 1
    seed: int = 0  # of the machines' choices, and of who begins
    start: str = ""  # a position in notation in which all games begin; by default the game's own

    def __post_init__(self) -> None:
        """Raise ValueError for impossible settings; players on the seats are not checked."""
        convert_fields(self)
        game = self.make()
        object.__setattr__(self, "options", dict(game.options))
        if len(self.seats) != game.players:
            raise ValueError(f"seats: expected {game.players} for {self.game}, got {len(self.seats)}")
        starters = (IN_TURN, DRAWN, *map(str, range(game.players)))
        if self.first not in starters:
            raise ValueError(f"first: expected one of {', '.join(starters)}, got {checks.brief(self.first)}")
        checks.seed(self.seed)
        if self.start and Position.from_text(game, self.start).over:
            raise ValueError(f"start: the game is over in {self.start!r}")

    def make(self) -> Game:
        """The game. Raises ValueError for an unknown game or option."""
        return games.make_from(self.game, self.options)


def first_position(settings: Settings, game: Game, starter: int) -> Position:
    """Where a game of a room begins, if this seat has the first move."""
    return Position.from_text(game, settings.start) if settings.start else Position.start(game, starter)


def starter(settings: Settings, game: Game, number: int, before: int) -> int:
    """The seat that begins game `number` of a room; `before`: the seat that began the one before it."""
    if settings.first == IN_TURN:
        return (before + 1) % game.players
    if settings.first == DRAWN:
        return int(below(streams(settings.seed, number, 1, STARTER), game.players))
    return int(settings.first)
