"""AgileRL: one deep Q-network plays and learns both seats; a loser's last move gets the -1."""

import numpy as np
from agilerl.algorithms.dqn import DQN
from agilerl.components import ReplayBuffer
from agilerl.components.data import Transition
from gymnasium import spaces
from numpy.typing import NDArray

from amoba_env import gomoku_v0

CHANNELS_FIRST = (2, 0, 1)


def main(games: int = 5) -> None:
    """Play this many games, learning after each."""
    env = gomoku_v0.env(size=8)
    space = spaces.Box(0, 1, (3, 8, 8), np.float32)
    network = {"encoder_config": {"channel_size": [16], "kernel_size": [3], "stride_size": [1]}}
    learner = DQN(space, env.action_space("player_0"), net_config=network, normalize_images=False)
    memory = ReplayBuffer(max_size=10_000)
    moves = 0
    for _ in range(games):
        env.reset()
        before: dict[str, tuple[NDArray[np.float32], int]] = {}  # what each agent saw and did at its last turn
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, _ = env.last()
            seen = observation["observation"].transpose(CHANNELS_FIRST).astype(np.float32)
            over = terminated or truncated
            if agent in before:
                obs, done = before[agent]
                step = Transition(obs=obs, action=done, reward=reward, next_obs=seen, done=float(over))
                memory.add(step.to_tensordict().unsqueeze(0))
            if over:
                env.step(None)
                continue
            action = int(learner.get_action(seen, epsilon=0.1, action_mask=observation["action_mask"][None])[0])
            before[agent] = seen, action
            env.step(action)
            moves += 1
        if len(memory) >= learner.batch_size:
            learner.learn(memory.sample(learner.batch_size))
    print(f"AgileRL: {games} games, {moves} moves, {len(memory)} transitions")


if __name__ == "__main__":
    main()
