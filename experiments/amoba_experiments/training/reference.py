"""The page docs/training/settings.md, made from the settings themselves.

python -m amoba_experiments.training.reference > docs/training/settings.md
"""

from __future__ import annotations

import inspect

from amoba_env import options
from amoba_experiments.training.recipes import PLAIN, Recipe
from amoba_experiments.training.settings import STAGES, Evaluation, Group, Network

BEGIN = """# Settings of a recipe

This page is made from the code: `python -m amoba_experiments.training.reference > docs/training/settings.md`.

`--set STAGE.SETTING=VALUE` changes a setting, such as `--set play.steps=100000` or `--set network.layers=4`. The second
stage of a kind has a number: `--set correct-2.games=500`. Lists have brackets: `--set play.opponents=[random, greedy]`.
Unknown settings and impossible values are refused before anything starts.

## The run

`game`, `options` and `stages` are the game, its options (`--option NAME=VALUE` changes one) and the list of stages.

"""


def page() -> str:
    """The whole page."""
    run = options.table({name: options.parameters(Recipe)[name] for name in PLAIN})
    groups: dict[str, type[Group]] = {"network": Network, "evaluation": Evaluation, **STAGES}
    return BEGIN + run + "".join(f"\n{_section(name, kind)}" for name, kind in groups.items())


def _section(name: str, kind: type[Group]) -> str:
    title, *rest = (inspect.getdoc(kind) or "").split("\n\n")
    lines = [f"## `{name}`", "", title.replace("\n", " "), ""]
    lines += [part for paragraph in rest for part in (paragraph, "")]
    return "\n".join(lines) + "\n" + options.table(options.parameters(kind))


if __name__ == "__main__":
    print(page(), end="")
