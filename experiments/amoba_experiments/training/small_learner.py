"""The small networks of amoba_agents.small_networks as modules of PyTorch, to learn."""

from __future__ import annotations

import json
from abc import abstractmethod
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import embedding, embedding_bag

from amoba_agents.networks.legal_categorical import IMPOSSIBLE
from amoba_agents.small_networks.line_rows import BITS, FREE, OFF, OTHER, OWN, patterns, reach_of
from amoba_agents.small_networks.network import LINES, SUM_SCALE, UNIT, kind_for, rows_of, table_rows
from amoba_env import __version__
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.jit import jit
from amoba_env.core.rules import table
from amoba_env.core.state import States
from amoba_env.games import Game

CHANNELS, HIDDEN, WIDE, KEYS = 32, 32, 128, 32
MOST = np.iinfo(np.int16).max // 5  # of a weight: LINES adds up five in 16 bits


class SmallLearner(nn.Module):
    """What both kinds have in common: two layers, values, and a query."""

    def __init__(self, game: Game, read: int, keys: int) -> None:
        super().__init__()
        self.game = game
        self.bias = nn.Parameter(torch.zeros(read))
        self.first, self.second = nn.Linear(read, HIDDEN), nn.Linear(HIDDEN, HIDDEN)
        self.value, self.query = nn.Linear(HIDDEN, game.players), nn.Linear(HIDDEN, keys)

    def heads(self, read: Tensor) -> tuple[Tensor, Tensor]:
        """The logits of the seats, [B, players], and the query, [B, K]."""
        x = torch.relu(self.second(torch.relu(self.first(read))))
        return self.value(x), self.query(x)

    @abstractmethod
    def forward(self, states: States, actions: NDArray[np.int64]) -> tuple[Tensor, Tensor]:
        """The logits of the seats, counted from the player to move, [B, players], and of these actions, [B, M].

        Args:
            states: int16[B, S].
            actions: int64[B, M], in the board's own numbers; negative numbers are no actions.
        """

    @abstractmethod
    def rows(self) -> Tensor:
        """The table, [rows, C]."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays of the file, and what they are for."""
        layers = {name: getattr(self, name) for name in ("first", "second", "value", "query")}
        made_for = json.dumps({"game": self.game.name, "options": dict(self.game.options), "amoba": __version__})
        found: dict[str, NDArray[Any]] = {"table": whole(self.rows()), "bias": whole(self.bias)}
        for name, layer in layers.items():
            found[name] = np.ascontiguousarray(layer.weight.detach().numpy().T)
            found[f"{name}_bias"] = layer.bias.detach().numpy()
        found |= {"keys": np.zeros((1, 1), np.int16), "own": np.zeros(1, np.int16)}
        return found | {"made_for": np.array(made_for)}


def whole(weights: Tensor) -> NDArray[np.int16]:
    """Whole numbers in units of 1 / UNIT."""
    return np.clip(np.round(weights.detach().numpy() * UNIT), -MOST, MOST).astype(np.int16)


class CellFeatures(torch.autograd.Function):
    """The features of empty cells, and their sums. Both ways are compiled, because PyTorch's own take much longer."""

    @staticmethod
    def forward(ctx: Any, table: Tensor, bias: Tensor, rows: Tensor, ends: Tensor) -> tuple[Tensor, Tensor]:
        """The features, [N, C], and the sums of each position, [B, C].

        Args:
            ctx: of PyTorch.
            table: [R, C].
            bias: [C].
            rows: int32[N, 4] of the table, for each empty cell.
            ends: int64[B]: behind the last cell of each position.
        """
        x, sums = torch.empty(len(rows), len(bias)), torch.zeros(len(ends), len(bias))
        _read_cells(table.detach().numpy(), bias.detach().numpy(), rows.numpy(), ends.numpy(), x.numpy(), sums.numpy())
        ctx.rows, ctx.ends, ctx.count = rows, ends, len(table)
        ctx.save_for_backward(x)
        return x, sums

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None, None]:
        """The gradients of the table and of the bias."""
        (x,) = ctx.saved_tensors
        of_cells, of_sums = (each.contiguous().numpy() for each in gradients)
        table, bias = torch.zeros(ctx.count, x.shape[1]), torch.zeros(x.shape[1])
        _spread_cells(of_cells, of_sums, x.numpy(), ctx.rows.numpy(), ctx.ends.numpy(), table.numpy(), bias.numpy())
        return table, bias, None, None


class CellLogits(torch.autograd.Function):
    """The products of the features of cells and the query of their position."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, query: Tensor, ends: Tensor) -> Tensor:
        """[N, C], [B, C] and int64[B] -> [N]."""
        out = torch.empty(len(x))
        ctx.ends = ends
        ctx.save_for_backward(x, query)
        _products(x.detach().numpy(), query.detach().numpy(), ends.numpy(), out.numpy())
        return out

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None]:
        """The gradients of the features and of the query."""
        x, query = ctx.saved_tensors
        of_x, of_query = torch.empty_like(x), torch.zeros_like(query)
        given = gradients[0].contiguous().numpy()
        _spread_products(given, x.numpy(), query.numpy(), ctx.ends.numpy(), of_x.numpy(), of_query.numpy())
        return of_x, of_query, None


Floats = NDArray[np.float32]
Ends = NDArray[np.int64]


@jit
def _read_cells(table: Floats, bias: Floats, rows: NDArray[np.int32], ends: Ends, x: Floats, sums: Floats) -> None:
    i = 0
    for b in range(len(ends)):
        while i < ends[b]:
            one, two, three, four = table[rows[i, 0]], table[rows[i, 1]], table[rows[i, 2]], table[rows[i, 3]]
            for k in range(len(bias)):
                x[i, k] = max(one[k] + two[k] + three[k] + four[k] + bias[k], np.float32(0))
            for k in range(len(bias)):
                sums[b, k] += x[i, k]
            i += 1


@jit
def _spread_cells(
    of_cells: Floats, of_sums: Floats, x: Floats, rows: NDArray[np.int32], ends: Ends, table: Floats, bias: Floats
) -> None:
    i, given = 0, np.empty(len(bias), np.float32)
    for b in range(len(ends)):
        while i < ends[b]:
            for k in range(len(bias)):
                given[k] = of_cells[i, k] + of_sums[b, k] if x[i, k] > 0 else np.float32(0)
            for k in range(len(bias)):
                bias[k] += given[k]
            for d in range(rows.shape[1]):
                row = table[rows[i, d]]
                for k in range(len(bias)):
                    row[k] += given[k]
            i += 1


@jit
def _products(x: Floats, query: Floats, ends: Ends, out: Floats) -> None:
    i = 0
    for b in range(len(ends)):
        while i < ends[b]:
            total = np.float32(0)
            for k in range(x.shape[1]):
                total += x[i, k] * query[b, k]
            out[i] = total
            i += 1


@jit
def _spread_products(given: Floats, x: Floats, query: Floats, ends: Ends, of_x: Floats, of_query: Floats) -> None:
    i = 0
    for b in range(len(ends)):
        while i < ends[b]:
            for k in range(x.shape[1]):
                of_x[i, k] = given[i] * query[b, k]
            for k in range(x.shape[1]):
                of_query[b, k] += given[i] * x[i, k]
            i += 1


class LineLearner(SmallLearner):
    """A network of LINES.

    A row of the table is the sum of one that was learned for its pattern alone and one that a small network computes
    from the pattern's cells, because most patterns are rare.
    """

    def __init__(self, game: Game) -> None:
        super().__init__(game, CHANNELS, CHANNELS)
        self.colors = 2 if game.rules[ru.COLORED] else 1
        seen = pattern_features(reach_of(game))
        self.register_buffer("patterns", seen, persistent=False)
        self.alone = nn.Parameter(torch.zeros(table_rows(game), CHANNELS))
        self.cells = nn.Sequential(
            nn.Linear(seen.shape[1], 2 * CHANNELS), nn.ReLU(), nn.Linear(2 * CHANNELS, self.colors * CHANNELS)
        )

    def rows(self) -> Tensor:
        """See SmallLearner."""
        computed = self.cells(self.patterns).unflatten(1, (self.colors, CHANNELS)).transpose(0, 1).flatten(0, 1)
        found: Tensor = computed + self.alone
        return found

    def forward(self, states: States, actions: NDArray[np.int64]) -> tuple[Tensor, Tensor]:
        """See SmallLearner."""
        empty = states[:, st.CELLS :] < 0
        rows, ends = torch.as_tensor(rows_of(self.game, states)[empty]), torch.as_tensor(empty.sum(1).cumsum())
        x, sums = CellFeatures.apply(self.rows(), self.bias, rows, ends)  # type: ignore[no-untyped-call]
        values, query = self.heads(sums / SUM_SCALE)
        found = CellLogits.apply(x, query, ends)  # type: ignore[no-untyped-call]
        logits = torch.full(empty.shape, IMPOSSIBLE).masked_scatter(torch.as_tensor(empty), found)
        at = torch.as_tensor(actions)
        return values, logits.gather(1, at.clamp(min=0)).masked_fill(at < 0, IMPOSSIBLE)


class CellLearner(SmallLearner):
    """A network of CELLS. The key of a move of a man is the sum of three: of both cells, and of the pair."""

    def __init__(self, game: Game) -> None:
        super().__init__(game, WIDE, KEYS)
        self.n = game.n_cells
        self.table = nn.Parameter(torch.randn(table_rows(game), WIDE) * 0.15)
        parts = (self.n, self.n, game.n_actions) if game.moves_men else (game.n_actions,)
        self.keys = nn.ParameterList([nn.Parameter(torch.randn(part, KEYS + 1) * 0.1) for part in parts])
        if game.moves_men:
            nn.init.zeros_(self.keys[-1])

    def rows(self) -> Tensor:
        """See SmallLearner."""
        return self.table

    def all_keys(self) -> Tensor:
        """The keys, and what is added to the logits, [A, K + 1]."""
        if len(self.keys) == 1:
            only: Tensor = self.keys[0]
            return only
        origin, target, pair = self.keys
        found: Tensor = (origin[:, None] + target[None]).flatten(0, 1) + pair
        return found

    def forward(self, states: States, actions: NDArray[np.int64]) -> tuple[Tensor, Tensor]:
        """See SmallLearner."""
        rows, begins = men_rows(self.game, states)
        x = torch.relu(
            embedding_bag(torch.as_tensor(rows), self.table, torch.as_tensor(begins), mode="sum") + self.bias
        )
        values, query = self.heads(x)
        seen = np.where(actions < 0, 0, self.game.seen_numbers[states[:, st.TO_MOVE, None], actions])
        at, query = torch.as_tensor(seen), torch.cat([query, torch.ones(len(query), 1)], 1)
        logits = torch.bmm(embedding(at, self.keys[-1]), query[:, :, None]).squeeze(2)
        if self.game.moves_men:
            origin, target = (query @ each.T for each in self.keys[:2])
            logits = logits + origin.gather(1, at // self.n) + target.gather(1, at % self.n)
        return values, logits.masked_fill(torch.as_tensor(actions < 0), IMPOSSIBLE)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """See SmallLearner."""
        keys = whole(self.all_keys())
        return super().arrays() | {"keys": np.ascontiguousarray(keys[:, :-1]), "own": keys[:, -1].copy()}


def small_learner(game: Game) -> SmallLearner:
    """A network for a game, with random weights."""
    return LineLearner(game) if kind_for(game) == LINES else CellLearner(game)


def men_rows(game: Game, states: States) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows of the table for all stones or men of positions, and where those of each position begin."""
    seats, cells = states[:, st.TO_MOVE].astype(np.int64), states[:, st.CELLS :].astype(np.int64)
    at, cell = np.nonzero(cells >= 0)
    owner = (cells[at, cell] - seats[at]) % game.players
    seen = table(game.rules, ru.VIEW)[seats[at], cell]
    return owner * game.n_cells + seen, np.searchsorted(at, np.arange(len(states)))


def pattern_features(reach: int) -> Tensor:
    """The content of every cell of each pattern, and how many windows on it have each number of stones."""
    sides = patterns(reach)[:, :, None] >> BITS * np.arange(reach) & OFF
    one, other = sides[:, 0], sides[:, 1]
    cells = np.concatenate([one[:, ::-1], np.full((len(one), 1), FREE), other], 1)
    windows = np.lib.stride_tricks.sliding_window_view(cells, reach + 1, 1)
    own, others, off = ((windows == symbol).sum(2) for symbol in (OWN, OTHER, OFF))
    kinds = np.eye((reach + 1) ** 2)[own * (reach + 1) + others] * (off == 0)[..., None]
    symbols = np.eye(4)[one] + np.eye(4)[other]  # the order of sides does not count
    return torch.as_tensor(np.concatenate([symbols.reshape(len(one), -1), kinds.sum(1)], 1)).float()
