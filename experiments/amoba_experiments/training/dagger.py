"""Dataset aggregation (DAgger): an expert labels the policy's own positions. The stage `correct`.

A learner recovers from its own mistakes only if it learns what to play after them: S. Ross, G. Gordon, D. Bagnell, "A
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
BESIDE = {"not_won": 1, "blunders": 4}  # positions of won games that are added for each labelled position
BEFORE = "before.pt"  # the policy that plays the games


def correct(settings: Correct, job: Job) -> dict[str, Any]:
    """Play games, ask the expert, and learn from all own positions so far.

    Returns:
        How often the policy agrees in the last pass, 0..1; and the games, for the next `correct` stage.
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
    """The games of earlier stages, and the policies that played them."""
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
        raise ValueError(f"the games have no positions for {settings.expert} (where={settings.where})")
    asked = chosen[wrong[chosen]]
    actions[asked] = expert.ask(states[asked])[0]
    if settings.where == "blunders":  # the other positions are of won games: the value would learn that all is won
        results[:] = np.nan
    return Examples(states[chosen], actions[chosen], results[chosen])


def answers_of(agent: str, job: Job) -> Answers:
    """The answers of an agent, stored with the games of the run."""
    return Answers(job.game, agent, job.run / "games", job.recipe.threads, job.tell)


def blunders(
    answers: Answers,
    states: States,
    actions: NDArray[np.int64],
    games: NDArray[np.int64],
    results: NDArray[np.float32],
) -> NDArray[np.intp]:
    """The losing moves: each player's last move before the search proves its loss.

    They are found by bisection, with few searches a game. Moves that the search would have played too are left out.

    Args:
        answers: the answers of an alphabeta.
        states, actions, games, results: decisions, see amoba_experiments.runs.replay.decisions.

    Returns:
        Their rows, at most one of each game and player.
    """
    order, player = in_turn(states, games)
    rows, player = order[results[order] < 0], player[results[order] < 0]
    low = np.flatnonzero(np.diff(player, prepend=-1))  # by player: the first row, then a row that is not lost
    high = np.append(low[1:], len(rows))  # by player: the first row of the next player, then a row that is lost
    while (apart := np.flatnonzero(high - low > 1)).size:
        middle = (low[apart] + high[apart]) // 2
        lost = answers.ask(states[rows[middle]])[1] <= -PROVEN
        high[apart[lost]], low[apart[~lost]] = middle[lost], middle[~lost]
    moves, values = answers.ask(states[rows[low]])
    found: NDArray[np.intp] = rows[low[(values > -PROVEN) & (moves != actions[rows[low]])]]
    return found


def missed(answers: Answers, states: States, actions: NDArray[np.int64], games: NDArray[np.int64]) -> NDArray[np.intp]:
    """The missed wins: the search proves a win, but not any more at the player's next move.

    Arguments and result as in `blunders`, for games that were not won.
    """
    order, player = in_turn(states, games)
    moves, values = answers.ask(states[order])
    won = values >= PROVEN
    still = np.append(won[1:] & (player[1:] == player[:-1]), False)
    found: NDArray[np.intp] = order[won & ~still & (moves != actions[order])]
    return found


def in_turn(states: States, games: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """The rows of decisions, sorted by game and player; and the number of player and game for each row."""
    player = games * (int(states[:, st.TO_MOVE].max(initial=0)) + 1) + states[:, st.TO_MOVE]
    order = np.lexsort((states[:, st.PLY], player))
    return order, player[order]
