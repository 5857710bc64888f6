"""MaskablePPO learning gomoku, rollouts and updates: on SelfPlayVecEnv, and on PettingZoo environments one by one."""

from __future__ import annotations

from typing import Any

from experiments.bench import Result, compare, seconds
from experiments.bench.rollouts import Wrapped

ENVS, STEPS, UPDATES = 128, 32, 2  # games in lockstep, moves a game and update, updates


def rate(policy: Any, env: Any, kwargs: dict[str, Any]) -> float:
    """Transitions a second of a whole learn(), after a first update."""
    import torch
    from sb3_contrib import MaskablePPO

    model = MaskablePPO(
        policy, env, n_steps=STEPS, batch_size=1024, n_epochs=3, device="cpu", seed=0, policy_kwargs=kwargs
    )
    torch.set_num_threads(1)
    model.learn(ENVS * STEPS)
    return UPDATES * ENVS * STEPS / seconds(model.learn, UPDATES * ENVS * STEPS)


def measure(runs: int) -> list[Result]:
    """Gomoku 10x10 with the network that `board_kwargs` gives it, and with the MLP of Stable-Baselines3."""
    try:
        from stable_baselines3.common.vec_env import DummyVecEnv

        from agents.networks import BoardPolicy, board_kwargs
        from amoba_env.sb3 import SelfPlayVecEnv
    except ImportError as error:
        raise ImportError(f"Stable-Baselines3 is missing ({error}): pip install 'amoba[bench]'") from None
    batch, wrapped = SelfPlayVecEnv("gomoku", ENVS), DummyVecEnv([Wrapped] * ENVS)
    results = []
    for name, policy, kwargs in (
        ("MlpPolicy", "MlpPolicy", {}),
        ("BoardPolicy", BoardPolicy, board_kwargs(batch.game)),
    ):
        measured = [(rate(policy, batch, kwargs), rate(policy, wrapped, kwargs)) for _ in range(runs)]
        ours, theirs = [a for a, _ in measured], [b for _, b in measured]
        what = f"learn(), gomoku 10x10, {name}"
        results.append(compare(what, "steps/s", ours, f"DummyVecEnv of {ENVS}", theirs))
    return results
