"""Learning from a share of the moves."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from gymnasium.spaces import Box, Discrete

from amoba_experiments.training.prioritized import PrioritizedRollouts, WeightedReturns, chances


@pytest.mark.parametrize("share", [0.1, 0.3, 0.9])
def test_a_share_of_the_moves_stands_for_all(share: float) -> None:
    """Those that surprised are drawn more often; weighted, the mean of what is drawn is that of all."""
    rng = np.random.default_rng(1)
    advantages = np.where(rng.random(4000) < 0.1, -1.5, 0.1) + 0.1 * rng.normal(size=4000)
    drawn = chances(advantages.astype(np.float32), share)
    assert drawn.mean() == pytest.approx(share, abs=0.01)
    assert 0 < drawn.min() <= drawn.max() <= 1
    assert drawn[advantages < -1].mean() > drawn[advantages > 0].mean()
    rows = np.argsort(np.abs(advantages - advantages.mean()))
    assert (np.diff(drawn[rows]) >= -1e-6).all()
    buffer = PrioritizedRollouts(40, Box(0, 1, (1,)), Discrete(2), gamma=1, gae_lambda=0, n_envs=100, share=share)
    buffer.advantages[:], buffer.returns[:] = advantages.reshape(40, 100), advantages.reshape(40, 100) + 0.5
    buffer.values[:], buffer.full = 0.5, True
    passes = [list(buffer.get(256)) for _ in range(100)]
    counts = [sum(len(part.old_values) for part in each) for each in passes]
    assert np.mean(counts) == pytest.approx(4000 * share, rel=0.02)
    assert all(256 <= len(part.old_values) < 512 for each in passes for part in each)
    parts = [part for each in passes for part in each]
    total = 4000 * share * len(passes)
    # Values that are not the old ones any more: what surprised and what did not, each weighs as much as it is.
    learned = [(part.returns.returns - 2, part.returns.weights) for part in parts]
    for surprised in (True, False):
        weighed = sum(float((wrong * weight)[(wrong < -2.5) == surprised].sum()) for wrong, weight in learned) / total
        whole = (advantages + 0.5 - 2)[(advantages < -1) == surprised].sum() / 4000
        assert weighed == pytest.approx(whole, rel=0.02)
    assert sum(float(part.advantages.sum()) for part in parts) / total == pytest.approx(0, abs=0.02)
    assert sum(float((part.advantages * (part.returns.returns - 0.5)).sum()) for part in parts) > 0


def test_the_loss_itself_is_weighted() -> None:
    """Wherever the values are, and so also where they come to rest."""
    returns, weights = torch.tensor([1.0, -1.0, 0.5]), torch.tensor([0.2, 3.0, 1.0])
    values = torch.tensor([0.0, 2.0, 0.5], requires_grad=True)
    loss = torch.nn.functional.mse_loss(WeightedReturns(returns, weights), values)
    assert loss.item() == pytest.approx((0.2 * 1 + 3.0 * 9 + 0) / 3)
    loss.backward()
    assert torch.allclose(values.grad, 2 / 3 * weights * (values.detach() - returns))
