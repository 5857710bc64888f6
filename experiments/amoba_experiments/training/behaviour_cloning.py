"""Behaviour cloning: a network learns known moves and results of games. The stage `imitate`."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import torch

from amoba_agents.networks.inference import forward
from amoba_agents.networks.legal_categorical import IMPOSSIBLE
from amoba_env.batch import observe
from amoba_env.core import state as st
from amoba_env.games import Game
from amoba_experiments.training.demonstrations import demonstrations
from amoba_experiments.training.descent import descend
from amoba_experiments.training.examples import Examples, as_seen, turned
from amoba_experiments.training.job import Job
from amoba_experiments.training.settings import Imitate, Supervised

NORM = 0.5  # the largest norm of a gradient


def imitate(settings: Imitate, job: Job) -> dict[str, Any]:
    """Learn a teacher's moves and results. Returns how often the policy agrees in the last pass, 0..1."""
    agreed = fit(demonstrations(settings, job), settings, job, f"moves of {settings.teacher}")
    job.evaluate(0, agreed=round(agreed, 4))
    return {"agreed": agreed}


def fit(examples: Examples, settings: Supervised, job: Job, what: str) -> float:
    """Train the job's policy on examples, several passes.

    Passes, batches and symmetries are drawn from the seed of the stage and their own numbers. So an interrupted stage
    continues from its last checkpoint to the same network, bit for bit.

    Args:
        examples: positions with moves and results.
        settings: passes, batch size, learning rate; the rate falls to 0.
        job: its policy is trained in place.
        what: a description for the progress.

    Returns:
        The share of positions in the last pass whose most probable move is the target, 0..1.
    """
    policy, count = job.policy, len(examples.states)
    optimizer = torch.optim.Adam(policy.parameters(), lr=settings.learning_rate)
    batches = -(-count // settings.batch_size)
    total, mark = settings.passes * batches, _mark(examples)
    done = agreed = 0
    state = job.load_checkpoint()
    if state is not None and state["mark"] == mark:
        policy.load_state_dict(state["policy"])
        optimizer.load_state_dict(state["optimizer"])
        done, agreed = state["done"], state["agreed"]

    def now() -> dict[str, Any]:
        both = {"policy": policy.state_dict(), "optimizer": optimizer.state_dict()}
        return {"mark": mark, "done": done, "agreed": agreed, **both}

    policy.set_training_mode(True)
    while done < total:
        number, first = divmod(done, batches)
        order = np.random.default_rng([job.seed("order"), job.number, number]).permutation(count)
        for batch, rows in list(enumerate(np.array_split(order, batches)))[first:]:
            for group in optimizer.param_groups:
                group["lr"] = settings.learning_rate * (1 - done / total)
            rng = np.random.default_rng([job.seed("symmetry"), job.number, number, batch])
            right = learn_batch(job.game, policy, optimizer, examples.rows(rows), rng)
            done += 1
            agreed += right if done > total - batches else 0
            job.report_progress(what, min(done * settings.batch_size, settings.passes * count), settings.passes * count)
            job.save_checkpoint(now)
    policy.set_training_mode(False)
    job.save_checkpoint(now, now=True)
    return agreed / count


def learn_batch(
    game: Game, policy: Any, optimizer: torch.optim.Optimizer, examples: Examples, rng: np.random.Generator
) -> int:
    """One step: cross-entropy to the moves or their weights, squared error to the results.

    Returns:
        The number of positions whose most probable move is the target.
    """
    states, targets = turned(game, examples.states, examples.targets, rng)
    planes, masks = observe(game, states, states[:, st.TO_MOVE])
    here: dict[str, Any] = {"device": policy.device}
    with torch.autocast(policy.device.type, torch.bfloat16, enabled=multiplies_bfloat16(policy.device.type)):
        logits, values = forward(policy, torch.as_tensor(np.ascontiguousarray(planes), **here))
    logits, values = logits.float(), values.float()
    logits = logits.masked_fill(torch.as_tensor(masks, **here) == 0, IMPOSSIBLE)
    wanted = torch.as_tensor(as_seen(game, states, targets), **here)
    results = torch.as_tensor(examples.results, **here)
    loss = (values - torch.where(results.isnan(), values.detach(), results)).square().mean()
    weights = None if examples.weights is None else torch.as_tensor(examples.weights, **here).float()
    loss = loss + (
        torch.nn.functional.cross_entropy(logits, wanted) if weights is None else spread(logits, wanted, weights)
    )
    descend(optimizer, loss, NORM)
    best = wanted if weights is None else wanted.gather(1, weights.argmax(1, keepdim=True))[:, 0]
    return int((logits.argmax(1) == best).sum())


def multiplies_bfloat16(device: str) -> bool:
    """Whether a network learns faster there in bfloat16: on a GPU, and on a processor with AMX."""
    capabilities: dict[str, Any] = getattr(torch.cpu, "get_capabilities", dict)()  # older versions of torch do not say
    return device == "cuda" or bool(capabilities.get("amx_bf16"))


def spread(logits: torch.Tensor, actions: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """The cross-entropy to actions [B, M] with these weights."""
    return -(weights * torch.log_softmax(logits, 1).gather(1, actions)).sum(1).mean()


def _mark(examples: Examples) -> int:
    """A checksum of the examples: the user's folder of runs may have grown."""
    mark = 0
    for column in examples:
        mark = mark if column is None else zlib.crc32(np.ascontiguousarray(column).data, mark)
    return mark
