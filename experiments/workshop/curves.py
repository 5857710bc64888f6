"""Learning curves of the package's policies, from the logs beside them.

A log has a line for each evaluation (training.evaluation). It may hold several stages one after the other, and each
counts its own steps.

    python -m workshop.curves docs/pictures
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from amoba_agents.networks import trained
from amoba_env import games
from amoba_env.files import write
from amoba_experiments.analysis.page.charts import Curve, Panel, curves
from amoba_experiments.statistics.sequential import score_interval
from amoba_experiments.studies.policies import shipped

STEPS, KNOWN_MOVES = "steps", "stages"
POINTS, WINS = "points", "games won"  # with two players; with more, where a draw is not a half


def players_of(policy: str) -> int:
    """The number of players, from a policy's log; logs of the first versions do not have it."""
    with (trained.POLICIES / f"{policy}.jsonl").open(encoding="utf-8") as log:
        first = json.loads(log.readline() or "{}")
    return int(first.get("players", 0)) or games.make(policy).players


def draw(policy: str) -> str:
    """The learning curves of a policy of the package, such as "gomoku", as SVG.

    Raises:
        ValueError: an unknown policy, or a log that cannot be read.
        OSError: the log does not exist.
    """
    players = players_of(policy)
    panels = read(trained.POLICIES / f"{policy}.jsonl", players)
    return curves(f"{policy}: {POINTS if players == 2 else WINS} against", panels, 1 / players)


def read(log: Path, players: int) -> list[Panel]:
    """The stages of a log, for a game of this many players.

    A stage ends where steps decrease, or where a judge appears again at the same step. Consecutive stages that end
    before the first step (those that learn known moves) share a panel. The last matches of a finished run, which are on
    the card, and the matches between the networks of a stage `search` are left out.

    Raises:
        ValueError: a line that is not an evaluation, with its number; an empty log.
        OSError: the file cannot be read.
    """
    panels: list[Panel] = []
    met: set[tuple[str, int]] = set()
    last = 0
    for number, text in enumerate(log.read_text(encoding="utf-8").splitlines(), 1):
        try:
            line = json.loads(text)
            if line.get("stage") == "final" or "network" in line:
                continue
            judge, step, (share, ci95) = str(line["against"]), int(line["steps"]), _points(line, players)
        except (ValueError, KeyError, TypeError, AttributeError):
            raise ValueError(f"{log.name}, line {number} is not an evaluation of `amoba train`") from None
        if not panels or step < last or (judge, step) in met:
            panels.append(Panel(STEPS, {}))
            met.clear()
        last = step
        met.add((judge, step))
        curve = panels[-1].curves.setdefault(judge, Curve([], [], []))
        curve.at.append(step)
        curve.share.append(share)
        curve.ci95.append(ci95)
    if not panels:
        raise ValueError(f"{log.name} has no evaluations")
    joined: list[Panel] = []
    for panel in panels:
        if all(curve.at == [0] for curve in panel.curves.values()):
            if not joined or joined[-1].unit != KNOWN_MOVES:
                joined.append(Panel(KNOWN_MOVES, {}))
            stage = 1 + max((curve.at[-1] for curve in joined[-1].curves.values()), default=0)
            for judge, curve in panel.curves.items():
                whole = joined[-1].curves.setdefault(judge, Curve([], [], []))
                whole.at.append(stage)
                whole.share.extend(curve.share)
                whole.ci95.extend(curve.ci95)
        else:
            joined.append(panel)
    return joined


def _points(line: Mapping[str, Any], players: int) -> tuple[float, list[float]]:
    """The share of points (with more than two players: of games won) and its 95 % interval."""
    counts = np.array([line[name] for name in ("losses", "draws", "wins")], np.int64)
    if counts.min() < 0 or counts.sum() != line["games"] or not counts.sum():
        raise ValueError
    if players == 2:
        return float(counts @ [0, 0.5, 1] / counts.sum()), score_interval(counts)
    share = float(counts[2] / counts.sum())
    return share, [float(end) for end in line["ci95"] or (0, 1)]


if __name__ == "__main__":
    for name in shipped():
        write(Path(sys.argv[1]) / f"{name}-curves.svg", draw(name) + "\n")
