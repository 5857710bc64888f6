"""TorchRL: rollouts of random legal moves; the wrapper reads the mask out of the observation."""

import torch
from torchrl.envs import PettingZooWrapper, check_env_specs

from amoba_env import gomoku_v0


def main(moves: int = 200) -> None:
    """Play to the end of a game, or this many moves."""
    torch.manual_seed(0)
    env = PettingZooWrapper(gomoku_v0.env(), use_mask=True)  # one group for each agent; "mask" says who moves
    check_env_specs(env)
    played = env.rollout(moves)
    last = played[-1]["next"]
    rewards = {agent: last[agent, "reward"].item() for agent in env.group_map}
    print(f"TorchRL: {len(played)} moves, rewards {rewards}")
    assert last["done"].item()
    assert sum(rewards.values()) == 0


if __name__ == "__main__":
    main()
