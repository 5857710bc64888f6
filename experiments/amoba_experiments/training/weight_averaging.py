"""A policy whose weights are a running average of another's: steadier than what each single update leaves."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from amoba_experiments.training.opponents import copy_of


class Average:
    """Of the weights of a policy after each update. (B. T. Polyak and A. B. Juditsky, 1992.)

    Args:
        policy: in training; `update` is to be called after each update of it.
        keep: how much of the average stays in an update, 0..1; 0 is the policy itself.
        weights: with which to begin; those of the policy if not given.
    """

    def __init__(self, policy: Any, keep: float, weights: dict[str, Any] | None = None) -> None:
        self.policy, self.keep, self.copy = policy, keep, copy_of(policy, weights)

    def update(self) -> None:
        """Take in the weights as they are now."""
        with torch.no_grad():
            for averaged, learned in zip(self.copy.parameters(), self.policy.parameters(), strict=True):
                averaged.lerp_(learned, 1 - self.keep)

    @contextmanager
    def shown(self) -> Iterator[None]:
        """While this lasts the policy has the average's weights."""
        learned = {name: weights.clone() for name, weights in self.policy.state_dict().items()}
        self.policy.load_state_dict(self.copy.state_dict())
        try:
            yield
        finally:
            self.policy.load_state_dict(learned)
