"""The stages of a recipe, in words."""

from __future__ import annotations

from pathlib import Path

from amoba_experiments.analysis.text_tables import TextTable
from amoba_experiments.training.job import DONE
from amoba_experiments.training.recipes import Recipe
from amoba_experiments.training.train import chosen_network


def outline(recipe: Recipe, folder: Path | None = None) -> TextTable:
    """The stages of a recipe as a table; stages that are done in the folder are marked."""
    rows = [["network", str(chosen_network(recipe)[0])]]
    for number, stage in enumerate(recipe.stages):
        done = folder is not None and (folder / recipe.folders[number] / DONE).exists()
        rows.append([stage.name, "already done" if done else stage.settings.does()])
    chosen = recipe.evaluation
    each = "" if len(chosen.against) == 1 else "each of "
    rows.append(["final", f"{chosen.final_games:,} games against {each}{', '.join(chosen.against)}"])
    return TextTable(["stage", "does"], rows, (0, 1))
