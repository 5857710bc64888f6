"""Learning the chances with which `mcts:400,evaluation=learned` plays halma, from games.

    python -m amoba_experiments.training.halma_values DIR --jobs 2

does that for two and for three players, in rounds, and writes agents/amoba_agents/mcts/values-2.npz and values-3.npz
(see amoba_agents.mcts.chances). In each game every seat is drawn from FIRST_PLAYER and from players with the chances of
the rounds before. The network learns who won, from the games of all rounds so far. The games are kept in DIR: a run
that was stopped goes on.
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

from amoba_agents import make_agent
from amoba_agents.endgame.board import load
from amoba_agents.endgame.tables import tables_for
from amoba_agents.mcts import chances
from amoba_agents.mcts.leaf import Leaf, learned
from amoba_agents.mcts.player import Mcts
from amoba_agents.mcts.search import Evaluate
from amoba_env.agent import Agent
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.jit import jit
from amoba_env.core.play import apply, moves
from amoba_env.core.rng import TRAINING, streams
from amoba_env.core.rules import Rules
from amoba_env.core.state import States
from amoba_env.files import written_whole
from amoba_env.games import Game, make_from
from amoba_experiments.training.halma_chances import Chances, columns_of, fit

GAME = "halma"
# In each round, by the number of players. With two, the games of a second round are twice as long, and what is learned
# from them is weaker against playouts (80 instead of 93 % of the points).
GAMES = {2: (8_000,), 3: (8_000, 8_000, 8_000)}
FIRST_PLAYER = "mcts:100"
SIMS, C = 100, 1.0  # of the players with learned chances
SHARD = 1_000  # games in a file
BATCH_GAMES = 100
OPENING = range(4, 9)  # random moves at the beginning
RANDOM_MOVES = 0.04  # share of the moves that are random


class Player(Mcts):
    """The search with the chances of a file."""

    def __init__(self, file: Path) -> None:
        super().__init__(sims=SIMS, c=C, evaluation="learned")
        self.file = file

    def _leaf(self, game: Game) -> Leaf | Evaluate:
        return learned(game, self.file)


def play(files: list[Path], game: Game, games: int, seed: np.random.SeedSequence) -> dict[str, NDArray[Any]]:
    """Positions of games: states, their games' winners and numbers."""
    draw = np.random.default_rng(seed)
    stream = streams(int(seed.generate_state(1)[0]), 0, games)
    agents: list[Agent] = [make_agent(FIRST_PLAYER), *map(Player, files)]
    found: dict[str, list[Any]] = {name: [] for name in ("states", "winners", "games")}
    for first in range(0, games, BATCH_GAMES):
        rows = np.arange(first, min(first + BATCH_GAMES, games))
        for number, (kept, winner) in zip(rows, _batch(agents, game, stream[rows], draw), strict=True):
            found["states"] += kept
            found["winners"] += [winner] * len(kept)
            found["games"] += [number] * len(kept)
    return {name: np.array(column) for name, column in found.items()}


def _batch(
    agents: list[Agent], game: Game, stream: NDArray[np.uint64], draw: np.random.Generator
) -> list[tuple[list[Any], int]]:
    """Games side by side: of each the positions and the winner."""
    count = len(stream)
    seated = draw.integers(len(agents), size=(count, game.players))
    begin = draw.choice(OPENING, count)
    states, kept = game.batch(count), [[] for _ in range(count)]  # type: ignore[var-annotated]
    room = np.empty(game.n_actions, np.int64)
    while (rows := np.flatnonzero(states[:, st.STATUS] == st.RUNNING)).size:
        actions = np.zeros(count, np.int64)
        chosen = (states[rows, st.PLY] < begin[rows]) | (draw.random(len(rows)) < RANDOM_MOVES)
        for row in rows[chosen]:
            actions[row] = draw.choice(room[: moves(game.rules, states[row], room)])
        rest = rows[~chosen]
        movers = seated[rest, states[rest, st.TO_MOVE]]
        for number, agent in enumerate(agents):
            some = rest[movers == number]
            if some.size:
                part = stream[some]
                actions[some] = agent.act(game, states[some], part, np.empty((len(some), 0), np.int16))
                stream[some] = part
        for row in rows:
            if states[row, st.PLY] >= begin[row]:
                kept[row].append(states[row].copy())
            apply(game.rules, states[row], int(actions[row]))
    return [(positions, int(state[st.STATUS])) for positions, state in zip(kept, states, strict=True)]


def shard(folder: Path, files: list[Path], players: int, part: int, seed: int) -> Path:
    """Play a part of a round's games with the chances of these files, unless that was done; the part's file."""
    out = folder / f"{part}.npz"
    if not out.exists():
        draws = np.random.SeedSequence(seed, spawn_key=(TRAINING, players, part))
        found = play(files, make_from(GAME, {"players": players}), SHARD, draws)
        with written_whole(out) as temporary, temporary.open("wb") as where:
            np.savez_compressed(where, **found)  # type: ignore[arg-type]
    return out


@jit
def rows_of(rules: Rules, room: chances.ChancesScratch, states: States, out: NDArray[np.int32]) -> None:
    """Write the network's rows for positions, as each seat sees them, to `out`, int32[N, players, MOST_ROWS]."""
    for i in range(len(states)):
        load(room.work, rules, states[i])
        for seat in range(rules[ru.PLAYERS]):
            to_move, t, b = np.int64(states[i, st.TO_MOVE]), room.work.tables, room.work.board
            chances.position_rows(t, b, np.int64(rules[ru.PLAYERS]), np.int64(seat), to_move, out[i, seat])


def learn(files: list[Path], players: int, seed: int) -> Chances:
    """Learn from these games."""
    rules = make_from(GAME, {"players": players}).rules
    states, winners, games = columns_of(files, ("states", "winners", "games"))
    rows = np.full((len(states), players, chances.MOST_ROWS), -1, np.int32)
    rows_of(rules, chances.room_for(rules, tables_for(rules)), states, rows)
    used = rows.reshape(-1, chances.MOST_ROWS)
    used = used[:, : int((used[0] >= 0).sum())]
    won = torch.as_tensor((winners[:, None] == np.arange(players)).ravel()).float()
    return fit(torch.as_tensor(used), won, won, np.repeat(games, players), seed, chances.ALL_ROWS)


def run_round(number: int, folder: Path, players: int, jobs: int, seed: int) -> Path:
    """Play the games of a round with what the rounds before made, unless that was done, and learn; the new file."""
    folders = [folder / f"{players}-players" / f"round-{each + 1}" for each in range(number + 1)]
    earlier = [each / "values.npz" for each in folders[:-1]]
    here, file = folders[-1], folders[-1] / "values.npz"
    here.mkdir(parents=True, exist_ok=True)
    if file.exists():
        return file
    parts = range(-(-GAMES[players][number] // SHARD))
    with ProcessPoolExecutor(jobs) as pool:
        asked = [pool.submit(shard, here, earlier, players, part, seed + number) for part in parts]
        for done, each in enumerate(asked, 1):
            each.result()
            print(f"{players} players, round {number + 1}: {done} of {len(parts)} parts are played", flush=True)
    learn([part for each in folders for part in sorted(each.glob("[0-9]*.npz"))], players, seed).write(file)
    return file


def main() -> None:
    """Play, learn and write the files."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the games are kept")
    parser.add_argument("--jobs", type=int, default=1, help="games are played in this many processes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=chances.file_for(2).parent, help="the folder to write to")
    given = parser.parse_args()
    for players in (2, 3):
        files = [
            run_round(number, given.folder, players, given.jobs, given.seed) for number in range(len(GAMES[players]))
        ]
        shutil.copyfile(files[-1], given.out / chances.file_for(players).name)


if __name__ == "__main__":
    main()
