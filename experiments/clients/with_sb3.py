"""Stable-Baselines3: MaskablePPO through a wrapper to Gymnasium, in the manner of PettingZoo's tutorial.

One network plays both seats in turn, as if it were one player. Each step carries the reward of whoever made it. The
next position is the other player's, so its value counts against the mover: a discount of -1 says so to PPO. This is
right only where two players move in turn. `amoba_env.sb3` trains seats against opponents, in every game.
"""

from typing import Any

import gymnasium
import numpy as np
from sb3_contrib import MaskablePPO

from amoba_env import gomoku_v0
from amoba_env.aec import BoardGameEnv

GAMMA = -1.0  # the value of the next position is the opponent's


class EverySeat(gymnasium.Env):
    """The agent to move, whoever it is, as a single learner."""

    def __init__(self, env: BoardGameEnv) -> None:
        self.env = env
        self.observation_space = env.observation_space("player_0")["observation"]
        self.action_space = env.action_space("player_0")

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin a game."""
        self.env.reset(seed, options)
        return self._observe()["observation"], {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Move; the observation is the next agent's, the reward the mover's."""
        mover = self.env.agent_selection
        self.env.step(action)
        ends = self.env.terminations[mover], self.env.truncations[mover]
        return self._observe()["observation"], self.env.rewards[mover], *ends, {}

    def action_masks(self) -> np.ndarray:
        """MaskablePPO asks for this."""
        return self._observe()["action_mask"].astype(bool)

    def _observe(self) -> dict[str, np.ndarray]:
        return self.env.observe(self.env.agent_selection)


def main(steps: int = 256) -> None:
    """Train for this many steps, then play a game."""
    env = EverySeat(gomoku_v0.env())
    model = MaskablePPO("MlpPolicy", env, gamma=GAMMA, n_steps=128, batch_size=64, seed=0, device="cpu").learn(steps)
    observation, _ = env.reset(seed=0)
    moves, over = 0, False
    while not over:
        action, _ = model.predict(observation, action_masks=env.action_masks())
        observation, _, terminated, truncated, _ = env.step(int(action))
        moves, over = moves + 1, terminated or truncated
    print(f"Stable-Baselines3: {steps} steps of training, then a game of {moves} moves: {env.env.outcome}")


if __name__ == "__main__":
    main()
