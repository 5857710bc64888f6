"""The comparison as a table and as curves."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoba_experiments.analysis.page.charts import Axes, Curve, curves
from amoba_experiments.bench import machine
from amoba_experiments.studies.section import Cell, Table
from workshop.learning.measure import MARKS, Comparison, LearningProgress, PointsLine, runs, standing
from workshop.learning.tasks import Task

RANGES = "the lowest and the highest seed"  # three seeds are too few for an interval


def spread(points: NDArray[np.float64]) -> Cell:
    """The mean of the seeds' points, and the lowest and the highest of them."""
    ends = {"ci95": (float(points.min()), float(points.max()))} if len(points) > 1 else {}
    return {"share": float(points.mean()), **ends}


def compare(what: Comparison, folder: Path, progress: LearningProgress) -> dict[str, Any]:
    """Play the comparison.

    Returns:
        As section.play_section, and "runs": by method the lines of each seed; "curves": the picture as SVG.
    """
    task = what.task
    found = runs(what, folder, progress)
    seeds = range(what.seed, what.seed + what.seeds)
    others = {agent: [standing(what, agent, seed) for seed in seeds] for agent in (task.teacher, "random")}
    return {
        "section": task.name,
        "question": f"Which method learns {task.name} best in {time_of(what.minutes)} of processor time?",
        "games": what.games,
        "seed": what.seed,
        "seeds": what.seeds,
        "notes": notes(task, what.minutes, what.games),
        "ranges": RANGES,
        "tables": [table(task, found, others)._asdict()],
        "warnings": [],
        "runs": found,
        "curves": picture(task, found),
    }


def time_of(minutes: float) -> str:
    """Such as "6 seconds" or "5 minutes"."""
    return f"{60 * minutes:g} seconds" if minutes < 1 else f"{minutes:g} minute{'s' if minutes != 1 else ''}"


def notes(task: Task, minutes: float, games: int) -> list[str]:
    """How the table was made."""
    return [
        f"Each method has {time_of(minutes)} of processor time for each seed, all threads together. Compilation and "
        f"evaluation do not count. Points are the share of the points of {games} games against each opponent, at the "
        f"end, from openings of {task.random_plies} random moves, each with every order of the seats.",
        "The last column is the mean of the others. The ranges show how much seeds differ. They are not confidence "
        "intervals.",
        f"The teacher is {task.teacher}. Machine: {machine()['processor']}.",
    ]


def table(task: Task, found: dict[str, list[list[PointsLine]]], others: dict[str, list[dict[str, float]]]) -> Table:
    """The last points of each method, the best first, and those of others that do not learn, with the same openings."""

    def row(name: str, seeds: Sequence[Mapping[str, float]]) -> dict[str, Cell]:
        points = np.array([[each[judge] for each in seeds] for judge in task.judges])
        cells = {judge: spread(own) for judge, own in zip(task.judges, points, strict=True)}
        return {"method": name, **cells, "mean": spread(points.mean(0))}

    rows = [row(name, [lines[-1] for lines in each]) for name, each in found.items()]
    rows.sort(key=lambda row: -row["mean"]["share"])  # type: ignore[index,operator]
    return Table(
        f"{task.name}: points", rows + [row(f"for comparison: {agent}", each) for agent, each in others.items()]
    )


def picture(task: Task, found: dict[str, list[list[PointsLine]]]) -> str:
    """The mean points of all seeds on the way, from the lowest to the highest, for each judge."""
    panels = []
    for judge in task.judges:
        drawn = {}
        for name, lines in found.items():
            points = np.array([[line[judge] for line in each] for each in lines])
            spans = np.stack([points.min(0), points.max(0)], 1).tolist()
            drawn[name] = Curve([100 * mark // MARKS for mark in range(1, MARKS + 1)], points.mean(0).tolist(), spans)
        name, comma, _ = judge.partition(",")  # more options would not fit
        panels.append(Axes(f"against {name}{comma and ',…'}", drawn))
    title = f"{task.name}: points after this many percent of the time"
    return curves(title, panels, 1 / 2)


def markdown(result: dict[str, Any], text: str, file: Path, document: Path | None) -> str:
    """The table, and a link to the picture in `file` as it is seen from a document."""
    beside = file.parent if document is None else document.parent
    return f"{text}\n![{result['question']}]({Path(os.path.relpath(file, beside)).as_posix()})\n"
