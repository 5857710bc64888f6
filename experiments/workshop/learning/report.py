"""The comparison as a table and as curves."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from amoba_experiments.analysis.page.charts import Axes, Curve, curves
from amoba_experiments.bench import machine
from amoba_experiments.studies.section import Cell, Table
from workshop.learning.measure import MARKS, Comparison, LearningProgress, PointsLine, runs, standing
from workshop.learning.tasks import Task

RESAMPLES = 2000
BOUND = 0.95
RANGES = "the middle 95 % of bootstrap samples of the seeds"  # of few seeds: too narrow for an interval


def interquartile(*judges: NDArray[np.float64], axis: int = -1) -> Any:
    """The mean of the middle half of all points, of all runs and judges together. Each [..., runs]."""
    return stats.trim_mean(np.concatenate(judges, axis=axis), 0.25, axis=axis)


def interval(points: NDArray[np.float64], statistic: Callable[..., Any]) -> list[float] | None:
    """The bootstrap interval of a statistic of points [judges, runs], where whole runs are drawn; None of one run."""
    if points.shape[1] < 2:
        return None
    found = stats.bootstrap(
        tuple(points),
        statistic,
        paired=True,
        vectorized=True,
        n_resamples=RESAMPLES,
        confidence_level=BOUND,
        method="percentile",
        rng=np.random.default_rng(0),
    ).confidence_interval
    return [float(found.low), float(found.high)]


def compare(what: Comparison, folder: Path, progress: LearningProgress) -> dict[str, Any]:
    """Play the comparison.

    Returns:
        As section.play_section, and "runs": by method the lines of each seed; "curves": the picture as SVG.
    """
    task = what.task
    found = runs(what, folder, progress)
    others = {agent: standing(what, agent, what.seed) for agent in (task.teacher, "random")}
    return {
        "section": task.name,
        "question": f"Which way learns {task.name} best in {time_of(what.minutes)} of processor time?",
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
        f"Each way has {time_of(minutes)} of processor time for each seed, all threads together. Compilation and "
        f"evaluation do not count. Points are the share of the points of {games} games against each opponent, at the "
        f"end, from openings of {task.random_plies} random moves, each with every order of the seats.",
        "The last column is the interquartile mean of the points of all seeds against all opponents. The ranges show "
        "how much seeds differ. They are no confidence intervals: with so few seeds they are too narrow for that.",
        f"The teacher is {task.teacher}. Machine: {machine()['processor']}.",
    ]


def table(task: Task, found: dict[str, list[list[PointsLine]]], others: dict[str, dict[str, float]]) -> Table:
    """The last points of each method, the best first, and those of others that do not learn."""
    rows: list[dict[str, Cell]] = []
    for name, lines in found.items():
        points = np.array([[each[-1][judge] for each in lines] for judge in task.judges])
        cells: dict[str, Cell] = {"way to learn": name}
        for judge, row in zip(task.judges, points, strict=True):
            cells[judge] = {"share": float(row.mean()), "ci95": interval(row[None], np.mean) or ()}
        cells["interquartile mean"] = {
            "share": float(interquartile(*points)),
            "ci95": interval(points, interquartile) or (),
        }
        rows.append(cells)
    rows.sort(key=lambda row: -row["interquartile mean"]["share"])  # type: ignore[index,operator]
    for agent, standings in others.items():
        own = {judge: {"share": share} for judge, share in standings.items()}
        middle = {"share": float(interquartile(np.array(list(standings.values()))))}
        rows.append({"way to learn": f"for comparison: {agent}", **own, "interquartile mean": middle})
    return Table(f"{task.name}: points", rows)


def picture(task: Task, found: dict[str, list[list[PointsLine]]]) -> str:
    """The mean points of all seeds on the way, from the lowest to the highest, for each judge."""
    panels = []
    for judge in task.judges:
        drawn = {}
        for name, lines in found.items():
            points = np.array([[line[judge] for line in each] for each in lines])
            spans = np.stack([points.min(0), points.max(0)], 1).tolist()
            drawn[name] = Curve([100 * mark // MARKS for mark in range(1, MARKS + 1)], points.mean(0).tolist(), spans)
        panels.append(Axes(f"against {judge.partition(',')[0]}", drawn))  # options would not fit
    title = f"{task.name}: points after this many percent of the time"
    return curves(title, panels, 1 / 2)


def markdown(result: dict[str, Any], text: str, file: Path, document: Path | None) -> str:
    """The table, and a link to the picture in `file` as it is seen from a document."""
    beside = file.parent if document is None else document.parent
    return f"{text}\n![{result['question']}]({Path(os.path.relpath(file, beside)).as_posix()})\n"
