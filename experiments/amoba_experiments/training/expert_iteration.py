"""Expert iteration: a tree search that the network guides plays against itself, and the network learns what it found.

    amoba expert gomoku --start runs/gomoku/best.zip --out runs/expert

T. Anthony, Z. Tian, D. Barber, "Thinking fast and slow with deep learning and tree search", NeurIPS 2017; the search
is that of AlphaZero (D. Silver et al., Science 362, 2018). A folder has the run: settings, the last whole round
(round-N), evaluations.jsonl, the best network and the last (best.zip; model.zip, which plays as
trained:DIR/model.zip). A run that was stopped, whenever, goes on after its last whole round, to the same networks.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO

from amoba_agents import make_agent
from amoba_agents.mcts.player import MOST_C, MOST_SIMS
from amoba_agents.mcts.search import Search
from amoba_agents.networks.inference import Sb3Network, load
from amoba_agents.networks.trained import PolicyAgent
from amoba_env import checks, games, symmetry
from amoba_env.batch import observe
from amoba_env.core import batch as core
from amoba_env.core.play import random_plies
from amoba_env.core.rng import SELF_PLAY, below, streams
from amoba_env.core.rules import VIEW, table
from amoba_env.core.state import CELLS, PLY, RUNNING, STATUS, TO_MOVE, States
from amoba_env.games import Game
from amoba_env.options import Options
from amoba_experiments.arena.fields import convert_fields
from amoba_experiments.arena.match import MOST_GAMES
from amoba_experiments.runs.files import read_json
from amoba_experiments.training.checkpoints import checkpoint, copy_file, new_checkpoint, save_model, write
from amoba_experiments.training.evaluation import Evaluation, judge, score

SETTINGS = "expert.json"
FREE = ("rounds", "threads")  # may differ when a run goes on


@dataclass(frozen=True)
class Expert:
    """All that determines a run."""

    game: str
    options: Options
    start: str  # a .zip of MaskablePPO: the network of the first round
    rounds: int = 20
    seed: int = 0
    num_envs: int = 128  # games in lockstep
    positions: int = 8_000  # a round
    sims: int = 64  # simulations a move
    c: float = 1.25  # weight of moves that were tried less
    alpha: float = 0.3  # Dirichlet noise at the root
    random_plies: int = 4  # at most so many random moves begin each game
    drawn: int = 8  # after them, so many moves are drawn by visits; then the most visited is played
    window: int = 80_000  # the last positions, from which the network learns
    passes: float = 1.0  # over the window, a round
    batch_size: int = 256
    learning_rate: float = 5e-4
    evaluate_games: int = 400
    evaluate_against: str = "greedy lookahead:2"
    threads: int = 2

    def __post_init__(self) -> None:
        """Raise ValueError for what cannot be."""
        convert_fields(self, LIMITS)
        checks.seed(self.seed)
        game = games.make_from(self.game, self.options)
        for text in self.evaluate_against.split():
            make_agent(text).memory(game)
        if not self.evaluate_against.split():
            raise ValueError("evaluate_against: name one or more agents")


LIMITS: dict[str, tuple[float, float]] = {
    "rounds": (0, 1_000_000),
    "num_envs": (1, checks.MOST_COUNT),
    "positions": (1, 1_000_000_000),
    "sims": (1, MOST_SIMS),
    "c": (0, MOST_C),
    "alpha": (1e-3, 1000),
    "random_plies": (0, 9999),
    "drawn": (0, 32767),
    "window": (1, 1_000_000_000),
    "passes": (0, 1000),
    "batch_size": (1, 10_000_000),
    "learning_rate": (0, 1),
    "evaluate_games": (1, MOST_GAMES),
    "threads": (1, checks.MOST_THREADS),
}


@dataclass
class Positions:
    """What the network learns: for each position, how often the search tried each move, and how the game ended."""

    states: States  # int16[P, S]
    visits: NDArray[np.float16]  # [P, A] shares, as the player to move numbers actions
    results: NDArray[np.float32]  # [P] the reward of who is to move

    def last(self, count: int) -> Positions:
        """The newest of them."""
        return Positions(self.states[-count:], self.visits[-count:], self.results[-count:])

    def then(self, other: Positions) -> Positions:
        """These, and others after them."""
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return Positions(*(np.concatenate(pair) for pair in pairs))


def improve(
    settings: Expert,
    folder: Path,
    progress: Callable[[str, int, int], None] = lambda stage, done, total: None,
    report: Callable[[Evaluation], None] = lambda evaluation: None,
) -> None:
    """Run expert iteration, or go on with it.

    Args:
        settings: see there.
        folder: where the run is kept; made if need be.
        progress: called with the stage, and how much of how much is done.
        report: called with each evaluation.

    Raises:
        ValueError: a folder with a run of other settings, no such network, or one for another board.
    """
    game = games.make_from(settings.game, settings.options)
    check(settings, folder)
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / SETTINGS, json.dumps(_as_json(settings), indent=2) + "\n")
    torch.set_num_threads(settings.threads)
    state: dict[str, Any] = {"round": 0, "seconds": 0.0, "evaluations": [], "scores": []}
    known: Positions | None = None
    last = checkpoint(folder, "round")
    model = MaskablePPO.load(last / "model.zip" if last else settings.start, device="cpu")
    policy = model.policy
    if last:
        state = json.loads((last / "state.json").read_text())
        with np.load(last / "window.npz") as kept:
            known = Positions(**kept)
    else:  # as the policy's own it is saved and loaded with it
        policy.optimizer = torch.optim.Adam(policy.parameters(), lr=settings.learning_rate, weight_decay=1e-5)
    begun = time.perf_counter() - state["seconds"]

    while state["round"] < settings.rounds:
        number = state["round"]
        rng = np.random.default_rng([settings.seed, number])
        player = PolicyAgent(Sb3Network(policy), "expert")
        found = self_play(game, player, settings, number, lambda done: progress("games", done, settings.positions))
        known = (found if known is None else known.then(found)).last(settings.window)
        policy.set_training_mode(True)
        loss = learn(game, policy, policy.optimizer, known, settings, rng, lambda *at: progress("learning", *at))
        policy.set_training_mode(False)
        save_model(model, folder / "policy.zip")
        where = {"steps": number + 1, "seconds": round(time.perf_counter() - begun, 1), "loss": round(loss, 4)}
        lines = judge(settings, folder / "policy.zip", where, report)
        if score(lines) > max(state["scores"], default=-2.0):
            copy_file(folder / "policy.zip", folder / "best.zip")
        copy_file(folder / "policy.zip", folder / "model.zip")
        state = {
            "round": number + 1,
            "seconds": round(time.perf_counter() - begun, 1),
            "evaluations": state["evaluations"] + lines,
            "scores": [*state["scores"], score(lines)],
        }
        write(folder / "evaluations.jsonl", "".join(json.dumps(line) + "\n" for line in state["evaluations"]))
        with new_checkpoint(folder, state["round"], "round") as new:
            copy_file(folder / "policy.zip", new / "model.zip")
            np.savez_compressed(new / "window.npz", **vars(known))
            (new / "state.json").write_text(json.dumps(state))


def self_play(
    game: Game, player: PolicyAgent, settings: Expert, number: int, progress: Callable[[int], None]
) -> Positions:
    """Games of the search against itself, until those that have ended have enough positions."""
    count = settings.num_envs
    rng = streams(settings.seed, number * 1_000_003, count, SELF_PLAY)
    states = game.batch(count, np.arange(count) % game.players)
    begins = [0] * count  # the ply from which on the search plays
    tracks: list[list[tuple[States, NDArray[np.float16]]]] = [[] for _ in range(count)]
    parts: list[Positions] = []
    done = 0

    def begin(rows: NDArray[np.intp]) -> None:
        for row in rows:
            own = rng[row : row + 1]
            random_plies(game.rules, states[row], own, int(below(own, settings.random_plies + 1)))
            begins[row] = int(states[row, PLY])

    begin(np.arange(count))
    while done < settings.positions:
        search = Search(game, states, rng, settings.sims, settings.c, evaluate=player.evaluate)
        search.add_noise(settings.alpha)
        search.run(settings.sims)
        visits = search.visits()
        shares = as_seen(game, states, visits / visits.sum(axis=1, keepdims=True))
        moves = search.best()
        for row in range(count):
            tracks[row].append((states[row].copy(), shares[row]))
            if states[row, PLY] < begins[row] + settings.drawn:
                mark = int(below(rng[row : row + 1], int(visits[row].sum())))
                moves[row] = int(np.searchsorted(visits[row].cumsum(), mark, side="right"))
        core.step_rows(game.rules, states, np.arange(count), moves)
        over = np.flatnonzero(states[:, STATUS] != RUNNING)
        rewards = np.empty((count, game.players))
        core.rewards_all(game.rules, states, True, rewards)
        for row in over.tolist():
            track, tracks[row] = tracks[row], []
            seen = np.stack([state for state, _ in track])
            results = rewards[row, seen[:, TO_MOVE]].astype(np.float32)
            parts.append(Positions(seen, np.stack([each for _, each in track]), results))
            done += len(track)
        if over.size:
            states[over] = game.batch(len(over), over % game.players)
            begin(over)
            progress(min(done, settings.positions))
    first, *others = parts
    for other in others:
        first = first.then(other)
    return first


def as_seen(game: Game, states: States, shares: NDArray[np.float64]) -> NDArray[np.float16]:
    """[P, A] of the board's actions, as the players to move number them."""
    if not game.moves_men:
        return shares.astype(np.float16)
    n = game.n_cells
    view = np.stack([table(game.rules, VIEW)[seat] for seat in states[:, TO_MOVE]]).astype(np.int64)
    back = view.argsort(axis=1)
    pairs = (back[:, :, None] * n + back[:, None, :]).reshape(len(states), n * n)
    return np.take_along_axis(shares, pairs, axis=1).astype(np.float16)


def learn(
    game: Game,
    policy: Any,
    optimizer: torch.optim.Optimizer,
    known: Positions,
    settings: Expert,
    rng: np.random.Generator,
    progress: Callable[[int, int], None],
) -> float:
    """Cross entropy to the visits, squared error to the results, symmetries drawn at random; the mean loss."""
    total = int(settings.passes * len(known.states))
    group = None if game.moves_men else symmetry.symmetries(game)
    done, losses = 0, []
    order = np.concatenate([rng.permutation(len(known.states)) for _ in range(-(-total // len(known.states)))])[:total]
    for part in np.array_split(order, max(1, total // settings.batch_size)):
        states, visits = known.states[part], known.visits[part].astype(np.float32)
        if group is not None:
            drawn = rng.integers(len(group.cells), size=len(part))
            moved, image = states.copy(), np.empty_like(visits)
            np.put_along_axis(moved[:, CELLS:], group.cells[drawn].astype(np.int64), states[:, CELLS:], axis=1)
            np.put_along_axis(image, group.actions[drawn].astype(np.int64), visits, axis=1)
            states, visits = moved, image
        planes, masks = observe(game, states, states[:, TO_MOVE])
        features = policy.extract_features(torch.as_tensor(np.ascontiguousarray(planes)))
        logits = policy.action_net(policy.mlp_extractor.forward_actor(features))
        values = policy.value_net(policy.mlp_extractor.forward_critic(features)).flatten()
        log_shares = torch.log_softmax(logits.masked_fill(torch.as_tensor(masks) == 0, -1e9), dim=1)
        moves = -(torch.as_tensor(visits) * log_shares).sum(dim=1).mean()
        loss = moves + (values - torch.as_tensor(known.results[part])).square().mean()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
        done += len(part)
        progress(done, total)
    return float(np.mean(losses))


def check(settings: Expert, folder: Path) -> None:
    """Raise ValueError if a run with these settings cannot begin, or go on, in this folder, and why."""
    network = load(settings.start)
    if not isinstance(network, Sb3Network):
        raise ValueError(f"{settings.start} is no .zip of MaskablePPO")
    PolicyAgent(network, settings.start).memory(games.make_from(settings.game, settings.options))
    if (folder / SETTINGS).exists():
        there = checks.mapping(str(folder / SETTINGS), read_json(folder / SETTINGS))
        here = _as_json(settings)
        differing = [
            f"{key} was {there.get(key)!r}, now {value!r}"
            for key, value in here.items()
            if there.get(key) != value and key not in FREE
        ]
        if differing:
            raise ValueError(f"{folder} was made with other settings: {'; '.join(differing)}")


def _as_json(settings: Expert) -> dict[str, Any]:
    return {**asdict(settings), "options": dict(settings.options)}
