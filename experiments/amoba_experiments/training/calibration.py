"""Calibration of values and probabilities for a search. The stage `calibrate`.

After self-play against weaker players values are too optimistic and probabilities too confident. Here the value learns
the results of games between equal players, and logits are divided by a temperature (C. Guo et al., "On calibration of
modern neural networks", arXiv:1706.04599). The most probable moves do not change.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from scipy.optimize import minimize_scalar

from amoba_agents.networks.inference import Sb3Network, evaluate
from amoba_env.batch import observe
from amoba_env.core import state as st
from amoba_experiments.training.behaviour_cloning import IMPOSSIBLE, fit
from amoba_experiments.training.demonstrations import demonstrations
from amoba_experiments.training.examples import Examples, as_seen
from amoba_experiments.training.job import Job
from amoba_experiments.training.settings import Calibrate

POSITIONS = 20_000  # to fit the temperature
WIDEST = 100.0  # temperatures are 1 / WIDEST .. WIDEST


def calibrate(settings: Calibrate, job: Job) -> dict[str, Any]:
    """Fit the value, then the temperature. Returns the temperature."""
    temperature = settings.temperature
    if settings.value or temperature is None:
        examples = demonstrations(settings, job)
        if settings.value:
            fit(examples, settings, job, "how games end", "value")
        if temperature is None:
            temperature = best_temperature(job, examples.rows(np.arange(min(len(examples.states), POSITIONS))))
    job.policy.action_net.sharpen(1 / temperature)
    job.evaluate(0, temperature=round(temperature, 4))
    return {"temperature": temperature}


def best_temperature(job: Job, examples: Examples) -> float:
    """The temperature with the greatest likelihood of the target moves."""
    planes, masks = observe(job.game, examples.states, examples.states[:, st.TO_MOVE])
    logits = torch.as_tensor(evaluate(Sb3Network(job.policy), planes)[0]).double()
    logits = logits.masked_fill(torch.as_tensor(masks) == 0, IMPOSSIBLE)
    moves = torch.as_tensor(as_seen(job.game, examples.states, examples.targets))

    def loss(log_temperature: float) -> float:
        return float(torch.nn.functional.cross_entropy(logits / math.exp(log_temperature), moves))

    widest = math.log(WIDEST)
    return math.exp(float(minimize_scalar(loss, bounds=(-widest, widest), method="bounded").x))
