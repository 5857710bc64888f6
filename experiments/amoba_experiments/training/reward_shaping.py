"""Undo reward shaping in the value: training also rewards progress, the environments only the end of a game."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from amoba_env.progress import Progress

STEPS, BATCH, RATE = 2000, 256, 1e-3  # of unshape(): updates, batch size, learning rate


def unshape(policy: Any, progress: Progress, planes: NDArray[np.int8]) -> None:
    """Turn a value learned from shaped rewards into the value of the game: its sum with the progress.

    Only the last layers of the value change, so the policy's moves stay the same, bit for bit.

    Args:
        policy: a BoardPolicy.
        progress: of its game.
        planes: int8 [N, H, W, C], observations of positions to fit.
    """
    with torch.no_grad():
        seen = torch.as_tensor(planes, device=policy.device)
        features = policy.mlp_extractor.forward_critic(policy.extract_features(seen))
        added = torch.as_tensor(progress(planes), dtype=torch.float32, device=policy.device)
        wanted = policy.value_net(features).squeeze(1) + added
    optimizer = torch.optim.Adam(policy.value_net.parameters(), lr=RATE)
    draw, batches = np.random.default_rng(0), max(1, len(planes) // BATCH)
    for done in range(STEPS):
        if done % batches == 0:
            parts = np.array_split(draw.permutation(len(planes)), batches)
        rows = torch.as_tensor(parts[done % batches], device=policy.device)
        for group in optimizer.param_groups:
            group["lr"] = RATE * (1 - done / STEPS)
        loss = (policy.value_net(features[rows]).squeeze(1) - wanted[rows]).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
