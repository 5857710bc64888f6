"""The page docs/training/settings.md, made from the settings themselves.

python -m amoba_experiments.training.reference > docs/training/settings.md
"""

from __future__ import annotations

import inspect
import types
from dataclasses import fields
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from amoba_experiments.training.settings import STAGES, Evaluation, Group, Network

BEGIN = """# Settings of a recipe

This page is made from the code: `python -m amoba_experiments.training.reference > docs/training/settings.md`.

`--set STAGE.SETTING=VALUE` changes a setting, such as `--set play.steps=100000` or `--set network.layers=4`. The second
stage of a kind has a number: `--set correct-2.games=500`. Lists have brackets: `--set play.opponents=[random, greedy]`.
Unknown settings and impossible values are refused before anything starts.

## The run

| setting | default | meaning |
|---|---|---|
| `game`, `options` | | the game; `--option NAME=VALUE` changes an option of the game |
| `stages` | | the list of stages |
| `seed` | `0` | seed of everything that is drawn |
| `random_plies` | `0` | this many random moves begin each game, in training and in evaluations |
| `threads` | `1` | for games and for learning; more are faster on an idle machine, and much slower on a busy one |
| `device` | `auto` | where the network learns: `cpu`, `cuda`, `cuda:1`; `auto`: the GPU if there is one |
"""


def page() -> str:
    """The whole page."""
    groups: dict[str, type[Group]] = {"network": Network, "evaluation": Evaluation, **STAGES}
    return BEGIN + "".join(f"\n{_section(name, kind)}" for name, kind in groups.items())


def _section(name: str, kind: type[Group]) -> str:
    title, *rest = (inspect.getdoc(kind) or "").split("\n\n")
    lines = [f"## `{name}`", "", title.replace("\n", " "), ""]
    lines += [part for paragraph in rest for part in (paragraph, "")]
    lines += ["| setting | default | possible | meaning |", "|---|---|---|---|"]
    hints = get_type_hints(kind)
    for each in fields(kind):
        possible = _possible(hints[each.name], each.metadata.get("limits"))
        lines.append(f"| `{each.name}` | {_shown(each.default)} | {possible} | {each.metadata['means']} |")
    return "\n".join(lines) + "\n"


def _shown(value: Any) -> str:
    if value in (None, "", ()):
        return ""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return f"`[{', '.join(value)}]`"
    return f"`{value:g}`" if isinstance(value, float) else f"`{value}`"


def _possible(kind: Any, limits: tuple[float, float] | None) -> str:
    if get_origin(kind) in (types.UnionType, Union):
        return _possible(get_args(kind)[0], limits)
    if get_origin(kind) is Literal:
        return ", ".join(f"`{value}`" for value in get_args(kind))
    if limits is not None:
        return f"{limits[0]:,g} to {limits[1]:,g}" if kind is float else f"{limits[0]:,} to {limits[1]:,}"
    return {bool: "`true`, `false`", str: "a text"}.get(kind, "a list of texts")


if __name__ == "__main__":
    print(page(), end="")
