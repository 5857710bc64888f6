"""The stages of a recipe, in words."""

from __future__ import annotations

from pathlib import Path

from amoba_experiments.analysis.text_tables import TextTable
from amoba_experiments.training.job import DONE
from amoba_experiments.training.recipes import Recipe
from amoba_experiments.training.settings import Distill, Group, Imitate, Play, Search, Supervised
from amoba_experiments.training.train import chosen_network


def outline(recipe: Recipe, folder: Path | None = None) -> TextTable:
    """The stages of a recipe as a table; stages that are done in the folder are marked."""
    rows = [["network", str(chosen_network(recipe)[0])]]
    for number, stage in enumerate(recipe.stages):
        done = folder is not None and (folder / recipe.folder(number) / DONE).exists()
        rows.append([stage.name, "already done" if done else _does(stage.settings)])
    chosen = recipe.evaluation
    rows.append(["final", f"{chosen.final_games:,} games against each of {', '.join(chosen.against)}"])
    return TextTable(["stage", "does"], rows, (0, 1))


def _passes(settings: Supervised) -> str:
    return f"{settings.passes} pass{'es' if settings.passes > 1 else ''}"


def _does(settings: Group) -> str:
    if isinstance(settings, Play):
        return f"{settings.steps:,} moves of all seats"
    if isinstance(settings, Search):
        return f"{settings.iterations:,} times {settings.games:,} games against itself with a search"
    if isinstance(settings, Distill):
        own, there = (f"{settings.games:,} games against itself, ", "there and ") if settings.games else ("", "")
        last = f"in the last {settings.iterations:,} iterations"
        return f"{own}{_passes(settings)} over what the search found {there}{last}"
    assert isinstance(settings, Imitate)
    if settings.runs:
        return f"{_passes(settings)} over the games in {settings.runs}"
    return f"{settings.games:,} games of {', '.join(settings.players or (settings.teacher,))}, {_passes(settings)}"
