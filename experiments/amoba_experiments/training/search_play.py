"""Expert iteration with a small network: play, search positions longer, learn from both. The stage `search`.

The games of an iteration are a run of `games/`, those against random players another. Beside the stage's checkpoint
are, for each iteration,

    searched-N.npz   positions, what the longer search found there, and how the games ended
    network-N.npz    the network that played it

Existing files are not made again, so an interrupted stage continues where it stopped.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.optim.swa_utils import AveragedModel

from amoba_env.core import endings as en
from amoba_env.games import Game
from amoba_experiments.runs.files import replace, write_arrays
from amoba_experiments.runs.store import load_games
from amoba_experiments.training.descent import descend
from amoba_experiments.training.examples import turned
from amoba_experiments.training.job import NETWORK, Job
from amoba_experiments.training.searched_positions import (
    SearchedPositions,
    chances,
    joined,
    openings,
    play_games,
    read,
    search_positions,
)
from amoba_experiments.training.settings import Search
from amoba_experiments.training.small_learner import SmallLearner, small_learner

NETWORK_OF, SEARCHED = "network-{}.npz", "searched-{}.npz"
GATE_GAMES = 400  # of a match between two networks
MOST_UNFINISHED = 0.2  # share of its games against itself that a network of three players may leave without a winner
RESULT = 0.5  # weight of the result in the value to learn; the rest is the search's
BATCH = 512  # positions in a gradient step
NEWEST = 5e-3  # weight of the newest weights in the average that plays; more in the beginning
LEAST = 0.1  # the final learning rate, as a share of the first
TINY = 1e-30  # the least divisor where probabilities are divided by their sum
NORM = 1.0  # the largest norm of a gradient


def search(settings: Search, job: Job) -> dict[str, Any]:
    """Play and learn. Returns the number of positions that were learned from, repeats included."""
    game = job.game
    torch.manual_seed(job.seed("small", job.number))
    learner = small_learner(game)
    average = AveragedModel(learner, avg_fn=averaged)
    player: SmallLearner = average.module  # type: ignore[assignment]
    optimizer = torch.optim.Adam(learner.parameters())
    state, begun, steps, best = job.load_checkpoint(), 0, 0, 0

    def now(iteration: int, steps: int, best: int) -> dict[str, Any]:
        made: dict[str, Any] = {"learner": learner, "average": average, "optimizer": optimizer}
        numbers = {"iteration": iteration, "steps": steps, "best": best}
        return {**{name: each.state_dict() for name, each in made.items()}, **numbers}

    if state is not None:
        learner.load_state_dict(state["learner"])
        average.load_state_dict(state["average"])
        optimizer.load_state_dict(state["optimizer"])
        begun, steps, best = state["iteration"], state["steps"], state["best"]
    window: list[SearchedPositions] = []
    for number in range(max(0, begun - settings.window), settings.iterations):
        file = job.folder / NETWORK_OF.format(number)
        if number >= begun:
            write_arrays(file, player.arrays())
            if settings.gate and number % settings.gate == 0:
                best = gate_winner(settings, job, number, best)
        found = read_or_search(settings, job, file, number)
        window = [*window, found][-settings.window :]
        if number < begun:
            continue
        steps += fit(settings, job, learner, average, optimizer, window, number)
        job.save_checkpoint(partial(now, number + 1, steps, best), now=True)
    newest = settings.iterations
    write_arrays(job.folder / NETWORK_OF.format(newest), player.arrays())
    best = gate_winner(settings, job, newest, best) if settings.gate else newest
    replace(job.folder / NETWORK, (job.folder / NETWORK_OF.format(best)).read_bytes())
    return {"steps": steps, "network": best}


def gate_winner(settings: Search, job: Job, newest: int, best: int) -> int:
    """The number of the better one of two networks, by a match with the simulations and the openings of the games.

    Both play the same move whenever they meet the same position, so games differ by their openings. With three
    players those who block beat the others, but if all block, games do not end. So a network that leaves many games
    against itself unfinished replaces the best one only if that one leaves at least as many.
    """
    if newest == best:
        return newest
    begin = openings(settings.opening or 2)[1:]  # from one position all their games would be the same

    def agent(number: int) -> str:
        values = job.folder / NETWORK_OF.format(number)
        return f"mcts:{settings.simulations},evaluation=learned,values={values},root=halving"

    def unfinished(number: int) -> float:
        players, seed = (agent(number),) * job.game.players, job.seed("gate", job.number)
        run = job.play(players, GATE_GAMES, seed, f"games of network {number} against itself", begin)
        return float(np.mean(np.isin(load_games(run).ending, (en.MAX_PLIES, en.DISTANCE))))

    opponents = {f"network {best}": agent(best)}
    known: dict[str, Any] = {"network": newest}
    if job.game.players > 2 and job.game.moves_men:
        known["unfinished"] = unfinished(newest)
    (line,) = job.compare(agent(newest), opponents, GATE_GAMES, newest * settings.games, begin, **known)
    own = known.get("unfinished", 0.0)
    blocks = own > MOST_UNFINISHED and own > unfinished(best)
    return best if line["mean_reward"] < 0 or blocks else newest


def averaged(average: torch.Tensor, newest: torch.Tensor, count: torch.Tensor | int) -> torch.Tensor:
    """An exponential moving average of weights that forgets the first ones soon."""
    found: torch.Tensor = average + (newest - average) * max(NEWEST, 9 / (10 + int(count)))
    return found


def read_or_search(settings: Search, job: Job, network: Path, number: int) -> SearchedPositions:
    """What was found in the games of an iteration."""
    file = job.folder / SEARCHED.format(number)
    if not file.exists():
        write_arrays(file, play_and_search(settings, job, network, number))
    return read(file)


def length(file: Path) -> float:
    """The median number of moves of the games against itself that ended by themselves; infinite if few did."""
    with np.load(file) as kept:
        return float(kept["length"])


def play_and_search(settings: Search, job: Job, network: Path, number: int) -> dict[str, Any]:
    """Play the games of an iteration, and search a share of their positions longer: the arrays of its file."""
    before, of = job.folder / SEARCHED.format(number - 1), f"{number + 1} of {settings.iterations}"
    options = settings.options(job.game, length(before) if number else np.inf)
    player = f"mcts:{settings.simulations},evaluation=learned,values={network},root=drawn"
    seed = job.seed("search", job.number, number)
    runs = play_games(settings, job, player, options, openings(settings.opening), seed, of)
    played = load_games(runs[0])
    ended = played.ending != en.DISTANCE
    found = joined([search_positions(job, run, network, settings.long, seed, of, settings.share) for run in runs])
    return {
        **found._asdict(),
        "length": np.median(played.plies[ended]) if np.mean(ended) > 0.5 else np.inf,
    }


def fit(
    settings: Search,
    job: Job,
    learner: SmallLearner,
    average: AveragedModel,
    optimizer: torch.optim.Optimizer,
    window: list[SearchedPositions],
    number: int,
) -> int:
    """Learn from the newest iterations. Returns the number of positions learned from, repeats included."""
    found = joined(window)
    longer, others = np.flatnonzero(~np.isnan(found.values)), np.flatnonzero(np.isnan(found.values))
    half = BATCH // 2
    steps = max(1, round(settings.reuse * np.count_nonzero(~np.isnan(window[-1].values)) / half))
    draw = np.random.default_rng([job.seed("fit", job.number), number])
    losses = np.zeros(2)
    for step in range(steps):
        done = (number + step / steps) / settings.iterations
        for group in optimizer.param_groups:
            group["lr"] = settings.learning_rate * (1 - (1 - LEAST) * done)
        rows = (
            np.concatenate([draw.choice(longer, half), draw.choice(others, half)])
            if len(others)
            else draw.choice(longer, half)
        )
        policy, value = loss_of(learner, job.game, found.rows(rows), settings.discount, draw)
        descend(optimizer, policy + value, NORM)
        average.update_parameters(learner)
        losses += policy.item(), value.item()
        if step % 16 == 15:
            job.report_progress(f"steps {number + 1} of {settings.iterations}", step + 1, steps)
    of, mean = f"{number + 1} of {settings.iterations}", losses / steps
    job.report_progress(f"learned {of}: policy {mean[0]:.3f}, value {mean[1]:.3f}", 0, 0)
    return steps * len(rows)


def loss_of(
    learner: SmallLearner, game: Game, batch: SearchedPositions, discount: float, draw: np.random.Generator
) -> tuple[torch.Tensor, torch.Tensor]:
    """The cross-entropy of the moves, where a longer search was made, and of the winner."""
    states, actions = turned(game, batch.states, batch.actions.astype(np.int64), draw)
    odds, logits = learner(states, actions)
    longer = ~np.isnan(batch.values)
    logs = torch.log_softmax(logits[torch.as_tensor(longer)], 1)
    policy = -(torch.as_tensor(batch.policy[longer].astype(np.float32)) * logs).sum(1).mean()
    players, ended = game.players, chances(game.players, batch.winners, discount ** batch.left.astype(np.float32))
    own = (batch.values[longer, None].astype(np.float32) * (players - 1) + 1) / players
    others = torch.softmax(odds.detach()[torch.as_tensor(longer)], 1).numpy()[:, 1:]  # as the network divides the rest
    found = np.concatenate([own, (1 - own) * others / np.maximum(others.sum(1, keepdims=True), TINY)], 1)
    ended[longer] = RESULT * ended[longer] + (1 - RESULT) * found
    value = -(torch.as_tensor(ended) * torch.log_softmax(odds, 1)).sum(1).mean()
    return policy, value
