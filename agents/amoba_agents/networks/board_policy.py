"""Policies for Stable-Baselines3 that follow the board: a feature vector for each cell, and heads with shared weights.

    game = games.make("gomoku")
    MaskablePPO(BoardPolicy, env, policy_kwargs=board_kwargs(game, channels=32, layers=4))

Where two players want stones in a line, the features of a cell begin with the line patterns through it
(line_patterns.py), followed by convolutions along lines. With other winning patterns the features of cells and of
winning sets are updated from each other in turn. Where men move, square boards get convolutions. Stars (few cells on a
grid of double width) get an MLP, which is cheaper there.

Where stones are placed, every cell has a logit. Where men move, the logit of a move from one cell to another is the dot
product of the first cell's query and the second's key: 37 cells need 2 * 37 vectors instead of 1,369 rows.
"""

from __future__ import annotations

import inspect
import itertools
from functools import partial
from typing import Any, Literal

import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor, nn
from torch.nn.functional import one_hot

from amoba_agents.networks.architecture import bodies_for
from amoba_agents.networks.legal_categorical import LegalCategorical
from amoba_agents.networks.line_patterns import Block, BoardLines
from amoba_agents.values.winning_sets import winning_sets
from amoba_env import checks
from amoba_env.games import Game

Body = Literal["lines", "rows", "cnn", "mlp"]

MOST_REACH = 4  # each further cell makes the table of line patterns nine times as large

SUM_SCALE = 4  # sums over cells or sets are divided by this, so that all layers start at a similar scale


def board_kwargs(game: Game, **more: Any) -> dict[str, Any]:
    """The `policy_kwargs` of BoardPolicy for a game; `more` overrides them (body, channels, layers, hidden).

    Raises:
        ValueError: the body does not fit the game.
    """
    x, y = game.board.coords.T.tolist()
    width = game.observation_shape[1]
    points = [row * width + column for column, row in zip(x, y, strict=True)]
    bodies = bodies_for(game)
    given = {"points": points, "pairs": game.moves_men, "body": bodies[0], **more}
    checks.one_of("body", given["body"], bodies)
    if given["body"] == "rows":
        given |= {"sets": winning_sets(game), "players": game.players}
    if given["body"] == "lines":
        given["reach"] = min(max(map(len, winning_sets(game))) - 1, MOST_REACH)
    return given


class BoardCNN(BaseFeaturesExtractor):
    """3x3 convolutions that keep the board's size, with residual connections after the first.

    [B, H, W, planes] -> [B, cells * channels], cell by cell.
    """

    points: Tensor

    def __init__(self, observation_space: Any, points: list[int], channels: int = 32, layers: int = 4) -> None:
        planes = observation_space.shape[2]
        super().__init__(observation_space, len(points) * channels)
        self.register_buffer("points", torch.tensor(points), persistent=False)
        self.first = nn.Conv2d(planes, channels, 3, padding=1)
        self.others = nn.ModuleList([nn.Conv2d(channels, channels, 3, padding=1) for _ in range(layers - 1)])

    def forward(self, observations: Tensor) -> Tensor:
        """Float [B, H, W, planes] -> [B, cells * channels]."""
        # On one core convolutions are fastest if a point's channels are adjacent, as in the observation.
        x = torch.relu(self.first(observations.permute(0, 3, 1, 2).contiguous(memory_format=torch.channels_last)))
        for convolution in self.others:
            x = x + torch.relu(convolution(x))
        return x.permute(0, 2, 3, 1).flatten(1, 2)[:, self.points].flatten(1)


class BoardMLP(BaseFeaturesExtractor):
    """Fully connected layers over the stones or men of all cells. [B, H, W, planes] -> [B, cells * channels]."""

    points: Tensor

    def __init__(
        self, observation_space: Any, points: list[int], channels: int = 16, layers: int = 2, hidden: int = 256
    ) -> None:
        planes = observation_space.shape[2]
        super().__init__(observation_space, len(points) * channels)
        self.register_buffer("points", torch.tensor(points), persistent=False)
        sizes = [len(points) * planes, *[hidden] * layers, len(points) * channels]
        linear = [nn.Linear(size, after) for size, after in itertools.pairwise(sizes)]
        self.layers = nn.Sequential(*[part for layer in linear for part in (layer, nn.ReLU())])

    def forward(self, observations: Tensor) -> Tensor:
        """Float [B, H, W, planes] -> [B, cells * channels]."""
        return self.layers(observations.flatten(1, 2)[:, self.points].flatten(1))


class BoardRows(BaseFeaturesExtractor):
    """Features of cells and of winning sets, updated from each other in turn, for any board and any winning pattern.

    The first features of a set are the numbers of stones of each player, which a convolution would have to learn.
    The first features of a cell count the sets of each such kind through it. [B, H, W, planes] -> [B, cells *
    channels].
    """

    points: Tensor
    within: Tensor
    carry: Tensor
    digits: Tensor

    def __init__(
        self,
        observation_space: Any,
        points: list[int],
        sets: list[list[int]],
        players: int = 2,
        channels: int = 32,
        layers: int = 2,
    ) -> None:
        planes = observation_space.shape[2]
        super().__init__(observation_space, len(points) * channels)
        size = max(map(len, sets))
        within = torch.zeros(len(sets), len(points))
        for row, cells in enumerate(sets):
            within[row, cells] = 1
        self.kinds = (size + 1) ** players
        self.register_buffer("points", torch.tensor(points), persistent=False)
        self.register_buffer("within", within, persistent=False)  # [sets, cells] 1 if the cell is of the set
        self.register_buffer("carry", within / SUM_SCALE, persistent=False)
        self.register_buffer("digits", (size + 1) ** torch.arange(players).float(), persistent=False)
        self.cell = nn.Linear(planes + self.kinds, channels)
        self.kind = nn.ModuleList([nn.Linear(self.kinds, channels, bias=False) for _ in range(layers - 1)])
        self.to_set = nn.ModuleList([nn.Linear(channels, channels) for _ in range(layers - 1)])
        self.to_cell = nn.ModuleList([nn.Linear(channels, channels) for _ in range(layers - 1)])
        self.last = nn.Linear(channels, channels)

    def forward(self, observations: Tensor) -> Tensor:
        """Float [B, H, W, planes] -> [B, cells * channels]."""
        seen = observations.flatten(1, 2)[:, self.points]  # [B, cells, planes]
        stones = self.within @ seen[:, :, : len(self.digits)]  # [B, sets, players]
        numbers = (stones.float() * self.digits).sum(2).long()  # exact, in bfloat16 a product would not be
        kinds = one_hot(numbers, self.kinds).float()  # [B, sets, kinds]
        through = self.carry.T @ kinds  # [B, cells, kinds]
        x = torch.relu(self.cell(torch.cat([seen, through], 2)))
        for kind, to_set, to_cell in zip(self.kind, self.to_set, self.to_cell, strict=True):
            row = torch.relu(kind(kinds) + to_set(self.carry @ x))
            x = x + torch.relu(to_cell(self.carry.T @ row))
        return torch.relu(self.last(x)).flatten(1)


class PlaceHead(nn.Module):
    """A logit for each cell and for each choice in an opening. [B, cells * channels] -> [B, cells + choices]."""

    def __init__(self, cells: int, channels: int, choices: int) -> None:
        super().__init__()
        self.channels = channels
        self.cell = nn.Linear(channels, 1)
        self.choice = nn.Linear(cells * channels, choices) if choices else None
        for layer in (self.cell, self.choice):
            if layer is not None:
                nn.init.orthogonal_(layer.weight, 0.01)

    def forward(self, features: Tensor) -> Tensor:
        """See the class."""
        logits = self.cell(torch.unflatten(features, 1, (-1, self.channels))).flatten(1)
        return logits if self.choice is None else torch.cat([logits, self.choice(features)], 1)


class PooledHead(nn.Module):
    """A value from the mean and the maximum of each channel over all cells. [B, cells * channels] -> [B, 1]."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.channels = channels
        self.layers = nn.Sequential(nn.Linear(2 * channels, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, features: Tensor) -> Tensor:
        """See the class."""
        x = torch.unflatten(features, 1, (-1, self.channels))
        return self.layers(torch.cat([x.mean(1), x.amax(1)], 1))


class PairHead(nn.Module):
    """A logit for each pair of cells, from * cells + to. [B, cells * channels] -> [B, cells * cells]."""

    def __init__(self, cells: int, channels: int) -> None:
        super().__init__()
        self.cells, self.channels, self.scale = cells, channels, channels**-0.5
        self.query, self.key = nn.Linear(channels, channels), nn.Linear(channels, channels)
        nn.init.orthogonal_(self.query.weight, 0.1)

    def forward(self, features: Tensor) -> Tensor:
        """See the class."""
        x = features.reshape(-1, self.cells, self.channels)
        return (self.query(x) @ self.key(x).transpose(1, 2) * self.scale).flatten(1)


BODIES: dict[str, type[BaseFeaturesExtractor]] = {
    "lines": BoardLines,
    "rows": BoardRows,
    "cnn": BoardCNN,
    "mlp": BoardMLP,
}


class BoardPolicy(MaskableActorCriticPolicy):
    """A policy for MaskablePPO whose actions are cells or pairs of cells; board_kwargs gives the arguments for a game.

    Args:
        observation_space: a box (H, W, planes).
        action_space: discrete: cells (and choices after them), or cells * cells.
        lr_schedule: see Stable-Baselines3.
        points: the grid point (row * W + column) of each cell; by default all points.
        pairs: whether an action is a pair of cells, from * cells + to.
        body: "lines", "rows", "cnn" or "mlp": BoardLines, BoardRows, BoardCNN or BoardMLP.
        **kwargs: arguments of the body (channels, layers, hidden, reach, sets, players); the others go to
            MaskableActorCriticPolicy (optimizer_class, ...).

    Raises:
        ValueError: an action space that does not fit the points, or an unknown body.
    """

    def __init__(
        self,
        observation_space: Any,
        action_space: Any,
        lr_schedule: Any,
        points: list[int] | None = None,
        pairs: bool = False,
        body: Body = "cnn",
        **kwargs: Any,
    ) -> None:
        height, width, _ = observation_space.shape
        points = list(range(height * width)) if points is None else points
        if body not in BODIES:
            raise ValueError(f"body: expected one of {', '.join(BODIES)}, got {body!r}")
        if pairs != (action_space.n == len(points) ** 2) or action_space.n < len(points):
            raise ValueError(f"{len(points)} points and pairs={pairs} do not fit {action_space.n} actions")
        own = set(inspect.signature(BODIES[body]).parameters) & set(kwargs)
        size = {name: kwargs.pop(name) for name in own}
        self.board_arguments = {"points": points, "pairs": pairs, "body": body, **size}
        super().__init__(
            observation_space,
            action_space,
            lr_schedule,
            net_arch=[],
            features_extractor_class=BODIES[body],
            features_extractor_kwargs={"points": points, **size},
            **kwargs,
        )

    def _build(self, lr_schedule: Any) -> None:
        self._build_mlp_extractor()  # without layers: the features go to the heads
        actions, optimizer = int(self.action_space.n), self.optimizer_class  # type: ignore[attr-defined]
        self.action_dist = LegalCategorical(actions)
        cells = len(self.board_arguments["points"])
        channels = self.features_dim // cells
        self.features_extractor.apply(partial(self.init_weights, gain=2**0.5))
        if self.board_arguments["pairs"]:
            self.action_net = PairHead(cells, channels)
        else:
            self.action_net = PlaceHead(cells, channels, actions - cells)
        for module in self.features_extractor.modules():
            if isinstance(module, Block):
                nn.init.zeros_(module.second.weight)
        if self.board_arguments["body"] == "lines":
            self.value_net = PooledHead(channels)  # type: ignore[assignment]
        else:
            self.value_net = nn.Sequential(  # type: ignore[assignment]
                nn.Linear(cells * channels, 64), nn.ReLU(), nn.Linear(64, 1)
            )
        self.optimizer = optimizer(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)  # type: ignore[call-arg]

    def _get_constructor_parameters(self) -> dict[str, Any]:
        data = super()._get_constructor_parameters()
        for name in ("net_arch", "features_extractor_class", "features_extractor_kwargs"):
            del data[name]
        return {**data, **self.board_arguments}
