"""A policy that plays without a search learns what the search of an earlier stage found. The stage `distill`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from amoba_experiments.runs.files import write_arrays
from amoba_experiments.training.behaviour_cloning import fit
from amoba_experiments.training.examples import Examples
from amoba_experiments.training.job import DONE, NETWORK, Job
from amoba_experiments.training.network_files import write_pt
from amoba_experiments.training.search_play import SEARCHED
from amoba_experiments.training.searched_positions import (
    SearchedPositions,
    chances,
    joined,
    openings,
    play_games,
    read,
    search_positions,
)
from amoba_experiments.training.settings import OPENING, Distill

OWN = "own.npz"  # the policy's own positions
BEFORE = "before.pt"  # the policy that plays these games
TEMPERATURE = 0.5  # of its games


def distill(settings: Distill, job: Job) -> dict[str, Any]:
    """Learn the moves and values of longer searches. Returns how often the policy agrees, 0..1, in the last pass."""
    searched = next(folder for folder in job.before if (folder / NETWORK).exists())
    last = json.loads((searched / DONE).read_text(encoding="utf-8"))["network"]
    files = [searched / SEARCHED.format(number) for number in range(last + 1)]
    newest = [file for file in files if file.exists()][-settings.iterations :]
    if settings.games and not (job.folder / OWN).exists():
        write_arrays(job.folder / OWN, search_own(settings, job, searched)._asdict())
    own = [file for folder in (*job.before, job.folder) if (file := folder / OWN).exists()]
    found = joined([read(file).longer() for file in (*newest, *own)])
    learned = examples_of(found, job.game.players, settings.result, job.recipe.discount)
    agreed = fit(learned, settings, job, "moves of the search")
    job.evaluate(0, agreed=round(agreed, 4))
    return {"agreed": agreed}


def search_own(settings: Distill, job: Job, searched: Path) -> SearchedPositions:
    """Let the policy play against itself, and search all positions with the network in the folder of the search."""
    player = job.folder / BEFORE
    if not player.exists():
        write_pt(job.policy, job.architecture, player)
    seed = job.seed("own", job.number)
    trained, of = f"trained:{player},temperature={TEMPERATURE}", "of the policy"
    runs = play_games(settings, job, trained, settings.options(job.game), openings(OPENING), seed, of)
    return joined(
        [search_positions(job, run, searched / NETWORK, settings.simulations, seed, of, noise=False) for run in runs]
    )


def examples_of(found: SearchedPositions, players: int, result: float, discount: float = 1.0) -> Examples:
    """Positions, with what the longer search says of them.

    Args:
        found: the positions.
        players: how many.
        result: the weight of how games ended, 0..1, in the value to learn.
        discount: factor of a result for each move until the game ended.
    """
    weights = discount ** found.left.astype(np.float32)  # as in the values of the search
    ended = (players * chances(players, found.winners, weights)[:, 0] - 1) / (players - 1)
    values = result * ended + (1 - result) * found.values.astype(np.float64)
    return Examples(found.states, found.actions, values.astype(np.float32), found.policy)
