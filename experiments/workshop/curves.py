"""Learning curves of the package's policies, from the logs beside them.

A log has a line for each evaluation (training.evaluation). Each stage counts its own steps.

    python -m workshop.curves docs/pictures
"""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from amoba_agents.networks import trained
from amoba_env.files import write
from amoba_experiments.analysis.page.charts import Axes, Curve, curves
from amoba_experiments.statistics.sequential import score_interval
from amoba_experiments.studies.policies import shipped

STEPS, KNOWN_MOVES = "steps", "stages"
POINTS, WINS = "points", "games won"  # with two players; with more, where a draw is not a half


class Evaluation(NamedTuple):
    """A line of a log."""

    stage: str
    against: str
    steps: int
    players: int
    share: float  # of points; with more than two players of games won
    ci95: list[float]  # of the share


def draw(policy: str) -> str:
    """The learning curves of a policy of the package, such as "gomoku", as SVG.

    Raises:
        ValueError: the log cannot be read.
        OSError: the log does not exist.
    """
    lines = read(trained.POLICIES / f"{policy}.jsonl")
    players = lines[0].players
    return curves(f"{policy}: {POINTS if players == 2 else WINS} against", panels(lines), 1 / players)


def read(log: Path) -> list[Evaluation]:
    """The evaluations in a log.

    The last matches of a finished run, which are on the card, and the matches between the networks of a stage `search`
    are left out.

    Raises:
        ValueError: a line that is not an evaluation, with its number; an empty log.
        OSError: the file cannot be read.
    """
    found = []
    for number, text in enumerate(log.read_text(encoding="utf-8").splitlines(), 1):
        try:
            line = json.loads(text)
            if line["stage"] != "final" and "network" not in line:
                found.append(_evaluation(line))
        except (ValueError, KeyError, TypeError):
            raise ValueError(f"{log.name}, line {number} is not an evaluation of `amoba train`") from None
    if not found:
        raise ValueError(f"{log.name} has no evaluations")
    return found


def panels(lines: list[Evaluation]) -> list[Axes]:
    """A panel for each stage. Consecutive stages that learn known moves, and so have no steps, share a panel."""
    found: list[Axes] = []
    for _, group in itertools.groupby(lines, lambda line: line.stage):
        stage = list(group)
        unit = STEPS if any(line.steps for line in stage) else KNOWN_MOVES
        if unit == STEPS or not found or found[-1].unit == STEPS:
            found.append(Axes(unit, {}))
        number = 1 + max((curve.at[-1] for curve in found[-1].curves.values()), default=0)
        for line in stage:
            curve = found[-1].curves.setdefault(line.against, Curve([], [], []))
            curve.at.append(line.steps if unit == STEPS else number)
            curve.share.append(line.share)
            curve.ci95.append(line.ci95)
    return found


def _evaluation(line: Mapping[str, Any]) -> Evaluation:
    """A line of a log. Raises ValueError, KeyError or TypeError if it is not an evaluation."""
    counts = np.array([line[name] for name in ("losses", "draws", "wins")], np.int64)
    if counts.min() < 0 or counts.sum() != line["games"] or not counts.sum():
        raise ValueError
    if line["players"] == 2:
        share, ci95 = float(counts @ [0, 0.5, 1] / counts.sum()), score_interval(counts)
    else:
        share, ci95 = float(counts[2] / counts.sum()), [float(end) for end in line["ci95"] or (0, 1)]
    return Evaluation(line["stage"], line["against"], line["steps"], line["players"], share, ci95)


if __name__ == "__main__":
    for name in shipped():
        write(Path(sys.argv[1]) / f"{name}-curves.svg", draw(name) + "\n")
