"""Training a policy by self-play: MaskablePPO against random and greedy players and copies of itself.

    amoba train gomoku --out runs/gomoku

A folder has the run: settings.json, checkpoints, evaluations.jsonl, TensorBoard logs, best.zip and in the end
model.zip, which play as `trained:runs/gomoku/model.zip`. A run that was stopped, whenever, goes on with --resume from
its last checkpoint; games that were under way are begun anew.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import configure
from stable_baselines3.common.utils import FloatSchedule

from agents.inference import Sb3Network, load
from agents.networks import BoardPolicy, board_kwargs
from amoba_env import games
from amoba_env.options import Options
from amoba_env.sb3 import SelfPlayVecEnv
from experiments import settings as files
from experiments.arena import Match, play_match
from experiments.imitate import LEARNED, imitate
from experiments.pool import Pool
from experiments.prioritized import prioritized
from experiments.settings import Settings
from experiments.shaping import Shaped
from experiments.statistics import summarize

LEAST = 0.05  # of what the learning rate and the worth of entropy begin with, in the end

Evaluation = dict[str, Any]  # a line of evaluations.jsonl


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
    opponents, judges = settings.opponents.split(), settings.evaluate_against.split()
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
    if last is not None:
        model = MaskablePPO.load(last / "model.zip", env, device=settings.device)
        state = json.loads((last / "state.json").read_text())
        for step, weights in torch.load(last / "pool.pt", weights_only=True, map_location="cpu"):
            pool.freeze(step, model.policy, weights)
        players.set_opponents(pool.opponents())
        write(log, "".join(json.dumps(line) + "\n" for line in state["evaluations"]))
        if model.num_timesteps >= settings.steps:
            save_model(model, folder / "model.zip")
            return
    else:
        size: dict[str, Any] = {"channels": settings.channels, "layers": settings.layers}
        if settings.body:
            size["body"] = settings.body
        if board_kwargs(game, **size)["body"] == "mlp":
            size["hidden"] = settings.hidden
        model = MaskablePPO(
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
    env.seed(settings.seed + model.num_timesteps)
    begun = time.perf_counter() - state["seconds"]

    if last is None and settings.start:
        begin_as(model, settings.start, settings.start_temperature)
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

    def evaluate() -> None:
        lines = []
        for judge in judges:
            where = {"steps": model.num_timesteps, "seconds": round(time.perf_counter() - begun, 1)}
            mean, line = measure(
                settings.game,
                settings.options,
                folder / "policy.zip",
                judge,
                settings.evaluate_games,
                settings.seed,
                settings.threads,
                where,
                settings.random_plies,
            )
            model.logger.record(f"evaluation/{judge}", mean)
            lines.append(line)
            report(line)
        model.logger.dump(model.num_timesteps)
        score = float(np.mean([line["mean_reward"] for line in lines]))
        if all(score > best for best in scores(state["evaluations"])):
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
            save_model(model, folder / "policy.zip")
            evaluate()
            state["evaluated"] = step + settings.evaluate_every
        if due[2]:
            state["saved"] = step + settings.checkpoint_every
            state["seconds"] = time.perf_counter() - begun
            with new_checkpoint(folder, step) as new:
                model.save(new / "model.zip")
                torch.save(pool.weights(), new / "pool.pt")
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
    save_model(model, folder / "model.zip")


def begin_as(model: Any, file: str, temperature: float) -> None:
    """Give a model the weights of another one in a file, and divide its logits by `temperature`.

    Raises ValueError if their networks differ.
    """
    network = load(file)
    if not isinstance(network, Sb3Network):
        raise ValueError(f"start: {file} is no .zip of MaskablePPO")
    try:
        model.policy.load_state_dict(network.policy.state_dict())
    except RuntimeError as error:
        raise ValueError(f"start: the network in {file} is another one: {' '.join(str(error).split())}") from None
    model.policy.action_net.sharpen(1 / temperature)


def measure(
    game: str,
    options: Options,
    policy: Path,
    judge: str,
    games_: int,
    seed: int,
    threads: int,
    where: dict[str, Any],
    random_plies: int,
) -> tuple[float, Evaluation]:
    """Let a policy play, on every seat in turn, with the judge on all others; `where` begins the evaluation's line."""
    others = games.make_from(game, options).players - 1
    agents = (f"trained:{policy}", *[judge] * others)
    openings = (f"random:{random_plies}",) if random_plies else ()
    match = Match(game, agents, games_, seed=seed, rotate=True, options=options, openings=openings)
    result = summarize(match, play_match(match, jobs=threads), 0.0)
    wins, lost = result["players"][0]["wins"], sum(row["wins"] for row in result["players"][1:])
    mean = (wins - lost / others) / match.games
    return mean, {
        **where,
        "against": judge,
        "games": match.games,
        "wins": wins,
        "losses": lost,
        "draws": match.games - wins - lost,
        "ci95": result["players"][0]["ci95"],
        "mean_reward": mean,
    }


def scores(evaluations: list[Evaluation]) -> Iterator[float]:
    """The mean reward, over all judges, of each step that was evaluated."""
    for step in {line["steps"] for line in evaluations}:
        yield float(np.mean([line["mean_reward"] for line in evaluations if line["steps"] == step]))


def checkpoint(folder: Path, kind: str = "checkpoint") -> Path | None:
    """The last checkpoint of a run."""
    found = [each for each in folder.glob(f"{kind}-*") if each.suffix == ""]
    return max(found, key=lambda each: int(each.name.partition("-")[2]), default=None)


@contextmanager
def new_checkpoint(folder: Path, number: int, kind: str = "checkpoint") -> Iterator[Path]:
    """Where to write a checkpoint: it then moves to its place, and those before go. It is whole, or it is not there."""
    new, name = folder / f"{kind}-new.part", folder / f"{kind}-{number}"
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir()
    yield new
    new.rename(name)
    for other in folder.glob(f"{kind}-*"):
        if other != name:
            shutil.rmtree(other)


def save_model(model: Any, file: Path) -> None:
    """Save a model so that the file is whole at any moment."""
    part = file.with_suffix(".part.zip")
    model.save(part)
    os.replace(part, file)


def copy_file(source: Path, target: Path) -> None:
    """Copy a file so that the copy is whole at any moment."""
    part = target.with_suffix(".part")
    shutil.copy(source, part)
    os.replace(part, target)


def write(file: Path, text: str) -> None:
    """Write a file so that it is whole at any moment."""
    part = file.with_suffix(".part")
    part.write_text(text)
    os.replace(part, file)
