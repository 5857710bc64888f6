"""An algorithm from outside, in the games of SelfPlayVecEnv: double DQN of TorchRL (the extra "clients")."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.utils import set_random_seed
from tensordict import TensorDict  # type: ignore[import-untyped]
from torchrl.data import Categorical, LazyTensorStorage, TensorDictReplayBuffer
from torchrl.modules import MLP, EGreedyModule, QValueActor
from torchrl.objectives import DQNLoss, SoftUpdate

from amoba_agents.networks.inference import Evaluated, Network
from amoba_agents.networks.trained import PolicyAgent
from workshop.learning.tasks import LEARNER, Task

ENVS, STEPS = 64, 16  # games at once, and moves in each for a call of `learn`
HIDDEN = (256, 256)
MEMORY, BATCH, RATE, GAMMA = 100_000, 256, 5e-4, 0.99
EXPLORE, LEAST = 0.5, 0.05  # share of random moves at the beginning; and in the end


class QNetwork(Network):
    """Values of moves as logits, so that the best move is the most probable one."""

    def __init__(self, module: Any, observation_shape: tuple[int, ...], n_actions: int) -> None:
        self.module, self.observation_shape, self.n_actions = module, observation_shape, n_actions

    def __call__(self, planes: NDArray[np.int8]) -> Evaluated:
        """See Network."""
        with torch.no_grad():
            values = self.module(torch.as_tensor(planes).flatten(1).float()).numpy()
        return values, values.max(1)


class Dqn:
    """Double DQN against `random` and `greedy`: an MLP says what each move is worth; illegal moves are masked."""

    def __init__(self, task: Task, seed: int) -> None:
        set_random_seed(seed)
        logging.getLogger("torchrl").setLevel(logging.WARNING)
        self.env = task.environments(ENVS, ("random", "greedy"))
        self.env.seed(ENVS * seed)  # each environment adds its number: no stream belongs to two seeds
        self.game = task.rules
        actions = self.game.n_actions
        self.net = MLP(in_features=int(np.prod(self.game.observation_shape)), out_features=actions, num_cells=HIDDEN)
        spec = Categorical(actions)
        self.actor = QValueActor(self.net, spec=spec, action_mask_key="action_mask")
        self.explore = EGreedyModule(spec, EXPLORE, EXPLORE, annealing_num_steps=1, action_mask_key="action_mask")
        self.loss = DQNLoss(self.actor, action_space=spec, delay_value=True, double_dqn=True)
        self.loss.make_value_estimator(gamma=GAMMA)
        self.update = SoftUpdate(self.loss, eps=0.99)
        self.optimizer = torch.optim.Adam(self.loss.parameters(), lr=RATE)
        self.memory = TensorDictReplayBuffer(storage=LazyTensorStorage(MEMORY), batch_size=BATCH)
        self.seen = self._seen(self.env.reset())

    def _seen(self, planes: Any) -> TensorDict:
        masks = torch.as_tensor(self.env.action_masks()) != 0
        return TensorDict(
            {"observation": torch.as_tensor(planes).flatten(1).float(), "action_mask": masks}, batch_size=[ENVS]
        )

    def learn(self, left: float) -> None:
        """See Learner."""
        self.explore.eps.fill_(LEAST + (EXPLORE - LEAST) * left)
        for _ in range(STEPS):
            with torch.no_grad():
                before = self.explore(self.actor(self.seen.clone()))
            planes, rewards, over, _ = self.env.step(before["action"].numpy())
            self.seen = self._seen(planes)
            done = torch.as_tensor(over)[:, None]
            after = {"reward": torch.as_tensor(rewards)[:, None], "done": done, "terminated": done}
            self.memory.extend(
                before.select("observation", "action_mask", "action").set("next", self.seen.clone().update(after))
            )
            self.optimizer.zero_grad()
            self.loss(self.memory.sample())["loss"].backward()
            self.optimizer.step()
            self.update.step()

    def player(self) -> PolicyAgent:
        """See Learner."""
        return PolicyAgent(QNetwork(self.net, self.game.observation_shape, self.game.n_actions), LEARNER, 0)
