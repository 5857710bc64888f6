"""Ctrl-C ends every search, and a depth that cannot end is warned about."""

import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import gymnasium
import numpy as np
import pytest

from amoba_agents import make_agent
from amoba_agents.mcts.leaves import playouts
from amoba_agents.mcts.tree_search import TreeSearch
from amoba_agents.values.exact import Solver
from amoba_env import checks, games
from amoba_env.core import interrupt, play
from amoba_env.core.interrupt import call
from amoba_env.core.rng import streams
from amoba_experiments.arena.match import Match
from amoba_experiments.runs.play_match import Interrupted, play_match

# Searches that would take hours, and short ones that run the same code: if one did not look at the flag, its test would
# not end.
SEARCHES = [
    ("gomoku", {}, "lookahead:20", "lookahead:2"),
    ("halma", {}, "lookahead:20", "lookahead:2"),
    ("halma", {}, "maxn:20", "maxn:2"),
    ("halma", {}, "paranoid:20", "paranoid:2"),
    ("halma", {}, "brs:20", "brs:2"),
    ("halma", {}, "hinder:20", "hinder:2"),
    ("halma", {}, "robust:20", "robust:2"),
    ("gomoku", {}, f"alphabeta:nodes={1 << 40}", "alphabeta:nodes=10"),
    ("gomoku", {}, "alphabeta:ms=100000000", "alphabeta:ms=1"),
    ("halma", {"players": 2}, f"endgame:nodes={1 << 40}", "endgame:nodes=10"),
    ("halma", {}, "endgame:nodes=10000000", "endgame:nodes=100"),
    ("gomoku", {}, "mcts:100000", "mcts:1"),
    ("halma", {}, "mcts:100000", "mcts:1"),
    ("gomoku", {"size": 15}, "mcts:100000,evaluation=learned", "mcts:1,evaluation=learned"),
]


def cancelled_at_once(work: Callable[[], Any]) -> BaseException | None:
    """What is raised in a thread in which work is cancelled when it has begun."""
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(work)
        while not future.done():
            if interrupt._running:  # perhaps a call before the long one
                interrupt.interrupt()
            time.sleep(0.001)
        return future.exception()


@pytest.mark.parametrize(("name", "options", "text", "short"), SEARCHES)
def test_every_search_ends(name: str, options: dict[str, Any], text: str, short: str) -> None:
    game, agent = games.make(name, **options), make_agent(text)
    states = game.batch(3)
    for number, state in enumerate(states):
        play.random_plies(game.rules, state, streams(0, number, 1), 8)
    before = states.copy()
    memory = np.zeros((3, agent.memory(game)), np.int16)
    make_agent(short).act(game, states, streams(0, 0, 3), memory.copy())  # compiles
    found = cancelled_at_once(lambda: agent.act(game, states, streams(0, 0, 3), memory))
    assert isinstance(found, KeyboardInterrupt)
    assert (states == before).all()


@pytest.mark.parametrize("name", ["gomoku", "halma"])
def test_simulations_end(name: str) -> None:
    """All of them would take seconds, not hours: the search tells that it did not make them."""
    game, sims = games.make(name), 100_000
    search = TreeSearch(game, game.batch(1), streams(0, 0, 1), sims, playouts(game))
    search.run(1)
    assert isinstance(cancelled_at_once(lambda: search.run(sims - 1)), KeyboardInterrupt)
    assert search.visits().sum() < sims


def test_solving_and_counting_end() -> None:
    game = games.make("gomoku", size=7)
    Solver(games.make("tictactoe")).move_values(games.make("tictactoe").batch(1))
    Solver(games.make("tictactoe")).values(games.make("tictactoe").batch(1))
    solver = Solver(game, max_positions=10**12)
    for work in (solver.values, solver.move_values):
        assert isinstance(cancelled_at_once(lambda work=work: work(game.batch(1))), KeyboardInterrupt)
    for name in ("gomoku", "halma"):
        game = games.make(name)
        call(play.perft, game.rules, game.start(), 1)
        found = cancelled_at_once(lambda game=game: call(play.perft, game.rules, game.start(), 20))
        assert isinstance(found, KeyboardInterrupt)


@contextmanager
def ctrl_c() -> Iterator[None]:
    """Ctrl-C while a call runs, again and again: Python drops one that arrives in a destructor."""
    over = threading.Event()

    def press() -> None:
        while not over.is_set():
            if interrupt._running:
                os.kill(os.getpid(), signal.SIGINT)
                over.wait(10)
            else:
                time.sleep(0.001)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    thread = threading.Thread(target=press)
    thread.start()
    try:
        yield
    finally:
        over.set()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        thread.join()
        signal.signal(signal.SIGINT, before)


dropped = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a Ctrl-C that Python drops


@dropped
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_match_ends(jobs: int) -> None:
    with pytest.raises(Interrupted), ctrl_c():
        play_match(Match("gomoku", ("lookahead:20", "lookahead:20"), games=200), jobs=jobs)


@dropped
def test_a_step_of_an_environment_ends() -> None:
    env = gymnasium.make("amoba/Gomoku-v0", opponent="lookahead:20", seat=0)
    env.reset(seed=0, options={"first": 0})
    with pytest.raises(KeyboardInterrupt), ctrl_c():
        env.step(0)


@pytest.mark.parametrize(
    ("name", "options", "text", "warned"),
    [
        ("gomoku", {}, "lookahead:8", False),
        ("gomoku", {}, "lookahead:9", True),
        ("tictactoe", {}, "lookahead:9", False),
        ("halma", {}, "lookahead:5", False),
        ("halma", {}, "lookahead:12", True),
        ("halma", {}, "maxn:4", False),
        ("halma", {}, "maxn:10", True),
        ("halma", {}, "maxn:10,width=2", False),
        ("halma", {}, "brs:8", False),
        ("halma", {}, "brs:16", True),
        ("halma", {}, "paranoid:6", False),
        ("halma", {}, "paranoid:16", True),
        ("halma", {}, "robust:10", True),
        ("gomoku", {}, "alphabeta:depth=12", False),
        ("gomoku", {}, "alphabeta:depth=40", True),
        ("gomoku", {}, "alphabeta:depth=40,nodes=1000", False),
        ("gomoku", {}, "alphabeta:depth=40,ms=10", False),
        ("halma", {"players": 2}, "endgame:depth=8", False),
        ("halma", {"players": 2}, "endgame:depth=40", True),
    ],
)
def test_a_depth_that_cannot_end_is_warned_about(
    name: str, options: dict[str, Any], text: str, warned: bool, caplog: pytest.LogCaptureFixture
) -> None:
    checks.warn_of_depth.cache_clear()
    with caplog.at_level(logging.WARNING, "amoba_env"):
        for _ in range(2):
            make_agent(text).memory(games.make(name, **options))
    assert len(caplog.records) == warned  # once
