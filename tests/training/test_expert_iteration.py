"""Expert iteration: what it learns from, and that it learns."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import torch
from training import EXPERT, job

from amoba_agents.networks.inference import Sb3Network
from amoba_agents.networks.trained import PolicyAgent
from amoba_env.batch import observe
from amoba_env.core.play import random_plies
from amoba_env.core.rng import streams
from amoba_env.core.state import RUNNING, STATUS, TO_MOVE, States
from amoba_env.games import Game
from amoba_experiments.training.expert_iteration import learn, self_play
from amoba_experiments.training.positions import Examples, as_seen

pytestmark = pytest.mark.compiled


def positions(game: Game, count: int) -> States:
    """After 0, 1, .. random moves."""
    states, rng = game.batch(count), streams(0, 0, count)
    for row in range(count):
        random_plies(game.rules, states[row], rng[row : row + 1], row % 5)
    return states


@pytest.mark.parametrize("name", ["tictactoe", "halma"])
def test_what_it_learns_from(name: str, tmp_path: Path) -> None:
    """Positions of whole games: shares of legal moves, and the results of the movers."""
    options = {"max_plies": 20} if name == "halma" else {}
    work = job(tmp_path, EXPERT, game=name, options=options)
    game, what = work.game, dataclasses.replace(EXPERT, num_envs=3)
    player = PolicyAgent(Sb3Network(work.policy), "here")
    found = self_play(game, player, what, 0, 1)
    assert len(found.states) >= 60
    assert (found.states[:, STATUS] == RUNNING).all()
    _, masks = observe(game, found.states, found.states[:, TO_MOVE])
    assert (as_seen(game, found.states, found.targets)[masks == 0] == 0).all()
    assert np.abs(found.targets.astype(float).sum(axis=1) - 1).max() < 0.01
    assert set(np.sign(found.results)) <= {-1, 0, 1}
    again = self_play(game, player, what, 0, 1)
    assert (again.states == found.states).all()
    other = self_play(game, player, what, 1, 1)
    assert other.states.shape != found.states.shape or (other.states != found.states).any()


def test_shares_are_numbered_as_the_mover_sees(tmp_path: Path) -> None:
    """As the network itself numbers them; an action alone as its share."""
    work = job(tmp_path, EXPERT, game="halma")
    game, states = work.game, positions(work.game, 30)
    shares = np.zeros((30, game.n_actions))
    player = PolicyAgent(Sb3Network(work.policy), "here", 0)
    moves = player.act(game, states, np.ones(30, np.uint64), np.zeros((30, 0), np.int16)).astype(np.int64)
    shares[np.arange(30), moves] = 1
    planes, masks = observe(game, states, states[:, TO_MOVE])
    logits = np.where(masks, player.network(planes)[0], -np.inf)  # type: ignore[misc]
    seen = as_seen(game, states, shares).argmax(axis=1)
    assert (seen == logits.argmax(axis=1)).mean() > 0.9
    assert (seen == as_seen(game, states, moves)).all()


def test_it_learns(tmp_path: Path) -> None:
    """From one position, again and again: the move that the search tried, and who won."""
    work = job(tmp_path, EXPERT)
    states = np.tile(positions(work.game, 2)[1], (200, 1))
    visits = np.zeros((200, 9), np.float16)
    free = int(np.flatnonzero(observe(work.game, states[:1], states[:1, TO_MOVE])[1][0])[0])
    visits[:, free] = 1
    known = Examples(states, visits, np.full(200, -1, np.float32))
    optimizer = torch.optim.Adam(work.policy.parameters(), lr=3e-3)
    what = dataclasses.replace(EXPERT, batch_size=50, passes=10)
    first, *_, last = (learn(work, optimizer, known, what, number, "") for number in range(5))
    assert last < first / 1.5
