"""A step of gradient descent."""

from __future__ import annotations

import torch


def descend(optimizer: torch.optim.Optimizer, loss: torch.Tensor, most: float) -> None:
    """One step, with a gradient of at most this norm.

    Raises:
        ValueError: the gradient is not a number or infinite. Nothing has changed then.
    """
    optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    learning = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    try:
        torch.nn.utils.clip_grad_norm_(learning, most, error_if_nonfinite=True)
    except RuntimeError:
        raise ValueError("learning has diverged, the gradient is not finite: try a smaller learning_rate") from None
    optimizer.step()
