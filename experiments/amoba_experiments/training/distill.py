"""A policy that plays alone learns what the search of a stage before found. The stage `distill`."""

from __future__ import annotations

from typing import Any

import numpy as np

from amoba_experiments.training.behaviour_cloning import fit
from amoba_experiments.training.examples import Examples
from amoba_experiments.training.job import Job
from amoba_experiments.training.search_play import Found, joined, read
from amoba_experiments.training.settings import Distill


def distill(settings: Distill, job: Job) -> dict[str, Any]:
    """Learn the moves and values of longer searches. Returns how often the policy agrees, 0..1, in the last pass."""
    files = [file for folder in job.before for file in folder.glob("searched-*.npz")]
    newest = sorted(files, key=lambda file: int(file.stem.partition("-")[2]))[-settings.iterations :]
    found = joined([read(file) for file in newest])
    agreed = fit(examples_of(found, job.game.players, settings.result), settings, job, "moves of the search")
    job.evaluate(0, agreed=round(agreed, 4))
    return {"agreed": agreed}


def examples_of(found: Found, players: int, result: float) -> Examples:
    """The positions that were searched longer, with what the search says; `result` is the weight of how games ended."""
    some = found.rows(np.flatnonzero(~np.isnan(found.values)))
    ended = np.where(some.winners == 0, 1.0, np.where(some.winners > 0, -1.0 / (players - 1), 0.0))
    values = result * ended + (1 - result) * some.values.astype(np.float64)
    return Examples(
        some.states, some.actions.astype(np.int64), values.astype(np.float32), some.policy.astype(np.float32)
    )
