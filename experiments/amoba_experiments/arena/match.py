"""What a match is: all that determines its games."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import factorial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from amoba_agents import make_agent
from amoba_env import checks, games
from amoba_env.agent import Streams
from amoba_env.core.rng import PLAY
from amoba_env.options import Options
from amoba_experiments.arena.fields import convert_fields
from amoba_experiments.arena.openings import read_opening, streams_of
from amoba_experiments.statistics.sequential import read_rule

Start = Literal["random", "rotate", "first"]

MOST_GAMES = 1_000_000_000
LIMITS = {"games": (1, MOST_GAMES)}
BLOCK = 100  # games after each of which Match.until is asked; pairs are not cut


@dataclass(frozen=True)
class Match:
    """All that determines the games of a match."""

    game: str
    agents: tuple[str, ...]  # one a seat
    games: int = 10_000
    seed: int = 0  # of the games; see `seeds`
    start: Start = "random"  # who begins: drawn for each game, each seat in turn, or seat 0
    rotate: bool = False  # every agent sits on every seat in turn
    options: Options = field(default_factory=dict)
    openings: tuple[str, ...] = ()  # game i begins with openings[i % len(openings)], see openings.py
    paired: bool = False  # each opening is played with every order of the agents on the seats, one after the other
    until: str = ""  # when two players have played enough, see statistics/sequential.py; `games` is the most, then
    seeds: int = 1  # the games come in turn from so many seeds, from `seed` on: how far do figures depend on a seed?

    def __post_init__(self) -> None:
        """Raise ValueError for what cannot be played."""
        convert_fields(self, LIMITS)
        rules = games.make_from(self.game, self.options)
        if len(self.agents) != rules.players:
            given = "1 agent is" if len(self.agents) == 1 else f"{len(self.agents)} agents are"
            raise ValueError(f"{self.game} has {rules.players} seats, but {given} given")
        for text in self.agents:
            make_agent(text).memory(rules)
        if not 1 <= self.seeds <= self.games // self.orders:
            raise ValueError(
                f"seeds must be 1 or more, and no more than the {self.games // self.orders} "
                f"{'openings' if self.paired else 'games'} that are played, not {self.seeds}"
            )
        for seed in (self.seed, self.seed + self.seeds - 1):
            checks.seed(seed)
        for text in self.openings:
            read_opening(rules, text)
        if self.paired and self.rotate:
            raise ValueError("rotate and paired are two ways to change seats: one of them is wanted")
        if self.paired and self.games % self.orders:
            fewer = self.games // self.orders * self.orders
            raise ValueError(
                f"games must be a multiple of {self.orders} with paired (every order on {len(self.agents)} seats), "
                f"such as {fewer or self.orders}, not {self.games}"
            )
        if self.until:
            read_rule(self.until)
            if len(self.agents) != 2:
                raise ValueError(f"until compares two players, but {self.game} has {len(self.agents)} seats")

    @property
    def orders(self) -> int:
        """How many games in a row have the same opening."""
        return factorial(len(self.agents)) if self.paired else 1

    def origin(self, index: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where games come from: which of the seeds, 0 .. seeds - 1, and their number among the games of that seed.

        Games with the same opening (`orders` of them) stay together.
        """
        opening, order = np.divmod(index, self.orders)
        opening, part = np.divmod(opening, self.seeds)
        return part, opening * self.orders + order

    def streams(self, index: NDArray[np.int64]) -> Streams:
        """The random streams from which the players of these games draw. uint64[B]."""
        part, number = self.origin(index)
        return streams_of([self.seed + each for each in part.tolist()], number, PLAY)

    @property
    def blocks(self) -> list[range]:
        """Games after which it is asked whether they are enough: all at once without `until`."""
        step = BLOCK if self.until else self.games
        return [range(first, min(first + step, self.games)) for first in range(0, self.games, step)]
