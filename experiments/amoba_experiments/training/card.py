"""The card of a policy, in Markdown: its training and its strength."""

from __future__ import annotations

import shlex
from typing import Any

from amoba_agents.networks.architecture import Architecture
from amoba_experiments.analysis.text_tables import TextTable, markdown_table
from amoba_experiments.training.recipes import Recipe


def card(recipe: Recipe, architecture: Architecture, stages: list[dict[str, Any]], lines: list[dict[str, Any]]) -> str:
    """The card: the recipe, the time of each stage, and the last matches."""
    options = "".join(f" --option {shlex.quote(f'{name}={value}')}" for name, value in recipe.options.items())
    kinds = "seconds", "processor_seconds"
    took = {each["stage"]: [each[kind] for kind in kinds] for each in stages}
    took["all"] = [sum(each[kind] for each in stages) for kind in kinds]
    times = [[name, *map(_minutes, both)] for name, both in took.items()]
    machines = dict.fromkeys(each["machine"] for each in stages)
    cluster = any(each.get("cluster") for each in stages)
    counted = "all threads of this machine, without the games on a cluster" if cluster else "all threads"
    notes = "".join(f"\nAgainst {line['against']}: {note}.\n" for line in lines for note in line.get("notes", ()))
    return f"""# {recipe.game}: a trained policy

The file [policy.onnx](policy.onnx) is a network for {architecture}, written by amoba {architecture.version}.
[evaluations.jsonl](evaluations.jsonl) has the results of all matches on the way.

## Recipe

`amoba train {recipe.game} --recipe recipe.yaml --out DIR{options}`, seed {recipe.seed}.
[recipe.yaml](recipe.yaml) has all settings.

{markdown_table(TextTable(["stage", "minutes", "minutes of processor time"], times))}
Trained with {", then with ".join(machines)}.
The minutes on the clock include other work of the machine. Processor time does not; it adds up {counted}.

## Measured

{played(recipe)} The policy plays its most probable move, one forward pass a move.

{markdown_table(table(lines))}{notes}"""


def played(recipe: Recipe) -> str:
    """The conditions of the last matches."""
    first, last = recipe.seed, recipe.seed + recipe.evaluation.seeds - 1
    begin = (
        f"begin with {recipe.random_plies} random moves, and each opening is played with every order of the seats"
        if recipe.random_plies
        else "begin at the start of the game, and the policy has every seat in turn"
    )
    seeds = f"Seed {first}" if first == last else f"Seeds {first} to {last}"
    players = recipe.rules.players
    even = f" The other player has {players - 1} seats: an equal player would win 1 in {players}."
    return f"Games {begin}. {seeds}.{even if players > 2 else ''}"


def table(lines: list[dict[str, Any]]) -> TextTable:
    """Evaluations as a table."""
    headings = ["against", "games", "won", "95 %", "seed by seed", "lost", "drawn", "points"]
    rows = []
    for line in lines:
        ends = line["ci95"]
        games, draws = line["games"], line["draws"]
        points = (line["wins"] + draws / 2) / games if line["players"] == 2 else None
        rows.append(
            [
                line["against"],
                f"{games:,}",
                f"{100 * line['wins'] / games:.1f} %",
                "unknown" if ends is None else f"{100 * ends[0]:.1f} to {100 * ends[1]:.1f} %",
                ", ".join(f"{100 * share:.1f}" for share in line.get("by_seed", ())),
                f"{100 * line['losses'] / games:.1f} %",
                f"{100 * draws / games:.1f} %",
                "" if points is None else f"{100 * points:.1f} %",
            ]
        )
    return TextTable(headings, rows, (0, 4))


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.1f}"
