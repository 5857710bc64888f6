"""Expert iteration with a small network: play, search positions longer, learn from both. The stage `search`.

The games of an iteration are a run of `games/`. Beside the stage's checkpoint are, for each iteration,

    searched-N.npz   positions, what the longer search found there, and how the games ended
    network-N.npz    the network that played it

What is there is not made again, so a stage that was stopped goes on where it was.
"""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch.optim.swa_utils import AveragedModel

from amoba_agents.mcts.leaves import learned
from amoba_agents.mcts.tree_search import Improved, searched
from amoba_env import Position
from amoba_env.core import endings as en
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.rng import TRAINING, streams
from amoba_env.core.state import States
from amoba_env.games import Game
from amoba_env.options import Options
from amoba_experiments.arena.workers import Cancelled, Progress, Shard, cut
from amoba_experiments.runs.files import replace, write_arrays
from amoba_experiments.runs.replay import decisions, game_of
from amoba_experiments.runs.store import load_games
from amoba_experiments.training.examples import turned
from amoba_experiments.training.job import NETWORK, Job
from amoba_experiments.training.move_limit import winners_at_limit
from amoba_experiments.training.settings import Distill, Search, easy_games
from amoba_experiments.training.small_learner import SmallLearner, small_learner

NETWORK_OF, SEARCHED = "network-{}.npz", "searched-{}.npz"
RANDOM = "random"  # the agent that moves randomly
GATE_GAMES = 400  # of a match between two networks
MOST_UNFINISHED = 0.2  # share of its games against itself that a network of three players may leave without a winner
RESULT = 0.5  # weight of the result in the value to learn; the rest is the search's
PART = 256  # positions that are searched together
BATCH = 512  # positions in a gradient step
NEWEST = 5e-3  # weight of the newest weights in the average that plays; more in the beginning
LEAST = 0.1  # of what the learning rate begins with, in the end
TINY = 1e-30  # no sum of probabilities that is divided by is smaller
CLIP = 1.0  # the norm of a gradient is at most this


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


def search(settings: Search, job: Job) -> dict[str, Any]:
    """Play and learn. Returns the number of positions that were learned from, repeats included."""
    game = job.game
    torch.manual_seed(job.seed("small", job.number))
    learner = small_learner(game)
    average = AveragedModel(learner, avg_fn=averaged)
    player: SmallLearner = average.module  # type: ignore[assignment]
    optimizer = torch.optim.Adam(learner.parameters())
    state, begun, steps, best = job.load_checkpoint(), 0, 0, 0

    def now(iteration: int, steps: int, best: int) -> dict[str, Any]:
        made: dict[str, Any] = {"learner": learner, "average": average, "optimizer": optimizer}
        numbers = {"iteration": iteration, "steps": steps, "best": best}
        return {**{name: each.state_dict() for name, each in made.items()}, **numbers}

    if state is not None:
        learner.load_state_dict(state["learner"])
        average.load_state_dict(state["average"])
        optimizer.load_state_dict(state["optimizer"])
        begun, steps, best = state["iteration"], state["steps"], state["best"]
    window: list[SearchedPositions] = []
    for number in range(max(0, begun - settings.window), settings.iterations):
        file = job.folder / NETWORK_OF.format(number)
        if number >= begun:
            write_arrays(file, player.arrays())
            if settings.gate and number % settings.gate == 0:
                best = gate_winner(settings, job, number, best)
        found = read_or_search(settings, job, file, number)
        window = [*window, found][-settings.window :]
        if number < begun:
            continue
        steps += fit(settings, job, learner, average, optimizer, window, number)
        job.save_checkpoint(partial(now, number + 1, steps, best), now=True)
    newest = settings.iterations
    write_arrays(job.folder / NETWORK_OF.format(newest), player.arrays())
    best = gate_winner(settings, job, newest, best) if settings.gate else newest
    replace(job.folder / NETWORK, (job.folder / NETWORK_OF.format(best)).read_bytes())
    return {"steps": steps, "network": best}


def gate_winner(settings: Search, job: Job, newest: int, best: int) -> int:
    """The number of the better one of two networks, by a match with the simulations and the openings of the games.

    Both play the same move whenever they meet the same position, so games differ by their openings. Of three players
    those who block beat the others, but where all block, games do not end. A network that does not end its games
    against itself only replaces one that ends no more.
    """
    if newest == best:
        return newest
    begin = openings(settings.opening)[1:] or ("",)

    def agent(number: int) -> str:
        values = job.folder / NETWORK_OF.format(number)
        return f"mcts:{settings.simulations},evaluation=learned,values={values},root=halving"

    def unfinished(number: int) -> float:
        players, seed = (agent(number),) * job.game.players, job.seed("gate", job.number)
        run = job.play(players, GATE_GAMES, seed, f"games of network {number} against itself", begin)
        return float(np.mean(load_games(run).ending == en.MAX_PLIES))

    opponents = {f"network {best}": agent(best)}
    known: dict[str, Any] = {"network": newest}
    if job.game.players > 2 and job.game.moves_men:
        known["unfinished"] = unfinished(newest)
    (line,) = job.compare(agent(newest), opponents, GATE_GAMES, newest * settings.games, begin, **known)
    own = known.get("unfinished", 0.0)
    blocks = own > MOST_UNFINISHED and own > unfinished(best)
    return best if line["mean_reward"] < 0 or blocks else newest


def averaged(average: torch.Tensor, newest: torch.Tensor, count: torch.Tensor | int) -> torch.Tensor:
    """An exponential moving average of weights that forgets the first ones soon."""
    found: torch.Tensor = average + (newest - average) * max(NEWEST, 9 / (10 + int(count)))
    return found


def read_or_search(settings: Search, job: Job, network: Path, number: int) -> SearchedPositions:
    """What was found in the games of an iteration."""
    file = job.folder / SEARCHED.format(number)
    if not file.exists():
        write_arrays(file, play_and_search(settings, job, network, number))
    return read(file)


def read(file: Path) -> SearchedPositions:
    """What was found."""
    with np.load(file) as kept:
        return SearchedPositions(*(kept[name] for name in SearchedPositions._fields))


def length(file: Path) -> float:
    """The median number of moves of the games of an iteration that ended by themselves; infinite if few did."""
    with np.load(file) as kept:
        return float(kept["length"])


def play_and_search(settings: Search, job: Job, network: Path, number: int) -> dict[str, Any]:
    """Play the games of an iteration, and search a share of their positions longer: the arrays of its file."""
    before, of = job.folder / SEARCHED.format(number - 1), f"{number + 1} of {settings.iterations}"
    options = settings.options(job.game, length(before) if number else np.inf)
    player = f"mcts:{settings.simulations},evaluation=learned,values={network},root=drawn"
    seed = job.seed("search", job.number, number)
    runs = play_games(settings, job, player, options, openings(settings.opening), seed, of)
    played = load_games(runs[0])
    ended = played.ending != en.DISTANCE
    found = joined([search_positions(job, run, network, settings.long, seed, of, settings.share) for run in runs])
    return {
        **found._asdict(),
        "length": np.median(played.plies[ended]) if np.mean(ended) > 0.5 else np.inf,
    }


def play_games(
    settings: Search | Distill, job: Job, player: str, options: Options, begin: tuple[str, ...], seed: int, of: str
) -> list[Path]:
    """The runs of a player's games against itself and, in a share of them, against random movers.

    Games against itself have these `options`. Those against random movers have the options of the recipe: they last
    longer, and a player that wins because it is nearest at a limit would not learn to end them.
    """
    players, easy = job.game.players, easy_games(settings)
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
        ends = [Position(game, states[row]).play(int(moves[row])).state for row in last]
        winners[late] = winners_at_limit(game, np.array(ends), draw)
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

    shards = cut(range(count), PART)
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
        return np.pad(rows, ((0, 0), (0, most - rows.shape[1])), constant_values=fill)

    same = [each._replace(actions=wide(each.actions, st.NOWHERE), policy=wide(each.policy, 0)) for each in parts]
    return SearchedPositions(*map(np.concatenate, zip(*same, strict=True)))


def fit(
    settings: Search,
    job: Job,
    learner: SmallLearner,
    average: AveragedModel,
    optimizer: torch.optim.Optimizer,
    window: list[SearchedPositions],
    number: int,
) -> int:
    """Learn from the newest iterations. Returns the number of positions learned from, repeats included."""
    found = joined(window)
    longer, others = np.flatnonzero(~np.isnan(found.values)), np.flatnonzero(np.isnan(found.values))
    half = BATCH // 2
    steps = max(1, round(settings.reuse * np.count_nonzero(~np.isnan(window[-1].values)) / half))
    draw = np.random.default_rng([job.seed("fit", job.number), number])
    losses = np.zeros(2)
    for step in range(steps):
        done = (number + step / steps) / settings.iterations
        for group in optimizer.param_groups:
            group["lr"] = settings.learning_rate * (1 - (1 - LEAST) * done)
        rows = (
            np.concatenate([draw.choice(longer, half), draw.choice(others, half)])
            if len(others)
            else draw.choice(longer, half)
        )
        policy, value = loss_of(learner, job.game, found.rows(rows), settings.discount, draw)
        optimizer.zero_grad()
        (policy + value).backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(learner.parameters(), CLIP)
        optimizer.step()
        average.update_parameters(learner)
        losses += policy.item(), value.item()
        if step % 16 == 15:
            job.report_progress(f"steps {number + 1} of {settings.iterations}", step + 1, steps)
    of, mean = f"{number + 1} of {settings.iterations}", losses / steps
    job.report_progress(f"learned {of}: policy {mean[0]:.3f}, value {mean[1]:.3f}", 0, 0)
    return steps * BATCH


def loss_of(
    learner: SmallLearner, game: Game, batch: SearchedPositions, discount: float, draw: np.random.Generator
) -> tuple[torch.Tensor, torch.Tensor]:
    """The cross-entropy of the moves, where a longer search was made, and of the winner."""
    states, actions = turned(game, batch.states, batch.actions.astype(np.int64), draw)
    odds, logits = learner(states, actions)
    longer = ~np.isnan(batch.values)
    logs = torch.log_softmax(logits[torch.as_tensor(longer)], 1)
    policy = -(torch.as_tensor(batch.policy[longer].astype(np.float32)) * logs).sum(1).mean()
    players, ended = game.players, chances(game.players, batch.winners, discount ** batch.left.astype(np.float32))
    own = (batch.values[longer, None].astype(np.float32) * (players - 1) + 1) / players
    others = torch.softmax(odds.detach()[torch.as_tensor(longer)], 1).numpy()[:, 1:]  # as the network divides the rest
    found = np.concatenate([own, (1 - own) * others / np.maximum(others.sum(1, keepdims=True), TINY)], 1)
    ended[longer] = RESULT * ended[longer] + (1 - RESULT) * found
    value = -(torch.as_tensor(ended) * torch.log_softmax(odds, 1)).sum(1).mean()
    return policy, value
