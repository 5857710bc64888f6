"""Learning the values and the policy of `alphabeta` from its own games, in four kinds of gomoku and in renju.

In the first round a search with counted values plays the games, in the others one with the file that the round before
made. The third round learns from the games of the second one too. Games begin with some random stones near the centre;
a random move now and then makes them differ, and only what comes after the last one is kept.

Values are learned first: the mean of the game's result and of the chance that the search's own value means. Positions
in which the search never asks for a value are left out: wins by fours, and threats that have to be answered. The policy
is then learned from the search's moves in the same positions; the layers that it shares with the values stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, embedding_bag

from amoba_agents.alphabeta import AlphaBeta
from amoba_agents.alphabeta import lines as li
from amoba_agents.alphabeta import stone_values as sv
from amoba_agents.alphabeta.alphabeta_search import LEAF_FOURS, PROVEN
from amoba_agents.alphabeta.fours import wins_by_fours
from amoba_agents.alphabeta.lines import HashTable, StoneWork
from amoba_agents.alphabeta.stones import put_all
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.jit import jit
from amoba_env.core.overwrite import overwrite
from amoba_env.core.play import apply, moves
from amoba_env.core.rng import Stream
from amoba_env.core.rules import Rules
from amoba_env.core.state import State, States
from amoba_env.games import Game, make_from
from workshop.search_networks.loop import GameFiles, NetworkLearner, PartKey, passes, read, whole_numbers

# Games, and how many of them are played in each round.
PLAYED: tuple[tuple[str, dict[str, Any], tuple[int, ...]], ...] = (
    ("gomoku", {"size": 15}, (8_000, 24_000, 24_000)),
    ("gomoku", {"size": 15, "rule": "exact"}, (2_000, 8_000, 8_000)),
    ("renju", {}, (4_000, 16_000, 16_000)),
    ("gomoku", {"size": 10}, (2_000, 6_000, 6_000)),
    ("gomoku", {"size": 20}, (2_000, 6_000, 6_000)),
)
STONES = range(2, 7)  # random ones at the beginning,
NEAR = 7  # in a square of this many cells around the centre
RANDOM_MOVES = 0.03  # share of the moves that are random, within REACH of a stone
REACH = 2

FIRST, POLICY_FIRST = 128, 64  # numbers in the layers from which the tables are made
RESULT = 0.5  # weight of the game's result; the rest is that of the search's value
COUNTED_UNIT = 35.0  # VALUE_UNIT for a search with counted values: odds of a win e times as high
MOST_VALUE = 400.0
TESTED = 10  # every tenth game is kept for the test
PAIRS = sv.CODES * sv.CODES


@dataclass(frozen=True)
class StoneValues(NetworkLearner):
    """The values and the policy of alphabeta. A part is a game of `played`, by its place, and a number."""

    part_games: int = 500
    games_at_once: int = 50
    epochs: int = 24
    policy_epochs: int = 3
    batch: int = 512
    nodes: int = 2000  # of the player
    played: tuple[tuple[str, dict[str, Any], tuple[int, ...]], ...] = PLAYED

    file = sv.FILE
    columns = "states", "values", "actions", "results"

    def rounds(self) -> list[list[PartKey]]:
        """See NetworkLearner."""
        return [
            [(kind, part) for kind, games in enumerate(counts) for part in range(games // self.part_games)]
            for counts in zip(*(games for _, _, games in self.played), strict=True)
        ]

    def play(
        self, part: PartKey, known: Sequence[Path], stream: Stream, draw: np.random.Generator
    ) -> list[list[tuple[Any, ...]]]:
        """See NetworkLearner."""
        what: dict[str, Any] = {"values": str(known[-1])} if known else {"evaluation": "counted"}
        player = AlphaBeta(nodes=self.nodes, **what)
        name, options, _ = self.played[part[0]]
        game = make_from(name, options)
        states = game.batch(len(stream))
        x, y = game.board.coords.T.astype(int)
        centre = np.flatnonzero(np.maximum(abs(x - x.max() // 2), abs(y - y.max() // 2)) <= NEAR // 2)
        for state in states:
            for cell in draw.choice(centre, draw.choice(STONES), replace=False):
                apply(game.rules, state, int(cell))
        kept: list[list[tuple[Any, int, int]]] = [[] for _ in states]
        while (rows := np.flatnonzero(states[:, st.STATUS] == st.RUNNING)).size:
            own = stream[rows]
            actions, values = player.think(game, states[rows], own)
            stream[rows] = own
            for row, action, value in zip(rows, actions, values, strict=True):
                state = states[row]
                kept[row].append((state.copy(), int(value), int(action)))
                if draw.random() < RANDOM_MOVES:
                    action, kept[row] = random_move(game, state, draw), []
                apply(game.rules, state, int(action))
        return [
            [(*position, _result(int(state[st.STATUS]), int(position[0][st.TO_MOVE]))) for position in positions]
            for positions, state in zip(kept, states, strict=True)
        ]

    def fit(self, rounds: Sequence[GameFiles], seed: int) -> dict[str, NDArray[np.int16]]:
        """See NetworkLearner."""
        learned = rounds[-2:] if len(rounds) > 2 else rounds[-1:]  # the first round's values are in another unit
        files = [(self.played[part[0]], file) for games in learned for part, file in games.items()]
        examples = StoneExamples(files, sv.VALUE_UNIT if len(rounds) > 1 else COUNTED_UNIT)
        print(f"round {len(rounds)}: {len(examples.results):,} positions", flush=True)
        values = self.fit_values(examples, seed)
        return whole(values, self.fit_policy(values, examples, seed))

    def fit_values(self, examples: StoneExamples, seed: int) -> ValuesLearner:
        """Learn the values; print the log loss of each pass, on held-out games."""
        learner = ValuesLearner()
        learned, tested = np.flatnonzero(~examples.test), np.flatnonzero(examples.test)

        def loss(part: NDArray[np.intp]) -> Tensor:
            return binary_cross_entropy_with_logits(learner(*examples.batch(part)), examples.chances[part])

        for epoch in passes(learner, loss, learned, self.epochs, self.batch, seed):
            with torch.no_grad():
                logits = torch.cat([learner(*examples.batch(part)) for part in np.array_split(tested, 20)])
            found = binary_cross_entropy_with_logits(logits, examples.results[tested])
            print(f"values, pass {epoch} of {self.epochs}: log loss of the results {float(found):.4f}", flush=True)
        return learner

    def fit_policy(self, values: ValuesLearner, examples: StoneExamples, seed: int) -> PolicyLearner:
        """Learn the policy; print the log loss of each pass, and how often the move is among the first three."""
        learner = PolicyLearner(values)
        rows = np.flatnonzero(examples.moves >= 0)
        learned, tested = rows[~examples.test[rows]], rows[examples.test[rows]]

        def answers(part: NDArray[np.intp]) -> tuple[Tensor, Tensor]:
            cells, begins = examples.batch(part)
            logits, positions = learner(cells, begins)
            most = torch.full((len(part),), -np.inf).scatter_reduce(0, positions, logits, "amax").detach()
            total = torch.zeros(len(part)).index_add(0, positions, torch.exp(logits - most[positions]))
            chosen = logits[begins + torch.as_tensor(examples.moves[part])]
            better = torch.zeros(len(part)).index_add(0, positions, (logits > chosen[positions]).float())
            return torch.log(total) + most - chosen, better

        def loss(part: NDArray[np.intp]) -> Tensor:
            return answers(part)[0].mean()

        for epoch in passes(learner, loss, learned, self.policy_epochs, self.batch, seed):
            with torch.no_grad():
                found = [answers(part) for part in np.array_split(tested, 20)]
            losses, better = (torch.cat(each) for each in zip(*found, strict=True))
            first = float((better < 3).float().mean())
            said = f"log loss {float(losses.mean()):.4f}, first three {first:.3f}"
            print(f"policy, pass {epoch} of {self.policy_epochs}: {said}", flush=True)
        return learner


def _result(winner: int, seat: int) -> float:
    return 0.5 if winner == st.NOBODY else float(winner == seat)


def random_move(game: Game, state: State, draw: np.random.Generator) -> int:
    """A legal move at most REACH cells away from a stone, if there is one, else any."""
    room, (x, y) = np.empty(game.n_actions, np.int64), game.board.coords.T.astype(int)
    free, stones = room[: moves(game.rules, state, room)], np.flatnonzero(state[st.CELLS :] >= 0)
    away = np.maximum(abs(x[free, None] - x[stones]), abs(y[free, None] - y[stones])).min(axis=1)
    return int(draw.choice(free[away <= REACH] if (away <= REACH).any() else free))


@jit
def examine(
    rules: Rules, states: States, w: StoneWork, t: HashTable, pairs: NDArray[np.int32], asked: NDArray[np.bool_]
) -> None:
    """Write the pairs of codes of all empty cells, [N, n] (-1 elsewhere), and where the search may ask for a value."""
    fresh = w.copy()
    for b in range(len(states)):
        s = states[b].copy()
        overwrite(w, fresh)
        t[w[li.HASH]] = np.uint64(0)
        t[w[li.SALT]] = np.uint64(b + 1)
        put_all(rules, s, w, t)
        w[li.NODES], w[li.LIMIT] = 0, 2 * LEAF_FOURS
        seat = np.int64(s[st.TO_MOVE])
        lists = w[li.LIST_LENGTH]
        asked[b] = w[lists] + w[lists + 1] == 0 and not wins_by_fours(rules, s, w, t, seat, np.int64(LEAF_FOURS))
        for cell in range(rules[ru.N_CELLS]):
            both = w[w[li.CELL_COUNTS] + cell]
            own, other = sv.code_of(both >> li.SEAT_BITS * seat), sv.code_of(both >> li.SEAT_BITS * (1 - seat))
            pairs[b, cell] = own * sv.CODES + other if s[st.CELLS + cell] == st.EMPTY else -1


class StoneExamples:
    """What is learned from: of each position a list of its cells' table rows, the chance to win, and the move."""

    def __init__(self, files: Sequence[tuple[tuple[str, dict[str, Any], tuple[int, ...]], Path]], unit: float) -> None:
        cells, lengths, chances, results, moves, tests = [], [], [], [], [], []
        for (name, options, _), file in files:
            game = make_from(name, options)
            states, values, won, games, actions = read(file, ("states", "values", "results", "games", "actions"))
            pairs, asked = np.empty((len(states), game.n_cells), np.int32), np.empty(len(states), np.bool_)
            w = li.workspace(game.rules)
            examine(game.rules, states, w, li.hash_table(w, game.n_cells, 12), pairs, asked)
            kinds = np.zeros(len(states), np.int32)
            if game.rules[ru.BLACK_ONLY]:
                is_black = states[:, st.TO_MOVE] == states[:, st.BLACK]
                kinds = np.where(is_black, sv.RENJU_BLACK, sv.RENJU_WHITE).astype(np.int32)
            rows, values = np.flatnonzero(asked), values.astype(float)
            chance = 1 / (1 + np.exp(-np.clip(values, -MOST_VALUE, MOST_VALUE) / unit))
            chance = np.where(values > PROVEN, 1, np.where(values < -PROVEN, 0, chance))
            pairs, here = pairs[rows], pairs[rows] > 0
            cells.append((pairs + PAIRS * kinds[rows, None])[here])
            lengths.append(here.sum(axis=1))
            chances.append(RESULT * won[rows] + (1 - RESULT) * chance[rows])
            results.append(won[rows])
            place = np.cumsum(here, axis=1) - 1
            at = np.arange(len(rows)), actions[rows]
            moves.append(np.where(here[at], place[at], -1))
            tests.append(games[rows] % TESTED == 0)
        self.cells = torch.as_tensor(np.concatenate(cells))
        self.ends = np.cumsum(np.concatenate(lengths))
        self.begins = self.ends - np.concatenate(lengths)
        self.chances, self.results = (torch.as_tensor(np.concatenate(each)).float() for each in (chances, results))
        self.moves = np.concatenate(moves)  # the place of the move among the cells; -1 if it is not one of them
        self.test = np.concatenate(tests)

    def batch(self, rows: NDArray[np.intp]) -> tuple[Tensor, Tensor]:
        """The table rows of these positions one after another, and where each position begins."""
        lengths = self.ends[rows] - self.begins[rows]
        first = np.cumsum(lengths) - lengths
        places = np.repeat(self.begins[rows] - first, lengths) + np.arange(lengths.sum())
        return self.cells[torch.as_tensor(places)], torch.as_tensor(first)


class First(nn.Module):
    """The first layer, from which a table is made, with numbers that are not rounded."""

    codes: Tensor

    def __init__(self, numbers: int) -> None:
        super().__init__()
        codes = np.zeros((sv.CODES, sv.INPUTS), np.float32)
        for code in range(sv.CODES):
            codes[code, sv.features(code)] = 1
        self.register_buffer("codes", torch.as_tensor(codes), persistent=False)
        self.inputs = nn.Linear(2 * sv.INPUTS + 3, numbers, bias=False)

    def forward(self, rows: Tensor) -> Tensor:
        """The layer for those rows of the table, [rows, numbers]; 0 for cells without sets."""
        kind, own, other = rows // PAIRS, rows % PAIRS // sv.CODES, rows % sv.CODES
        kinds = nn.functional.one_hot(kind, 3).float()
        nothing = torch.zeros_like(own)

        def layer(own: Tensor, other: Tensor) -> Tensor:
            return torch.relu(self.inputs(torch.cat([self.codes[own], self.codes[other], kinds], 1)))

        return layer(own, other) - layer(nothing, nothing)


class ValuesLearner(nn.Module):
    """The network of stone_values.py, in floating point."""

    def __init__(self) -> None:
        super().__init__()
        self.first = First(FIRST)
        self.vectors = nn.Linear(FIRST, li.CHANNELS, bias=False)
        nn.init.normal_(self.vectors.weight, 0, 0.02)  # a hundred vectors are added up
        self.hidden, self.value = nn.Linear(li.CHANNELS, li.HIDDEN), nn.Linear(li.HIDDEN, 1)

    def layer(self, used: Tensor, places: Tensor, begins: Tensor) -> Tensor:
        """The layer after the sums, [B, HIDDEN]. The rows of the cells are used[places]."""
        vectors = self.vectors(self.first(used)).clamp(-sv.MOST_IN_VECTOR, sv.MOST_IN_VECTOR)
        sums = embedding_bag(places, vectors, begins, mode="sum")
        return torch.relu(self.hidden(torch.relu(sums)))

    def forward(self, rows: Tensor, begins: Tensor) -> Tensor:
        """Logits of winning, [B]."""
        used, places = torch.unique(rows.long(), return_inverse=True)
        found: Tensor = self.value(self.layer(used, places, begins)).squeeze(1)
        return found


class PolicyLearner(nn.Module):
    """The policy of learned_order.py, on the layer of a network of values, with numbers that are not rounded."""

    def __init__(self, values: ValuesLearner) -> None:
        super().__init__()
        self.first, self.keys = First(POLICY_FIRST), nn.Linear(POLICY_FIRST, li.KEYS + 1, bias=False)
        self.query = nn.Linear(li.HIDDEN, li.KEYS)
        self.layer = values.layer  # a function, not a module: the values stay as they are

    def forward(self, rows: Tensor, begins: Tensor) -> tuple[Tensor, Tensor]:
        """The logits of the cells, and the positions that they belong to, [cells] both."""
        used, places = torch.unique(rows.long(), return_inverse=True)
        with torch.no_grad():
            layer = self.layer(used, places, begins)
        query = torch.cat([torch.ones(len(begins), 1), self.query(layer)], 1)
        lengths = torch.diff(begins, append=torch.tensor([len(rows)]))
        positions = torch.repeat_interleave(torch.arange(len(begins)), lengths)
        return (self.keys(self.first(used))[places] * query[positions]).sum(1), positions


def whole(values: ValuesLearner, policy: PolicyLearner) -> dict[str, NDArray[np.int16]]:
    """The layers as whole numbers, see stone_values.py. Raises ValueError if one is too large."""
    return whole_numbers(
        {
            "inputs": values.first.inputs.weight.T,
            "vectors": values.vectors.weight.T,
            "hidden": values.hidden.weight.T,
            "hidden_bias": values.hidden.bias,
            "value": values.value.weight.flatten(),
            "value_bias": values.value.bias,
            "key_inputs": policy.first.inputs.weight.T,
            "keys": policy.keys.weight.T,
            "query": policy.query.weight.T,
            "query_bias": policy.query.bias,
        },
        sv.LAYER_BITS,
    )
