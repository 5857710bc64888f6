"""Batches of games: steps with observation, mask, random policy and autoreset; and random games without these.

The peers play the same games at random, as their users do: OpenSpiel from Python (legal actions, observation as a
list), Pgx in one compiled scan over the batch. OpenSpiel and our value beside it use one core, Pgx and ours two.
"""

from __future__ import annotations

import os
import random
import statistics
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from amoba_env.batch import Batch
from amoba_env.core.batch import random_actions, random_games
from amoba_env.core.rng import streams
from amoba_env.extras import needs
from amoba_env.games import Game, make
from amoba_env.vector import BatchEnv
from amoba_experiments.bench import Measurement, compare, seconds

CORES = min(2, os.cpu_count() or 1)


def batch_rate(game: Game, count: int, steps: int, threads: int = 1) -> float:
    """Moves a second of a batch in which a random policy plays every seat, with autoreset."""
    batches = [Batch(game, count // threads) for _ in range(threads)]

    def play(batch: Batch) -> None:
        rng, actions = streams(1, 0, batch.count), np.empty(batch.count, np.int64)
        batch.begin(np.arange(batch.count))
        for _ in range(steps):
            _planes, masks = batch.observe()
            random_actions(masks, rng, actions)
            batch.step(actions)
            batch.rewards()
            batch.begin(np.flatnonzero(batch.over))

    with ThreadPoolExecutor(threads) as pool:
        time = seconds(lambda: list(pool.map(play, batches)))
    return count // threads * threads * steps / time


def env_rate(name: str, count: int, threads: int) -> float:
    """Moves a second of a Gymnasium vector environment in which a random policy plays every seat.

    The policy's time does not count.
    """
    envs = BatchEnv(name, count, opponent=None, num_threads=threads)
    _, infos = envs.reset(seed=1)
    rng, actions = streams(1, 0, count), np.empty(count, np.int64)
    times = []
    for _ in range(100):
        random_actions(infos["action_mask"], rng, actions)
        begun = perf_counter()
        infos = envs.step(actions)[-1]
        times.append(perf_counter() - begun)
    return count / statistics.median(times)


def games_rate(game: str, count: int) -> float:
    """Moves a second of uniformly random games in compiled code, without observations."""
    rules = make(game).rules
    plies = 0

    def play() -> None:
        nonlocal plies
        plies = random_games(rules, streams(1, 0, count))

    return 1 / (seconds(play) / plies)


def open_spiel_rate(moves: int, observe: bool) -> float:
    """Moves a second of OpenSpiel's gomoku 10x10 from Python."""
    import pyspiel

    game = pyspiel.load_game("gomoku(size=10)")
    dice = random.Random(1).random
    played = 0

    def play() -> None:
        nonlocal played
        while played < moves:
            state = game.new_initial_state()
            while not state.is_terminal():
                if observe:
                    state.observation_tensor(state.current_player())
                legal = state.legal_actions()
                state.apply_action(legal[int(dice() * len(legal))])
                played += 1

    return 1 / (seconds(play) / played)


def pgx_rate(count: int, steps: int) -> Callable[[], float]:
    """A function that measures moves a second of Pgx's tic-tac-toe."""
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make("tic_tac_toe")
    step = jax.vmap(auto_reset(env.step, env.init))

    def one(state: Any, key: Any) -> tuple[Any, None]:
        logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        keys = jax.random.split(key, 2)
        return step(state, jax.random.categorical(keys[0], logits), jax.random.split(keys[1], count)), None

    def play_all(key: Any) -> Any:
        first, rest = jax.random.split(key)
        state = jax.vmap(env.init)(jax.random.split(first, count))
        return jax.lax.scan(one, state, jax.random.split(rest, steps))[0].rewards.sum()

    play = jax.jit(play_all)
    play(jax.random.PRNGKey(0)).block_until_ready()
    return lambda: count * steps / seconds(lambda: play(jax.random.PRNGKey(1)).block_until_ready())


def measure(runs: int) -> list[Measurement]:
    """Each value beside its peer, run in turns."""
    with needs("bench", "comparisons"):
        pgx = pgx_rate(4096, 500)
        open_spiel_rate(100, True)
    pairs: list[tuple[str, str, Callable[[], float], Callable[[], float]]] = [
        (
            "batch step, gomoku 10x10, N=1024, one core",
            "OpenSpiel gomoku(10), observation",
            lambda: batch_rate(make("gomoku"), 1024, 500),
            lambda: open_spiel_rate(60_000, True),
        ),
        (
            f"batch step, tictactoe, N=4096, {CORES} cores",
            "Pgx tic_tac_toe",
            lambda: batch_rate(make("tictactoe"), 4096, 500, CORES),
            pgx,
        ),
        (
            "random games, gomoku 10x10",
            "OpenSpiel gomoku(10)",
            lambda: games_rate("gomoku", 20_000),
            lambda: open_spiel_rate(200_000, False),
        ),
    ]
    pairs += [
        (
            f"envs.step, {game}, N={count}, num_threads={CORES}",
            "num_threads=1",
            partial(env_rate, game, count, CORES),
            partial(env_rate, game, count, 1),
        )
        for game, count in (("tictactoe", 4096), ("gomoku", 1024), ("gomoku", 4096), ("halma", 1024))
    ]
    results = []
    for name, peer, ours, theirs in pairs:
        ours()  # compiles
        measured = [(ours(), theirs()) for _ in range(runs)]
        results.append(compare(name, "moves/s", [a for a, _ in measured], peer, [b for _, b in measured]))
    return results
