"""RLlib: PPO with masked actions, both seats learning. RLlib wants float vectors, and a mask beside `observations`."""

import numpy as np
from gymnasium import spaces
from pettingzoo.utils import BaseWrapper
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env

from amoba_env import gomoku_v0


class Floats(BaseWrapper):
    """Observations as float vectors, under the names that RLlib looks for."""

    def observation_space(self, agent: str) -> spaces.Dict:
        """As `observe` returns it."""
        planes, mask = self.env.observation_space(agent).values()
        return spaces.Dict(
            observations=spaces.Box(0, 1, (int(np.prod(planes.shape)),)), action_mask=spaces.Box(0, 1, mask.shape)
        )

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Planes in one row, and the mask."""
        planes, mask = self.env.observe(agent).values()
        return {"observations": planes.astype(np.float32).ravel(), "action_mask": mask.astype(np.float32)}


def main(iterations: int = 1) -> None:
    """Train a little."""
    register_env("gomoku", lambda config: PettingZooEnv(Floats(gomoku_v0.env(**config))))
    module = RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config={"head_fcnet_hiddens": [64]})
    config = (
        PPOConfig()
        .environment("gomoku", env_config={"size": 8})
        .multi_agent(policies={"one"}, policy_mapping_fn=lambda agent, *args, **kwargs: "one")
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"one": module}))
        .env_runners(num_env_runners=0)
        .training(train_batch_size_per_learner=500, num_epochs=2, minibatch_size=100)
    )
    algorithm = config.build_algo()
    for _ in range(iterations):
        result = algorithm.train()
    runs = result["env_runners"]
    print(f"RLlib: {runs['num_env_steps_sampled_lifetime']:.0f} moves, {runs['num_episodes_lifetime']:.0f} games")
    algorithm.stop()


if __name__ == "__main__":
    main()
