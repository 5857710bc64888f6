"""Asynchronous rollouts and the average of weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from sb3_contrib import MaskablePPO

from amoba_agents.networks.board_policy import BoardPolicy, board_kwargs
from amoba_env.agent import Agent
from amoba_env.sb3 import SelfPlayVecEnv
from amoba_experiments.training.asynchronous import AsynchronousPPO
from amoba_experiments.training.prioritized import prioritized
from amoba_experiments.training.weight_averaging import KEEP, Average


def learner(**more: Any) -> AsynchronousPPO:
    env = SelfPlayVecEnv("tictactoe", 16)
    env.seed(3)
    kwargs = board_kwargs(env.game, body="mlp", channels=4, hidden=16)
    return AsynchronousPPO(
        BoardPolicy, env, n_steps=8, batch_size=32, seed=0, device="cpu", policy_kwargs=kwargs, **more
    )


def same(one: dict[str, Any], two: dict[str, Any]) -> bool:
    assert one.keys() == two.keys()
    return all(torch.equal(array, two[name]) for name, array in one.items())


def test_the_next_moves_are_by_the_policy_of_before() -> None:
    """What has been played meanwhile has the probabilities of the weights with which the update began."""
    model = learner(learning_rate=0.1, n_epochs=1)
    model.learn(128)
    before = {name: array.clone() for name, array in model.policy.state_dict().items()}
    model.learn(128, reset_num_timesteps=False)
    assert model.player is not None
    assert model.num_timesteps == 256
    assert not same(before, model.policy.state_dict())
    assert same(before, model.player.policy.state_dict())
    for part in model.player.rollout_buffer.get(64):
        actions = part.actions.long().flatten()
        by_before, by_now = (
            policy.evaluate_actions(part.observations, actions, action_masks=part.action_masks)[1]
            for policy in (model.player.policy, model.policy)
        )
        assert torch.allclose(by_before, part.old_log_prob, atol=1e-5)
        assert not torch.allclose(by_now, part.old_log_prob, atol=1e-3)


@pytest.mark.parametrize("settings", [{}, prioritized(0.4)])
def test_two_threads_leave_nothing_to_chance(settings: dict[str, Any]) -> None:
    models = [learner(**settings).learn(128 * 6) for _ in range(2)]
    assert same(models[0].policy.state_dict(), models[1].policy.state_dict())


def test_its_files_are_those_of_maskable_ppo(tmp_path: Path) -> None:
    model = learner().learn(256)
    model.save(tmp_path / "model.zip")
    assert same(MaskablePPO.load(tmp_path / "model.zip").policy.state_dict(), model.policy.state_dict())


def test_an_error_while_playing_is_raised() -> None:
    model = learner().learn(128)
    assert model.env is not None
    model.env.set_opponents([Broken()])  # type: ignore[attr-defined]
    with pytest.raises(RuntimeError, match="out of order"):
        model.learn(1280, reset_num_timesteps=False)


class Broken(Agent):
    name = "broken"

    def act(self, *_: Any) -> Any:
        raise RuntimeError("out of order")


def test_average() -> None:
    """First the mean of all updates, then this much of the average stays as KEEP says."""
    model = learner()
    policy = model.policy
    average = Average(policy)
    learned = []
    for _ in range(2):
        model.learn(256, reset_num_timesteps=False)
        average.update()
        learned.append({name: array.clone() for name, array in policy.state_dict().items()})
    for name, array in average.policy.state_dict().items():
        assert torch.allclose(array, (learned[0][name] + learned[1][name]) / 2, atol=1e-6)
    later = Average(policy, average.policy.state_dict(), updates=100)
    later.update()
    for name, array in later.policy.state_dict().items():
        assert torch.allclose(
            array, KEEP * average.policy.state_dict()[name] + (1 - KEEP) * learned[1][name], atol=1e-6
        )
    assert same(policy.state_dict(), learned[1])
