"""The arena: matches of thousands of games, played in lockstep.

A batch of games moves together: the rows are grouped by the player to move, and each player is asked once a step.
Batches (shards) are the unit of work for threads; compiled players release the interpreter lock. Every game has a
random stream of its own, so the games are the same, bit for bit, for any number of jobs and any batch size.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from agents import make_agent
from amoba_env import games
from amoba_env.agent import Players
from amoba_env.core.batch import follow, step_rows
from amoba_env.core.rng import below, streams
from amoba_env.core.state import ENDING, PLY, RUNNING, STATUS, TO_MOVE, States
from amoba_env.options import Options

Start = Literal["random", "rotate", "first"]
Progress = Callable[[int], None]  # called, from any thread, with the number of games that have just ended
# Called, from any thread, before moves are played: who plays (numbers in Match.agents), the positions, the actions.
Watch = Callable[[NDArray[np.int8], States, NDArray[np.int32]], None]

BATCH = 1000  # games in lockstep, if there are enough for all jobs


@dataclass(frozen=True)
class Match:
    """All that determines the games of a match."""

    game: str
    agents: tuple[str, ...]  # one a seat
    games: int = 10_000
    seed: int = 0
    start: Start = "random"  # who begins: drawn for each game, each seat in turn, or seat 0
    rotate: bool = False  # every agent sits on every seat in turn
    options: Options = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise ValueError for what cannot be played."""
        rules = games.make_from(self.game, self.options)
        if len(self.agents) != rules.players:
            raise ValueError(f"{self.game} has {rules.players} seats, but {len(self.agents)} agents are given")
        for text in self.agents:
            make_agent(text).memory(rules)
        if self.games < 1:
            raise ValueError(f"games must be 1 or more, not {self.games}")
        if self.seed < 0:
            raise ValueError(f"seed must be 0 or more, not {self.seed}")
        if self.start not in get_args(Start):
            raise ValueError(f"start must be one of {', '.join(get_args(Start))}, not {self.start!r}")


@dataclass(frozen=True)
class Games:
    """The games of a match, one row each."""

    seating: NDArray[np.int8]  # [G, players] the agent (its number in Match.agents) on each seat
    starter: NDArray[np.int8]  # [G] seat
    status: NDArray[np.int8]  # [G] the winner's seat, or NOBODY
    ending: NDArray[np.int8]  # [G] why it ended, see core/state.py
    plies: NDArray[np.int16]  # [G] moves played
    digest: NDArray[np.uint64]  # [G] a hash of starter and moves: equal games have equal ones


class Cancelled(Exception):
    """The match was called off."""


def play_match(
    match: Match,
    jobs: int | None = None,
    batch: int | None = None,
    progress: Progress | None = None,
    watch: Watch | None = None,
) -> Games:
    """Play all games of a match on `jobs` threads (default: one a core). Ctrl-C calls it off within a batch's step."""
    jobs = jobs or os.cpu_count() or 1
    batch = batch or min(BATCH, -(-match.games // jobs))
    cancel = threading.Event()
    shards = range(0, match.games, batch)
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        work = [
            pool.submit(play_shard, match, first, min(batch, match.games - first), progress, cancel, watch)
            for first in shards
        ]
        try:
            parts = [shard.result() for shard in work]
        except BaseException:
            cancel.set()
            pool.shutdown(cancel_futures=True)
            raise
    return Games(*(np.concatenate([getattr(part, name) for part in parts]) for name in Games.__dataclass_fields__))


def play_shard(
    match: Match,
    first: int,
    count: int,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
    watch: Watch | None = None,
) -> Games:
    """Play games `first` .. `first + count - 1` of a match."""
    game = games.make_from(match.game, match.options)
    kinds = sorted(set(match.agents))
    players = Players(game, [make_agent(kind) for kind in kinds], count)
    kind_of = np.array([kinds.index(text) for text in match.agents])
    rng = streams(match.seed, first, count)
    seating, starter = _seat(match, game.players, first, rng)
    states = game.batch(count, starter)
    digest = starter.astype(np.uint64)
    running = np.arange(count)
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
    )


def _seat(match: Match, players: int, first: int, rng: NDArray[np.uint64]) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Who sits where, and who begins."""
    index = np.arange(first, first + len(rng))
    turn = index % players if match.rotate else np.zeros_like(index)
    seating = (np.arange(players) + turn[:, None]) % players
    if match.start == "random":
        starter = np.array([below(rng[i : i + 1], players) for i in range(len(rng))])
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
