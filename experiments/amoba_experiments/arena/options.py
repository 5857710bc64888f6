"""The options of matches and tournaments: `Match`, `Tournament` and the command line take them from here."""

from typing import Annotated, Literal

from amoba_env.options import Option

MOST_GAMES = 1_000_000_000
OPENINGS_EACH = {2: 10, 3: 2, 4: 2}  # of ladders, by number of seats: openings of a pairing, in every order of seats

Games = Annotated[int, Option("number of games", 1, MOST_GAMES)]
PairingGames = Annotated[int, Option("games of each pairing", 1, MOST_GAMES)]
Seed = Annotated[int, Option("seed of all random choices: the same seed gives the same games", 0)]
Seeds = Annotated[
    int,
    Option("number of seeds, among which the games are divided; the tables show the spread between seeds", 1),
]
Start = Annotated[
    Literal["random", "rotate", "first"],
    Option("who moves first: a random seat in each game, each seat in turn, or always seat 0"),
]
Rotate = Annotated[bool, Option("agents change seats from game to game: each gets every seat")]
Paired = Annotated[bool, Option("play each opening with every order of the agents on the seats")]
Until = Annotated[
    str, Option('stop a match of two players early: "elo 20", "sprt 0 20", "sprt 0 20 alpha=0.01 beta=0.1"')
]
Adjudicate = Annotated[
    str, Option('end games that are decided or too long: "score 0.95 4", "length 200", or both with a comma')
]
Format = Annotated[Literal["round-robin", "gauntlet"], Option("who meets whom")]
