"""The ways to learn that are compared. Each learns a little at a time, so that all can have the same processor time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.utils import FloatSchedule, set_random_seed

from amoba_agents import make_agent
from amoba_agents.networks.architecture import build
from amoba_agents.networks.board_policy import BoardPolicy, board_kwargs
from amoba_agents.networks.inference import Sb3Network
from amoba_agents.networks.trained import PolicyAgent
from amoba_env.agent import Agent, ask, new_memory
from amoba_env.core.rng import streams
from amoba_experiments.training.behaviour_cloning import learn_batch
from amoba_experiments.training.examples import Examples, joined
from amoba_experiments.training.opponents import OpponentPool
from amoba_experiments.training.reward_shaping import Shaped
from workshop.learning.tasks import LEARNER, Task, decided, playing

BATCH, PASSES, RATE = 256, 6, 2e-3  # of supervised learning: positions in a step, times each is seen, learning rate
LEAST = 0.05  # of its first value the learning rate has in the end
FIXED, COPIES, FREEZES = ("random", "greedy"), 5, 20  # opponents of PPO; copies are frozen so often in a run
ENVS, STEPS = 64, 32  # games at once, and moves in each between two updates of PPO
GAMMA = 0.99


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

    def learn(self, left: float) -> None:
        """See Learner."""
        found = self.examples(1_000_000 * self.seed + self.turn)
        self.known = found if self.known is None else joined([self.known, found])
        rng = np.random.default_rng([self.seed, self.turn])
        self.turn += 1
        self.optimizer.param_groups[0]["lr"] = RATE * max(left, LEAST)
        self.policy.set_training_mode(True)
        for _ in range(-(-PASSES * len(found.states) // BATCH)):
            rows = rng.integers(len(self.known.states), size=BATCH)
            learn_batch(self.task.rules, self.policy, self.optimizer, self.known.rows(rows), rng)
        self.policy.set_training_mode(False)

    def player(self) -> PolicyAgent:
        """See Learner."""
        return PolicyAgent(Sb3Network(self.policy), LEARNER, 0)


class Aggregation(Imitation):
    """DAgger: the teacher's moves in the policy's positions of games against `greedy`. It begins with imitation."""

    def examples(self, seed: int) -> Examples:
        """See Imitation."""
        if not self.turn:
            return super().examples(seed)
        task = self.task
        with playing(self.player()):
            match = task.match((LEARNER, *["greedy"] * (task.rules.players - 1)), task.games, seed)
            found = decided(match, (LEARNER,))
        teacher = make_agent(task.teacher)
        count = len(found.states)
        memory = new_memory(teacher, task.rules, count)
        moves = ask(teacher, task.rules, found.states, streams(seed, 0, count), memory)
        return found._replace(targets=moves.astype(np.int64))


class Ppo:
    """MaskablePPO in self-play: against `random`, `greedy` and frozen copies of the policy."""

    def __init__(self, task: Task, seed: int, board: bool, start: Any = None) -> None:
        """Make a learner.

        Args:
            task: what to learn.
            seed: of all that is drawn.
            board: whether the network follows the board (BoardPolicy), or is Stable-Baselines3's MlpPolicy.
            start: a BoardPolicy with whose weights it begins.
        """
        self.players = task.environments(ENVS, FIXED)
        env: Any = Shaped(self.players, task.rules, 1.0, GAMMA) if task.rules.moves_men else self.players
        self.rate, entropy = (3e-4, 0.003) if start is not None else (5e-4, 0.01)
        self.model = MaskablePPO(
            BoardPolicy if board else "MlpPolicy",
            env,
            n_steps=STEPS,
            batch_size=512,
            n_epochs=3,
            gamma=GAMMA,
            ent_coef=entropy,
            seed=seed,
            device="cpu",
            policy_kwargs=board_kwargs(task.rules, **task.architecture.sizes) if board else None,
        )
        if start is not None:
            self.model.policy.load_state_dict(start.state_dict())
        self.pool, self.frozen = OpponentPool(FIXED, COPIES), 2.0

    def learn(self, left: float) -> None:
        """See Learner."""
        if self.frozen - left >= 1 / FREEZES:
            self.frozen = left
            self.pool.freeze(self.model.num_timesteps, self.model.policy)
            self.players.set_opponents(self.pool.opponents())
        self.model.lr_schedule = FloatSchedule(self.rate * max(left, LEAST))
        self.model.learn(ENVS * STEPS, reset_num_timesteps=False)

    def player(self) -> PolicyAgent:
        """See Learner."""
        return PolicyAgent(Sb3Network(self.model.policy), LEARNER, 0)


class ImitationThenPlay:
    """Behaviour cloning for half of the time, then MaskablePPO in self-play with the same network."""

    def __init__(self, task: Task, seed: int) -> None:
        self.task, self.seed = task, seed
        self.now: Imitation | Ppo = Imitation(task, seed)

    def learn(self, left: float) -> None:
        """See Learner."""
        if left < 0.5 and isinstance(self.now, Imitation):
            self.now = Ppo(self.task, self.seed, True, self.now.policy)
        self.now.learn(min(1.0, 2 * (left if left < 0.5 else left - 0.5)))

    def player(self) -> PolicyAgent:
        """See Learner."""
        return self.now.player()


def _dqn(task: Task, seed: int) -> Learner:
    from workshop.learning.outside import Dqn

    return Dqn(task, seed)


METHODS: dict[str, Callable[[Task, int], Learner]] = {
    "PPO, MlpPolicy": lambda task, seed: Ppo(task, seed, False),
    "PPO, BoardPolicy": lambda task, seed: Ppo(task, seed, True),
    "imitation": Imitation,
    "imitation, then PPO": ImitationThenPlay,
    "dataset aggregation": Aggregation,
    "DQN of TorchRL": _dqn,
}
