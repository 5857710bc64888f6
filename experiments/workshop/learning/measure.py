"""Give every method the same processor time, and count points as it learns. Runs that are done are kept."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from amoba_agents import make_agent
from amoba_env import checks
from amoba_experiments.bench import machine
from amoba_experiments.runs.files import replace
from amoba_experiments.studies.section import SEEDS
from workshop.learning.methods import METHODS, Learner
from workshop.learning.tasks import LEARNER, Task, playing, points

FORMAT = 2  # another number where a method comes to mean something else
MARKS = 6  # evaluations of a run, at equal intervals of processor time
ORDERS = 6  # of three seats, and a multiple of those of two

PointsLine = dict[str, Any]  # "seconds" of processor time, and points, 0..1, by judge
LearningProgress = Callable[[str, float], None]  # what learns, and the share of its processor time that is over


@dataclass(frozen=True)
class Comparison:
    """Methods of learning a game, and what each of them gets.

    Attributes:
        task: what to learn.
        methods: some of METHODS.
        minutes: processor time of a run, all threads together; evaluations and compilation do not count.
        games: against each judge, each time that points are counted; a multiple of ORDERS.
        seed: the first.
        seeds: how many.
        jobs: threads of evaluations.
    """

    task: Task
    methods: Sequence[str]
    minutes: float = 1
    games: int = 120
    seed: int = 0
    seeds: int = SEEDS
    jobs: int = 1

    def __post_init__(self) -> None:
        """Raise ValueError for impossible settings, and say what is possible."""
        checks.real("minutes", self.minutes, 1e-3)
        checks.whole("seeds", self.seeds, 1, 1000)
        checks.whole("jobs", self.jobs, 1)
        if checks.whole("games", self.games, ORDERS) % ORDERS:
            raise ValueError(
                f"games: expected a multiple of {ORDERS} (the orders of three seats), such as 120, got {self.games}"
            )


def runs(what: Comparison, folder: Path, progress: LearningProgress) -> dict[str, list[list[PointsLine]]]:
    """Let each of the methods learn with every seed; those that are in folder/GAME-MINUTES already are not run again.

    Runs on another processor do not count, since processor time is compared.

    Returns:
        By method the lines of each seed.
    """
    torch.set_num_threads(1)
    found: dict[str, list[list[PointsLine]]] = {name: [] for name in what.methods}
    warm, place = set[str](), folder / f"{what.task.name}-{what.minutes:g}"
    for seed in range(what.seed, what.seed + what.seeds):
        for name in what.methods:
            file = place / f"{name.replace(',', '').replace(' ', '-')}-{seed}.json"
            key = _key(what, name)
            known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
            if known.get("key") != key:
                told = f"{what.task.name}: {name}, seed {seed}"
                progress(told, 0)
                if name not in warm:  # the first one compiles
                    METHODS[name](what.task, seed).learn(1)
                    warm.add(name)
                learner = METHODS[name](what.task, seed)
                lines = run(what, learner, seed, lambda share, told=told: progress(told, share))  # type: ignore[misc]
                known = {"key": key, "method": name, "seed": seed, "lines": lines}
                file.parent.mkdir(parents=True, exist_ok=True)
                replace(file, (json.dumps(known, indent=1) + "\n").encode())
            found[name].append(known["lines"])
    return found


def _key(what: Comparison, method: str) -> str:
    inputs = [FORMAT, what.task, method, float(what.minutes), what.games, MARKS, machine()["processor"]]
    return hashlib.sha256(json.dumps(inputs, default=dict).encode()).hexdigest()[:12]


def run(what: Comparison, learner: Learner, seed: int, progress: Callable[[float], None]) -> list[PointsLine]:
    """Train one learner and evaluate it MARKS times; see `runs`. Openings differ between seeds, not between methods."""
    budget, spent = 60 * what.minutes, 0.0
    lines: list[PointsLine] = []
    while len(lines) < MARKS:
        begun = time.process_time()
        learner.learn(max(0.0, 1 - spent / budget))
        spent += time.process_time() - begun
        progress(min(1, spent / budget))
        due = min(MARKS, int(MARKS * spent / budget)) - len(lines)
        if due:
            reached = standing(what, learner.player(), seed)
            lines += [{"seconds": round(spent, 1), **reached}] * due
    return lines


def standing(what: Comparison, player: Any, seed: int) -> dict[str, float]:
    """The points of a player, or of an agent's text, against each judge."""
    with playing(make_agent(player) if isinstance(player, str) else player):
        return {
            judge: round(points(what.task, LEARNER, judge, what.games, seed, what.jobs), 4)
            for judge in what.task.judges
        }
