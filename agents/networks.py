"""Networks for Stable-Baselines3 on boards: features of a small board, and a policy over pairs of cells.

    MaskablePPO(BoardPolicy, env, policy_kwargs={"channels": 32, "layers": 3})
"""

from __future__ import annotations

from typing import Any

import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor, nn


class BoardCNN(BaseFeaturesExtractor):
    """3x3 convolutions that keep the board's size, with the observation (H, W, C) channels last.

    The features are those of each point, flat: [B, channels * H * W].
    """

    def __init__(self, observation_space: spaces.Box, channels: int = 32, layers: int = 3) -> None:
        height, width, planes = observation_space.shape
        super().__init__(observation_space, channels * height * width)
        convolutions: list[nn.Module] = []
        for i in range(layers):
            convolutions += [nn.Conv2d(channels if i else planes, channels, 3, padding=1), nn.ReLU()]
        self.convolutions = nn.Sequential(*convolutions)

    def forward(self, observations: Tensor) -> Tensor:
        """[B, H, W, C] float -> [B, channels * H * W]."""
        return self.convolutions(observations.permute(0, 3, 1, 2)).flatten(1)
