"""Tournaments: agents meet in pairings, and each pairing is a match of the arena.

With a folder every pairing is a run on disk (amoba_experiments.runs.store), and an interrupted tournament continues:

    DIR/tournament.json         the settings of the tournament
    DIR/round-1/1-4             the run of agents 1 and 4, numbered from 1 in the order in which they were given
    DIR/round-1/1-4-shootout-1  the first shoot-out after a tie in a knockout
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from math import ceil, factorial, log2
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_agents import make_agent
from amoba_env import checks, games
from amoba_env.options import Options, convert_fields
from amoba_experiments.analysis.summary import agent_points
from amoba_experiments.analysis.tournament.pairings import Lineup, PairingResult, gauntlet, knockout, round_robin, swiss
from amoba_experiments.arena.adjudicate import referees
from amoba_experiments.arena.fingerprints import Fingerprints, changes, fingerprints, unchanged_files
from amoba_experiments.arena.games import Games
from amoba_experiments.arena.match import Match
from amoba_experiments.arena.opening_files import openings_from
from amoba_experiments.arena.options import Adjudicate, Format, PairingGames, Rounds, Seed, Seeds
from amoba_experiments.arena.shard import Watch
from amoba_experiments.arena.workers import Progress, Workers
from amoba_experiments.runs.files import check_folder, differences, read_json, replace
from amoba_experiments.runs.play_match import play_match

Begin = Callable[[str], None]  # called with the name of a pairing before it is played

MANIFEST = "tournament.json"
GAMES = 120  # of a pairing: a multiple of the number of orders of two, three, four and five seats
MOST_ORDERS = 24  # with up to four seats, lineups play every opening in every order
SHOOTOUTS = 10  # after these the better seed advances
FEW = 2  # random moves that begin a shoot-out if no openings are given


@dataclass(frozen=True)
class Tournament:
    """The settings of a tournament, which determine its games."""

    game: str
    agents: tuple[str, ...]  # the order is the seeding: the best first, if known
    format: Format = "round-robin"
    games: PairingGames = GAMES
    seed: Seed = 0
    options: Options = field(default_factory=dict)
    openings: tuple[str, ...] | str = ()  # of each pairing, see Match
    paired: bool | None = None  # None: if there are at most MOST_ORDERS orders; otherwise agents take seats in turn
    rounds: Rounds = None
    seeds: Seeds = 1
    adjudicate: Adjudicate = ""  # of each match, see Match

    def __post_init__(self) -> None:
        """Raise ValueError if such a tournament cannot be played."""
        if isinstance(self.openings, str):
            object.__setattr__(self, "openings", openings_from(self.openings))
        convert_fields(self)
        seats = self.seats
        if len(self.agents) < 2:
            raise ValueError(f"expected two agents or more, got {len(self.agents)}")
        checks.seed(self.seed)
        for text in self.agents:
            make_agent(text)
        if self.format in ("knockout", "swiss") and seats != 2:
            raise ValueError(
                f"{self.format} is for two players, but {self.game} has {seats} seats; round-robin and gauntlet are not"
            )
        if self.rounds is not None and self.format != "swiss":
            raise ValueError(f"rounds: expected the format swiss too, got {self.format}")
        if self.rounds == 1 and len(self.agents) % 2:
            raise ValueError(f"rounds: expected 2 or more, so that each of {len(self.agents)} agents plays, got 1")
        if self.in_pairs and self.games % factorial(seats):
            fewer = self.games // factorial(seats) * factorial(seats) or factorial(seats)
            raise ValueError(
                f"games: expected a multiple of {factorial(seats)} with paired (every order on {seats} seats), such as "
                f"{fewer}, got {self.games}; unpaired (amoba tournament --no-paired) any number is possible"
            )
        for agent in range(len(self.agents)):
            self.match((agent,) * seats, 0)  # other faults

    @property
    def referees(self) -> tuple[str, ...]:
        """The player whose search adjudicates games, if there is one."""
        return referees(self.adjudicate)

    @property
    def seats(self) -> int:
        """Of the game."""
        return games.make_from(self.game, self.options).players

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
    def most_rounds(self) -> int:
        """The number of rounds."""
        if self.format in ("round-robin", "gauntlet"):
            return 1
        return self.rounds or ceil(log2(len(self.agents)))

    @property
    def pairings(self) -> int:
        """The number of lineups that play."""
        count = len(self.agents)
        if self.format == "knockout":
            return count - 1
        return self.most_rounds * (count // 2 if self.format == "swiss" else len(self.next_round([])))

    def next_round(self, results: list[list[PairingResult]]) -> list[Lineup]:
        """The lineups after these rounds; none at the end."""
        count = len(self.agents)
        if self.format == "knockout":
            return knockout(count, results)
        if len(results) == self.most_rounds:
            return []
        if self.format == "swiss":
            return swiss(count, [result for each in results for result in each])
        return (round_robin if self.format == "round-robin" else gauntlet)(count, self.seats)

    def match(self, lineup: Lineup, number: int, shootout: int = 0) -> Match:
        """The match of a lineup in round `number`, from 0. A shoot-out is one game, or one opening in every order.

        Every match has a seed of its own, so no two have the same games or drawn openings. A shoot-out takes the given
        openings that follow those of the match, or begins with FEW random moves.
        """
        seed = np.random.SeedSequence([self.seed, number, shootout, *lineup]).generate_state(1, np.uint64)[0]
        orders = factorial(self.seats) if self.in_pairs else 1
        openings, count = self.openings, self.games
        if shootout:
            used = self.games // orders + shootout - 1
            openings = tuple(openings[(used + i) % len(openings)] for i in range(len(openings))) or (f"random:{FEW}",)
            count = orders if self.in_pairs else 2
        return Match(
            self.game,
            tuple(self.agents[agent] for agent in lineup),
            count,
            int(seed),
            rotate=not self.in_pairs,
            options=self.options,
            openings=openings,
            paired=self.in_pairs,
            seeds=1 if shootout else self.seeds,
            adjudicate=self.adjudicate,
        )


class Encounter(NamedTuple):
    """A match that was played."""

    round: int  # from 0
    lineup: Lineup
    shootout: int  # 0: the match itself
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
    watch: Watch | None = None,
) -> tuple[list[list[PairingResult]], list[Encounter]]:
    """Play a tournament; return the results of each round, and all matches.

    Args:
        tournament: what to play.
        folder: every game is kept there, and games that are there are not played again.
        jobs: the number of threads (default: one for each core), or a Ray cluster (see arena/cluster.py).
        batch: games in lockstep; the games do not depend on it.
        progress: as in arena.play_match.
        begin: called before each match.
        watch: called with every move; agents are numbered as here, and games in the order of the matches, the first
            game of a match after the last of the one before. Only with threads and without a folder.

    Raises:
        ValueError: the folder holds another tournament (the message says what differs), or a file that cannot be read;
            or a file that an agent reads has changed since the tournament began.
        OSError: the folder cannot be written.
        ImportError: a folder is given, and pyarrow is not installed.
    """
    begun = fingerprints(tournament)
    if folder is not None:
        _open(Path(folder), tournament, begun)
    rounds: list[list[PairingResult]] = []
    matches: list[Encounter] = []

    def play(lineup: Lineup, shootout: int) -> Encounter:
        what = tournament.match(lineup, len(rounds), shootout)
        if begin is not None:
            begin(" - ".join(tournament.names[agent] for agent in lineup))
        with unchanged_files(what, begun):
            before = sum(len(each.played.index) for each in matches)
            seen = None if watch is None else _of(lineup, before, watch)
            run = None if folder is None else Path(folder) / run_name(len(rounds), lineup, shootout)
            played = play_match(what, run, jobs=jobs, batch=batch, progress=progress, watch=seen)
        matches.append(Encounter(len(rounds), lineup, shootout, what, played))
        return matches[-1]

    shootouts = SHOOTOUTS if tournament.format == "knockout" else 0
    while lineups := tournament.next_round(rounds):
        rounds.append([_decide(lineup, play, shootouts) for lineup in lineups])
    return rounds, matches


def _decide(lineup: Lineup, play: Callable[[Lineup, int], Encounter], shootouts: int) -> PairingResult:
    """Play a pairing, and after a tie shoot-outs until one has a winner; after the last one the better seed wins."""
    if len(lineup) == 1:  # a bye
        return PairingResult(lineup, (1.0,), lineup[0])
    points = play(lineup, 0).points.sum(axis=0)
    winner = _winner(lineup, points)
    for shootout in range(1, shootouts + 1):
        if winner is not None:
            break
        winner = _winner(lineup, play(lineup, shootout).points.sum(axis=0))
    if winner is None and shootouts:
        winner = min(lineup)
    return PairingResult(lineup, tuple(points.tolist()), winner)


def _of(lineup: Lineup, before: int, watch: Watch) -> Watch:
    """A function that watches a match and passes numbers of games and agents in the tournament on to `watch`."""
    numbers = np.array(lineup, np.int8)
    return lambda index, agents, states, actions: watch(before + index, numbers[agents], states, actions)


def _winner(lineup: Lineup, points: NDArray[np.float64]) -> int | None:
    best = [agent for agent, each in zip(lineup, points, strict=True) if each == points.max()]
    return best[0] if len(best) == 1 else None


def run_name(number: int, lineup: Lineup, shootout: int) -> str:
    """The name of a run's folder, inside the tournament's folder."""
    last = f"-shootout-{shootout}" if shootout else ""
    return f"round-{number + 1}/{'-'.join(str(agent + 1) for agent in lineup)}{last}"


def _open(folder: Path, tournament: Tournament, begun: Fingerprints) -> None:
    """Begin a tournament in a folder, or go on with it. Raises ValueError if the folder holds something else."""
    options = dict(games.make_from(tournament.game, tournament.options).options)
    what = json.loads(json.dumps({**asdict(tournament), "options": options}))
    if not what["adjudicate"]:
        del what["adjudicate"]  # older tournaments do not have it
    file = folder / MANIFEST
    check_folder(folder, MANIFEST)
    if file.exists():
        try:
            there = dict(checks.mapping("tournament", read_json(file)))
            players = there.pop("fingerprints", {})
            different = differences(there, what) + changes(players, begun)
        except (ValueError, AttributeError, TypeError):
            raise ValueError(f"{file}: expected the manifest of a tournament") from None
        if different:
            raise ValueError(f"{folder} holds another tournament: {'; '.join(different)}")
    folder.mkdir(parents=True, exist_ok=True)
    replace(file, (json.dumps({**what, "fingerprints": begun}, indent=2) + "\n").encode())
