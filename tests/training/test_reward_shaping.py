"""Rewards for coming nearer: they are for training only, and leave the value afterwards."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from amoba_agents.networks.architecture import architecture_of, build
from amoba_agents.networks.inference import forward
from amoba_env import games
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.progress import Progress
from amoba_env.sb3 import SelfPlayVecEnv
from amoba_experiments.training.reward_shaping import unshape


@pytest.mark.parametrize("name", ["halma", "square_halma"])
def test_progress(name: str) -> None:
    """The steps that the own men have left, from all to none, as every seat sees them."""
    env = SelfPlayVecEnv(name, 6, "greedy")
    env.seed(4)
    seen: Any = env.reset()
    progress, game = Progress(env.game), env.game
    steps = ru.table(game.rules, ru.STEPS)
    home, goal = (ru.table(game.rules, slot) for slot in (ru.HOMES, ru.GOALS))
    start, least = steps[0][home[0]].sum(), steps[0][goal[0]].sum()
    for _ in range(20):
        own = [steps[seat][state[st.CELLS :] == seat].sum() for state, seat in zip(env.states, env.seats, strict=True)]
        assert progress(seen) == pytest.approx((least - np.array(own)) / (start - least))
        seen = env.step(np.array([np.flatnonzero(row)[0] for row in env.action_masks()]))[0]
    with pytest.raises(ValueError, match="where men move"):
        Progress(games.make("gomoku"))


def test_the_value_is_that_of_the_game_again() -> None:
    torch.manual_seed(1)
    game = games.make("halma", players=2)
    what = architecture_of(game, hidden=64)
    policy, before = build(what), build(what)
    before.load_state_dict(policy.state_dict())
    env, dice = SelfPlayVecEnv(game.name, 32, players=2), np.random.default_rng(3)
    planes: list[Any] = [env.reset()]
    for _ in range(60):
        planes.append(env.step(np.array([dice.choice(np.flatnonzero(mask)) for mask in env.action_masks()]))[0])
    seen, progress = np.concatenate(planes), Progress(game)
    unshape(policy, progress, seen[: len(seen) // 2])
    with torch.no_grad():
        logits, values = forward(policy, torch.as_tensor(seen))
        old_logits, old_values = forward(before, torch.as_tensor(seen))
    assert torch.equal(logits, old_logits)
    added = progress(seen)
    assert np.ptp(added) > 0.3
    wrong = values.numpy() - (old_values.numpy() + added)
    assert np.abs(wrong).mean() < np.abs(added).mean() / 5
    assert added[0] == pytest.approx(-1, abs=0.1)
