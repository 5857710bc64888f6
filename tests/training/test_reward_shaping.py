"""Rewards for coming nearer: they are for training only, and leave the value afterwards."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from amoba_agents.networks.board_policy import BoardPolicy, board_kwargs
from amoba_agents.networks.inference import forward
from amoba_env.sb3 import SelfPlayVecEnv
from amoba_experiments.training import reward_shaping
from amoba_experiments.training.opponents import copy_of
from amoba_experiments.training.reward_shaping import Shaped, take_out


def test_the_value_is_that_of_the_game_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reward_shaping, "MOVES", 60)
    torch.manual_seed(1)
    shaped = Shaped(SelfPlayVecEnv("halma", 32, players=2), SelfPlayVecEnv("halma", 1, players=2).game, 1.0, 0.99)
    policy = BoardPolicy(
        shaped.observation_space, shaped.action_space, lambda _: 1e-3, **board_kwargs(shaped.venv.game, hidden=64)
    )
    before = copy_of(policy)
    take_out(policy, shaped, 1)
    shaped.seed(2)
    planes = [shaped.reset()]
    dice = np.random.default_rng(3)
    for _ in range(40):
        masks = shaped.env_method("action_masks")
        planes.append(shaped.step(np.array([dice.choice(np.flatnonzero(mask)) for mask in masks]))[0])
    seen = np.concatenate(planes)
    with torch.no_grad():
        logits, values = forward(policy, torch.as_tensor(seen))
        old_logits, old_values = forward(before, torch.as_tensor(seen))
    assert torch.equal(logits, old_logits)
    potential = shaped.potential(seen)
    assert np.ptp(potential) > 0.3
    wrong = values.numpy() - (old_values.numpy() + potential)
    assert np.abs(wrong).mean() < np.abs(potential).mean() / 5
    assert potential[0] == pytest.approx(-1, abs=0.1)
