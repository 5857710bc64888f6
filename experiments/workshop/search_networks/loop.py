"""How the networks of searches are learned: rounds of games, played by several processes, and a fit after each round.

The players of a round read what the rounds before made. A folder has for each round its games, a file for each part,
and the network. What is there already is not made again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from amoba_env.core.rng import TRAINING, Stream, streams
from amoba_experiments.runs.files import write_arrays

PartKey = tuple[int, ...]  # numbers that name a part of the games of a round; its draws come from them and the seed
GameFiles = Mapping[PartKey, Path]  # the files of a round's games

NETWORK = "network.npz"
RATE = 0.004  # the highest learning rate


@dataclass(frozen=True)
class NetworkLearner(ABC):
    """How a network of the package that a search reads is learned."""

    part_games: int  # games in a file
    games_at_once: int
    epochs: int

    @property
    @abstractmethod
    def file(self) -> Path:
        """The package's file."""

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """What is kept of each position, beside the number of its game."""

    @abstractmethod
    def rounds(self) -> list[list[PartKey]]:
        """The parts of the games of each round."""

    @abstractmethod
    def play(
        self, part: PartKey, known: Sequence[Path], stream: Stream, draw: np.random.Generator
    ) -> list[list[tuple[Any, ...]]]:
        """Play games side by side, one for each cell of the stream; of each the columns of its positions.

        Args:
            part: of which the games are.
            known: the files of the rounds before.
            stream: uint64[games], for the players.
            draw: for all else.
        """

    @abstractmethod
    def fit(self, rounds: Sequence[GameFiles], seed: int) -> dict[str, NDArray[np.int16]]:
        """Learn from the games of all rounds so far. Returns the arrays of the package's file."""


def learn(what: NetworkLearner, folder: Path, jobs: int, seed: int) -> Path:
    """Play and learn, round after round. Returns the file of the last round."""
    known: list[Path] = []
    games: list[GameFiles] = []
    for number, parts in enumerate(what.rounds()):
        here = folder / f"round-{number + 1}"
        here.mkdir(parents=True, exist_ok=True)
        games.append({part: here / f"{'-'.join(map(str, part))}.npz" for part in parts})
        file = here / NETWORK
        if not file.exists():
            with ProcessPoolExecutor(jobs) as pool:
                asked = [
                    pool.submit(play_part, what, part, known, [seed, number], out) for part, out in games[-1].items()
                ]
                for done, each in enumerate(asked, 1):
                    each.result()
                    print(f"round {number + 1}: {done} of {len(parts)} parts of the games are played", flush=True)
            torch.manual_seed(seed)
            write_arrays(file, what.fit(games, seed), np.savez)
        known.append(file)
    return known[-1]


def play_part(what: NetworkLearner, part: PartKey, known: Sequence[Path], seed: int | list[int], file: Path) -> None:
    """Play a part of a round's games with the files of the rounds before, unless that was done."""
    if file.exists():
        return
    seeds = np.random.SeedSequence(seed, spawn_key=(TRAINING, *part))
    draw, stream = np.random.default_rng(seeds), streams(int(seeds.generate_state(1)[0]), 0, what.part_games)
    found: list[tuple[Any, ...]] = []
    for first in range(0, what.part_games, what.games_at_once):
        numbers = np.arange(first, min(first + what.games_at_once, what.part_games))
        for number, positions in zip(numbers, what.play(part, known, stream[numbers], draw), strict=True):
            found += [(number, *position) for position in positions]
    columns = zip(*found, strict=True)
    write_arrays(file, {name: np.array(column) for name, column in zip(("games", *what.columns), columns, strict=True)})


def read(file: Path, names: Sequence[str]) -> list[NDArray[Any]]:
    """These columns of a file of games."""
    with np.load(file) as found:
        return [found[name] for name in names]


def passes(
    learner: nn.Module,
    loss: Callable[[NDArray[np.intp]], Tensor],
    rows: NDArray[np.intp],
    epochs: int,
    batch: int,
    seed: int,
) -> Iterator[int]:
    """Learn from these rows in random order, this many times; give the number of each pass when it is over."""
    draw = np.random.default_rng(seed)
    optimizer = torch.optim.Adam(learner.parameters())
    parts = max(1, len(rows) // batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=epochs * parts + 1)
    for epoch in range(epochs):
        for part in np.array_split(draw.permutation(rows), parts):
            found = loss(part)
            optimizer.zero_grad()
            found.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
        yield epoch + 1


def whole_numbers(weights: Mapping[str, Tensor], bits: int) -> dict[str, NDArray[np.int16]]:
    """Weights in units of 1 / 2 ** bits. Raises ValueError if one is too large for 16 bits."""
    found = {name: np.round(each.detach().numpy() * 2.0**bits) for name, each in weights.items()}
    if max(np.abs(numbers).max() for numbers in found.values()) > np.iinfo(np.int16).max:
        raise ValueError("the network has a number that is too large for 16 bits")
    return {name: numbers.astype(np.int16) for name, numbers in found.items()}
