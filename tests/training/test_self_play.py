"""Self-play: the pool of opponents, the reward for coming nearer, and that only the value learns at first."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from training import PLAY, job, recipe

from amoba_agents.networks.board_policy import BoardPolicy
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.sb3 import SelfPlayVecEnv
from amoba_experiments.training.job import Job
from amoba_experiments.training.opponents import OpponentPool
from amoba_experiments.training.reward_shaping import Shaped
from amoba_experiments.training.self_play import VALUE_FIRST, environments, learner, play


def test_the_pool_keeps_the_newest_and_some_older() -> None:
    env = SelfPlayVecEnv("tictactoe", 2)
    model = MaskablePPO(BoardPolicy, env, n_steps=2, batch_size=4, device="cpu")
    pool = OpponentPool(("random", "greedy"), copies=4)
    for step in range(0, 90, 10):
        torch.nn.init.constant_(model.policy.action_net.cell.bias, step)
        pool.freeze(step, model.policy)
    steps = [step for step, *_ in pool.copies]
    assert steps[0] == 0
    assert steps[-2:] == [70, 80]
    assert len(steps) == 4
    assert [policy.action_net.cell.bias.item() for *_, policy in pool.copies] == steps
    assert [getattr(agent, "name", "") for agent in pool.opponents()][:3] == ["random", "greedy", "copy of step 0"]
    again = OpponentPool((), 4)
    for step, weights in pool.weights():
        again.freeze(step, model.policy, weights)
    assert [policy.action_net.cell.bias.item() for *_, policy in again.copies] == steps
    alone = OpponentPool(("random",), copies=0)
    alone.freeze(0, model.policy)
    assert len(alone.opponents()) == 1


def test_the_value_learns_first(tmp_path: Path) -> None:
    """After another stage: as long as only the value learns, moves stay as they are. Later both learn."""
    what = recipe(PLAY, PLAY)
    for updates, changes in ((VALUE_FIRST, False), (VALUE_FIRST + 2, True)):
        settings = dataclasses.replace(PLAY, steps=64 * updates, share=0.5)
        first = job(tmp_path / str(updates), PLAY)
        before = {name: array.clone() for name, array in first.policy.state_dict().items()}
        second = Job(what, 1, first.policy, first.architecture, first.run, [], lambda *_: None, lambda _: None)
        play(settings, second)
        after = second.policy.state_dict()
        moved = {name for name, array in before.items() if not torch.allclose(array, after[name], atol=1e-7)}
        assert any(name.startswith("value_net") for name in moved)
        assert any(name.startswith("action_net") for name in moved) == changes


@pytest.mark.parametrize("name", ["tictactoe", "halma"])
def test_the_learner_begins_with_the_policy(name: str, tmp_path: Path) -> None:
    """And where men move, coming nearer is rewarded."""
    work = job(tmp_path, PLAY, game=name)
    env, _ = environments(PLAY, work)
    assert isinstance(env, Shaped) == work.game.moves_men
    model = learner(PLAY, work, env)
    assert all(torch.equal(array, work.policy.state_dict()[key]) for key, array in model.policy.state_dict().items())
    assert model.policy.board_arguments == work.policy.board_arguments


@pytest.mark.parametrize(("name", "options"), [("halma", {}), ("halma", {"max_plies": 20}), ("square_halma", {})])
def test_shaping_pays_for_the_way(name: str, options: dict[str, Any]) -> None:
    """With no discount the rewards of a game add up: its result, and what of the way is done where it was cut off."""
    plain = SelfPlayVecEnv(name, 6, "greedy", **options)
    env = Shaped(SelfPlayVecEnv(name, 6, "greedy", **options), plain.game, 2.0, 1.0)
    for each in (plain, env):
        each.seed(4)
        each.reset()
    steps = ru.table(plain.game.rules, ru.STEPS)
    home, goal = (ru.table(plain.game.rules, slot) for slot in (ru.HOMES, ru.GOALS))
    start, least = steps[0][home[0]].sum(), steps[0][goal[0]].sum()
    total, result, done = np.zeros(6), np.zeros(6), 0
    for _ in range(60):
        masks = plain.env_method("action_masks")
        assert (env.env_method("action_masks") == masks).all()
        seats, states = plain.seats, plain.states
        for i, (state, seat) in enumerate(zip(states, seats, strict=True)):
            own = steps[seat][state[st.CELLS :] == seat].sum()
            assert env._potential[i] == pytest.approx((least - own) / (start - least))
        actions = np.array([np.flatnonzero(row)[len(states) % row.sum()] for row in masks])
        rewards, over, infos = plain.step(actions)[1:]
        shaped = env.step(actions)[1]
        total += shaped
        result += rewards
        for row in np.flatnonzero(over):
            extra = 2.0 * (env.potential(infos[row]["terminal_observation"][None])[0] + 1)
            if not infos[row]["TimeLimit.truncated"]:
                extra = 2.0
            first = total[row] - result[row] - extra
            assert first == pytest.approx(0, abs=0.5)  # an opponent may not have moved yet: the way begins in full
            total[row] = result[row] = 0
            done += 1
    assert done or not options
