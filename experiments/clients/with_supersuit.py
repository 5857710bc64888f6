"""SuperSuit: its wrappers take Box observations only, so the dictionary is reduced to the planes first."""

import supersuit

from amoba_env import gomoku_v0


def main(seed: int = 0) -> None:
    """Play a random game with stacked float observations."""
    env = gomoku_v0.env()
    env = supersuit.observation_lambda_v0(
        env,
        lambda observation, space, agent: observation["observation"],
        lambda space, agent: space["observation"],
    )
    env = supersuit.dtype_v0(env, "float32")
    env = supersuit.frame_stack_v1(env, 4)
    env.reset(seed=seed)
    env.action_space("player_0").seed(seed)
    moves = 0
    for agent in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.step(None)
            continue
        assert observation in env.observation_space(agent)
        mask = env.unwrapped.observe(agent)["action_mask"]  # what was reduced away is still there
        env.step(env.action_space(agent).sample(mask))
        moves += 1
    print(f"SuperSuit: {moves} moves, observations {observation.shape} {observation.dtype}")


if __name__ == "__main__":
    main()
