"""A room: who has which seat, the game, and open offers. It is a value, which commands.py changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from msgspec import Struct

from amoba_env.games import Game
from amoba_env.position import Position
from amoba_experiments.rooms.settings import Settings

Phase = Literal["waiting", "ready", "playing", "paused", "left", "over"]
What = Literal["draw", "undo", "new", "rematch", "machine"]

MACHINE, FREE = -1, -2  # holders of seats; people are 0, 1, ...
SERVER = -1  # the sender of commands without a person: a machine's move, a loss on time


class Refusal(ValueError):
    """A command that cannot be done now; the text says why."""


class NotFound(Refusal):
    """A room or a key that the server does not have."""


class Stale(Refusal):
    """A command about an earlier position."""


class TooMany(Refusal):
    """A sender is over its limit."""


class TooLarge(Refusal):
    """A message that is too large."""


class Mind(NamedTuple):
    """The state of a machine between its moves: its random stream and its memory."""

    rng: int
    memory: str  # int16 words in hexadecimal, as JSON has no bytes


class PlayedMove(NamedTuple):
    """A move and its time in milliseconds: as the server measured it, and as the player's screen did."""

    action: int
    seat: int
    thinking: int
    reaction: int
    mind: Mind | None = None  # of the machine that played it, afterwards
    left: tuple[int, ...] = ()  # the clocks after it
    by: str = "person"  # who chose it: see story.py
    player: str = ""  # the player that chose it or gave a hint, if any


class RoomResult(NamedTuple):
    """How a game of the room ended."""

    winner: int | None  # seat
    places: tuple[int, ...]  # by seat, 1 is best
    ending: str  # as in Outcome, or "resigned", "time", "illegal", "agreed", "left"
    by: int | None = None  # the seat that resigned, ran out of time, had no legal move or was away
    why: str = ""  # why a machine had no legal move


class Person(NamedTuple):
    """A person who took a seat."""

    name: str
    id: str = ""  # unique, unlike the name
    program: bool = False


class Hint(NamedTuple):
    """A hint that was shown: after which moves, the action, and who gave it."""

    line: tuple[int, ...]
    action: int
    player: str


class Undo(NamedTuple):
    """An undo: the number of moves before and after it."""

    moves: int
    kept: int


class Totals(NamedTuple):
    """Sums over the finished games of a room, which may play for days."""

    games: int
    nobody: int  # games without a winner
    rounds: int
    wins: tuple[int, ...]  # this and what follows: by seat
    moves: tuple[int, ...]
    thinking: tuple[int, ...]  # milliseconds of all moves
    reaction: tuple[int, ...]

    @classmethod
    def none(cls, players: int) -> Totals:
        """The sums of no games."""
        zeros = (0,) * players
        return cls(0, 0, 0, zeros, zeros, zeros, zeros)

    def plus(self, moves: tuple[PlayedMove, ...], winner: int | None) -> Totals:
        """The sums with one more game."""
        players = len(self.wins)
        seats = [[played for played in moves if played.seat == seat] for seat in range(players)]
        return Totals(
            self.games + 1,
            self.nobody + (winner is None),
            self.rounds + len(moves) // players,
            tuple(wins + (seat == winner) for seat, wins in enumerate(self.wins)),
            tuple(count + len(own) for count, own in zip(self.moves, seats, strict=True)),
            tuple(ms + sum(each.thinking for each in own) for ms, own in zip(self.thinking, seats, strict=True)),
            tuple(ms + sum(each.reaction for each in own) for ms, own in zip(self.reaction, seats, strict=True)),
        )


class Finished(NamedTuple):
    """A game of the room that is over."""

    starter: int
    result: RoomResult
    moves: tuple[PlayedMove, ...]
    before: Totals  # of the games before it
    number: int = 0  # of the game in its room
    begun: int = 0  # when the first move was made
    ended: int = 0
    hints: tuple[Hint, ...] = ()
    undos: tuple[Undo, ...] = ()


class Offer(NamedTuple):
    """An offer of a seat to the others, and who has agreed."""

    what: What
    seat: int
    agreed: frozenset[int]


class Command(Struct, frozen=True, omit_defaults=True):
    """A command: see commands.py. Rooms on the disk are lists of commands as JSON."""

    do: str
    who: int = SERVER  # the holder
    at: tuple[int, int] | None = None  # Room.at of the position that it is about; None: any
    move: str = ""  # in notation; of `level`: a player; of `claim`: win or draw; of `accept`: the question
    name: str = ""  # of `sit`; of `hint`, `move` and `illegal`: the player who gives the hint or chooses
    took: int | None = None  # milliseconds on the player's own screen
    mind: Mind | None = None
    seat: int | None = None  # of `level`
    person: str = ""  # this and what follows: of `sit`, see Person
    program: bool = False
    stood: int = 0  # milliseconds of the turn in which nobody could move, since the last command
    away: tuple[int, ...] = ()  # of `claim` and `resume`: the seats of people who have been away for too long


@dataclass(frozen=True)
class Room:
    """A room at some moment; commands.py makes it (`opened`) and changes it (`apply`)."""

    settings: Settings
    game: Game
    holders: tuple[int, ...]  # by seat: MACHINE, FREE or the number of a person, who may hold several
    names: tuple[str, ...]  # by seat
    phase: Phase
    position: Position
    starter: int
    totals: Totals  # of all games that are over
    persons: tuple[Person | None, ...] = ()  # by seat: who took it first, also if a machine has it now
    number: int = 0  # of the game
    epoch: int = 0  # how often moves were taken back or a new game begun
    moves: tuple[PlayedMove, ...] = ()
    since: int = 0  # when the turn, or the pause, began; later by the time in which nobody could move
    left: tuple[int, ...] = ()  # time left by seat, in milliseconds; empty without a clock
    pauses: tuple[int, ...] = ()  # by seat, in this game
    paused: tuple[int, ...] = ()  # milliseconds of those that are over, by seat
    by: int | None = None  # the seat that asked for the pause, or left
    left_by: str = ""  # in the phase "left": the ending of the game if nobody takes the seat
    begun: int = 0  # when the first move of the game was made; 0: there was none yet
    hints: tuple[Hint, ...] = ()  # of this game, also those before moves that were taken back
    undos: tuple[Undo, ...] = ()
    offer: Offer | None = None
    result: RoomResult | None = None
    last: Finished | None = None  # the game that is over, until the next one's first move; others are on the disk only

    @property
    def at(self) -> tuple[int, int]:
        """The number of the position, [epoch, moves played]: unique in a room."""
        return self.epoch, len(self.moves)

    @property
    def mover(self) -> int | None:
        """The seat to move; None if nobody can move now."""
        return self.position.to_move if self.phase in ("ready", "playing") else None

    @property
    def people(self) -> frozenset[int]:
        """The holders of seats that are people."""
        return frozenset(holder for holder in self.holders if holder >= 0)

    def seats_of(self, holder: int) -> list[int]:
        """The seats of a person."""
        return [seat for seat, each in enumerate(self.holders) if each == holder >= 0]
