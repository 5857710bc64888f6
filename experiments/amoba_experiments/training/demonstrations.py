"""Positions and moves to learn from: of games that were played, or of a player's games against itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_agents import make_agent
from amoba_env.agent import Players
from amoba_env.core import batch as core
from amoba_env.core.play import random_plies
from amoba_env.core.rng import TEACHER, streams
from amoba_env.core.state import RUNNING, STATUS, TO_MOVE, States
from amoba_env.games import Game, make_from
from amoba_experiments.training.dagger import Adviser, blunders, missed

GAMES = 256  # in lockstep
ASTRAY = 8  # one move in so many is random: the player shows how to go on from there too
QUICK = "alphabeta:nodes=1000"  # finds wins that were missed
BESIDE = {"unwon": 1, "blunders": 4}  # how many moves that won come with each that advice is asked for


class Lessons(NamedTuple):
    """Positions, what to play there in the board's own numbers, and how the game ends for who moves; NaN: unknown."""

    states: States  # int16 [N, S]
    actions: NDArray[np.int64]
    returns: NDArray[np.float32]


def recorded(
    game: Game,
    folder: Path,
    rng: np.random.Generator,
    positions: int,
    teachers: Sequence[str] = (),
    advice: str = "",
    advise: str = "all",
    progress: Callable[[int, int], None] = lambda known, of: None,
) -> Lessons:
    """Decisions in the runs of a folder, in random order.

    A learner's own positions with an expert's moves are what it needs to get out of its own mistakes: S. Ross,
    G. Gordon, D. Bagnell, "A reduction of imitation learning and structured prediction to no-regret online learning",
    AISTATS 2011.

    Args:
        game: the rules.
        folder: a run, or one with runs in it.
        rng: chooses and shuffles.
        positions: at most so many.
        teachers: the agents whose decisions they are; none: all.
        advice: an agent: of runs where it played, its own decisions, and the teachers' of the others.
        advise: in which of those others it is asked what to play: in "all"; in games that were not won ("unwon"),
            beside as many moves of games that were; or where the game was lost or a win missed ("blunders", see
            amoba_experiments.training.dagger), beside four times as many.
        progress: see Adviser.

    Raises:
        ValueError: no run, one of another game, no moves of the teachers, or nothing to learn from them.
    """
    from amoba_experiments.runs.replay import decisions
    from amoba_experiments.runs.store import match_of, read_manifest, runs_in

    parts: list[tuple[States, NDArray[Any], NDArray[np.float32], NDArray[np.int64], NDArray[np.bool_]]] = []
    for number, run in enumerate(runs_in(folder)):
        match = match_of(read_manifest(run))
        if make_from(match.game, match.options) != game:
            raise ValueError(f"{run} has games of {match.game} {dict(match.options)}, not of {game!r}")
        own = bool(advice) and advice in match.agents
        states, moves, results, games = decisions(run, [advice] if own else teachers)
        parts.append((states, moves.astype(np.int64), results, games + (number << 40), np.full(len(states), own)))
    states, actions, results, games, owned = map(np.concatenate, zip(*parts, strict=True))
    if not len(states):
        raise ValueError(f"{folder} has no moves of {' or '.join(map(repr, teachers)) or 'any agent'}")
    if not advice:
        chosen = rng.permutation(len(states))[:positions]
        return Lessons(states[chosen], actions[chosen], results[chosen])

    adviser = Adviser(game, advice, folder, progress)
    others = np.flatnonzero(~owned & ((results <= 0) | (advise == "all")))
    wrong = np.zeros(len(states), np.bool_)
    if advise == "blunders":
        unwon = states[others], actions[others], games[others]
        lost = blunders(adviser, *unwon, results[others])
        others = others[np.union1d(lost, missed(Adviser(game, QUICK, folder, progress), *unwon))]
    wrong[others] = True
    right = np.flatnonzero(owned | ((results > 0) & ~wrong))
    if advise in BESIDE:
        right = rng.permutation(right)[: BESIDE[advise] * len(others)]
    chosen = rng.permutation(np.append(others, right))[:positions]
    if not len(chosen):
        raise ValueError(f"{folder} has nothing that {advice} would have played otherwise (advise={advise})")
    asked = chosen[wrong[chosen]]
    if len(asked):
        actions[asked] = adviser.ask(states[asked])[0]
    if advise == "blunders":  # what is left beside the blunders was won: values would learn that all is won
        results[:] = np.nan
    return Lessons(states[chosen], actions[chosen], results[chosen])


def shown(game: Game, player: str, positions: int, gamma: float, seed: int) -> Lessons:
    """A player's games against itself, with results discounted by `gamma` a move of who moves."""
    players = Players(game, [make_agent(player)], GAMES)
    parts: list[tuple[States, NDArray[np.int64], NDArray[np.float32]]] = []
    first = count = 0
    while count < positions:
        rng = streams(seed, first, GAMES, TEACHER)
        first += GAMES
        states = game.batch(GAMES, np.arange(GAMES) % game.players)
        players.begin(np.arange(GAMES))
        moved: list[tuple[NDArray[np.intp], States, NDArray[np.int64]]] = []
        running = np.arange(GAMES)
        while running.size:
            seats = states[running, TO_MOVE]
            moves = players.act(states, rng, running, seats, np.zeros_like(running)).astype(np.int64)
            moved.append((running, states[running], moves))
            astray = np.empty(GAMES, np.int64)
            core.below_all(rng, ASTRAY, astray)
            straight = astray[running] != 0
            core.step_rows(game.rules, states, running[straight], moves[straight])
            for row in running[~straight]:
                random_plies(game.rules, states[row], rng[row : row + 1], 1)
            running = running[states[running, STATUS] == RUNNING]
        rewards = np.empty((GAMES, game.players))
        core.rewards_all(game.rules, states, True, rewards)
        left = np.zeros((GAMES, game.players))  # own moves to the end
        for rows, before, moves in reversed(moved):
            seats = before[:, TO_MOVE]
            parts.append((before, moves, (rewards[rows, seats] * gamma ** left[rows, seats]).astype(np.float32)))
            left[rows, seats] += 1
            count += len(rows)
    states, actions, returns = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Lessons(states, actions, returns)
