"""The curves of the programs in one file, experiments/clients/ppo.py and alphazero.py, with several seeds.

    python -m workshop.one_file --into docs/results/learning.md

The points of each run stay in --out, so an interrupted command goes on.
"""

from __future__ import annotations

import argparse
import hashlib
import inspect
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from amoba_env.files import write
from amoba_experiments.analysis.page.charts import Axes, Curve, curves
from amoba_experiments.analysis.text_tables import TextTable, markdown_table, print_table
from amoba_experiments.bench import machine
from amoba_experiments.cli.errors import exit_code
from amoba_experiments.cli.shared import out
from amoba_experiments.cli.studies import check_marks, put_into
from amoba_experiments.studies.section import SEEDS
from clients import alphazero, ppo
from workshop import PICTURES

NAME = "one-file"


class Program(NamedTuple):
    """What is run."""

    title: str
    minutes: int
    main: Callable[[float, int], list[float]]  # minutes, seed -> points on the way


PROGRAMS = {
    "ppo": Program("PPO, tic-tac-toe", 1, lambda minutes, seed: ppo.main(minutes=minutes, seed=seed)),
    "alphazero": Program("AlphaZero, tic-tac-toe", 1, lambda minutes, seed: alphazero.main(minutes=minutes, seed=seed)),
    "alphazero-gomoku": Program(
        "AlphaZero, gomoku 7x7", 5, lambda minutes, seed: alphazero.main("gomoku", ("size=7",), minutes, seed)
    ),
}


def run(name: str, seed: int, folder: Path) -> list[float]:
    """The points of a program against `greedy` at equal distances of its time.

    Runs in the folder are not repeated, if they are of the same programs, minutes and processor.
    """
    file, program = folder / f"{name}-{seed}.json", PROGRAMS[name]
    code = hashlib.sha256("".join(map(inspect.getsource, (alphazero, ppo))).encode()).hexdigest()[:12]
    key = {"minutes": program.minutes, "processor": machine()["processor"], "code": code}
    known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    if known.get("key") != key:
        program.main(1e-3, seed)  # compiles
        known = {"key": key, "points": program.main(program.minutes, seed)}
        folder.mkdir(parents=True, exist_ok=True)
        write(file, json.dumps(known) + "\n")
    found: list[float] = known["points"]
    return found


def table(found: dict[str, list[list[float]]]) -> TextTable:
    """The points of all seeds half way and at the end."""

    def shares(runs: list[list[float]], part: float) -> str:
        return ", ".join(f"{100 * points[round(part * len(points)) - 1]:.0f}" for points in runs) + " %"

    head = ["program", "minutes", "points at half time", "at the end"]
    rows = [
        [program.title, str(program.minutes), shares(found[name], 1 / 2), shares(found[name], 1)]
        for name, program in PROGRAMS.items()
        if name in found
    ]
    return TextTable(head, rows)


def picture(found: dict[str, list[list[float]]]) -> str:
    """The mean points of the seeds, from the lowest to the highest, as SVG."""
    panels = []
    for name, program in PROGRAMS.items():
        points = np.array(found[name])
        at = [round(100 * (mark + 1) / points.shape[1]) for mark in range(points.shape[1])]
        spans = np.stack([points.min(0), points.max(0)], 1).tolist()
        panels.append(Axes(program.title, {"against greedy": Curve(at, points.mean(0).tolist(), spans)}))
    return curves("points after this many percent of the time", panels, 1 / 2)


def main() -> None:
    """Run what is missing; write the table and the picture."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=PROGRAMS, help="run only these, and print their points")
    parser.add_argument("--seeds", nargs="+", type=int, default=list(range(SEEDS)))
    parser.add_argument("--out", type=Path, default=Path("runs/one-file"), help="folder of the runs")
    parser.add_argument("--into", type=Path, help="put the table into this document, and the picture beside the others")
    given = parser.parse_args()
    if given.into is not None and not given.only:
        check_marks(given.into, NAME)
    found = {name: [run(name, seed, given.out) for seed in given.seeds] for name in given.only or PROGRAMS}
    if given.into is None or given.only:
        print_table(table(found), out)
    else:
        file = PICTURES / f"{NAME}.svg"
        write(file, picture(found) + "\n")
        link = Path(os.path.relpath(file, given.into.parent)).as_posix()
        put_into(given.into, NAME, f"{markdown_table(table(found))}\n![Points of the programs in one file]({link})\n")


if __name__ == "__main__":
    sys.exit(exit_code(main))
