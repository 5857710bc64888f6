"""Reward shaping: progress is rewarded in training, while the environments reward only the end of a game."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from amoba_env.core import rules as ru
from amoba_env.games import Game

STEPS, BATCH, RATE = 2000, 256, 1e-3  # of unshape(): updates, batch size, learning rate


class Progress:
    """How far the men of a game have come: from -1 at the start to 0 when all are home.

    Learning from gamma * progress(after) - progress(before) leaves optimal policies optimal (Ng, Harada, Russell:
    "Policy invariance under reward transformations", ICML 1999), and is the same as learning from the value plus the
    progress (Wiewiora: "Potential-based shaping and Q-value initialization are equivalent", JAIR 2003). Every seat sees
    the board in the same way, so the observation is enough.
    """

    def __init__(self, game: Game) -> None:
        """ValueError for a game in which stones are placed."""
        if not game.moves_men:
            raise ValueError(f"reward shaping: expected a game where men move, got {game.name}")
        steps, view, home, goal = (ru.table(game.rules, slot)[0] for slot in (ru.STEPS, ru.VIEW, ru.HOMES, ru.GOALS))
        x, y = game.board.coords.T.astype(np.int64)
        self._points = (y * game.observation_shape[1] + x)[view]  # of each cell, as seat 0 sees it
        self._steps, self._home = steps.astype(np.int64), int(steps[goal].sum())
        self._span = float(steps[home].sum() - self._home)

    def __call__(self, planes: NDArray[np.int8]) -> NDArray[np.float64]:
        """The progress of the player to move, int8 [N, H, W, C] -> [N]."""
        own = planes[..., 0].reshape(len(planes), -1)[:, self._points]
        return (self._home - own @ self._steps) / self._span


def unshape(policy: Any, progress: Progress, planes: NDArray[np.int8]) -> None:
    """Turn a value that was learned beside the progress into the value of the game: the sum of both.

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
