"""The tables of options and columns in these pages: `python docs/option_tables.py` rewrites them from the code.

A table stands between `<!-- options of NAME -->` and `<!-- end -->`. NAME is a player, `recipe`, `study`, `study_game`,
a part of a recipe, whose docstring stands there too, `levels`: the players behind them, or columns: `study_columns` of
the tables of a study, `game_columns` of games on disk, `room_columns` of games on a server.
"""

import inspect
import re
from pathlib import Path

from amoba_agents import AGENTS
from amoba_agents.players.levels import LEVELS
from amoba_env import options
from amoba_experiments.arena import games
from amoba_experiments.training.recipes import GROUPS, PLAIN, Recipe
from amoba_experiments.training.settings import STAGES
from amoba_experiments.web import archive
from amoba_experiments.web.study import Study, StudyGame
from amoba_experiments.web.study_tables import TABLES

STUDY = {"study": Study, "study_game": StudyGame}
GAMES = {"game_columns": games.COLUMNS, "room_columns": archive.COLUMNS}
TABLE = re.compile(r"(<!-- options of (\w+) -->\n).*?(<!-- end -->)", re.S)


def with_tables(page: str) -> str:
    """The text of a page with its tables as the code has them."""
    return TABLE.sub(lambda found: f"{found[1]}\n{_made(found[2])}\n{found[3]}", page)


def _made(name: str) -> str:
    if name == "recipe":
        return options.table({key: options.parameters(Recipe)[key] for key in PLAIN})
    if name in STUDY:
        return options.table(options.parameters(STUDY[name]))
    if name in GAMES:
        rows = [f"| `{column}` | `{each.kind}` | {each.says} |" for column, each in GAMES[name].items()]
        return "\n".join(["| column | type | meaning |", "|---|---|---|", *rows, ""])
    if name == "study_columns":
        return _columns()
    if name == "levels":
        return _levels()
    kind = (GROUPS | STAGES).get(name)
    table = options.table(options.parameters(kind or AGENTS.function(name)))
    return f"{inspect.getdoc(kind)}\n\n{table}" if kind else table


def _columns() -> str:
    """The columns of a study, which of its tables have them, and what they mean."""
    lines = ["| column | in | meaning |", "|---|---|---|"]
    for name, column in {key: each for columns in TABLES.values() for key, each in columns.items()}.items():
        tables = ", ".join(table for table, columns in TABLES.items() if name in columns)
        lines.append(f"| `{name}` | {tables} | {column.says} |")
    return "\n".join(lines) + "\n"


def _levels() -> str:
    """The players behind the levels."""
    lines = [["level", *LEVELS], ["--:", *("---" for _ in LEVELS)]]
    rows = enumerate(zip(*LEVELS.values(), strict=True), 1)
    lines += [[str(level), *(each.name for each in row)] for level, row in rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    for file in Path(__file__).parent.rglob("*.md"):
        text = file.read_text(encoding="utf-8")
        if text != (made := with_tables(text)):
            file.write_text(made, encoding="utf-8")
