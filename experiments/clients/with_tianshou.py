"""Tianshou: a deep Q-network learns from games against random moves; masks go along."""

import torch
from tianshou.algorithm import DQN, MARLRandomDiscreteMaskedOffPolicyAlgorithm, MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

from amoba_env import gomoku_v0


def make() -> PettingZooEnv:
    """One environment."""
    return PettingZooEnv(gomoku_v0.env())


def main(steps: int = 400) -> None:
    """Train for this many steps."""
    torch.manual_seed(0)
    env = make()
    model = Net(state_shape=(10, 10, 3), action_shape=100, hidden_sizes=[64])
    policy = DiscreteQLearningPolicy(model=model, action_space=env.action_space, eps_training=0.1)
    learner = DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3))
    other = MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=env.action_space)
    both = MultiAgentOffPolicyAlgorithm(algorithms=[learner, other], env=env)
    collector = Collector(both, DummyVectorEnv([make] * 4), VectorReplayBuffer(20_000, 4), exploration_noise=True)
    collector.reset()
    both.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            max_epochs=1,
            epoch_num_steps=steps,
            collection_step_num_env_steps=100,
            update_step_num_gradient_steps_per_sample=0.1,
            verbose=False,
            show_progress=False,
        )
    )
    print(f"Tianshou: {collector.collect_step} moves, {collector.collect_episode} games")


if __name__ == "__main__":
    main()
