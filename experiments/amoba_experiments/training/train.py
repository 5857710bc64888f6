"""Training a policy by a recipe: stages that train one network, in the folder of the run.

    amoba train gomoku --out runs/gomoku

An interrupted run continues with --resume: finished stages are found by the hash of their inputs, and the current stage
continues from its last checkpoint. The folder of a run:

    recipe.yaml         the recipe, with every setting
    policy.onnx         the policy: it plays as trained:DIR/policy.onnx
    evaluations.jsonl   the results of all matches
    card.md             training and strength of the policy
    stages/             for each stage its network (policy.pt; network.npz of a search), its figures (done.json),
                        and its checkpoint
    games/              the games played for training: runs for `amoba stats`
    tensorboard/        logs
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import torch
from stable_baselines3.common.utils import get_device, set_random_seed

from amoba_agents.networks.architecture import Architecture, architecture_of, build, read
from amoba_agents.networks.inference import Network, load
from amoba_agents.networks.trained import PolicyAgent
from amoba_env.extras import install
from amoba_experiments.arena import own_bar
from amoba_experiments.arena.workers import Workers, workers_of
from amoba_experiments.runs.files import check_folder, locked, replace
from amoba_experiments.training import recipes
from amoba_experiments.training.card import card
from amoba_experiments.training.evaluation import EvaluationLine, evaluate
from amoba_experiments.training.job import DONE, NETWORK, POLICY, Job
from amoba_experiments.training.network_files import try_export, weights_of, write_onnx
from amoba_experiments.training.recipes import Recipe

StageProgress = Callable[[str, int, int], None]
Report = Callable[[EvaluationLine], None]

FINAL = "final"  # the name of the last evaluations
ONNX = "policy.onnx"


def train(
    recipe: Recipe,
    folder: Path,
    resume: bool = False,
    progress: StageProgress | None = None,
    report: Report = lambda line: None,
    workers: Workers | None = None,
) -> list[EvaluationLine]:
    """Train a policy, or continue its training.

    Args:
        recipe: see amoba_experiments.training.recipes.
        folder: the folder of the run; it is made if necessary.
        resume: continue the run in the folder, if there is one. The recipe may have changed: stages with the same
            inputs are reused.
        progress: called with a description, the amount done, and the total (0: no count).
            By default a bar in a notebook or a terminal.
        report: called with each evaluation.
        workers: who play the games to learn from, such as a Ray cluster (see arena/cluster.py), which must see `folder`
            by the same name. By default as many threads of this process as the recipe says. The games are the same.

    Returns:
        The evaluations of the final policy.

    Raises:
        ValueError: the folder has a run already (without `resume`), has other content, or is in use by another process;
            or the initial network does not fit.
        ImportError: a library that writes the policy in the end is missing or too old.
    """
    check(recipe, folder, resume)
    with locked(folder), nullcontext(progress) if progress is not None else own_bar.stages() as progress:
        folder = folder.absolute()  # players' names contain it: under another path their games are played again
        replace(folder / recipes.FILE, recipe.to_yaml().encode())
        torch.set_num_threads(recipe.threads)
        try_export()
        policy, architecture = first_network(recipe)
        done: list[Path] = []
        workers = workers_of(recipe.threads if workers is None else workers)
        for number in range(len(recipe.stages)):
            job = Job(recipe, number, policy, architecture, folder, [*done], progress, report, workers)
            done.append(run_stage(job))
        return finish(recipe, folder, policy, architecture, done, progress, report)


def check(recipe: Recipe, folder: Path | None, resume: bool) -> None:
    """Raise ValueError if this run cannot begin or (`resume`) continue in this folder, if one is given."""
    if importlib.util.find_spec("sb3_contrib") is None:
        raise ValueError(f"training needs more: {install('train')}")
    check_gpu(recipe.device)
    if folder is not None:
        if set(str(folder.absolute())) & set(",="):
            raise ValueError(f"expected a folder without ',' and '=' in its path, got {folder.absolute()}")
        check_folder(folder, recipes.FILE)
        if (folder / recipes.FILE).exists() and not resume:
            raise ValueError(f"{folder} has a run already: continue it with --resume, or choose another folder")
    chosen_network(recipe)


def check_gpu(device: str) -> None:
    """Raise ValueError for a GPU that this machine does not have; Stable-Baselines3 would take the processor."""
    if device.startswith("cuda"):
        count, number = torch.cuda.device_count(), int(device.partition(":")[2] or 0)
        if number >= count:
            raise ValueError(f"device: expected auto, cpu or a GPU of this machine, which has {count}, got {device!r}")


def chosen_network(recipe: Recipe) -> tuple[Architecture, Network | None]:
    """The architecture of a recipe's network, and the initial network, if any.

    Raises:
        ValueError: a size that the body does not have; the initial network is for another game or board, has other
            sizes than the recipe, or its file has no architecture.
    """
    file, game, given = recipe.start_file, recipe.rules, recipe.network.sizes
    if file is None:
        new = architecture_of(game, **given)
        if extra := [name for name in given if name not in new.sizes]:
            raise ValueError(f"network: the body {new.sizes['body']!r} has no {', '.join(extra)}")
        return new, None
    network = load(file)
    PolicyAgent(network, str(file)).memory(game)
    found = network.architecture
    if found is None:
        raise ValueError(
            f"{file}: expected a network with its architecture, a .pt of `amoba train`, or an .onnx of `amoba train` "
            "or `amoba export`"
        )
    differing = [f"{name}={size}" for name, size in given.items() if size != getattr(found, name)]
    if differing:
        own = f"{recipe.network.start!r} is a network of {found}"
        raise ValueError(f"network.start: {own}, but the recipe says {', '.join(differing)}")
    return architecture_of(game, **found.sizes), network


def first_network(recipe: Recipe) -> tuple[Any, Architecture]:
    """The network with which the first stage begins."""
    what, start = chosen_network(recipe)
    set_random_seed(recipe.seed)
    policy = build(what).to(get_device(recipe.device))
    if start is not None and recipe.start_file is not None:
        policy.load_state_dict(weights_of(start, recipe.start_file, policy))
    return policy, what


def run_stage(job: Job) -> Path:
    """Run a stage unless it is done; return its folder."""
    if not (job.folder / DONE).exists():
        job.report_progress("begins", 0, 0)
        set_random_seed(job.seed("stage", job.number))
        settings = job.stage.settings
        job.finish(**resolve_name(settings.work)(settings, job))
    if (network := job.folder / NETWORK).exists():
        replace(job.run / NETWORK, network.read_bytes())
    if job.stage.trains_policy:
        job.policy.load_state_dict(read(job.folder / POLICY)[1])
    job.policy.set_training_mode(False)
    job.report_progress("done", 0, 0)
    return job.folder


def finish(
    recipe: Recipe,
    folder: Path,
    policy: Any,
    architecture: Architecture,
    done: list[Path],
    progress: StageProgress,
    report: Report,
) -> list[EvaluationLine]:
    """Export the policy, play the last matches, and write the log and the card."""
    made = [json.loads((each / DONE).read_text(encoding="utf-8")) for each in done]
    progress("writing the policy", 0, 0)
    write_onnx(policy, architecture, folder / ONNX)
    if not any((each / NETWORK).exists() for each in done):
        (folder / NETWORK).unlink(missing_ok=True)  # of a recipe that the run had before
    times = {name: round(sum(each[name] for each in made), 1) for name in ("seconds", "processor_seconds")}
    where = {"stage": FINAL, "steps": 0, **times}
    chosen = recipe.evaluation
    agent, against = f"trained:{folder / ONNX}", {name: name for name in chosen.against}
    seeds = range(recipe.seed, recipe.seed + chosen.seeds)
    lines = evaluate(recipe, agent, against, chosen.final_games, seeds, where, report, progress)
    log = [*(line for each in made for line in each["evaluations"]), *lines]
    replace(folder / "evaluations.jsonl", "".join(json.dumps(line) + "\n" for line in log).encode())
    replace(folder / "card.md", card(recipe, architecture, made, lines).encode())
    return lines
