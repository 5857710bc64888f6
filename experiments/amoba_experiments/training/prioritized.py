"""An update that learns from a share of the moves, preferably surprising ones.

Most moves of a strong player are expected, and teach next to nothing. With `share` 0.3 an update costs a third. The
sampled moves are weighted so that the expected gradient is the same. (Importance sampling, as in T. Schaul et al.,
"Prioritized experience replay", arXiv:1511.05952.)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer, MaskableRolloutBufferSamples

TINY = 1e-8
DULL = 0.05  # the minimum weight of an unsurprising move, in standard deviations of the advantage


def prioritized(share: float) -> dict[str, Any]:
    """The arguments of MaskablePPO that let it learn this share of the moves, more than 0, at most 1."""
    buffer = {"rollout_buffer_class": PrioritizedRollouts, "rollout_buffer_kwargs": {"share": share}}
    return {**buffer, "normalize_advantage": False}


class PrioritizedRollouts(MaskableRolloutBuffer):
    """A rollout_buffer_class for MaskablePPO, see prioritized().

    Advantages are normalized over all moves. Each pass draws other moves.

    Args:
        share: the expected share of moves that a pass learns from; more than 0, at most 1.
        *args: as for MaskableRolloutBuffer.
        **kwargs: as for MaskableRolloutBuffer.
    """

    def __init__(self, *args: Any, share: float = 1.0, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.share = share

    def get(self, batch_size: int | None = None) -> Iterator[MaskableRolloutBufferSamples]:  # type: ignore[override]
        """Minibatches of about this size."""
        if not self.generator_ready:
            next(super().get(1))  # flattens the buffer
        mean, deviation = float(self.advantages.mean()), float(self.advantages.std()) + TINY
        drawn = chances(self.advantages.flatten(), self.share)
        # The numbers of Stable-Baselines3's own buffers, which the model seeds.
        rows = np.random.permutation(np.flatnonzero(np.random.random(len(drawn)) < drawn))  # noqa: NPY002
        for part in np.array_split(rows, max(1, len(rows) // (batch_size or len(rows)))):
            found = self._get_samples(part)
            weights = torch.as_tensor(self.share / drawn[part], dtype=torch.float32, device=self.device)
            yield found._replace(
                advantages=weights * (found.advantages - mean) / deviation,
                returns=WeightedReturns(found.returns, weights),  # type: ignore[arg-type]
            )


class WeightedReturns:
    """Returns [N] and their weights [N]: torch's mse_loss(returns, values) is a weighted mean of squared errors.

    MaskablePPO calls this function with the returns of a minibatch, so the loss itself is weighted. (To scale the
    difference between returns and old values gives the same gradient only in the first step.)
    """

    def __init__(self, returns: torch.Tensor, weights: torch.Tensor) -> None:
        self.returns, self.weights = returns, weights

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> torch.Tensor:
        """See torch's "Extending PyTorch": functions of torch call this if an argument is of this class."""
        if function is not torch.nn.functional.mse_loss:
            raise TypeError("weighted returns support mse_loss only")
        given, values = args
        loss: torch.Tensor = (given.weights * (values - given.returns).square()).mean()
        return loss


def chances(advantages: NDArray[np.float32], share: float) -> NDArray[np.float64]:
    """The probability to draw each move, [N]: greater far from the mean, `share` on average, at most 1."""
    weights = np.abs(advantages - advantages.mean()) / (advantages.std() + TINY) + DULL
    factor = share / weights.mean()
    for _ in range(20):  # probabilities that reach 1 leave more to the others
        factor *= share / np.minimum(1, factor * weights).mean()
    drawn: NDArray[np.float64] = np.minimum(1, factor * weights).astype(np.float64)
    return drawn
