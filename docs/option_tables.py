"""The tables of options in these pages: `python docs/option_tables.py` writes them anew from the code.

A table stands between `<!-- options of NAME -->` and `<!-- end -->`. NAME is a player, `recipe`, or a part of a recipe,
whose docstring stands there too.
"""

import inspect
import re
from pathlib import Path

from amoba_agents.registry import factory_of
from amoba_env import options
from amoba_experiments.training.recipes import GROUPS, PLAIN, Recipe
from amoba_experiments.training.settings import STAGES

TABLE = re.compile(r"(<!-- options of (\w+) -->\n).*?(<!-- end -->)", re.S)


def with_tables(page: str) -> str:
    """The text of a page with its tables as the code has them."""
    return TABLE.sub(lambda found: f"{found[1]}\n{_made(found[2])}\n{found[3]}", page)


def _made(name: str) -> str:
    if name == "recipe":
        return options.table({key: options.parameters(Recipe)[key] for key in PLAIN})
    kind = (GROUPS | STAGES).get(name)
    table = options.table(options.parameters(kind or factory_of(name)))
    return f"{inspect.getdoc(kind)}\n\n{table}" if kind else table


if __name__ == "__main__":
    for file in Path(__file__).parent.rglob("*.md"):
        text = file.read_text(encoding="utf-8")
        if text != (made := with_tables(text)):
            file.write_text(made, encoding="utf-8")
