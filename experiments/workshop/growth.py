"""The strength of networks that learn from their own play, against processor time.

    python -m workshop.growth NAME RUN ... --into docs/results/growth.md

Each RUN is the folder of `amoba train GAME` with a stage `search` or `play`; runs of a game have the same recipe and
different seeds. The panel (amoba_experiments.analysis.panel) grades the network of each gate match in a search of
SIMULATIONS, and the policy without a search after each stage that trains it. Grades stay in RUN/grades.jsonl, so an
interrupted command goes on. The table goes between the marks growth-NAME of the page, the picture into docs/pictures.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from amoba_env.files import write
from amoba_env.games import make_from
from amoba_experiments.analysis.page.charts import Axes, Curve, curves
from amoba_experiments.analysis.panel import VERSION, counted, elo_text, grade, panel_for
from amoba_experiments.analysis.text_tables import TextTable, markdown_table, print_table
from amoba_experiments.cli.errors import exit_code
from amoba_experiments.cli.shared import err
from amoba_experiments.cli.studies import check_marks, put_into
from amoba_experiments.training.job import DONE, POLICY
from amoba_experiments.training.recipes import Recipe
from amoba_experiments.training.search_play import NETWORK_OF
from workshop import PICTURES
from workshop.ship import recipe_of

SIMULATIONS = 64
SEARCHING = f"mcts:{SIMULATIONS},evaluation=learned,values={{}},root=halving"
SEARCH, ALONE = "search", "policy"  # what the names begin with
GRADES = "grades.jsonl"
Grade = dict[str, Any]


class Graded(NamedTuple):
    """What is graded."""

    name: str
    minutes: float  # of processor time until then
    file: str  # of the network, in the folder of the run
    agent: str


def graded(run: Path, recipe: Recipe) -> list[Graded]:
    """The networks of a run's recipe, in order. Stages of an earlier recipe in the same folder are left out."""
    found, before = list[Graded](), 0.0

    def add(name: str, seconds: float, file: str, agent: str) -> None:
        found.append(Graded(name, seconds / 60, file, agent.format(run / file)))

    for number, stage in enumerate(recipe.stages):
        folder = recipe.folders[number]
        if not (run / folder / DONE).exists():
            break
        done = json.loads((run / folder / DONE).read_text(encoding="utf-8"))
        gates = [line for line in done["evaluations"] if "network" in line]
        for line in [{"network": 0, "steps": 0, "processor_seconds": before}, *gates] if gates else []:
            file = f"{folder}/{NETWORK_OF.format(line['network'])}"
            add(f"{SEARCH}, {line['steps']:,} games", line["processor_seconds"], file, SEARCHING)
        before += done["processor_seconds"]
        if stage.trains_policy:
            add(f"{ALONE}, after {stage.name}", before, f"{folder}/{POLICY}", "trained:{}")
    return found


def grades(run: Path) -> list[Grade]:
    """The grades of a run; what is missing is played. ValueError if the run has nothing to grade."""
    file, recipe = run / GRADES, recipe_of(run)
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    known = {each["file"]: each for each in map(json.loads, lines) if each.get("panel") == VERSION}
    options = {name: value for name, value in recipe.options.items() if name != "max_plies"}  # a panel has its own
    panel = panel_for(make_from(recipe.game, options))
    chosen = graded(run, recipe)
    if not chosen:
        raise ValueError(f"{run}: expected a run whose first stage is done, by the recipe in its folder")
    for each in chosen:
        if each.file not in known:
            found = {"name": each.name, "minutes": each.minutes, "file": each.file}
            known[each.file] = {**found, **grade(panel, each.agent, recipe.threads)}
            err.print(f"{run}: {each.name}: {elo_text(known[each.file])}", markup=False)
            write(file, "".join(json.dumps(one) + "\n" for one in known.values()))
    return [known[each.file] for each in chosen]


def table(runs: list[list[Grade]], counted: str) -> TextTable:
    """A row for each network of the longest run, with the means of the seeds that have it and the rating of each."""
    members = list(runs[0][0]["members"])
    headings = ["", "processor minutes", "Elo of each seed", *(f"{counted} against {name}" for name in members)]
    rows = []
    for name in [each["name"] for each in max(runs, key=len)]:
        same = [each for run in runs for each in run if each["name"] == name]
        elo = ", ".join("unknown" if each["elo"] is None else f"{each['elo']:.0f}" for each in same)
        points = [f"{100 * np.mean([each['members'][other]['share'] for each in same]):.1f} %" for other in members]
        rows.append([name, f"{np.mean([each['minutes'] for each in same]):.0f}", elo, *points])
    return TextTable(headings, rows)


def picture(title: str, runs: dict[int, list[Grade]], players: int) -> str:
    """The points against the whole panel while the networks and the policies learn, as SVG."""
    drawn = {}
    for seed, found in runs.items():
        for kind in (SEARCH, ALONE):
            part = [each for each in found if each["name"].startswith(kind)]
            if part:
                rows = [(round(each["minutes"]), each["share"], each["ci95"]) for each in part]
                at, share, ci95 = zip(*rows, strict=True)
                drawn[f"{kind}, seed {seed}"] = Curve(list(at), list(share), list(ci95))
    return curves(title, [Axes("minutes of processor time", drawn)], 1 / players)


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description="Grade the networks and policies of self-play runs.")
    parser.add_argument("name", help="What the table and the picture are called, such as gomoku.")
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN")
    parser.add_argument("--into", type=Path, metavar="FILE", help="Put the table into this page.")
    given = parser.parse_args()
    recipes, name = [recipe_of(run) for run in given.runs], f"growth-{given.name}"
    seeds = [recipe.seed for recipe in recipes]
    if len(set(seeds)) < len(seeds):
        raise ValueError(f"expected runs of different seeds, got the seeds {', '.join(map(str, seeds))}")
    if given.into is not None:
        check_marks(given.into, name)
    found = {seed: grades(run) for seed, run in zip(seeds, given.runs, strict=True)}
    recipe, what = recipes[0], counted({"game": recipes[0].game, "options": recipes[0].options})
    rows = table(list(found.values()), what)
    if given.into is None:
        print_table(rows, err)
        return
    file, title = PICTURES / f"{name}.svg", f"{given.name}: {what} against the panel"
    write(file, picture(title, found, recipe.rules.players) + "\n")
    link = Path(os.path.relpath(file, given.into.parent)).as_posix()
    put_into(given.into, name, f"{markdown_table(rows)}\n![{title}]({link})\n")


if __name__ == "__main__":
    sys.exit(exit_code(main))
