"""An average of a policy's weights over its last updates, which plays better than the weights after a single update."""

from __future__ import annotations

from typing import Any

import torch

from amoba_experiments.training.opponents import copy_of

KEEP = 0.9  # decay of the exponential average


class Average:
    """The average of a policy's weights after each update (B. T. Polyak and A. B. Juditsky, 1992).

    First it is the mean of all updates; afterwards an exponential average with decay KEEP.

    Args:
        policy: the policy in training; call `update` after each update of it.
        weights: the first average; by default the weights of the policy.
        updates: the number of updates in `weights`.

    Attributes:
        policy: a policy with the averaged weights.
    """

    def __init__(self, policy: Any, weights: dict[str, Any] | None = None, updates: int = 0) -> None:
        self.learner, self.policy, self.updates = policy, copy_of(policy, weights), updates

    def update(self) -> None:
        """Add the current weights."""
        keep = min(KEEP, self.updates / (self.updates + 1))
        self.updates += 1
        with torch.no_grad():
            for averaged, learned in zip(self.policy.parameters(), self.learner.parameters(), strict=True):
                averaged.lerp_(learned, 1 - keep)
