"""Give every way to learn the same processor time, and count points on the way. Runs that are done are kept."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from amoba_agents import make_agent
from amoba_env import checks
from amoba_experiments.runs.files import replace
from workshop.learning.methods import METHODS, Learner
from workshop.learning.tasks import LEARNER, Task, playing, points

FORMAT = 1  # another number where a way to learn comes to mean something else
MARKS = 6  # times that points are counted in a run, at equal distances of processor time
ORDERS = 6  # of three seats, and a multiple of those of two

PointsLine = dict[str, Any]  # "seconds" of processor time, and points, 0..1, by judge
LearningProgress = Callable[[str, float], None]  # what learns, and the share of its processor time that is over


def check(games: int, seeds: int) -> None:
    """Raise ValueError for what cannot be, and say what can."""
    checks.whole("seeds", seeds, 1, 1000)
    if games % ORDERS:
        raise ValueError(
            f"games: expected a multiple of {ORDERS} (the orders of three seats), such as 120, got {games}"
        )


def runs(
    task: Task,
    ways: Sequence[str],
    folder: Path,
    minutes: float,
    games: int,
    seed: int,
    seeds: int,
    jobs: int,
    progress: LearningProgress,
) -> dict[str, list[list[PointsLine]]]:
    """Let each of these methods learn with every seed; those that are in the folder already are not run again.

    Args:
        task: what to learn.
        ways: some of METHODS.
        folder: of the results, a file for each run.
        minutes: processor time of a run, all threads together; evaluations and compilation do not count.
        games: against each judge, each time that points are counted.
        seed: the first.
        seeds: how many.
        jobs: threads of evaluations.
        progress: see Progress.

    Returns:
        By method the lines of each seed.
    """
    torch.set_num_threads(1)
    found: dict[str, list[list[PointsLine]]] = {name: [] for name in ways}
    warm = set[str]()
    for each in range(seed, seed + seeds):
        for name in ways:
            file = folder / task.name / f"{name.replace(',', '').replace(' ', '-')}-{each}.json"
            what = _key(task, name, minutes, games)
            known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
            if known.get("key") != what:
                told = f"{task.name}: {name}, seed {each}"
                progress(told, 0)
                if name not in warm:  # the first one compiles
                    METHODS[name](task, each).learn(1)
                    warm.add(name)
                lines = run(task, METHODS[name](task, each), minutes, games, each, jobs, told, progress)
                known = {"key": what, "method": name, "seed": each, "lines": lines}
                file.parent.mkdir(parents=True, exist_ok=True)
                replace(file, (json.dumps(known, indent=1) + "\n").encode())
            found[name].append(known["lines"])
    return found


def _key(task: Task, method: str, minutes: float, games: int) -> str:
    inputs = [FORMAT, task, method, minutes, games, MARKS]
    return hashlib.sha256(json.dumps(inputs, default=dict).encode()).hexdigest()[:12]


def run(
    task: Task,
    learner: Learner,
    minutes: float,
    games: int,
    seed: int,
    jobs: int,
    told: str,
    progress: LearningProgress,
) -> list[PointsLine]:
    """Let one learn, and count points MARKS times; see `runs`. All seeds meet other openings, all methods the same."""
    budget, spent = 60 * minutes, 0.0
    lines: list[PointsLine] = []
    while len(lines) < MARKS:
        begun = time.process_time()
        learner.learn(max(0.0, 1 - spent / budget))
        spent += time.process_time() - begun
        progress(told, min(1, spent / budget))
        due = min(MARKS, int(MARKS * spent / budget)) - len(lines)
        if due:
            reached = standing(task, learner.player(), games, seed, jobs)
            lines += [{"seconds": round(spent, 1), **reached}] * due
    return lines


def standing(task: Task, player: Any, games: int, seed: int, jobs: int) -> dict[str, float]:
    """The points of a player, or of an agent's text, against each judge."""
    with playing(make_agent(player) if isinstance(player, str) else player):
        return {judge: round(points(task, LEARNER, judge, games, seed, jobs), 4) for judge in task.judges}
