"""The strength of networks that learn from their own play, against processor time.

    python -m workshop.growth RUN ... --into docs/results/learning.md

Each RUN is the folder of `amoba train GAME` with a stage `search`; runs of a game have the same recipe and different
seeds. The panel (amoba_experiments.analysis.panel) grades the network of each gate match in a search of SIMULATIONS,
and at the end the policy without a search. Grades stay in RUN/grades.jsonl, so an interrupted command goes on. The
table goes between the marks own-play-GAME of the page, the picture into docs/pictures.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from amoba_env.files import write
from amoba_experiments.analysis.page.charts import Curve, Panel, curves
from amoba_experiments.analysis.panel import elo_text, grade, panel_for
from amoba_experiments.cli.shared import err
from amoba_experiments.cli.studies import put_into
from workshop.ship import recipe_of

SIMULATIONS = 64
GRADES = "grades.jsonl"
PICTURES = Path("docs/pictures")
Grade = dict[str, Any]


def agents(run: Path) -> list[tuple[str, float, str]]:
    """What is graded: its name, the processor minutes until then, and the agent."""
    found, minutes = [], 0.0
    for stage in sorted(run.glob("stages/*/done.json"), key=lambda file: int(file.parent.name.partition("-")[0])):
        done = json.loads(stage.read_text(encoding="utf-8"))
        gates = [line for line in done["evaluations"] if "network" in line]
        for line in [{"network": 0, "steps": 0, "processor_seconds": 0.0}, *gates] if gates else []:
            file = stage.with_name(f"network-{line['network']}.npz")
            agent = f"mcts:{SIMULATIONS},evaluation=learned,values={file},root=halving"
            found.append((f"search, {line['steps']:,} games", line["processor_seconds"] / 60, agent))
        minutes += done["processor_seconds"] / 60
    distilled = any(run.glob("stages/*-distill*"))
    return [*found, ("policy", minutes, f"trained:{run / 'policy.onnx'}")] if distilled else found


def grades(run: Path) -> list[Grade]:
    """The grades of a run; what is missing is played."""
    file, recipe = run / GRADES, recipe_of(run)
    known = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []
    for name, minutes, agent in agents(run):
        if all(each["name"] != name for each in known):
            found = {"name": name, "minutes": minutes, **grade(panel_for(recipe.rules), agent, recipe.threads)}
            err.print(f"{run}: {name}: {elo_text(found)}", markup=False)
            known.append(found)
            write(file, "".join(json.dumps(each) + "\n" for each in known))
    return sorted(known, key=lambda each: float(each["minutes"]))


def table(runs: list[list[Grade]]) -> str:
    """In Markdown: a row for each network, with the means of all seeds and the rating of each."""
    members = list(runs[0][0]["members"])
    head = ["", "processor minutes", "Elo of each seed", *(f"points against {name}" for name in members)]
    rows = [head, ["---", *["--:"] * (len(head) - 1)]]
    for same in zip(*runs, strict=False):
        elo = ", ".join("unknown" if each["elo"] is None else f"{each['elo']:.0f}" for each in same)
        points = [f"{100 * np.mean([each['members'][name]['share'] for each in same]):.1f} %" for name in members]
        rows.append([same[0]["name"], f"{np.mean([each['minutes'] for each in same]):.0f}", elo, *points])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def picture(title: str, runs: dict[int, list[Grade]], players: int) -> str:
    """The points against the whole panel while the networks learn, as SVG."""
    drawn = {}
    for seed, found in runs.items():
        searches = [each for each in found if each["name"] != "policy"]
        at, share, ci95 = zip(
            *((round(each["minutes"]), each["share"], each["ci95"]) for each in searches), strict=True
        )
        drawn[f"seed {seed}"] = Curve(list(at), list(share), list(ci95))
    return curves(title, [Panel("minutes of processor time", drawn)], 1 / players)


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description="Grade what learned from its own play.")
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN")
    parser.add_argument("--into", type=Path, metavar="FILE", help="Put the table into this page.")
    given = parser.parse_args()
    found = {recipe_of(run).seed: grades(run) for run in given.runs}
    recipe = recipe_of(given.runs[0])
    name, game = recipe.game, recipe.rules
    text = table(list(found.values()))
    if given.into is None:
        err.print(text, markup=False, soft_wrap=True)
        return
    file = PICTURES / f"own-play-{name}.svg"
    title = f"{name}: points of a search with {SIMULATIONS} simulations against the panel"
    write(file, picture(title, found, game.players) + "\n")
    link = Path(os.path.relpath(file, given.into.parent)).as_posix()
    put_into(given.into, f"own-play-{name}", f"{text}\n![{title}]({link})\n")


if __name__ == "__main__":
    main()
