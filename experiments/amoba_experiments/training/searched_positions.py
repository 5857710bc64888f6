"""Self-play games, and what a search finds in their positions: shared by the stages `search` and `distill`.

Nothing here imports PyTorch, so a worker that searches begins at once.
"""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_agents.mcts.leaves import learned
from amoba_agents.mcts.tree_search import Improved, searched
from amoba_env.core import endings as en
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.batch import step_rows
from amoba_env.core.rng import TRAINING, streams
from amoba_env.core.state import States
from amoba_env.games import Game
from amoba_env.options import Options
from amoba_experiments.arena.workers import Cancelled, Progress, Shard
from amoba_experiments.runs.replay import decisions, game_of
from amoba_experiments.runs.store import load_games
from amoba_experiments.training.move_limit import winners_at_limit
from amoba_experiments.training.settings import Distill, Search, easy_games

if TYPE_CHECKING:
    from amoba_experiments.training.job import Job

RANDOM = "random"  # the agent that moves randomly
PART = 256  # positions that are searched together


class SearchedPositions(NamedTuple):
    """Positions, and what is to be learned of them."""

    states: States  # int16 [N, S]
    winners: NDArray[np.int8]  # [N] how many places after the player to move; NOBODY: a draw
    actions: NDArray[np.signedinteger[Any]]  # [N, M] the moves, in the board's own numbers; NOWHERE: none
    policy: NDArray[np.float16]  # [N, M] of these moves
    values: NDArray[np.float16]  # [N] found by the longer search, for the player to move; NaN: not searched
    left: NDArray[np.int16]  # [N] moves until the game ended

    def rows(self, rows: NDArray[np.int64]) -> SearchedPositions:
        """Some of them."""
        return SearchedPositions(*(column[rows] for column in self))  # type: ignore[arg-type]

    def longer(self) -> SearchedPositions:
        """Those that were searched longer."""
        return self.rows(np.flatnonzero(~np.isnan(self.values)))


def read(file: Path) -> SearchedPositions:
    """What was found."""
    with np.load(file) as kept:
        return SearchedPositions(*(kept[name] for name in SearchedPositions._fields))


def play_games(
    settings: Search | Distill, job: Job, player: str, options: Options, begin: tuple[str, ...], seed: int, of: str
) -> list[Path]:
    """The runs of a player's games against itself and, in a share of them, against random players.

    Games against itself have these `options`. Those against random players have the options of the recipe: they last
    longer, and a player that wins because it is nearest at a limit would not learn to end them.
    """
    players, easy = job.game.players, easy_games(settings.random, settings.games)
    runs = [job.play((player,) * players, settings.games - easy, seed, f"games {of}", begin, options)]
    if easy:
        others = (RANDOM,) * (players - 1)
        runs.append(job.play((player, *others), easy, seed, f"games against random {of}", begin, rotate=True))
    return runs


def openings(most: int) -> tuple[str, ...]:
    """For Match: games begin with 0 to `most` random moves, in turn."""
    return tuple(f"random:{plies}" if plies else "" for plies in range(most + 1))


def search_positions(
    job: Job, run: Path, network: Path, simulations: int, seed: int, of: str, share: float = 1, noise: bool = True
) -> SearchedPositions:
    """The positions of the games of a run, in random order, and what a search says of the first ones.

    Args:
        job: of the stage.
        run: the folder of the run.
        network: the file of the small network that searches.
        simulations: of each search.
        seed: of the order and of the searches.
        of: the last words of what the progress says.
        share: of the positions that are searched, 0..1.
        noise: draw the moves that are searched at the root, in place of the most probable ones.
    """
    states, moves, _, games = decisions(run)
    game, played = game_of(run), load_games(run)
    winners, draw = played.winner.copy(), np.random.default_rng(seed)
    late = np.flatnonzero(played.ending == en.DISTANCE)
    if game.players > 2 and len(late) and not job.game.rules[ru.ADJUDICATE]:
        last = np.searchsorted(games, late, side="right") - 1
        ends = states[last]
        step_rows(game.rules, ends, np.arange(len(ends)), moves[last])
        winners[late] = winners_at_limit(game, ends, draw)
    order = draw.permutation(np.flatnonzero(states[:, st.PHASE] == 0))  # a search does not know the phases of openings
    left = np.searchsorted(games, games, side="right") - np.arange(len(games))
    states, winner = states[order], winners[games[order]]
    count = max(1, round(share * len(states)))
    stream = streams(seed, 0, count, TRAINING)
    look = partial(search_shard, game, network, states[:count], stream, simulations, noise)
    parts: dict[Shard, list[Improved]] = {}

    def keep(shard: Shard, found: list[Improved]) -> None:
        parts[shard] = found
        job.report_progress(f"positions {of}", min(count, PART * len(parts)), count)

    shards = [(first, min(PART, count - first)) for first in range(0, count, PART)]
    job.workers.run(look, shards, keep, None)
    results = [each for shard in shards for each in parts[shard]]
    shape = len(states), max(each.actions.shape[1] for each in results)
    actions = np.full(shape, st.NOWHERE, np.min_scalar_type(-game.n_actions))  # the smallest type that has them all
    policy = np.zeros(shape, np.float16)
    values, at = np.full(len(states), np.nan, np.float16), 0
    for each in results:
        rows, moves = slice(at, at + len(each.chosen)), each.actions.shape[1]
        actions[rows, :moves], policy[rows, :moves], values[rows] = each.actions, each.policy, each.values
        at = rows.stop
    after = np.where(winner >= 0, (winner - states[:, st.TO_MOVE]) % game.players, st.NOBODY)
    return SearchedPositions(states, after.astype(np.int8), actions, policy, values, left[order].astype(np.int16))


def search_shard(
    game: Game,
    network: Path,
    states: States,
    stream: NDArray[np.uint64],
    simulations: int,
    noise: bool,
    first: int,
    count: int,
    progress: Progress | None,
    cancel: threading.Event | None,
) -> list[Improved]:
    """What the search finds in the positions `first` .. `first + count - 1`."""
    if cancel is not None and cancel.is_set():
        raise Cancelled
    part, leaf = slice(first, first + count), learned(game, network)
    some, drawn = states[part].copy(), stream[part].copy()  # arrays that were sent cannot be written
    found = searched(game, some, drawn, simulations, leaf, gumbel=True, noise=noise)
    return [each.improved() for _, each in found]


def chances(players: int, winners: NDArray[np.int8], weights: float | NDArray[np.float32] = 1) -> NDArray[np.float32]:
    """How games ended, as chances to win for each seat, counted from the player to move: float32[N, players].

    Results with a weight below 1 are nearer to equal chances.
    """
    ended, won = np.full((len(winners), players), 1 / players, np.float32), winners >= 0
    ended[won] = np.eye(players, dtype=np.float32)[winners[won]]
    sure = np.reshape(np.asarray(weights, np.float32), (-1, 1))
    return (sure * ended + (1 - sure) / players).astype(np.float32)


def joined(parts: list[SearchedPositions]) -> SearchedPositions:
    """All of them, one after the other."""
    most = max(each.actions.shape[1] for each in parts)

    def wide(rows: NDArray[Any], fill: int) -> NDArray[Any]:
        missing = most - rows.shape[1]
        return np.pad(rows, ((0, 0), (0, missing)), constant_values=fill) if missing else rows

    same = [each._replace(actions=wide(each.actions, st.NOWHERE), policy=wide(each.policy, 0)) for each in parts]
    return SearchedPositions(*map(np.concatenate, zip(*same, strict=True)))
