"""Learning from a share of the moves."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete

from amoba_experiments.training.prioritized import PrioritizedRollouts, chances

pytestmark = pytest.mark.compiled


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
    counts = [sum(len(part.returns) for part in each) for each in passes]
    assert np.mean(counts) == pytest.approx(4000 * share, rel=0.02)
    assert all(256 <= len(part.returns) < 512 for each in passes for part in each)
    parts = [part for each in passes for part in each]
    total = 4000 * share * len(passes)
    wrong = sum(float((part.returns - part.old_values).sum()) for part in parts) / total
    assert wrong == pytest.approx(advantages.mean(), abs=0.01)
    assert sum(float(part.advantages.sum()) for part in parts) / total == pytest.approx(0, abs=0.02)
    assert sum(float((part.advantages * (part.returns - 0.5)).sum()) for part in parts) > 0
