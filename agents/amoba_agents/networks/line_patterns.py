"""A network body for two-player games of stones in lines: a table of the line patterns through each cell."""

from __future__ import annotations

import itertools
from contextlib import nullcontext
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor, nn

from amoba_env.core import planes

BLACK = 2 + planes.BLACK  # where colours matter: the plane after own stones, the opponent's stones and the cells
OFF = 3  # a cell off the board; 0 is empty, 1 own, 2 the opponent's
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


class Block(nn.Module):
    """A residual block: two 3x3 convolutions that join cells `dilations` apart.

    It begins as the identity. (K. He et al., "Identity mappings in deep residual networks", arXiv:1603.05027.)
    """

    def __init__(self, channels: int, dilations: tuple[int, int]) -> None:
        super().__init__()
        self.first, self.second = (
            nn.Conv2d(channels, channels, 3, padding=apart, dilation=apart) for apart in dilations
        )

    def forward(self, x: Tensor) -> Tensor:
        """[B, channels, H, W] -> the same."""
        return x + self.second(torch.relu(self.first(torch.relu(x))))


class BoardLines(BaseFeaturesExtractor):
    """Features of cells from a table of line patterns, followed by convolutions along lines.

    A line pattern is the cells up to `reach` on both sides of a cell, each empty, own, the opponent's or off the board.
    A pattern and its mirror image count as one. The table has a feature vector for each pattern (and colour, where
    colours matter). As most patterns are rare, the vector is the sum of two: a learned one for this pattern alone, and
    one that a small network computes from its stones. (Tables of line patterns: the Gomoku
    engine Rapfi, github.com/dhbloo/rapfi.)

    A 3x3 convolution of dilation d joins a cell to the cells at distance d on its lines; dilations go from 1 to `reach`
    and repeat. Halfway the mean and the maximum over the board are added to all cells (D. J. Wu, arXiv:1902.10565).
    [B, H, W, planes] -> [B, cells * channels].
    """

    points: Tensor
    lookup: Tensor
    places: Tensor
    lines: Tensor

    def __init__(
        self, observation_space: Any, points: list[int], reach: int = 4, channels: int = 32, layers: int = 2
    ) -> None:
        planes = observation_space.shape[2]
        super().__init__(observation_space, len(points) * channels)
        lookup, lines = line_numbers(reach)
        height, width, _ = observation_space.shape
        self.whole = points == list(range(height * width))  # then boards of all sizes are possible
        self.reach, self.colors = reach, 1 + (planes > BLACK)
        self.register_buffer("points", torch.tensor(points), persistent=False)
        self.register_buffer("lookup", lookup.int(), persistent=False)
        self.register_buffer("places", code_places(reach), persistent=False)
        self.register_buffer("lines", line_features(lines, reach), persistent=False)
        self.line = nn.Parameter(torch.zeros(self.colors, len(lines), channels))
        self.folded: Tensor | None = None
        self.stones = nn.Sequential(
            nn.Linear(self.lines.shape[1], 2 * channels), nn.ReLU(), nn.Linear(2 * channels, self.colors * channels)
        )
        self.cell = nn.Linear(planes, channels)
        apart = itertools.cycle(range(1, reach + 1))
        self.blocks = nn.ModuleList([Block(channels, (next(apart), next(apart))) for _ in range(layers)])
        self.everywhere = nn.Linear(2 * channels, channels)

    def forward(self, observations: Tensor) -> Tensor:
        """Float [B, H, W, planes] -> [B, cells * channels]."""
        codes = self.codes(observations)
        lines = self.lookup.index_select(0, codes.flatten()).view_as(codes)
        if self.colors > 1:
            lines = lines + len(self.lines) * observations[:, None, ..., BLACK].int()
        table = self.table() if self.folded is None else self.folded
        seen = nn.functional.embedding(lines, table).sum(1) / len(DIRECTIONS)
        own = self.cell(observations)
        x = (seen.to(own.dtype) + own).permute(0, 3, 1, 2)  # torch.autocast makes `own` bfloat16, and with it the rest
        for number, block in enumerate(self.blocks):
            if number == len(self.blocks) // 2:
                cells = torch.relu(x)
                whole = torch.cat([cells.mean((2, 3)), cells.amax((2, 3))], 1)
                x = x + torch.relu(self.everywhere(whole))[..., None, None]
            x = block(x)
        features = torch.relu(x).permute(0, 2, 3, 1).flatten(1, 2)
        return (features if self.whole else features[:, self.points]).flatten(1)

    def table(self) -> Tensor:
        """The feature vectors of all line patterns, [colors * lines, channels]."""
        features = self.stones(self.lines).unflatten(1, (self.colors, -1)).transpose(0, 1)
        return (features + self.line).flatten(0, 1)

    def fold(self) -> None:
        """Compute the table once and keep it, for a network that is no longer trained."""
        self.folded = self.table().detach()

    def codes(self, observations: Tensor) -> Tensor:
        """Float [B, H, W, planes] -> int64 [B, 4, H, W]: the code of the line in each direction, see line_numbers."""
        own, other, board = observations[..., :BLACK].unbind(3)
        cells = torch.where(board > 0, own + 2 * other, OFF)
        symbols = nn.functional.pad(cells, [self.reach] * 4, value=OFF)
        # float32 holds these integers exactly, bfloat16 does not. A GPU may convolve inexactly: hence the rounding.
        kind = observations.device.type
        with torch.autocast(kind, enabled=False) if torch.is_autocast_enabled(kind) else nullcontext():
            return nn.functional.conv2d(symbols[:, None].float(), self.places.float()).round().long()


def code_places(reach: int) -> Tensor:
    """The weights of cell symbols in the code of each direction: float [4, 1, 2 reach + 1, 2 reach + 1]."""
    places = torch.zeros(len(DIRECTIONS), 1, 2 * reach + 1, 2 * reach + 1)
    for number, (dy, dx) in enumerate(DIRECTIONS):
        for way in range(1, reach + 1):
            places[number, 0, reach + way * dy, reach + way * dx] = 4.0 ** (way - 1)
            places[number, 0, reach - way * dy, reach - way * dx] = 4.0 ** (reach + way - 1)
    return places


def line_numbers(reach: int) -> tuple[Tensor, NDArray[np.int64]]:
    """The number of each line pattern by its code, int64 [16 ** reach], and a code for each number.

    The code of one side has two bits for each cell, the nearest cell lowest; the code of a line has one side in its low
    bits and the other in its high bits. Cells beyond the first one off the board are ignored, and so is the order of
    the sides.
    """
    side = np.arange(4**reach)
    for place in range(reach):
        beyond = side >> 2 * place & OFF == OFF
        side[beyond] |= 4**reach - 4**place
    one, two = np.minimum.outer(side, side), np.maximum.outer(side, side)
    lines, numbers = np.unique(one | two << 2 * reach, return_inverse=True)
    return torch.as_tensor(numbers.reshape(-1)), lines


def line_features(lines: NDArray[np.int64], reach: int) -> Tensor:
    """The cells of each line, one-hot, and the number of windows with each number of stones: [lines, F]."""
    symbols = lines[:, None] >> 2 * np.arange(2 * reach) & OFF
    cells = np.concatenate([symbols[:, :reach][:, ::-1], np.zeros((len(lines), 1), int), symbols[:, reach:]], 1)
    windows = np.lib.stride_tricks.sliding_window_view(cells, reach + 1, 1)
    own, other, off = ((windows == symbol).sum(2) for symbol in (1, 2, OFF))
    kinds = np.eye((reach + 1) ** 2)[own * (reach + 1) + other] * (off == 0)[..., None]
    return torch.as_tensor(np.concatenate([np.eye(4)[symbols].reshape(len(lines), -1), kinds.sum(1)], 1)).float()
