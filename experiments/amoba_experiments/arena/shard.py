"""The arena: the games of a shard, played in lockstep.

In lockstep: in each step every game of a batch makes one move, and each player is called once with all positions in
which it is to move. Threads play batches in parallel, as compiled players release the GIL. Every game has its own
random stream, so games are the same, bit for bit, for any number of threads and any batch size.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from amoba_agents import make_agent
from amoba_env import checks
from amoba_env.agent import Players, ask, new_memory
from amoba_env.core import endings as en
from amoba_env.core import state as st
from amoba_env.core.batch import places_all, step_rows, update_digests
from amoba_env.core.rng import below, streams
from amoba_env.core.state import States
from amoba_env.games import Game
from amoba_env.notation import is_board
from amoba_experiments.arena.adjudicate import Referee, referees
from amoba_experiments.arena.games import ADJUDICATED, Ended, Timed
from amoba_experiments.arena.match import Match
from amoba_experiments.arena.openings import begin
from amoba_experiments.arena.seating import seats_and_starters
from amoba_experiments.arena.workers import Cancelled, Progress, Workers

# Called before moves are played, from any thread, with the numbers of the games, the agents to move (their numbers in
# Match.agents), the positions and the actions.
Watch = Callable[[NDArray[np.int64], NDArray[np.int8], States, NDArray[np.int32]], None]

BATCH = 1000  # games in lockstep, or fewer if there are not enough for all threads


def usual_batch(match: Match, jobs: int) -> int:
    """The most games in lockstep: an equal part for each job, at most BATCH and Agent.at_once."""
    held = [make_agent(text).at_once for text in match.agents]
    return min([BATCH, -(-len(match.blocks[0]) // jobs), *(max(1, most // jobs) for most in held if most)])


def batch_of(match: Match, workers: Workers, batch: int | None) -> int:
    """The games in lockstep: `batch`, or usual_batch() if None. ValueError for an impossible number."""
    return usual_batch(match, workers.jobs) if batch is None else checks.whole("batch", batch, 1, checks.MOST_COUNT)


def play_shard(
    match: Match,
    first: int,
    count: int,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
    watch: Watch | None = None,
) -> Ended:
    """Play games `first` .. `first + count - 1` of a match."""
    game = match.rules
    kinds = sorted(set(match.agents))
    agents = [Timed(make_agent(kind), kind) for kind in kinds]
    players = Players(game, agents, count)
    kind_of = np.array([kinds.index(text) for text in match.agents])
    index = np.arange(first, first + count)
    rng = match.streams(index)
    part, number = match.origin(index)
    seeds = [match.seed + each for each in part.tolist()]
    seating, starter = seats_and_starters(match, number, seeds)
    begun = begin(game, match.openings, seeds, number // match.orders, starter)
    states, digest, opened = begun.states, begun.digest, begun.moves >= 0
    adjudicate = Referee(game, match.adjudicate, count).end_decided if match.adjudicate else None
    running, steps = np.arange(count), [(np.nonzero(opened)[0], begun.moves[opened])]
    while running.size:
        if cancel is not None and cancel.is_set():
            raise Cancelled
        seats = states[running, st.TO_MOVE]
        movers = seating[running, seats]
        actions = players.act(states, rng, running, seats, kind_of[movers])
        if watch is not None:
            watch(index[running], movers, states[running], actions)
        step_rows(game.rules, states, running, actions)
        update_digests(digest, running, actions)
        steps.append((running, actions))
        if adjudicate is not None:
            adjudicate(states, running)
        left = running[states[running, st.STATUS] == st.RUNNING]
        if progress is not None and left.size < running.size:
            progress(running.size - left.size)
        running = left
    return Ended(
        game,
        match.agents,
        index,
        match.streams(index),
        seating,
        begun.starter,
        _starts(match, number),
        states,
        winner=states[:, st.STATUS].astype(np.int8),
        ending=np.where(states[:, st.ENDING] == en.NOT_OVER, ADJUDICATED, states[:, st.ENDING]).astype(np.int8),
        places=_places(game, states),
        digest=digest,
        opening=begun.opening,
        opening_plies=opened.sum(axis=1, dtype=np.int32),
        steps=steps,
        incident=np.array([players.incidents.get(row, "") for row in range(count)], np.str_),
        times=[(each.name, each.moves, each.seconds) for each in agents],
    )


def _starts(match: Match, number: NDArray[np.int64]) -> list[str | None]:
    """The position in which the moves of each game begin; None: the start of the game."""
    texts = match.openings or ("",)
    openings = [texts[each] for each in (number // match.orders % len(texts)).tolist()]
    return [text if is_board(text) else None for text in openings]


def _places(game: Game, states: States) -> NDArray[np.int8]:
    found = np.empty((len(states), game.players), np.int64)
    places_all(game.rules, states, found)
    return found.astype(np.int8)


def compile_for(match: Match, texts: Sequence[str] = ()) -> None:
    """Let each player make a move, so that compiling does not count as playing time."""
    game = match.rules
    step_rows(game.rules, game.batch(1), np.arange(1), np.zeros(1, np.int32))  # another process begins with the rules
    for text in set(texts or (*match.agents, *referees(match.adjudicate))):
        agent = make_agent(text)
        rng, states = streams(0, 0, 1), game.batch(1)
        actions = ask(agent, game, states, rng, new_memory(agent, game, 1))
        step_rows(game.rules, states, np.arange(1), actions)
        update_digests(np.zeros(1, np.uint64), np.arange(1), actions)
        below(rng, game.players)
        _places(game, states)
