"""A study with people: a YAML file with the text of consent, the participants and their games.

    title: Two machines
    consent: You play two short games. We store your moves and their times.
    participants: 40
    order: drawn
    games:
      - {game: tictactoe, opponent: random, condition: easy}
      - {game: tictactoe, opponent: perfect, condition: hard, seat: [0, 1]}

What is drawn depends on the seed and on the participant's place in the list alone. So participants that are added at
the end change nothing for the others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args

from amoba_env import checks
from amoba_env.options import Option, Options, convert_fields
from amoba_experiments.reading import from_yaml, read_yaml
from amoba_experiments.rooms.settings import IN_TURN, ME, Clock, Settings
from amoba_experiments.web.server_players import ServerPlayers, make_game

Allowed = Literal["undo", "hint", "play", "why", "pause"]
ID = re.compile(r"[A-Za-z0-9_-]{1,40}")
MOST_PARTICIPANTS, MOST_GAMES, MOST_TEXT = 10_000, 100, 20_000


@dataclass(frozen=True)
class StudyGame:
    """A game of a study."""

    game: Annotated[str, Option("the game, see `amoba games`")]
    opponent: Annotated[tuple[str, ...], Option("the player on the other seats, or a list from which one is drawn")]
    condition: Annotated[str, Option("a name for the export")] = ""
    options: Annotated[Options | None, Option("options of the game, such as `{size: 9}`")] = None
    seat: Annotated[tuple[str, ...], Option("the seat from 0, or a list from which one is drawn")] = ("0",)
    first: Annotated[str, Option("who begins: a seat, or `drawn`")] = "0"
    clock: Annotated[Clock | None, Option("`{main: 300000, increment: 3000}` in milliseconds; none by default")] = None
    delay: Annotated[int, Option("pause after a machine's move, in milliseconds", 0, 60_000)] = 0

    def __post_init__(self) -> None:
        """Raise ValueError for an impossible game; players are not checked."""
        convert_fields(self)
        game = make_game(self.game, self.options or {})
        if self.first == IN_TURN:
            raise ValueError("first: expected a seat or 'drawn', since each game is played once")
        for name, values in (("opponent", self.opponent), ("seat", self.seat)):
            if not values or len(set(values)) < len(values):
                raise ValueError(f"{name}: expected one or more different values, got {checks.brief(list(values))}")
        for seat in self.seat:
            checks.one_of("seat", seat, [str(each) for each in range(game.players)])
        self.settings(self.opponent[0], self.seat[0], 0)

    def settings(self, opponent: str, seat: str, seed: int) -> Settings:
        """The settings of a room for this game."""
        players = make_game(self.game, self.options or {}).players
        seats = tuple(ME if each == int(seat) else opponent for each in range(players))
        return Settings(self.game, seats, self.options or {}, self.first, self.clock, self.delay, seed=seed)


@dataclass(frozen=True)
class Study:
    """The settings of a study."""

    title: Annotated[str, Option("the heading of the page")]
    consent: Annotated[str, Option("what participants agree to; an empty line begins a paragraph")]
    participants: Annotated[tuple[str, ...], Option("how many, or a list of their ids")]
    games: Annotated[tuple[StudyGame, ...], Option("the games, see below")]
    order: Annotated[Literal["given", "drawn"], Option("the order of the games")] = "given"
    seed: Annotated[int, Option("random seed", 0, 2**32 - 1)] = 0
    allow: Annotated[
        tuple[str, ...], Option(f"what participants may use beside moves and resigning: {', '.join(get_args(Allowed))}")
    ] = ()
    blind: Annotated[bool, Option("whether the page hides which machine plays")] = True
    thanks: Annotated[str, Option("the text after the last game")] = "Thank you. You can close this page."

    def __post_init__(self) -> None:
        """Raise ValueError for an impossible study."""
        convert_fields(self)
        for name in ("title", "consent", "thanks"):
            if not 1 <= len(getattr(self, name).strip()) <= MOST_TEXT:
                raise ValueError(f"{name}: expected a text of 1 to {MOST_TEXT} letters")
        for each in self.allow:
            checks.one_of("allow", each, get_args(Allowed))
        for name, values, most in (
            ("participants", self.participants, MOST_PARTICIPANTS),
            ("games", self.games, MOST_GAMES),
        ):
            if not 1 <= len(values) <= most:
                raise ValueError(f"{name}: expected 1 to {most}, got {len(values)}")
        for id in self.participants:
            if not ID.fullmatch(id):
                raise ValueError(f"participants: expected ids of 1 to 40 letters, digits, _ and -, got {id!r}")
        if len(set(self.participants)) < len(self.participants):
            raise ValueError("participants: expected different ids")

    def check_players(self, players: ServerPlayers) -> None:
        """Raise ValueError unless the server has all opponents, and they play these games."""
        for number, each in enumerate(self.games, start=1):
            for opponent in each.opponent:
                try:
                    players.check(make_game(each.game, each.options or {}), opponent)
                except ValueError as error:
                    raise ValueError(f"games[{number}]: opponent: {error}") from None


class Planned(NamedTuple):
    """A game of a participant, as it was drawn."""

    entry: int  # number of the game in the file, from 0
    opponent: str
    seat: str
    settings: Settings


def plan(study: Study, participant: str) -> list[Planned]:
    """The games of a participant in their order."""
    number, count, order = study.participants.index(participant), len(study.games), None
    if study.order == "drawn":
        order = _share(f"{study.seed} order", balanced_orders(count), number)
    found = []
    for entry in order or range(count):
        game = study.games[entry]
        opponent, seat = _share(f"{study.seed} game {entry}", [*product(game.opponent, game.seat)], number)
        seed = int.from_bytes(sha256(f"{study.seed} machine {participant} {entry}".encode()).digest()[:4])
        found.append(Planned(entry, opponent, seat, game.settings(opponent, seat, seed)))
    return found


def balanced_orders(count: int) -> list[list[int]]:
    """Orders of `count` games in which each stands equally often at each place and after each other one.

    They are the rows of a Latin square (two squares for an odd number), see E. J. Williams (1949), Experimental designs
    balanced for the estimation of residual effects of treatments.
    """
    first = [(number + 1) // 2 if number % 2 else -number // 2 % count for number in range(count)]
    rows = [[(each + step) % count for each in first] for step in range(count)]
    return rows + [row[::-1] for row in rows] if count % 2 and count > 1 else rows


def _share(purpose: str, values: list[Any], number: int) -> Any:
    """The value for participant `number`: each block of len(values) participants gets every value once."""
    block, place = divmod(number, len(values))
    return sorted(values, key=lambda value: sha256(f"{purpose} {block} {value}".encode()).digest())[place]


def load(file: Path) -> Study:
    """The study in a YAML file. Raises ValueError, which names the wrong part; OSError."""
    values = read_yaml("study", file)
    try:
        return study_of(values)
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None


def study_of(values: Mapping[str, Any]) -> Study:
    """A study from the values of its file. Raises ValueError."""
    given = dict(values)
    if type(count := given.get("participants")) is int:
        checks.whole("participants", count, 1, MOST_PARTICIPANTS)
        given["participants"] = [f"p{each:0{len(str(count))}}" for each in range(1, count + 1)]
    return from_yaml("a study", Study, given)
