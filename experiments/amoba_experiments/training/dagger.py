"""Dataset aggregation (DAgger): an expert says what it would play in the policy's own positions. The stage `correct`.

A learner gets out of its own mistakes only if it learns what to do after them: S. Ross, G. Gordon, D. Bagnell, "A
reduction of imitation learning and structured prediction to no-regret online learning", AISTATS 2011.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoba_agents.alphabeta.alphabeta_search import PROVEN
from amoba_env.core import state as st
from amoba_env.core.state import States
from amoba_experiments.runs.replay import decisions
from amoba_experiments.training.answers import Answers
from amoba_experiments.training.behaviour_cloning import fit
from amoba_experiments.training.examples import Examples
from amoba_experiments.training.job import DONE, Job
from amoba_experiments.training.network_files import write_pt
from amoba_experiments.training.settings import Correct

QUICK = "alphabeta:nodes=1000,evaluation=counted"  # finds wins that were missed
BESIDE = {"not_won": 1, "blunders": 4}  # how many positions of games that were won come with each that is asked
BEFORE = "before.pt"  # the policy that plays the games


def correct(settings: Correct, job: Job) -> dict[str, Any]:
    """Play games, ask the expert, learn from all own positions so far.

    Returns:
        How often the policy agrees, 0..1, in the last pass; and the games, for the next such stage.
    """
    player = job.folder / BEFORE
    if not player.exists():
        write_pt(job.policy, job.architecture, player)
    others = job.game.players - 1
    runs = [
        job.play(
            (f"trained:{player}", *[opponent] * others),
            settings.games,
            job.seed("own", job.number, opponent),
            f"games against {opponent}",
            rotate=True,
        )
        for opponent in settings.opponents
    ]
    own = [(run, f"trained:{player}") for run in runs]
    examples = aggregate(settings, job, [*_earlier(job), *own])
    agreed = fit(examples, settings, job, f"moves of {settings.expert}")
    job.evaluate(0, agreed=round(agreed, 4))
    return {"agreed": agreed, "runs": [(str(run.relative_to(job.run)), agent) for run, agent in own]}


def _earlier(job: Job) -> list[tuple[Path, str]]:
    """The games of stages before, and who the policy was in them."""
    done = [json.loads((folder / DONE).read_text(encoding="utf-8")) for folder in job.before]
    return [(job.run / run, agent) for each in done for run, agent in each.get("runs", ())]


def aggregate(settings: Correct, job: Job, runs: list[tuple[Path, str]]) -> Examples:
    """The policy's positions in runs, with the moves of the expert or, where it is not asked, of the policy."""
    parts = []
    for number, (run, agent) in enumerate(runs):
        states, moves, ended, games = decisions(run, [agent])
        parts.append((states, moves.astype(np.int64), ended, games + (number << 40)))
    states, actions, results, numbers = map(np.concatenate, zip(*parts, strict=True))
    rng = np.random.default_rng(job.seed("aggregate", job.number))
    expert = answers_of(settings.expert, job)
    wrong = np.zeros(len(states), np.bool_)
    others = np.flatnonzero((results <= 0) | (settings.where == "all"))
    if settings.where == "blunders":
        not_won = states[others], actions[others], numbers[others]
        lost = blunders(expert, *not_won, results[others])
        others = others[np.union1d(lost, missed(answers_of(QUICK, job), *not_won))]
    wrong[others] = True
    right = rng.permutation(np.flatnonzero((results > 0) & ~wrong))
    if settings.where in BESIDE:
        right = right[: BESIDE[settings.where] * len(others)]
    chosen = rng.permutation(np.append(others, right))[: settings.positions]
    if not wrong[chosen].any():
        raise ValueError(f"the games have no position where {settings.expert} is asked (where={settings.where})")
    asked = chosen[wrong[chosen]]
    actions[asked] = expert.ask(states[asked])[0]
    if settings.where == "blunders":  # what is left beside the blunders was won: values would learn that all is won
        results[:] = np.nan
    return Examples(states[chosen], actions[chosen], results[chosen])


def answers_of(agent: str, job: Job) -> Answers:
    """What an agent would play, kept with the games of the run."""
    return Answers(job.game, agent, job.run / "games", job.recipe.threads, job.tell)


def blunders(
    answers: Answers,
    states: States,
    actions: NDArray[np.int64],
    games: NDArray[np.int64],
    results: NDArray[np.float32],
) -> NDArray[np.intp]:
    """Where games were lost: each player's last move before the search proves that it has lost.

    Few searches a game find it, by halving. Moves that the search would have
    played too are left out: it knows no better.

    Args:
        answers: of an alphabeta.
        states, actions, games, results: decisions, see amoba_experiments.runs.replay.decisions.

    Returns:
        Their rows, at most one of each game and player.
    """
    order, player = in_turn(states, games)
    rows, player = order[results[order] < 0], player[results[order] < 0]
    low = np.flatnonzero(np.diff(player, prepend=-1))  # of each player the first row, and later one not lost
    high = np.append(low[1:], len(rows))  # of each the first row of the next, and later one that is lost
    while (apart := np.flatnonzero(high - low > 1)).size:
        middle = (low[apart] + high[apart]) // 2
        lost = answers.ask(states[rows[middle]])[1] <= -PROVEN
        high[apart[lost]], low[apart[~lost]] = middle[lost], middle[~lost]
    moves, values = answers.ask(states[rows[low]])
    found: NDArray[np.intp] = rows[low[(values > -PROVEN) & (moves != actions[rows[low]])]]
    return found


def missed(answers: Answers, states: States, actions: NDArray[np.int64], games: NDArray[np.int64]) -> NDArray[np.intp]:
    """Where wins were let go: the search proves one, but none any more at the player's next move.

    Args: as of `blunders`, of games that were not won. Returns the rows.
    """
    order, player = in_turn(states, games)
    moves, values = answers.ask(states[order])
    won = values >= PROVEN
    still = np.append(won[1:] & (player[1:] == player[:-1]), False)
    found: NDArray[np.intp] = order[won & ~still & (moves != actions[order])]
    return found


def in_turn(states: States, games: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """The rows of decisions, one player of a game after another; and of each row the number of player and game."""
    player = games * (int(states[:, st.TO_MOVE].max(initial=0)) + 1) + states[:, st.TO_MOVE]
    order = np.lexsort((states[:, st.PLY], player))
    return order, player[order]
