"""Rate the players of each panel against each other and write panels.json, see amoba_experiments.analysis.panel.

    python -m workshop.panels

A round robin from the openings of the panel. Change VERSION there if a player, the openings or the games change.
"""

from __future__ import annotations

import json
from typing import Any

from amoba_experiments.analysis.panel import FILE, SEED, SEEDS
from amoba_experiments.analysis.tournament import Tournament, play_tournament, summarize
from amoba_experiments.cli.progress import progress_bar
from amoba_experiments.cli.shared import err

STONES = ("greedy", "lookahead:2", "alphabeta:nodes=200", "alphabeta:nodes=2000")
GAMES = 360  # of a pairing
PANELS: list[dict[str, Any]] = [
    {"game": "gomoku", "options": {}, "openings": "random:4", "players": STONES},
    {"game": "gomoku", "options": {"size": 15}, "openings": "random:4", "players": STONES},
    {"game": "renju", "options": {}, "openings": "random:4", "players": STONES},
    {
        "game": "halma",
        "options": {"players": 3},
        "openings": "random:6",
        "players": ("greedy", "lookahead:2", "robust", "brs:4", "mcts:100"),
    },
    {
        "game": "halma",
        "options": {"players": 2},
        "openings": "random:4",
        "players": ("greedy", "lookahead:2", "maxn:3", "brs:4", "mcts:100"),
    },
    {
        "game": "chinese_checkers",
        "options": {"players": 2},
        "openings": "random:4",
        "players": ("greedy", "lookahead:2", "brs:2"),
    },
]


def main() -> None:
    """See the module."""
    found = []
    for each in PANELS:
        game, options, openings, players = (each[name] for name in ("game", "options", "openings", "players"))
        what = Tournament(game, players, games=GAMES, seed=SEED, seeds=SEEDS, options=options, openings=(openings,))
        with progress_bar(err, "games") as bar:
            task = bar.add_task(f"{game} {options}", total=what.pairings * what.games)
            result = summarize(what, *play_tournament(what, progress=lambda count, task=task: bar.advance(task, count)))  # type: ignore[misc]
        elo = {row["agent"]: row["elo"] for row in result["standings"]}
        rated = {name: round(elo[name] - elo["greedy"], 1) for name in players}
        found.append({"game": game, "options": options, "openings": openings, "elo": rated})
        FILE.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
