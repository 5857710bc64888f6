"""Tournaments: agents meet in pairings, and each pairing is a match of the arena.

Agents are numbered in the order in which they are given. A lineup has an agent for each seat.

With a folder every pairing is a run on disk (amoba_experiments.runs.store), and an interrupted tournament continues:

    DIR/tournament.json  the settings of the tournament
    DIR/round-1/1-4      the run of agents 1 and 4, numbered from 1 in the order in which they were given
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import combinations, combinations_with_replacement
from math import factorial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_agents import make_agent
from amoba_env import checks, games
from amoba_env.games import Game
from amoba_env.options import convert_fields
from amoba_experiments.analysis.summary import agent_points
from amoba_experiments.arena.fingerprints import Fingerprints, changes, fingerprints, unchanged_files
from amoba_experiments.arena.games import Games
from amoba_experiments.arena.match import Match
from amoba_experiments.arena.openings import openings_from
from amoba_experiments.arena.options import TournamentFields
from amoba_experiments.arena.workers import Progress, Workers
from amoba_experiments.reading import read_json
from amoba_experiments.runs.files import check_folder, differences, replace
from amoba_experiments.runs.play_match import play_match

Lineup = tuple[int, ...]  # the number of the agent on each seat
Begin = Callable[[str], None]  # called with the name of a pairing before it is played

MANIFEST = "tournament.json"
MOST_ORDERS = 24  # with up to four seats, lineups play every opening in every order


def round_robin(agents: int, seats: int = 2) -> list[Lineup]:
    """Every set of agents that fills the seats. With fewer agents than seats: every way to share the seats among them.

    With three seats two agents A and B meet as A-A-B and as A-B-B.
    """
    if agents >= seats:
        return list(combinations(range(agents), seats))
    return [each for each in combinations_with_replacement(range(agents), seats) if len(set(each)) == agents]


def gauntlet(agents: int, seats: int = 2) -> list[Lineup]:
    """The first agent against all others: the lineups of a round robin that it is part of."""
    return [lineup for lineup in round_robin(agents, seats) if 0 in lineup]


@dataclass(frozen=True)
class Tournament(TournamentFields):
    """The settings of a tournament, which determine its games."""

    def __post_init__(self) -> None:
        """Raise ValueError if such a tournament cannot be played."""
        if isinstance(self.openings, str):
            object.__setattr__(self, "openings", openings_from(self.openings, self.rules))
        convert_fields(self)
        if len(self.agents) < 2:
            raise ValueError(f"expected two agents or more, got {len(self.agents)}")
        checks.seed(self.seed)
        for text in self.agents:
            make_agent(text)
        for agent in range(len(self.agents)):
            self.match((agent,) * self.seats)  # other faults

    @property
    def rules(self) -> Game:
        """The game with its options."""
        return games.make_from(self.game, self.options)

    @property
    def seats(self) -> int:
        """Of the game."""
        return self.rules.players

    @property
    def in_pairs(self) -> bool:
        """Whether every opening is played in every order."""
        return factorial(self.seats) <= MOST_ORDERS if self.paired is None else self.paired

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the agents. The second agent of the same text is called text#2."""
        times: Counter[str] = Counter()
        names = []
        for text in self.agents:
            times[text] += 1
            names.append(text if times[text] == 1 else f"{text}#{times[text]}")
        return tuple(names)

    @property
    def lineups(self) -> list[Lineup]:
        """Who meets whom."""
        return (round_robin if self.format == "round-robin" else gauntlet)(len(self.agents), self.seats)

    def match(self, lineup: Lineup) -> Match:
        """The match of a lineup. It has a seed of its own, so no two have the same games or drawn openings."""
        seed = np.random.SeedSequence([self.seed, 0, 0, *lineup]).generate_state(1, np.uint64)[0]
        return Match(
            self.game,
            tuple(self.agents[agent] for agent in lineup),
            self.games,
            int(seed),
            rotate=not self.in_pairs,
            options=self.options,
            openings=self.openings,
            paired=self.in_pairs,
            seeds=self.seeds,
            adjudicate=self.adjudicate,
        )


class Encounter(NamedTuple):
    """A match that was played."""

    lineup: Lineup
    match: Match
    played: Games

    @property
    def points(self) -> NDArray[np.float64]:
        """Points [G, seats] in the order of the lineup: 1 for the first place, 0 for the last, even steps between."""
        points: NDArray[np.float64] = agent_points(self.played)
        return points


def play_tournament(
    tournament: Tournament,
    folder: Path | str | None = None,
    jobs: int | Workers | None = None,
    batch: int | None = None,
    progress: Progress | None = None,
    begin: Begin | None = None,
) -> list[Encounter]:
    """Play a tournament; return its matches.

    Args:
        tournament: what to play.
        folder: every game is kept there, and games that are there are not played again.
        jobs: the number of threads (default: one for each core), or a Ray cluster (see arena/cluster.py).
        batch: games in lockstep; the games do not depend on it.
        progress: as in runs.play_match.
        begin: called before each match.

    Raises:
        ValueError: the folder holds another tournament (the message says what differs), or a file that cannot be read;
            or a file that an agent reads has changed since the tournament began.
        OSError: the folder cannot be written.
        ImportError: a folder is given, and pyarrow is not installed.
    """
    begun = fingerprints(tournament)
    if folder is not None:
        _open(Path(folder), tournament, begun)
    matches: list[Encounter] = []
    for lineup in tournament.lineups:
        what = tournament.match(lineup)
        if begin is not None:
            begin(" - ".join(tournament.names[agent] for agent in lineup))
        with unchanged_files(what, begun):
            run = None if folder is None else Path(folder) / run_name(lineup)
            played = play_match(what, run, jobs=jobs, batch=batch, progress=progress)
        matches.append(Encounter(lineup, what, played))
    return matches


def run_name(lineup: Lineup) -> str:
    """The name of a run's folder, inside the tournament's folder."""
    return f"round-1/{'-'.join(str(agent + 1) for agent in lineup)}"


def _open(folder: Path, tournament: Tournament, begun: Fingerprints) -> None:
    """Begin a tournament in a folder, or go on with it. Raises ValueError if the folder holds something else."""
    what = json.loads(json.dumps({**asdict(tournament), "options": dict(tournament.rules.options)}))
    file = folder / MANIFEST
    check_folder(folder, MANIFEST)
    if file.exists():
        try:
            there = dict(checks.mapping("tournament", read_json(file)))
            players = there.pop("fingerprints")
            different = differences(there, what) + changes(players, begun)
        except (ValueError, AttributeError, TypeError, KeyError):
            raise ValueError(f"{file}: expected the manifest of a tournament") from None
        if different:
            raise ValueError(f"{folder} holds another tournament: {'; '.join(different)}")
    folder.mkdir(parents=True, exist_ok=True)
    replace(file, (json.dumps({**what, "fingerprints": begun}, indent=2) + "\n").encode())
