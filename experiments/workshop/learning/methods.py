"""The methods that are compared. Each learns a little at a time, so that all can have the same processor time."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol, cast

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.utils import FloatSchedule, set_random_seed
from torch.optim.swa_utils import AveragedModel

from amoba_agents.networks.architecture import build
from amoba_agents.networks.inference import Sb3Network
from amoba_agents.networks.trained import PolicyAgent
from amoba_env.agent import Agent
from amoba_env.batch import Batch
from amoba_env.core.rng import streams
from amoba_env.progress import Progress
from amoba_experiments.arena.workers import Threads
from amoba_experiments.runs.files import write_arrays
from amoba_experiments.training import search_play, searched_positions
from amoba_experiments.training.behaviour_cloning import learn_batch
from amoba_experiments.training.distill import examples_of
from amoba_experiments.training.examples import Examples, joined
from amoba_experiments.training.job import Job
from amoba_experiments.training.move_limit import limited
from amoba_experiments.training.recipes import Recipe, Stage
from amoba_experiments.training.self_play import learn, play_moves
from amoba_experiments.training.settings import Play, Search
from amoba_experiments.training.small_learner import SmallLearner, small_learner
from workshop.learning.tasks import LEARNER, PLAY, Task, decided

BATCH, PASSES, RATE = 256, 6, 2e-3  # of supervised learning: positions in a step, times each is seen, learning rate
LEAST = 0.05  # the final learning rate, as a share of the first
FIXED, COPIES, FREEZES = ("random", "greedy"), 5, 20  # opponents of PPO; copies are frozen so often in a run
ENVS = 64  # games at once of MaskablePPO
SEARCHED_GAMES = 100  # with a search, between two times of learning


class Learner(Protocol):
    """A policy that learns."""

    def learn(self, left: float) -> None:
        """Learn for some seconds at most; `left`: the share of the processor time that is left, 1..0."""

    def player(self) -> Agent:
        """Who plays the policy's most probable moves."""


class Imitation:
    """Behaviour cloning: the moves of a teacher's games against itself.

    New positions with moves to learn, then gradient steps on positions drawn from all so far.
    """

    def __init__(self, task: Task, seed: int) -> None:
        set_random_seed(seed)
        self.task, self.seed, self.turn = task, seed, 0
        self.policy = build(task.architecture)
        self.optimizer = torch.optim.Adam(self.policy.parameters(), lr=RATE)
        self.known: Examples | None = None

    def examples(self, seed: int) -> Examples:
        """New positions with moves to learn."""
        task = self.task
        return decided(task.match((task.teacher,) * task.rules.players, task.games, seed))

    def gather(self, left: float) -> tuple[int, Examples]:
        """The number of new positions, and all positions to learn from."""
        found = self.examples(1_000_000 * (self.seed + 1) + self.turn)  # other openings than those that count
        self.known = found if self.known is None else joined([self.known, found])
        return len(found.states), self.known

    def learn(self, left: float) -> None:
        """See Learner."""
        new, known = self.gather(left)
        rng = np.random.default_rng([self.seed, self.turn])
        self.turn += 1
        self.optimizer.param_groups[0]["lr"] = RATE * max(left, LEAST)
        self.policy.set_training_mode(True)
        for _ in range(-(-PASSES * new // BATCH)):
            rows = rng.integers(len(known.states), size=BATCH)
            learn_batch(self.task.rules, self.policy, self.optimizer, known.rows(rows), rng)
        self.policy.set_training_mode(False)

    def player(self) -> PolicyAgent:
        """See Learner."""
        return PolicyAgent(Sb3Network(self.policy), LEARNER, 0)


class OwnSearch(Imitation):
    """The stages `search` and `distill` of `amoba train`, by turns: a policy learns what its own search found."""

    def __init__(self, task: Task, seed: int) -> None:
        super().__init__(task, seed)
        self.folder = TemporaryDirectory()
        self.settings = Search(games=SEARCHED_GAMES, simulations=16, long=64, **task.search)
        stages = (Stage("search", "search", self.settings),)
        openings = task.random_plies
        recipe = Recipe(task.name, options=task.options, stages=stages, seed=seed, random_plies=openings, threads=1)
        place, silent = Path(self.folder.name), lambda *_: None
        self.job = Job(recipe, 0, self.policy, task.architecture, place, [], silent, silent, Threads(1))
        self.network = small_learner(task.rules)
        self.average = AveragedModel(self.network, avg_fn=search_play.averaged)
        self.network_optimizer = torch.optim.Adam(self.network.parameters())
        self.found = list[searched_positions.SearchedPositions]()

    def gather(self, left: float) -> tuple[int, Examples]:
        """See Imitation. It learns from the newer half of all games."""
        iterations = round((self.turn + 1) / max(1 - left, LEAST))  # as far as can be said now
        settings = replace(self.settings, iterations=max(iterations, self.turn + 1))
        file = self.job.folder / search_play.NETWORK_OF.format(self.turn)
        write_arrays(file, cast(SmallLearner, self.average.module).arrays())
        self.found.append(search_play.read_or_search(settings, self.job, file, self.turn))
        del self.found[: self.turn % 2]  # at every second turn the oldest games go
        network, average, optimizer = self.network, self.average, self.network_optimizer
        search_play.fit(settings, self.job, network, average, optimizer, self.found, self.turn)
        found = searched_positions.joined(self.found).longer()
        known = examples_of(found, self.task.rules.players, search_play.RESULT)
        return int(np.count_nonzero(~np.isnan(self.found[-1].values))), known


class Ppo:
    """MaskablePPO in self-play, as it comes: against `random`, `greedy` and frozen copies of the policy."""

    def __init__(self, task: Task, seed: int) -> None:
        self.players = task.environments(ENVS, FIXED)
        self.model = MaskablePPO(
            "MlpPolicy", self.players, n_steps=32, batch_size=512, n_epochs=3, ent_coef=0.01, seed=seed, device="cpu"
        )
        self.players.seed(ENVS * seed)  # each environment adds its number: no stream belongs to two seeds
        self.frozen, self.copies = 2.0, list[PolicyAgent]()

    def learn(self, left: float) -> None:
        """See Learner."""
        if self.frozen - left >= 1 / FREEZES:
            self.frozen = left
            file = io.BytesIO()
            self.model.save(file)
            copy = Sb3Network(MaskablePPO.load(file, device="cpu", custom_objects={"seed": None}).policy)
            self.copies = [*self.copies, PolicyAgent(copy, "copy")][-COPIES:]
            self.players.set_opponents([*FIXED, *self.copies])
        self.model.lr_schedule = FloatSchedule(5e-4 * max(left, LEAST))
        self.model.learn(ENVS * 32, reset_num_timesteps=False)

    def player(self) -> PolicyAgent:
        """See Learner."""
        return PolicyAgent(Sb3Network(self.model.policy), LEARNER, 0)


class OwnPlay:
    """The updates of the stage `play` of `amoba train`: the policy plays every seat, and never an earlier copy."""

    def __init__(self, task: Task, seed: int, start: Any = None) -> None:
        """Make a learner; `start`: a BoardPolicy with which it begins."""
        set_random_seed(seed)
        self.settings = Play(**(task.play if start is None else PLAY))
        self.game, self.draw, count = task.rules, np.random.default_rng(seed), self.settings.num_envs
        self.policy = build(task.play_architecture) if start is None else start
        self.optimizer = torch.optim.Adam(self.policy.parameters())
        self.batch = Batch(limited(self.game, self.settings.max_plies), count, random_plies=task.random_plies)
        self.batch.streams[:] = streams(seed, 0, count)
        self.batch.begin(np.arange(count))
        self.progress = Progress(self.game) if self.game.moves_men else None

    def learn(self, left: float) -> None:
        """See Learner."""
        moves = play_moves(self.settings, self.policy, self.batch, self.progress, self.draw)
        learn(self.settings, self.policy, self.optimizer, self.game, moves, max(left, LEAST), self.draw)

    def player(self) -> PolicyAgent:
        """See Learner."""
        return PolicyAgent(Sb3Network(self.policy), LEARNER, 0)


class ImitationThenPlay:
    """Behaviour cloning for half of the time, then self-play with the same network."""

    def __init__(self, task: Task, seed: int) -> None:
        self.task, self.seed = task, seed
        self.now: Imitation | OwnPlay = Imitation(task, seed)

    def learn(self, left: float) -> None:
        """See Learner."""
        if left < 0.5 and isinstance(self.now, Imitation):
            self.now = OwnPlay(self.task, self.seed, self.now.policy)
        self.now.learn(min(1.0, 2 * (left if left < 0.5 else left - 0.5)))

    def player(self) -> PolicyAgent:
        """See Learner."""
        return self.now.player()


def _dqn(task: Task, seed: int) -> Learner:
    from workshop.learning.outside import Dqn

    return Dqn(task, seed)


METHODS: dict[str, Callable[[Task, int], Learner]] = {
    "PPO, MlpPolicy": Ppo,
    "PPO, BoardPolicy": OwnPlay,
    "self-play with search": OwnSearch,
    "imitation": Imitation,
    "imitation, then PPO": ImitationThenPlay,
    "DQN of TorchRL": _dqn,
}
