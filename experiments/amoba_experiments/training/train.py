"""Training a policy by self-play: MaskablePPO against random and greedy players and copies of itself.

    amoba train gomoku --out runs/gomoku

A folder has the run: settings.json, checkpoints, evaluations.jsonl, TensorBoard logs, best.zip and in the end
model.zip, which play as `trained:runs/gomoku/model.zip`. A run that was stopped, whenever, goes on with --resume from
its last checkpoint; games that were under way are begun anew.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import configure
from stable_baselines3.common.utils import FloatSchedule

from amoba_agents.networks.policy import BoardPolicy, board_kwargs
from amoba_agents.networks.trained import policy_file
from amoba_env import games
from amoba_env.core.rng import TRAINING, derived
from amoba_env.sb3 import SelfPlayVecEnv
from amoba_experiments.training import settings as files
from amoba_experiments.training.asynchronous import Ahead
from amoba_experiments.training.behaviour_cloning import LEARNED, imitate
from amoba_experiments.training.checkpoints import checkpoint, copy_file, new_checkpoint, save_model, write
from amoba_experiments.training.evaluation import Evaluation, judge, score, scores
from amoba_experiments.training.onnx_files import weights
from amoba_experiments.training.opponents import Pool
from amoba_experiments.training.prioritized import prioritized
from amoba_experiments.training.reward_shaping import Shaped
from amoba_experiments.training.settings import Settings
from amoba_experiments.training.weight_averaging import Average

LEAST = 0.05  # of what the learning rate and the worth of entropy begin with, in the end


def train(
    settings: Settings,
    folder: Path,
    resume: bool = False,
    progress: Callable[[str, int, int], None] = lambda stage, done, total: None,
    report: Callable[[Evaluation], None] = lambda evaluation: None,
) -> None:
    """Train a policy, or go on with it.

    Args:
        settings: see there.
        folder: where the run is kept; made if need be.
        resume: go on with the run in the folder, if there is one.
        progress: called with the stage, and how many of how many steps are done.
        report: called with each evaluation.

    Raises:
        ValueError: a folder that has a run already (without `resume`), or a run with other settings.
    """
    files.check(settings, folder, resume)
    game = games.make_from(settings.game, settings.options)
    opponents = settings.opponents.split()
    pool = Pool(tuple(opponents), settings.recent, settings.older)
    folder.mkdir(parents=True, exist_ok=True)
    files.save(settings, folder)

    # The games, the network, and the state of a run that goes on.
    torch.set_num_threads(settings.threads)
    options: Any = settings.options
    env: Any = SelfPlayVecEnv(
        settings.game, settings.num_envs, opponents, random_plies=settings.random_plies, **options
    )
    players = env
    if settings.shaping:
        env = Shaped(env, game, settings.shaping, settings.gamma)
    log = folder / "evaluations.jsonl"
    last = checkpoint(folder)
    algorithm = Ahead if settings.ahead else MaskablePPO
    if last is not None:
        model = algorithm.load(last / "model.zip", env, device=settings.device)
        state = json.loads((last / "state.json").read_text())
        for step, copied in torch.load(last / "pool.pt", weights_only=True, map_location="cpu"):
            pool.freeze(step, model.policy, copied)
        players.set_opponents(pool.opponents())
        write(log, "".join(json.dumps(line) + "\n" for line in state["evaluations"]))
    else:
        size: dict[str, Any] = {"channels": settings.channels, "layers": settings.layers}
        if settings.body:
            size["body"] = settings.body
        if board_kwargs(game, **size)["body"] == "mlp":
            size["hidden"] = settings.hidden
        model = algorithm(
            BoardPolicy,
            env,
            n_steps=settings.n_steps,
            batch_size=min(settings.batch_size, settings.num_envs * settings.n_steps),
            n_epochs=settings.epochs,
            gamma=settings.gamma,
            gae_lambda=settings.gae_lambda,
            clip_range=settings.clip,
            seed=settings.seed,
            device=settings.device,
            policy_kwargs=board_kwargs(game, **size),
            **({} if settings.learn_share == 1 else prioritized(settings.learn_share)),
        )
        state = {"seconds": 0.0, "evaluations": [], "frozen": 0, "evaluated": 0, "saved": 0}
    model.set_logger(configure(str(folder / "tensorboard"), ["tensorboard"]))
    env.seed(int(derived(settings.seed, TRAINING).generate_state(1)[0]) + model.num_timesteps)
    begun = time.perf_counter() - state["seconds"]

    if last is None and settings.start:
        begin_as(model, policy_file(game) if settings.start == "trained" else Path(settings.start))
    if last is None and settings.imitate:
        agreed = imitate(
            model.policy,
            game,
            settings.imitate,
            settings.imitate_positions,
            settings.imitate_rate,
            settings.gamma,
            settings.seed,
            progress,
            settings.imitate_passes,
            settings.teachers.split(),
            settings.advice,
            settings.advise,
            folder,
            settings.imitate_learns,
        )
        model.logger.record("imitate/agreed", agreed)
    if last is None:
        head: Any = model.policy.action_net
        head.sharpen(1 / settings.start_temperature)

    averaged = None
    if last is not None and settings.average:
        averaged = torch.load(last / "average.pt", weights_only=True, map_location="cpu")
    average = Average(model.policy, settings.average, averaged)

    def save(file: Path) -> None:
        with average.shown():
            save_model(model, file)

    if last is not None and model.num_timesteps >= settings.steps:
        save(folder / "model.zip")
        return

    def evaluate() -> None:
        where = {"steps": model.num_timesteps, "seconds": round(time.perf_counter() - begun, 1)}
        lines = judge(settings, folder / "policy.zip", where, report)
        for line in lines:
            model.logger.record(f"evaluation/{line['against']}", line["mean_reward"])
        model.logger.dump(model.num_timesteps)
        if score(lines) > max(scores(state["evaluations"]), default=-2.0):
            copy_file(folder / "policy.zip", folder / "best.zip")
        state["evaluations"] += lines

    # Each turn: moves of all games, an update of the network, and what is due.
    while True:
        step = model.num_timesteps
        over = step >= settings.steps
        due = [over or step >= state[name] for name in ("frozen", "evaluated", "saved")]
        if due[0]:
            pool.freeze(step, model.policy)
            players.set_opponents(pool.opponents())
            state["frozen"] = step + settings.freeze_every
        if due[1]:
            save(folder / "policy.zip")
            evaluate()
            state["evaluated"] = step + settings.evaluate_every
        if due[2]:
            state["saved"] = step + settings.checkpoint_every
            state["seconds"] = time.perf_counter() - begun
            with new_checkpoint(folder, step) as new:
                model.save(new / "model.zip")
                torch.save(pool.weights(), new / "pool.pt")
                if settings.average:
                    torch.save(average.copy.state_dict(), new / "average.pt")
                (new / "state.json").write_text(json.dumps(state))
            (folder / LEARNED).unlink(missing_ok=True)
            write(log, "".join(json.dumps(line) + "\n" for line in state["evaluations"]))
        progress(settings.game, min(step, settings.steps), settings.steps)
        if over:
            break
        left = LEAST + (1 - LEAST) * (1 - step / settings.steps)
        model.lr_schedule = FloatSchedule(settings.learning_rate * left)
        model.ent_coef = settings.entropy * left
        model.policy.requires_grad_(step >= settings.value_first * settings.num_envs * settings.n_steps)
        model.policy.value_net.requires_grad_(True)
        model.learn(settings.num_envs * settings.n_steps, reset_num_timesteps=False, log_interval=1)
        average.update()
    save(folder / "model.zip")


def begin_as(model: Any, file: Path) -> None:
    """Give a model the weights of another one in a file.

    Raises ValueError if their networks differ.
    """
    try:
        model.policy.load_state_dict(weights(file, model.policy))
    except RuntimeError:
        raise ValueError(
            f"start: the network in {file} is another one; set body, channels, layers and hidden as it has them"
        ) from None
