"""Learning `endgame`'s chances in halma with three players, from games.

    python -m amoba_experiments.training.halma_chances DIR --jobs 2

does that in rounds and writes agents/amoba_agents/endgame/chances.npz (see chances.py there; halma_games.py plays the
games). The games are kept in DIR: a run that was stopped goes on.
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
from torch.nn.functional import binary_cross_entropy_with_logits

from amoba_agents.endgame.board import MEN_AT, NEED, ON, Work, load
from amoba_agents.endgame.chances import (
    FILE,
    FIRST,
    HIDDEN,
    ROWS,
    ROWS_OF_A_POSITION,
    SEATS,
    UNIT_BITS,
    moving_rows,
    steady_rows,
)
from amoba_agents.endgame.tables import tables_for
from amoba_env.core import rules as ru
from amoba_env.core.jit import jit
from amoba_env.core.rules import Rules
from amoba_env.core.state import States
from amoba_env.files import written_whole
from amoba_env.games import make_from
from amoba_experiments.training import halma_games
from amoba_experiments.training.search_values import passes, short

GAMES = (6_000, 5_000, 8_000, 8_000)  # in each round
EPOCHS = 3
TESTED = 20  # every this many games one is kept for the test


@jit
def rows_of(rules: Rules, w: Work, states: States, seats: NDArray[np.int64], out: NDArray[np.int32]) -> None:
    """Write the network's rows for positions after a move of these seats to `out`, int32[N, ROWS_OF_A_POSITION]."""
    for i in range(len(states)):
        load(w, rules, states[i])
        b, seat = w.board, seats[i]
        at = steady_rows(w.tables, b, SEATS, seat, out[i])
        moving_rows(b, SEATS, seat, b[ON + seat], b[NEED + seat], out[i, at:])


def rows_of_positions(states: States, seats: NDArray[np.int64]) -> NDArray[np.int32]:
    """The network's rows for positions after a move of these seats, int32[N, ROWS_OF_A_POSITION]."""
    rules = make_from(halma_games.GAME, {}).rules
    board = np.empty(MEN_AT + rules[ru.PLAYERS] * rules[ru.MEN], np.int64)
    keys = np.zeros((rules[ru.PLAYERS], rules[ru.N_CELLS]), np.int64)
    room = np.zeros(1, np.int64)
    out = np.empty((len(states), ROWS_OF_A_POSITION), np.int32)
    rows_of(rules, Work(tables_for(rules), keys, room[:, None], board, room[:, None], room), states, seats, out)
    return out


class Chances(nn.Module):
    """The network of chances.py, with numbers that are not rounded."""

    def __init__(self, all_rows: int = ROWS) -> None:
        super().__init__()
        self.rows = nn.EmbeddingBag(all_rows, FIRST, mode="sum")
        nn.init.normal_(self.rows.weight, 0, 0.15)
        self.bias = nn.Parameter(torch.zeros(FIRST))
        self.hidden, self.odds = nn.Linear(FIRST, HIDDEN), nn.Linear(HIDDEN, 1)

    def forward(self, rows: Tensor) -> Tensor:
        """Logarithms of odds, [B]."""
        found: Tensor = self.odds(torch.relu(self.hidden(torch.relu(self.rows(rows) + self.bias)))).squeeze(1)
        return found

    def write(self, file: Path) -> None:
        """Write whole numbers, see chances.py. Raises ValueError if one is too large."""
        named = {
            "rows": self.rows.weight,
            "bias": self.bias,
            "hidden": self.hidden.weight.T,
            "hidden_bias": self.hidden.bias,
            "odds": self.odds.weight.flatten(),
            "odds_bias": self.odds.bias,
        }
        whole = {name: short(np.round(each.detach().numpy() * 2.0**UNIT_BITS)) for name, each in named.items()}
        with written_whole(file) as temporary, temporary.open("wb") as out:
            np.savez(out, **whole)  # type: ignore[arg-type]


def fit(rows: Tensor, targets: Tensor, won: Tensor, games: NDArray[np.int64], seed: int, all_rows: int) -> Chances:
    """Learn from positions; print the log loss of each pass, on games that are not learned from.

    Args:
        rows: int32[B, rows of a position].
        targets: float32[B], the chances to learn.
        won: float32[B], the results, 1 or 0, on which the log loss is measured.
        games: int64[B], the number of each position's game.
        seed: of the first numbers of the network, and of the order of positions.
        all_rows: how many rows the network has.
    """
    learned, tested = np.flatnonzero(games % TESTED != 0), np.flatnonzero(games % TESTED == 0)
    torch.manual_seed(seed)
    learner = Chances(all_rows)

    def loss(part: NDArray[np.intp]) -> Tensor:
        return binary_cross_entropy_with_logits(learner(rows[part]), targets[part])

    for epoch in passes(learner, loss, learned, EPOCHS, seed):
        with torch.no_grad():
            found_loss = float(binary_cross_entropy_with_logits(learner(rows[tested]), won[tested]))
        print(f"{len(rows):,} positions, pass {epoch} of {EPOCHS}: log loss {found_loss:.4f}", flush=True)
    return learner


def columns_of(files: list[Path], names: tuple[str, ...]) -> list[NDArray[Any]]:
    """These columns of files of games, one file after the other."""
    parts = []
    for file in files:
        with np.load(file) as found:
            parts.append([found[name] for name in names])
    return [np.concatenate(columns) for columns in zip(*parts, strict=True)]


def learn(files: list[Path], seed: int) -> Chances:
    """Learn from these games."""
    states, seats, results, targets, games = columns_of(files, ("states", "seats", "results", "targets", "games"))
    rows = torch.as_tensor(rows_of_positions(states, seats))
    return fit(rows, torch.as_tensor(targets).float(), torch.as_tensor(results).float(), games, seed, ROWS)


def run_round(number: int, folder: Path, jobs: int, seed: int) -> Path:
    """Play the games of a round with what the round before made, unless that was done, and learn; the new file."""
    here, before = folder / f"round-{number + 1}", folder / f"round-{number}"
    here.mkdir(parents=True, exist_ok=True)
    file = here / FILE.name
    if file.exists():
        return file
    known = before / FILE.name if number else None
    parts = range(-(-GAMES[number] // halma_games.SHARD))
    files = []
    with ProcessPoolExecutor(jobs) as pool:
        for each in [pool.submit(halma_games.shard, here, known, part, seed + number) for part in parts]:
            files.append(each.result())
            print(f"round {number + 1}: {len(files)} of {len(parts)} parts of the games are played", flush=True)
    learn(files, seed).write(file)
    return file


def main() -> None:
    """Play, learn and write the file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the games are kept")
    parser.add_argument("--jobs", type=int, default=1, help="games are played in this many processes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=FILE, help="the file to write")
    given = parser.parse_args()
    files = [run_round(number, given.folder, given.jobs, given.seed) for number in range(len(GAMES))]
    shutil.copyfile(files[-1], given.out)


if __name__ == "__main__":
    main()
