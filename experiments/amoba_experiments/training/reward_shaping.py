"""Reward shaping: progress is rewarded in training, while the environments reward only the end of a game."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper

from amoba_env.core import rules as ru
from amoba_env.games import Game

MOVES, STEPS, BATCH, RATE = (
    128,
    2000,
    256,
    1e-3,
)  # of each game in take_out(); its updates, batch size and learning rate


class Shaped(VecEnvWrapper):
    """Adds weight * (gamma * potential(after) - potential(before)) to the rewards of a game where men move.

    The potential is minus the steps that the own men have left, scaled from -1 at the start to 0 when all are home; it
    is 0 after the end. So optimal policies remain optimal (Ng, Harada, Russell: "Policy invariance under reward
    transformations", ICML 1999). Every seat sees the board in the same way, so the observation is enough.
    """

    def __init__(self, venv: VecEnv, game: Game, weight: float, gamma: float) -> None:
        """ValueError for a game in which stones are placed."""
        if not game.moves_men:
            raise ValueError(f"reward shaping: expected a game where men move, got {game.name}")
        super().__init__(venv)
        self.weight, self.gamma = weight, gamma
        steps, view, home, goal = (ru.table(game.rules, slot)[0] for slot in (ru.STEPS, ru.VIEW, ru.HOMES, ru.GOALS))
        x, y = game.board.coords.T.astype(np.int64)
        self._points = (y * game.observation_shape[1] + x)[view]  # of each cell, as seat 0 sees it
        self._steps, self._home = steps, int(steps[goal].sum())
        self._span = float(steps[home].sum() - self._home)
        self._potential = np.zeros(self.num_envs)

    def potential(self, observations: NDArray[np.int8]) -> NDArray[np.float64]:
        """The potential of observations, [N, H, W, C] -> [N]."""
        own = observations[..., 0].reshape(len(observations), -1)[:, self._points]
        return (self._home - own @ self._steps.astype(np.int64)) / self._span

    def reset(self) -> Any:
        """Begin."""
        seen = self.venv.reset()
        self._potential = self.potential(np.asarray(seen))
        return seen

    def step_wait(self) -> Any:
        """Play a step, and add the shaping reward."""
        seen, rewards, over, infos = self.venv.step_wait()
        after = self.potential(np.asarray(seen))
        reached = np.where(over, 0.0, after)
        for row in np.flatnonzero(over):
            if infos[row]["TimeLimit.truncated"]:  # truncated: bootstrapped from the value of this position
                reached[row] = self.potential(infos[row]["terminal_observation"][None])[0]
        shaped = rewards + self.weight * (self.gamma * reached - self._potential)
        self._potential = after
        return seen, shaped.astype(np.float32), over, infos


def take_out(policy: Any, shaped: Shaped, seed: int) -> None:
    """Turn a value that was learned from shaped rewards into the value of the game: the value plus the potential.

    It is fitted in games of the policy. Only the last layers of the value change, so the policy's moves stay the same,
    bit for bit.

    Args:
        policy: a BoardPolicy.
        shaped: the environment in which it learned. Its games are reset.
        seed: of these games.
    """
    policy.set_training_mode(False)
    shaped.seed(seed)
    planes = [shaped.reset()]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        for _ in range(MOVES):
            moves = policy.predict(planes[-1], action_masks=shaped.env_method("action_masks"))[0]
            planes.append(shaped.step(moves)[0])
    unshape(policy, shaped, np.concatenate(planes))


def unshape(policy: Any, shaped: Shaped, planes: NDArray[np.int8]) -> None:
    """See take_out(); planes: int8[N, H, W, C], observations of the positions."""
    with torch.no_grad():
        seen = torch.as_tensor(planes, device=policy.device)
        features = policy.mlp_extractor.forward_critic(policy.extract_features(seen))
        added = torch.as_tensor(shaped.weight * shaped.potential(planes), dtype=torch.float32, device=policy.device)
        wanted = policy.value_net(features).squeeze(1) + added
    optimizer = torch.optim.Adam(policy.value_net.parameters(), lr=RATE)
    draw, batches = np.random.default_rng(0), max(1, len(planes) // BATCH)
    for done in range(STEPS):
        if done % batches == 0:
            parts = np.array_split(draw.permutation(len(planes)), batches)
        rows = torch.as_tensor(parts[done % batches], device=policy.device)
        for group in optimizer.param_groups:
            group["lr"] = RATE * (1 - done / STEPS)
        loss = (policy.value_net(features[rows]).squeeze(1) - wanted[rows]).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
