"""The arena: matches of thousands of games, played in lockstep.

A batch of games moves together: the rows are grouped by the player to move, and each player is asked once a step.
Batches (shards) are the unit of work for threads; compiled players release the interpreter lock. Every game has a
random stream of its own, so the games are the same, bit for bit, for any number of jobs and any batch size.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import permutations
from math import factorial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from agents import make_agent
from amoba_env import checks, games
from amoba_env.agent import Actions, Agent, Memory, Players, Streams
from amoba_env.core.batch import follow, step_rows
from amoba_env.core.play import places
from amoba_env.core.rng import PLAY, STARTER, below, streams
from amoba_env.core.rules import COLORED, OPENING
from amoba_env.core.state import BLACK, ENDING, PLY, RUNNING, STATUS, TO_MOVE, States
from amoba_env.games import Game
from amoba_env.options import Options
from experiments.fields import settle
from experiments.fingerprints import Fingerprints, fingerprints, steady
from experiments.openings import begin, read_opening, streams_of
from experiments.workers import Progress, Shard, Workers, cut, workers_of

Start = Literal["random", "rotate", "first"]
# Called, from any thread, before moves are played: who plays (numbers in Match.agents), the positions, the actions.
Watch = Callable[[NDArray[np.int8], States, NDArray[np.int32]], None]

BATCH = 1000  # games in lockstep, if there are enough for all jobs
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
    openings: tuple[str, ...] = ()  # game i begins with openings[i % len(openings)], see experiments.openings
    paired: bool = False  # each opening is played with every order of the agents on the seats, one after the other
    until: str = ""  # when two players have played enough, see experiments.sequential; `games` is the most, then
    seeds: int = 1  # the games come in turn from so many seeds, from `seed` on: how far do figures depend on a seed?

    def __post_init__(self) -> None:
        """Raise ValueError for what cannot be played."""
        settle(self, LIMITS)
        rules = games.make_from(self.game, self.options)
        if len(self.agents) != rules.players:
            raise ValueError(f"{self.game} has {rules.players} seats, but {len(self.agents)} agents are given")
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
            from experiments.sequential import read_rule  # it imports this module

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


@dataclass(frozen=True)
class Games:
    """The games of a match, one row each."""

    seating: NDArray[np.int8]  # [G, players] the agent (its number in Match.agents) on each seat
    starter: NDArray[np.int8]  # [G] seat
    status: NDArray[np.int8]  # [G] the winner's seat, or NOBODY
    ending: NDArray[np.int8]  # [G] why it ended, see core/state.py
    plies: NDArray[np.int16]  # [G] moves played, those of the opening too
    digest: NDArray[np.uint64]  # [G] a hash of starter and moves: equal games have equal ones
    opening: NDArray[np.uint64]  # [G] the same of the opening
    black: NDArray[np.int8]  # [G] the seat that has the black stones at the end, where colours matter
    places: NDArray[np.int8]  # [G, players] of each seat, 1 is best; seats that share a place have the same number
    incident: NDArray[np.str_]  # [G] what an agent reported of the game, see amoba_env.agent.Agent; else empty


class Trace:
    """What a shard leaves behind if it is asked to: every move, and the time that each agent took."""

    def __init__(self) -> None:
        self.states: States  # int16[G, S] at the end
        self.opening_plies: NDArray[np.int32]  # [G]
        self.agents: list[Timed] = []
        self._rows: list[NDArray[np.intp]] = []
        self._actions: list[NDArray[np.int32]] = []

    def note(self, rows: NDArray[np.intp], actions: NDArray[np.int32]) -> None:
        """Actions in these rows."""
        self._rows.append(rows)
        self._actions.append(actions)

    def moves(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Game i has actions[ends[i] : ends[i + 1]]: ends int32[G + 1], actions int32.

        A move that lost because it is illegal is among them, though not counted in plies.
        """
        rows = np.concatenate(self._rows)
        ends = np.zeros(len(self.states) + 1, np.int32)
        np.cumsum(np.bincount(rows, minlength=len(self.states)), out=ends[1:])
        return ends, np.concatenate(self._actions)[np.argsort(rows, kind="stable")]


class Timed:
    """An agent, and how long its calls took. A call is for many games: its time is that of all of them."""

    def __init__(self, agent: Agent, name: str) -> None:
        self.agent = agent
        self.name = name
        self.moves = 0
        self.seconds = 0.0

    def memory(self, game: Game) -> int:
        """See Agent."""
        return self.agent.memory(game)

    @property
    def incidents(self) -> Sequence[tuple[int, str]]:
        """See Agent."""
        return getattr(self.agent, "incidents", ())

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        """See Agent."""
        begun = time.perf_counter()
        actions = self.agent.act(game, states, rng, memory)
        self.seconds += time.perf_counter() - begun
        self.moves += len(states)
        return actions


class Cancelled(Exception):
    """The match was called off."""


def play_match(
    match: Match,
    jobs: int | Workers | None = None,
    batch: int | None = None,
    progress: Progress | None = None,
    watch: Watch | None = None,
) -> Games:
    """Play all games of a match. Ctrl-C calls it off within a batch's step.

    Raises ValueError for numbers of jobs or games in lockstep that cannot be.

    Args:
        match: what to play.
        jobs: who plays: so many threads (default: one a core), or a Ray cluster (see cluster.py).
        batch: games in lockstep; the games do not depend on it.
        progress: called with the number of games that have just ended.
        watch: called with every move; threads only.

    Raises:
        ValueError: a file that an agent reads was written meanwhile, or is another on a node of the cluster.
    """
    workers = workers_of(jobs)
    batch = batch_of(match, workers, batch)
    work = partial(_play, match, fingerprints(match), watch)
    parts: list[Games] = []
    for block in match.blocks:
        found: dict[Shard, Games] = {}
        workers.run(work, cut(block, batch), found.__setitem__, progress)
        parts += [found[shard] for shard in sorted(found)]
        if enough(match, parts):
            break
    return joined(parts)


def _play(
    match: Match,
    begun: Fingerprints,
    watch: Watch | None,
    first: int,
    count: int,
    progress: Progress | None,
    cancel: threading.Event | None,
) -> Games:
    with steady(match, begun):
        return play_shard(match, first, count, progress, cancel, watch)


def joined(parts: Sequence[Games]) -> Games:
    """Games one after the other."""
    return Games(*(np.concatenate([getattr(part, name) for part in parts]) for name in Games.__dataclass_fields__))


def enough(match: Match, parts: Sequence[Games]) -> bool:
    """Whether `match.until` is content with its first games; False without such a rule."""
    if not match.until:
        return False
    from experiments.sequential import look, read_rule, tally

    return bool(look(read_rule(match.until), tally(joined(parts), match.paired))["stop"])


def usual_batch(match: Match, jobs: int) -> int:
    """Games in lockstep: those of a job, no more than BATCH, nor than agents can hold at once in all jobs together."""
    held: list[int | None] = [getattr(make_agent(text), "at_once", None) for text in match.agents]
    return min([BATCH, -(-len(match.blocks[0]) // jobs), *(max(1, most // jobs) for most in held if most)])


def batch_of(match: Match, workers: Workers, batch: int | None) -> int:
    """Games in lockstep: as wanted, or else `usual_batch`. Raises ValueError for an impossible number."""
    return usual_batch(match, workers.jobs) if batch is None else checks.whole("batch", batch, 1, checks.MOST_COUNT)


def play_shard(
    match: Match,
    first: int,
    count: int,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
    watch: Watch | None = None,
    trace: Trace | None = None,
) -> Games:
    """Play games `first` .. `first + count - 1` of a match; `trace` notes their moves."""
    game = games.make_from(match.game, match.options)
    kinds = sorted(set(match.agents))
    asked = [make_agent(kind) for kind in kinds]
    if trace is not None:
        trace.agents = [Timed(agent, kind) for agent, kind in zip(asked, kinds, strict=True)]
    players = Players(game, asked if trace is None else trace.agents, count)
    kind_of = np.array([kinds.index(text) for text in match.agents])
    index = np.arange(first, first + count)
    rng = match.streams(index)
    part, number = match.origin(index)
    seeds = [match.seed + each for each in part.tolist()]
    seating, starter = _seat(match, game.players, number, seeds)
    states, starter, opening_moves, opening = begin(game, match.openings, seeds, number // match.orders, starter)
    digest = opening.copy()
    running = np.arange(count)
    if trace is not None:
        trace.states, trace.opening_plies = states, (opening_moves >= 0).sum(axis=1, dtype=np.int32)
        trace.note(np.nonzero(opening_moves >= 0)[0], opening_moves[opening_moves >= 0])
    while running.size:
        if cancel is not None and cancel.is_set():
            raise Cancelled
        seats = states[running, TO_MOVE]
        agents = seating[running, seats]
        actions = players.act(states, rng, running, seats, kind_of[agents])
        if watch is not None:
            watch(agents, states[running], actions)
        step_rows(game.rules, states, running, actions)
        follow(digest, running, actions)
        if trace is not None:
            trace.note(running, actions)
        left = running[states[running, STATUS] == RUNNING]
        if progress is not None and left.size < running.size:
            progress(running.size - left.size)
        running = left
    return Games(
        seating,
        starter,
        states[:, STATUS].astype(np.int8),
        states[:, ENDING].astype(np.int8),
        states[:, PLY].copy(),
        digest,
        opening,
        states[:, BLACK].astype(np.int8),
        _places(game, states),
        np.array([players.incidents.get(row, "") for row in range(count)], np.str_),
    )


def _places(game: Game, states: States) -> NDArray[np.int8]:
    found = np.empty((len(states), game.players), np.int8)
    for row, state in zip(found, states, strict=True):
        places(game.rules, state, row)
    return found


def _seat(
    match: Match, players: int, index: NDArray[np.int64], seeds: Sequence[int]
) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Who sits where in games index[i] of seeds[i], and who begins."""
    if match.paired:
        seating = np.array(list(permutations(range(players))))[index % match.orders]
        index = index // match.orders  # who begins is part of the opening
    else:
        turn = index % players if match.rotate else np.zeros_like(index)
        seating = (np.arange(players) + turn[:, None]) % players
    if match.start == "random":
        drawn = streams_of(seeds, index, STARTER)
        starter = np.array([below(drawn[i : i + 1], players) for i in range(len(drawn))])
    elif match.start == "rotate":
        starter = (index // players if match.rotate else index) % players
    else:
        starter = np.zeros_like(index)
    return seating.astype(np.int8), starter.astype(np.int8)


def compile_for(match: Match, texts: Sequence[str] = ()) -> None:
    """Let the players make a move each, so that compilation does not count as playing time."""
    game = games.make_from(match.game, match.options)
    for text in set(texts or match.agents):
        agent = make_agent(text)
        rng, states = streams(0, 0, 1), game.batch(1)
        actions = agent.act(game, states, rng, np.zeros((1, agent.memory(game)), np.int16))
        step_rows(game.rules, states, np.arange(1), actions)
        follow(np.zeros(1, np.uint64), np.arange(1), actions)
        below(rng, game.players)
        _places(game, states)


def has_black(game: Game) -> bool:
    """Whether seats have colours that matter or change hands."""
    return bool(game.rules[COLORED] or game.rules[OPENING])
