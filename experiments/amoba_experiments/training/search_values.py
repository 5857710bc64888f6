"""Learning the values of `alphabeta` from its own games, in four kinds of gomoku and in renju.

    python -m amoba_experiments.training.search_values DIR --jobs 2

does that in two rounds and writes agents/amoba_agents/alphabeta/values.npz (see values.py there). In the first round a
search with counted values plays the games, in the second one a search with the values that were learned from them. The
games are kept in DIR: a run that was stopped goes on.

The games begin with some random stones near the centre; a random move now and then makes them differ, and only what
comes after the last one is learned from. What is learned is the mean of the game's result and of the chance that the
search's own value means. Positions in which the search never asks for a value are left out: wins by fours, and threats
that have to be answered.
"""

from __future__ import annotations

import argparse
import shutil
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, embedding_bag

from amoba_agents.alphabeta import AlphaBeta
from amoba_agents.alphabeta.fours import wins_by_fours
from amoba_agents.alphabeta.lines import (
    CELL_COUNTS,
    CHANNELS,
    HASH,
    HIDDEN,
    LIMIT,
    LIST_LENGTH,
    NODES,
    SALT,
    SEAT_BITS,
    Table,
    Work,
    hash_table,
    workspace,
)
from amoba_agents.alphabeta.search import LEAF_FOURS, PROVEN
from amoba_agents.alphabeta.stones import put
from amoba_agents.alphabeta.values import (
    CODES,
    COUNTED,
    FILE,
    INPUTS,
    LAYER_BITS,
    RENJU_BLACK,
    RENJU_WHITE,
    VALUE_UNIT,
    Network,
    code_of,
    features,
    network,
    vectors_of,
)
from amoba_env.core.jit import jit
from amoba_env.core.overwrite import overwrite
from amoba_env.core.play import apply
from amoba_env.core.rng import TRAINING, streams
from amoba_env.core.rules import FAMILY, N_CELLS, RENJU, Rules
from amoba_env.core.state import BLACK, CELLS, EMPTY, NOBODY, RUNNING, STATUS, TO_MOVE, States
from amoba_env.games import Game, make_from
from amoba_experiments.runs.files import written_whole

# Games, and how many of them are played in the two rounds.
PLAYED: tuple[tuple[str, dict[str, Any], tuple[int, int]], ...] = (
    ("gomoku", {"size": 15}, (8_000, 24_000)),
    ("gomoku", {"size": 15, "rule": "exact"}, (2_000, 8_000)),
    ("renju", {}, (4_000, 16_000)),
    ("gomoku", {"size": 10}, (2_000, 6_000)),
    ("gomoku", {"size": 20}, (2_000, 6_000)),
)
ROUNDS = 2
PLAYER_NODES = 2000
SHARD = 500  # games in a file
BATCH_GAMES = 50
STONES = range(2, 7)  # random ones at the beginning,
NEAR = 7  # in a square of so many cells around the centre
RANDOM_MOVES = 0.03  # share of the moves that are random, within REACH of a stone
REACH = 2

FIRST = 32  # numbers in the layer from which the table is made
EPOCHS, BATCH, RATE = 12, 512, 0.004
RESULT = 0.5  # weight of the game's result; the rest is that of the search's value
COUNTED_UNIT = 35.0  # VALUE_UNIT for a search with counted values: odds of a win e times as high
MOST_VALUE = 400.0
TESTED = 10  # every tenth game is kept for the test
PAIRS = CODES * CODES


class Player(AlphaBeta):
    """The player of the games, with the values of a file, or with counted ones."""

    def __init__(self, file: Path | None) -> None:
        super().__init__(nodes=PLAYER_NODES, evaluation="learned" if file else "counted")
        self.file = file

    def _network(self, game: Game) -> Network:
        return network(game.rules, self.file) if self.file else COUNTED


def play(player: AlphaBeta, game: Game, games: int, seed: np.random.SeedSequence) -> dict[str, NDArray[Any]]:
    """Positions of games of the player against itself: states, values and results for who is to move, games."""
    draw = np.random.default_rng(seed)
    stream = streams(int(seed.generate_state(1)[0]), 0, games)
    found: dict[str, list[Any]] = {"states": [], "values": [], "results": [], "games": []}
    for first in range(0, games, BATCH_GAMES):
        rows = np.arange(first, min(first + BATCH_GAMES, games))
        for number, (kept, winner) in zip(rows, _batch(player, game, stream[rows], draw), strict=True):
            for state, value in kept:
                found["states"].append(state)
                found["values"].append(value)
                found["results"].append(0.5 if winner == NOBODY else float(winner == state[TO_MOVE]))
                found["games"].append(number)
    return {name: np.array(column) for name, column in found.items()}


def _batch(
    player: AlphaBeta, game: Game, stream: NDArray[np.uint64], draw: np.random.Generator
) -> list[tuple[list[Any], int]]:
    """Games side by side: of each the positions to learn from, with the search's values, and the winner."""
    states = game.batch(len(stream))
    x, y = game.board.coords.T.astype(int)
    centre = np.flatnonzero(np.maximum(abs(x - x.max() // 2), abs(y - y.max() // 2)) <= NEAR // 2)
    for state in states:
        for cell in draw.choice(centre, draw.choice(STONES), replace=False):
            apply(game.rules, state, int(cell))
    kept: list[list[Any]] = [[] for _ in states]
    while (rows := np.flatnonzero(states[:, STATUS] == RUNNING)).size:
        own = stream[rows]
        actions, values = player.think(game, states[rows], own)
        stream[rows] = own
        for row, action, value in zip(rows, actions, values, strict=True):
            state = states[row]
            kept[row].append((state.copy(), int(value)))
            if draw.random() < RANDOM_MOVES:
                action, kept[row] = _random_cell(x, y, state, draw), []
            apply(game.rules, state, int(action))
    return [(positions, int(state[STATUS])) for positions, state in zip(kept, states, strict=True)]


def _random_cell(x: NDArray[np.int64], y: NDArray[np.int64], state: Any, draw: np.random.Generator) -> int:
    free, stones = np.flatnonzero(state[CELLS:] == EMPTY), np.flatnonzero(state[CELLS:] >= 0)
    away = np.maximum(abs(x[free, None] - x[stones]), abs(y[free, None] - y[stones])).min(axis=1)
    return int(draw.choice(free[away <= REACH] if (away <= REACH).any() else free))


def shard(folder: Path, values: Path | None, number: int, part: int, seed: int) -> Path:
    """Let a player with these values play a part of the games of PLAYED[number], unless that was done; the file."""
    name, options, _ = PLAYED[number]
    file = folder / f"{number}-{part}.npz"
    if not file.exists():
        draws = np.random.SeedSequence(seed, spawn_key=(TRAINING, number, part))
        found = play(Player(values), make_from(name, options), SHARD, draws)
        with written_whole(file) as temporary, temporary.open("wb") as out:
            np.savez_compressed(out, **found)  # type: ignore[arg-type]
    return file


@jit
def examine(
    rules: Rules, states: States, w: Work, t: Table, pairs: NDArray[np.int32], asked: NDArray[np.bool_]
) -> None:
    """Write the pairs of codes of all empty cells, [N, n] (-1 elsewhere), and where the search may ask for a value."""
    fresh = w.copy()
    for b in range(len(states)):
        s = states[b].copy()
        overwrite(w, fresh)
        t[w[HASH]] = np.uint64(0)
        t[w[SALT]] = np.uint64(b + 1)
        for cell in range(rules[N_CELLS]):
            if s[CELLS + cell] != EMPTY:
                put(rules, s, w, t, np.int64(s[CELLS + cell]), np.int64(cell))
        w[NODES], w[LIMIT] = 0, 2 * LEAF_FOURS
        seat = np.int64(s[TO_MOVE])
        lists = w[LIST_LENGTH]
        asked[b] = w[lists] + w[lists + 1] == 0 and not wins_by_fours(rules, s, w, t, seat, np.int64(LEAF_FOURS))
        for cell in range(rules[N_CELLS]):
            both = w[w[CELL_COUNTS] + cell]
            own, other = code_of(both >> SEAT_BITS * seat), code_of(both >> SEAT_BITS * (1 - seat))
            pairs[b, cell] = own * CODES + other if s[CELLS + cell] == EMPTY else -1


class Examples:
    """What is learned from: of each position the table rows of its cells, in one list, and the chance to win."""

    def __init__(self, files: list[tuple[int, Path]], unit: float) -> None:
        cells, lengths, chances, results, tests = [], [], [], [], []
        for number, file in files:
            name, options, _ = PLAYED[number]
            game = make_from(name, options)
            with np.load(file) as found:
                states, values, won, games = (found[key] for key in ("states", "values", "results", "games"))
            pairs, asked = np.empty((len(states), game.n_cells), np.int32), np.empty(len(states), np.bool_)
            w = workspace(game.rules)
            examine(game.rules, states, w, hash_table(w, game.n_cells, 12), pairs, asked)
            kinds = np.zeros(len(states), np.int32)
            if game.rules[FAMILY] == RENJU:
                kinds = np.where(states[:, TO_MOVE] == states[:, BLACK], RENJU_BLACK, RENJU_WHITE).astype(np.int32)
            rows, values = np.flatnonzero(asked), values.astype(float)
            chance = 1 / (1 + np.exp(-np.clip(values, -MOST_VALUE, MOST_VALUE) / unit))
            chance = np.where(values > PROVEN, 1, np.where(values < -PROVEN, 0, chance))
            pairs, here = pairs[rows], pairs[rows] > 0
            cells.append((pairs + PAIRS * kinds[rows, None])[here])
            lengths.append(here.sum(axis=1))
            chances.append(RESULT * won[rows] + (1 - RESULT) * chance[rows])
            results.append(won[rows])
            tests.append(games[rows] % TESTED == 0)
        self.cells = torch.as_tensor(np.concatenate(cells))
        self.ends = np.cumsum(np.concatenate(lengths))
        self.begins = self.ends - np.concatenate(lengths)
        self.chances, self.results = (torch.as_tensor(np.concatenate(each)).float() for each in (chances, results))
        self.test = np.concatenate(tests)

    def batch(self, rows: NDArray[np.intp]) -> tuple[Tensor, Tensor]:
        """The table rows of these positions one after another, and where each position begins."""
        lengths = self.ends[rows] - self.begins[rows]
        first = np.cumsum(lengths) - lengths
        places = np.repeat(self.begins[rows] - first, lengths) + np.arange(lengths.sum())
        return self.cells[torch.as_tensor(places)], torch.as_tensor(first)


class Values(nn.Module):
    """The network of values.py, with numbers that are not rounded."""

    codes: Tensor

    def __init__(self) -> None:
        super().__init__()
        codes = np.zeros((CODES, INPUTS), np.float32)
        for code in range(CODES):
            codes[code, features(code)] = 1
        self.register_buffer("codes", torch.as_tensor(codes), persistent=False)
        self.first = nn.Linear(2 * INPUTS + 3, FIRST, bias=False)
        self.vectors = nn.Linear(FIRST, CHANNELS, bias=False)
        nn.init.normal_(self.vectors.weight, 0, 0.02)  # a hundred vectors are added up
        self.hidden, self.value = nn.Linear(CHANNELS, HIDDEN), nn.Linear(HIDDEN, 1)

    def vectors_of(self, rows: Tensor) -> Tensor:
        """Those rows of the table."""
        kind, own, other = rows // PAIRS, rows % PAIRS // CODES, rows % CODES
        kinds = nn.functional.one_hot(kind, 3).float()
        nothing = torch.zeros_like(own)

        def first(own: Tensor, other: Tensor) -> Tensor:
            return torch.relu(self.first(torch.cat([self.codes[own], self.codes[other], kinds], 1)))

        found: Tensor = self.vectors(first(own, other) - first(nothing, nothing))
        return found

    def forward(self, rows: Tensor, begins: Tensor) -> Tensor:
        """Logits of winning, [B]."""
        used, places = torch.unique(rows.long(), return_inverse=True)
        sums = embedding_bag(places, self.vectors_of(used), begins, mode="sum")
        found: Tensor = self.value(torch.relu(self.hidden(torch.relu(sums)))).squeeze(1)
        return found

    def write(self, file: Path) -> None:
        """Write the layers as whole numbers, see values.py. Raises ValueError if one is too large."""

        def whole(weights: Tensor, bits: int) -> NDArray[np.int16]:
            return short(np.round(weights.detach().numpy() * 2.0**bits))

        layers = {
            "inputs": whole(self.first.weight.T, LAYER_BITS),
            "vectors": whole(self.vectors.weight.T, LAYER_BITS),
            "hidden": whole(self.hidden.weight.T, LAYER_BITS),
            "hidden_bias": whole(self.hidden.bias, LAYER_BITS),
            "value": whole(self.value.weight.flatten(), LAYER_BITS),
            "value_bias": whole(self.value.bias, LAYER_BITS),
        }
        for kind in range(3):
            short(vectors_of(layers["inputs"].astype(np.int64), layers["vectors"].astype(np.int64), kind))
        with written_whole(file) as temporary, temporary.open("wb") as out:
            np.savez(out, **layers)  # type: ignore[arg-type]


def short(numbers: NDArray[Any]) -> NDArray[np.int16]:
    """The same in 16 bits. Raises ValueError if one is too large."""
    if np.abs(numbers).max() > np.iinfo(np.int16).max:
        raise ValueError("the network has a number that is too large for 16 bits")
    return numbers.astype(np.int16)


def fit(examples: Examples, seed: int) -> Values:
    """Learn; print the log loss of each pass, on games that are not learned from."""
    torch.manual_seed(seed)
    draw = np.random.default_rng(seed)
    learner = Values()
    optimizer = torch.optim.Adam(learner.parameters())
    learned, tested = np.flatnonzero(~examples.test), np.flatnonzero(examples.test)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=EPOCHS * (len(learned) // BATCH) + 1)
    for epoch in range(EPOCHS):
        order = draw.permutation(learned)
        for part in np.array_split(order, len(order) // BATCH):
            loss = binary_cross_entropy_with_logits(learner(*examples.batch(part)), examples.chances[part])
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
        with torch.no_grad():
            logits = torch.cat([learner(*examples.batch(part)) for part in np.array_split(tested, 20)])
            loss = binary_cross_entropy_with_logits(logits, examples.results[tested])
        print(f"pass {epoch + 1} of {EPOCHS}: log loss of the results {float(loss):.4f}", flush=True)
    return learner


def run_round(number: int, folder: Path, before: Path | None, jobs: int, seed: int) -> Path:
    """Play the games of a round with the values of the one before, unless that was done, and learn; the new values."""
    folder.mkdir(parents=True, exist_ok=True)
    values = folder / "values.npz"
    if values.exists():
        return values
    parts = [(kind, part) for kind, (_, _, games) in enumerate(PLAYED) for part in range(games[number] // SHARD)]
    files = []
    with ProcessPoolExecutor(jobs) as pool:
        asked = [pool.submit(shard, folder, before, kind, part, seed + number) for kind, part in parts]
        for (kind, _), each in zip(parts, asked, strict=True):
            files.append((kind, each.result()))
            print(f"round {number + 1}: {len(files)} of {len(parts)} parts of the games are played", flush=True)
    examples = Examples(files, VALUE_UNIT if before else COUNTED_UNIT)
    print(f"round {number + 1}: {len(examples.results):,} positions", flush=True)
    fit(examples, seed).write(values)
    return values


def main() -> None:
    """Play, learn and write the file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the games are kept")
    parser.add_argument("--jobs", type=int, default=1, help="games are played in so many processes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=FILE, help="the file to write")
    given = parser.parse_args()
    values: Path | None = None
    for number in range(ROUNDS):
        values = run_round(number, given.folder / f"round-{number + 1}", values, given.jobs, given.seed)
    if values:
        shutil.copyfile(values, given.out)


if __name__ == "__main__":
    main()
