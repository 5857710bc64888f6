"""Rate the players of each panel against each other, see amoba_experiments.analysis.panel; grade agents of the package.

    python -m workshop.panels rate                                  # writes panels.json
    python -m workshop.panels grade --into docs/results/panel.md

Ratings come from a round robin from the openings of the panel. For a new player or panel write it into panels.json with
a rating of 0 and run `rate`. Change VERSION in that module if a player, the openings or the games change.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from amoba_env.files import write
from amoba_experiments.analysis.match_text import game_text
from amoba_experiments.analysis.panel import (
    FILE,
    GAMES,
    SEED,
    SEEDS,
    Panel,
    command_of,
    counted,
    elo_text,
    grade,
    panels,
)
from amoba_experiments.analysis.summary import percent
from amoba_experiments.analysis.text_tables import TextTable, markdown_table, print_table
from amoba_experiments.analysis.tournament import Tournament, play_tournament, summarize
from amoba_experiments.cli.errors import exit_code
from amoba_experiments.cli.progress import progress_bar
from amoba_experiments.cli.shared import err
from amoba_experiments.cli.studies import check_marks, put_into

AGENTS = {  # that are graded, by the game and its options
    "gomoku": ("trained", "mcts:64,evaluation=learned", "mcts:400,evaluation=learned"),
    "gomoku size=15": ("trained", "mcts:64,evaluation=learned"),
    "renju": ("trained", "mcts:64,evaluation=learned"),
    "halma players=3": ("trained", "mcts:100,evaluation=learned,c=1", "endgame:nodes=2000"),
    "halma players=2": ("trained", "mcts:100,evaluation=learned,c=1"),
    "chinese_checkers players=2": ("trained", "mcts:64,evaluation=learned"),
}


def rate() -> None:
    """Write panels.json: the same panels with new ratings."""
    found = []
    for panel in panels():
        game, options, openings, players = panel.game, panel.options, panel.openings, tuple(panel.elo)
        what = Tournament(game, players, games=GAMES, seed=SEED, seeds=SEEDS, options=options, openings=(openings,))
        with progress_bar(err, "games") as bar:
            task = bar.add_task(f"{game} {options}", total=len(what.lineups) * what.games)
            result = summarize(what, play_tournament(what, progress=lambda count, task=task: bar.advance(task, count)))  # type: ignore[misc]
        elo = {row["agent"]: row["elo"] for row in result["standings"]}
        rated = {name: round(elo[name] - elo["greedy"], 1) for name in players}
        found.append({"game": game, "options": options, "openings": openings, "elo": rated})
    write(FILE, json.dumps(found, indent=2) + "\n")


def section(panel: Panel, agents: tuple[str, ...]) -> tuple[str, TextTable]:
    """The grades of agents and the ratings of the panel: a heading and a table."""
    title = game_text(panel.game, panel.options)
    rows = [["the panel", "", "", *(f"{elo:.0f} Elo" for elo in panel.elo.values())]]
    for agent in agents:
        found = grade(panel, agent)
        err.print(command_of(found), markup=False)
        members = [percent(row) for row in found["members"].values()]
        rows.append([f"`{agent}`", elo_text(found), percent(found), *members])
    return title, TextTable(
        [
            "agent",
            "Elo",
            counted({"game": panel.game, "options": panel.options}),
            *(f"against {name}" for name in panel.elo),
        ],
        rows,
    )


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description="Rate the players of each panel, or grade agents by the panels.")
    parser.add_argument("what", choices=("rate", "grade"))
    parser.add_argument("--into", type=Path, metavar="FILE", help="Put the grades into this page.")
    given = parser.parse_args()
    if given.what == "rate":
        rate()
        return
    if given.into is not None:
        check_marks(given.into, "panel")
    sections = [section(panel, AGENTS.get(game_text(panel.game, panel.options), ())) for panel in panels()]
    if given.into is not None:
        text = "\n".join(f"## {title}\n\n{markdown_table(table)}" for title, table in sections)
        put_into(given.into, "panel", text)
        return
    for title, table in sections:
        print_table(table._replace(title=title), err)


if __name__ == "__main__":
    sys.exit(exit_code(main))
