"""The settings of a match. They determine its games."""

from __future__ import annotations

from dataclasses import InitVar, dataclass
from math import factorial, gcd

import numpy as np
from numpy.typing import NDArray

from amoba_agents import make_agent
from amoba_env import checks, games
from amoba_env.agent import Streams
from amoba_env.core.rng import PLAY
from amoba_env.games import Game
from amoba_env.options import convert_fields
from amoba_experiments.arena.adjudicate import Referee
from amoba_experiments.arena.openings import openings_from, read_opening, streams_of
from amoba_experiments.arena.options import MatchFields
from amoba_experiments.statistics.sequential import read_rule

BLOCK = 100  # games after which Match.until is evaluated; even, so that pairs stay together
MANY = 30  # cycles of each seed. With this many, an incomplete last one hardly matters


@dataclass(frozen=True)
class Match(MatchFields):
    """The settings of a match. Equal settings give equal games.

    With playable=False agents are names only: a match in an old run may have players that no longer exist.
    """

    playable: InitVar[bool] = True  # whether the agents must be known and play this game

    def __post_init__(self, playable: bool) -> None:
        """Raise ValueError if such a match cannot be played."""
        rules = self.rules
        if isinstance(self.openings, str):
            object.__setattr__(self, "openings", openings_from(self.openings, rules))
        convert_fields(self)
        if len(self.agents) != rules.players:
            raise ValueError(f"agents: expected {rules.players}, one for each seat, got {len(self.agents)}")
        for text in self.agents if checks.flag("playable", playable) else ():
            make_agent(text).memory(rules)
        if self.paired and self.rotate:
            raise ValueError("expected rotate (--agents-rotate) or paired, got both")
        if self.paired and self.games % self.orders:
            fewer = self.games // self.orders * self.orders
            raise ValueError(
                f"games: expected a multiple of {self.orders}, such as {fewer or self.orders}, got {self.games}; with "
                f"paired every opening is played in every order of the {len(self.agents)} seats"
            )
        if not 1 <= self.seeds <= self.games // self.orders:
            raise ValueError(
                f"seeds: expected 1 to {self.games // self.orders} "
                f"(the number of {'openings' if self.paired else 'games'}), got {self.seeds}"
            )
        if playable and self.games != (even := self.even_games):
            raise ValueError(
                f"games: expected a multiple of {self.seeds * self.cycle}, such as {even}, so that all agents and "
                f"first movers have equal turns in each of {self.seeds} seeds; got {self.games}"
            )
        for seed in (self.seed, self.seed + self.seeds - 1):
            checks.seed(seed)
        for text in self.openings:
            read_opening(rules, text)
        if self.adjudicate:
            Referee(rules, self.adjudicate, 0)
        if self.until:
            read_rule(self.until)
            if len(self.agents) != 2:
                raise ValueError(f"until: expected a game of two players, got {self.game} with {len(self.agents)}")

    @property
    def rules(self) -> Game:
        """The game with its options."""
        return games.make_from(self.game, self.options)

    @property
    def orders(self) -> int:
        """The number of consecutive games with the same opening."""
        return factorial(len(self.agents)) if self.paired else 1

    @property
    def cycle(self) -> int:
        """The number of consecutive games of a seed in which every agent has every seat, and every seat begins."""
        players, openings = len(self.agents), len(self.openings) or 1
        turns = (players if self.rotate else 1) * (players if self.start == "rotate" else 1)
        skips = gcd(openings, players) > 1 and openings % turns > 0  # see seating.py
        return self.orders * turns * (openings if skips else 1)

    @property
    def even_games(self) -> int:
        """The number of games, rounded up to complete cycles for each of several seeds, unless it is large."""
        whole = self.seeds * self.cycle
        if self.seeds == 1 or self.cycle == self.orders or self.games >= MANY * whole:
            return self.games
        return -(-self.games // whole) * whole

    def origin(self, index: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Which seed (0 .. seeds - 1) each game belongs to, and its number among the games of that seed.

        The games of one opening (`orders` of them) belong to the same seed.
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
        """The games, in blocks: the rule `until` is evaluated after each block. Without a rule there is one block."""
        step = BLOCK if self.until else self.games
        return [range(first, min(first + step, self.games)) for first in range(0, self.games, step)]
