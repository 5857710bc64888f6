"""Expert iteration, the stage `expert`: a search that the network guides plays itself, and the network learns from it.

T. Anthony, Z. Tian, D. Barber, "Thinking fast and slow with deep learning and tree search", NeurIPS 2017; the search
is that of AlphaZero (D. Silver et al., Science 362, 2018). A stage that was stopped goes on after its last whole round,
to the same network.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from amoba_agents.mcts.search import Search
from amoba_agents.networks.inference import Sb3Network
from amoba_agents.networks.trained import PolicyAgent
from amoba_env.agent import Streams
from amoba_env.core import batch as core
from amoba_env.core.play import random_plies
from amoba_env.core.rng import SELF_PLAY, below, streams
from amoba_env.core.state import PLY, RUNNING, STATUS, TO_MOVE, States
from amoba_env.games import Game
from amoba_experiments.training.behaviour_cloning import learn_batch
from amoba_experiments.training.job import Job
from amoba_experiments.training.positions import Examples, joined
from amoba_experiments.training.settings import Expert

DECAY = 1e-5  # of weights


def iterate(settings: Expert, job: Job) -> dict[str, Any]:
    """Run all rounds. Returns the mean loss of the last."""
    policy = job.policy
    optimizer = torch.optim.Adam(policy.parameters(), lr=settings.learning_rate, weight_decay=DECAY)
    known, first, loss = None, 0, 0.0
    state = job.kept()
    if state is not None:
        policy.load_state_dict(state["policy"])
        optimizer.load_state_dict(state["optimizer"])
        known, first, loss = Examples(*(each.numpy() for each in state["window"])), state["round"], state["loss"]
    every = settings.rounds / max(1, job.recipe.evaluation.during)
    for number in range(first, settings.rounds):
        what = f"round {number + 1} of {settings.rounds}"
        policy.set_training_mode(False)
        found = self_play(
            job.game,
            PolicyAgent(Sb3Network(policy), "expert"),
            settings,
            job.seed("search", job.number, number),
            job.recipe.random_plies,
            lambda done, what=what: job.tell(f"{what}, games", done, settings.positions),  # type: ignore[misc]
        )
        whole = found if known is None else joined([known, found])
        known = whole.rows(np.arange(max(0, len(whole.states) - settings.window), len(whole.states)))
        loss = learn(job, optimizer, known, settings, number, what)
        if (number + 1) // every > number // every or number + 1 == settings.rounds:
            job.evaluate(number + 1, loss=round(loss, 4))
        done = {"round": number + 1, "loss": loss, "window": [torch.from_numpy(each) for each in known]}
        job.keep(
            lambda done=done: {  # type: ignore[misc]
                **done,
                "policy": policy.state_dict(),
                "optimizer": optimizer.state_dict(),
            },
            now=True,
        )
    return {"loss": loss}


def self_play(
    game: Game,
    player: PolicyAgent,
    settings: Expert,
    seed: int,
    plies: int,
    progress: Callable[[int], None] = lambda done: None,
) -> Examples:
    """Games of the search against itself, until those that have ended have enough positions.

    Args:
        game: the rules.
        player: the network.
        settings: of the search and the games.
        seed: of the games.
        plies: at most so many random moves begin each game.
        progress: called with how many positions there are.
    """
    count = settings.num_envs
    rng = streams(seed, 0, count, SELF_PLAY)
    states = game.batch(count, np.arange(count) % game.players)
    begins = _begin(game, states, rng, np.arange(count), plies, np.zeros(count, np.int64))
    tracks: list[list[tuple[States, NDArray[np.float16]]]] = [[] for _ in range(count)]
    parts: list[Examples] = []
    done = 0
    while done < settings.positions:
        search = Search(game, states, rng, settings.sims, settings.c, evaluate=player.evaluate)
        search.add_noise(settings.noise)
        search.run(settings.sims)
        visits = search.visits()
        shares = (visits / visits.sum(axis=1, keepdims=True)).astype(np.float16)
        moves = search.best()
        for row in range(count):
            tracks[row].append((states[row].copy(), shares[row]))
            if states[row, PLY] < begins[row] + settings.drawn:
                mark = int(below(rng[row : row + 1], int(visits[row].sum())))
                moves[row] = int(np.searchsorted(visits[row].cumsum(), mark, side="right"))
        core.step_rows(game.rules, states, np.arange(count), moves)
        over = np.flatnonzero(states[:, STATUS] != RUNNING)
        rewards = np.empty((count, game.players))
        core.rewards_all(game.rules, states, True, rewards)
        for row in over.tolist():
            track, tracks[row] = tracks[row], []
            seen, found = (np.stack(column) for column in zip(*track, strict=True))
            parts.append(Examples(seen, found, rewards[row, seen[:, TO_MOVE]].astype(np.float32)))
            done += len(track)
        if over.size:
            states[over] = game.batch(len(over), over % game.players)
            begins = _begin(game, states, rng, over, plies, begins)
        progress(min(done, settings.positions))
    return joined(parts)


def _begin(
    game: Game, states: States, rng: Streams, rows: NDArray[np.intp], plies: int, begins: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Begin these games with random moves; the ply from which on the search plays, of each game."""
    for row in rows.tolist():
        own = rng[row : row + 1]
        random_plies(game.rules, states[row], own, int(below(own, plies + 1)))
        begins[row] = int(states[row, PLY])
    return begins


def learn(
    job: Job, optimizer: torch.optim.Optimizer, known: Examples, settings: Expert, number: int, what: str
) -> float:
    """Learn from all positions of the window; the mean loss."""
    job.policy.set_training_mode(True)
    losses, total = [], settings.passes * len(known.states)
    for turn in range(settings.passes):
        rng = np.random.default_rng([job.seed("learn"), job.number, number, turn])
        order = rng.permutation(len(known.states))
        for rows in np.array_split(order, max(1, len(order) // settings.batch_size)):
            losses.append(learn_batch(job.game, job.policy, optimizer, known.rows(rows), rng)[0])
            job.tell(f"{what}, learning", min(total, len(losses) * settings.batch_size), total)
    job.policy.set_training_mode(False)
    return float(np.mean(losses))
