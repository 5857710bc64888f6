"""The options of matches and tournaments: `Match`, `Tournament` and the command line take them from here."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from amoba_env.options import Option, Options

MOST_GAMES = 1_000_000_000
OPENINGS_EACH = {2: 10, 3: 2, 4: 2}  # of ladders, by number of seats: openings of a pairing, in every order of seats

Games = Annotated[int, Option("number of games", 1, MOST_GAMES)]
Seed = Annotated[int, Option("seed of all random choices: the same seed gives the same games", 0)]
Seeds = Annotated[
    int,
    Option("number of seeds, among which the games are divided; the tables show the spread between seeds", 1),
]
Paired = Annotated[bool, Option("play each opening with every order of the agents on the seats")]
Adjudicate = Annotated[
    str, Option('end games that are decided or too long: "score 0.95 4", "length 200", or both with a comma')
]


@dataclass(frozen=True)
class MatchFields:
    """The fields of `Match`; `amoba match` has an option for each that has a default value."""

    game: str
    agents: tuple[str, ...]  # one for each seat
    games: Games = 10_000
    seed: Seed = 0
    start: Annotated[
        Literal["random", "rotate", "first"],
        Option("who moves first: a random seat in each game, each seat in turn, or always seat 0"),
    ] = "random"
    rotate: Annotated[bool, Option("agents change seats from game to game: each gets every seat")] = False
    options: Options = field(default_factory=dict)
    openings: tuple[str, ...] | str = ()  # game i uses openings[i % len(openings)]; a text as in openings_from
    paired: Paired = False
    until: Annotated[  # see statistics/sequential.py
        str, Option('stop a match of two players early: "elo 20", "sprt 0 20", "sprt 0 20 alpha=0.01 beta=0.1"')
    ] = ""
    seeds: Seeds = 1
    adjudicate: Adjudicate = ""  # see adjudicate.py


@dataclass(frozen=True)
class TournamentFields:
    """The fields of `Tournament`, in the same way."""

    game: str
    agents: tuple[str, ...]
    format: Annotated[Literal["round-robin", "gauntlet"], Option("who meets whom")] = "round-robin"
    games: Annotated[int, Option("games of each pairing", 1, MOST_GAMES)] = 120  # a multiple of 2!, 3!, 4! and 5!
    seed: Seed = 0
    options: Options = field(default_factory=dict)
    openings: tuple[str, ...] | str = ()  # of each pairing, see Match
    paired: bool | None = None  # None: if there are at most MOST_ORDERS orders; otherwise agents take seats in turn
    seeds: Seeds = 1
    adjudicate: Adjudicate = ""  # of each match, see Match
