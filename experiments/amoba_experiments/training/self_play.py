"""Self-play with MaskablePPO against fixed players and frozen copies of the policy. The stage `play`."""

from __future__ import annotations

import math
from typing import Any

from stable_baselines3.common.logger import configure
from stable_baselines3.common.utils import FloatSchedule

from amoba_agents.networks.board_policy import BoardPolicy, board_kwargs
from amoba_env.core.rng import TRAINING, derived
from amoba_env.sb3 import SelfPlayVecEnv
from amoba_experiments.training.asynchronous import AsynchronousPPO
from amoba_experiments.training.job import Job
from amoba_experiments.training.opponents import OpponentPool
from amoba_experiments.training.prioritized import prioritized
from amoba_experiments.training.reward_shaping import Shaped, take_out
from amoba_experiments.training.settings import Play
from amoba_experiments.training.weight_averaging import Average

LEAST = 0.05  # final learning rate and weight of entropy, as shares of the first ones
VALUE_FIRST = 4  # first updates after other stages, in which only the value learns
FREEZES = 20  # copies of the policy are frozen in a stage
CLIP = 0.2  # of PPO


def play(settings: Play, job: Job) -> dict[str, Any]:
    """Learn by playing; the result is the average of the weights. Returns the number of moves."""
    env, players = environments(settings, job)
    model = learner(settings, job, env)
    pool = OpponentPool(settings.opponents, settings.copies)
    state = job.kept()
    if state is None:
        average = Average(model.policy)
    else:
        _restore(model, state)
        average = Average(model.policy, state["average"], state["updates"])
        for step, weights in state["pool"]:
            pool.freeze(step, model.policy, weights)
        players.set_opponents(pool.opponents())
    env.seed(int(derived(job.seed("play", job.number), TRAINING).generate_state(1)[0]) + model.num_timesteps)
    warm = bool(job.number or job.recipe.network.start)
    during = job.recipe.evaluation.during

    def now() -> dict[str, Any]:
        policy, optimizer = model.policy.state_dict(), model.policy.optimizer.state_dict()
        averaged = {"average": average.policy.state_dict(), "updates": average.updates}
        return {
            "steps": model.num_timesteps,
            "policy": policy,
            "optimizer": optimizer,
            "pool": pool.weights(),
            **averaged,
        }

    # Each iteration: what is due, then moves in all games and an update of the network.
    every = {"freeze": settings.steps / FREEZES, "evaluate": settings.steps / during if during else math.inf}
    due = {what: _after(model.num_timesteps, span) if state else 0.0 for what, span in every.items()}
    while (step := model.num_timesteps) < settings.steps:
        if step >= due["freeze"]:
            pool.freeze(step, model.policy)
            players.set_opponents(pool.opponents())
            due["freeze"] = _after(step, every["freeze"])
        if during and step >= due["evaluate"]:
            _evaluate(model, average, job)
            due["evaluate"] = _after(step, every["evaluate"])
            job.keep(now, now=True)
        job.keep(now)
        job.tell("moves", step, settings.steps)
        left = LEAST + (1 - LEAST) * (1 - step / settings.steps)
        model.lr_schedule = FloatSchedule(settings.learning_rate * left)
        model.ent_coef = settings.entropy * left
        model.policy.requires_grad_(not warm or average.updates >= VALUE_FIRST)
        model.policy.value_net.requires_grad_(True)
        model.learn(settings.num_envs * settings.n_steps, reset_num_timesteps=False, log_interval=1)
        average.update()
    job.keep(now, now=True)
    job.tell("moves", settings.steps, settings.steps)
    job.policy.load_state_dict(average.policy.state_dict())
    if isinstance(env, Shaped):
        take_out(job.policy, env, job.seed("unshaped", job.number))
    _evaluate(model, average, job)
    return {"steps": model.num_timesteps}


def environments(settings: Play, job: Job) -> tuple[Any, SelfPlayVecEnv]:
    """The environment in which the policy learns, and the games themselves."""
    recipe = job.recipe
    options: dict[str, Any] = dict(recipe.options)
    fixed = list(settings.opponents) or ["random"]  # until the first copy exists
    players = SelfPlayVecEnv(recipe.game, settings.num_envs, fixed, random_plies=recipe.random_plies, **options)
    if job.game.moves_men:
        return Shaped(players, job.game, 1.0, settings.gamma), players
    return players, players


def learner(settings: Play, job: Job, env: Any) -> AsynchronousPPO:
    """MaskablePPO with the weights of the job's policy."""
    model = AsynchronousPPO(
        BoardPolicy,
        env,
        n_steps=settings.n_steps,
        batch_size=min(settings.batch_size, settings.num_envs * settings.n_steps),
        n_epochs=settings.epochs,
        gamma=settings.gamma,
        gae_lambda=settings.gae_lambda,
        clip_range=CLIP,
        seed=job.seed("learner", job.number),
        device=job.policy.device,
        policy_kwargs=board_kwargs(job.game, **job.architecture.sizes),
        **({} if settings.share == 1 else prioritized(settings.share)),
    )
    model.policy.load_state_dict(job.policy.state_dict())
    model.set_logger(configure(str(job.run / "tensorboard" / job.folder.name), ["tensorboard"]))
    return model


def _restore(model: Any, state: dict[str, Any]) -> None:
    model.policy.load_state_dict(state["policy"])
    model.policy.optimizer.load_state_dict(state["optimizer"])
    model.num_timesteps = state["steps"]
    model.set_random_seed(model.seed + state["steps"])


def _after(step: int, every: float) -> float:
    """The next multiple of `every`."""
    return math.inf if math.isinf(every) else (step // every + 1) * every


def _evaluate(model: Any, average: Average, job: Job) -> None:
    average.policy.set_training_mode(False)
    lines = job.evaluate(model.num_timesteps, average.policy)
    for line in lines:
        model.logger.record(f"evaluation/{line['against']}", line["mean_reward"])
    model.logger.dump(model.num_timesteps)
