"""The arena: matches of thousands of games, played in lockstep.

In lockstep means: in each step every game of a batch makes one move, and each player is called once, with all
positions in which it is to move. Threads play batches in parallel, as compiled players release the interpreter's lock.
Every game has a random stream of its own, so the games are the same, bit for bit, for any number of threads and any
batch size.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from amoba_agents import make_agent
from amoba_env import checks, games
from amoba_env.agent import Players, ask, new_memory
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.batch import step_rows, update_digests
from amoba_env.core.play import places
from amoba_env.core.rng import below, streams
from amoba_env.core.state import States
from amoba_env.games import Game
from amoba_experiments.arena.fingerprints import Fingerprints, fingerprints, unchanged_files
from amoba_experiments.arena.games import Games, Timed, Trace, joined
from amoba_experiments.arena.match import Match
from amoba_experiments.arena.openings import begin
from amoba_experiments.arena.seating import seats_and_starters
from amoba_experiments.arena.stopping import rule_is_met
from amoba_experiments.arena.workers import Cancelled, Progress, Shard, Workers, cut, workers_of

# Called before moves are played, from any thread, with the numbers of the games, the agents to move (their numbers in
# Match.agents), the positions and the actions.
Watch = Callable[[NDArray[np.int64], NDArray[np.int8], States, NDArray[np.int32]], None]

BATCH = 1000  # games in lockstep, or fewer if there are not enough for all threads


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a match. `games`: those of the first batches, up to the first unfinished one; None if none."""

    def __init__(self, parts: Sequence[Games]) -> None:
        super().__init__()
        self.games = joined(parts) if parts else None


def play_match(
    match: Match,
    jobs: int | Workers | None = None,
    batch: int | None = None,
    progress: Progress | None = None,
    watch: Watch | None = None,
) -> Games:
    """Play all games of a match. Ctrl-C stops it at once.

    Args:
        match: what to play.
        jobs: a number of threads (default: one for each core), or a Ray cluster (see cluster.py).
        batch: how many games to play in lockstep; the games do not depend on it.
        progress: called with the number of games that have just ended.
        watch: called with all moves; not on a cluster.

    Raises:
        ValueError: an impossible `jobs` or `batch`; or a file that an agent reads changed during the match, or differs
            on a node of the cluster.
        Interrupted: Ctrl-C was pressed; the exception has the games that were played.
    """
    workers = workers_of(jobs)
    batch = batch_of(match, workers, batch)
    work = partial(_play, match, fingerprints(match), watch)
    parts: list[Games] = []
    for block in match.blocks:
        found: dict[Shard, Games] = {}
        shards = cut(block, batch)
        try:
            workers.run(work, shards, found.__setitem__, progress)
        except KeyboardInterrupt as stop:
            raise Interrupted([*parts, *(found[each] for each in takewhile(found.__contains__, shards))]) from stop
        parts += [found[shard] for shard in shards]
        if rule_is_met(match, parts):
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
    with unchanged_files(match, begun):
        return play_shard(match, first, count, progress, cancel, watch)


def usual_batch(match: Match, jobs: int) -> int:
    """How many games to play in lockstep: an equal part for each job, at most BATCH and what the agents can hold."""
    held = [make_agent(text).at_once for text in match.agents]
    return min([BATCH, -(-len(match.blocks[0]) // jobs), *(max(1, most // jobs) for most in held if most)])


def batch_of(match: Match, workers: Workers, batch: int | None) -> int:
    """How many games to play in lockstep: `batch`, or `usual_batch` if None. ValueError for an impossible number."""
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
    """Play games `first` .. `first + count - 1` of a match. `trace`, if given, records moves and times."""
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
    seating, starter = seats_and_starters(match, game.players, number, seeds)
    begun = begin(game, match.openings, seeds, number // match.orders, starter)
    states, starter, opening_moves, digest = begun.states, begun.starter, begun.moves, begun.digest
    running = np.arange(count)
    if trace is not None:
        trace.states, trace.opening_plies = states, (opening_moves >= 0).sum(axis=1, dtype=np.int32)
        trace.note(np.nonzero(opening_moves >= 0)[0], opening_moves[opening_moves >= 0])
    while running.size:
        if cancel is not None and cancel.is_set():
            raise Cancelled
        seats = states[running, st.TO_MOVE]
        agents = seating[running, seats]
        actions = players.act(states, rng, running, seats, kind_of[agents])
        if watch is not None:
            watch(index[running], agents, states[running], actions)
        step_rows(game.rules, states, running, actions)
        update_digests(digest, running, actions)
        if trace is not None:
            trace.note(running, actions)
        left = running[states[running, st.STATUS] == st.RUNNING]
        if progress is not None and left.size < running.size:
            progress(running.size - left.size)
        running = left
    return Games(
        index,
        seating,
        starter,
        states[:, st.STATUS].astype(np.int8),
        states[:, st.ENDING].astype(np.int8),
        states[:, st.PLY].copy(),
        digest,
        begun.opening,
        states[:, st.BLACK].astype(np.int8),
        _places(game, states),
        np.array([players.incidents.get(row, "") for row in range(count)], np.str_),
    )


def _places(game: Game, states: States) -> NDArray[np.int8]:
    found = np.empty((len(states), game.players), np.int64)
    for row, state in zip(found, states, strict=True):
        places(game.rules, state, row)
    return found.astype(np.int8)


def compile_for(match: Match, texts: Sequence[str] = ()) -> None:
    """Let each player make a move, so that the time of compiling does not count as playing time."""
    game = games.make_from(match.game, match.options)
    for text in set(texts or match.agents):
        agent = make_agent(text)
        rng, states = streams(0, 0, 1), game.batch(1)
        actions = ask(agent, game, states, rng, new_memory(agent, game, 1))
        step_rows(game.rules, states, np.arange(1), actions)
        update_digests(np.zeros(1, np.uint64), np.arange(1), actions)
        below(rng, game.players)
        _places(game, states)


def has_black(game: Game) -> bool:
    """Whether seats have colours that matter or change hands."""
    return bool(game.rules[ru.COLORED] or game.rules[ru.OPENING_RULE])
