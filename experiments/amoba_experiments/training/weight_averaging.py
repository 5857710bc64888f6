"""An average of a policy's weights over its last updates: it is better than what a single update leaves."""

from __future__ import annotations

from typing import Any

import torch

from amoba_experiments.training.opponents import copy_of

KEEP = 0.9  # of the average stays in an update


class Average:
    """Of the weights of a policy after each update. (B. T. Polyak and A. B. Juditsky, 1992.)

    In the first updates it is the mean of all of them; then this much as KEEP of the average stays in an update.

    Args:
        policy: in training; `update` is to be called after each update of it.
        weights: with which to begin; those of the policy if not given.
        updates: how many `weights` are the average of.

    Attributes:
        policy: with the averaged weights.
    """

    def __init__(self, policy: Any, weights: dict[str, Any] | None = None, updates: int = 0) -> None:
        self.learner, self.policy, self.updates = policy, copy_of(policy, weights), updates

    def update(self) -> None:
        """Take in the weights as they are now."""
        keep = min(KEEP, self.updates / (self.updates + 1))
        self.updates += 1
        with torch.no_grad():
            for averaged, learned in zip(self.policy.parameters(), self.learner.parameters(), strict=True):
                averaged.lerp_(learned, 1 - keep)
