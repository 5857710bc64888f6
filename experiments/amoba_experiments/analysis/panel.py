"""Grade any agent by a fixed panel of players, from fixed openings: `amoba evaluate`.

    panel = panel_for(games.make("gomoku"))
    grade(panel, "trained")["elo"]

The file panels.json has the panels: the players of a game and their Elo ratings, measured once. Whoever changes a
player, the openings or the games raises VERSION, so that figures of one version can be compared.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from amoba_env import games
from amoba_env.games import Game
from amoba_env.options import Options
from amoba_experiments.analysis.summary import openings_of, seat_points
from amoba_experiments.arena.games import Games
from amoba_experiments.arena.match import Match
from amoba_experiments.arena.workers import Workers
from amoba_experiments.runs.play_match import play_match
from amoba_experiments.statistics.clusters import mean_interval
from amoba_experiments.statistics.sequential import root_of

FILE = Path(__file__).with_name("panels.json")
VERSION = 1
SEED, SEEDS, GAMES = 1000, 3, 360  # of the matches against each player of a panel
LIMIT = 4000.0  # ratings are searched for this far from 0


class Panel(NamedTuple):
    """The players that grade agents of a game."""

    game: str
    options: Options
    openings: str
    elo: dict[str, float]  # of each player; `greedy` has 0

    @property
    def players(self) -> int:
        """Seats of the game."""
        return games.make_from(self.game, self.options).players

    def matches(self, agent: str) -> list[Match]:
        """The matches of an agent against each player of the panel, which takes all other seats."""
        how: dict[str, Any] = {"openings": (self.openings,), "paired": True, "seeds": SEEDS}
        lineups = [(agent, *[member] * (self.players - 1)) for member in self.elo]
        return [Match(self.game, lineup, GAMES, SEED, options=self.options, **how) for lineup in lineups]


@functools.cache
def panels() -> tuple[Panel, ...]:
    """All panels."""
    return tuple(Panel(**each) for each in json.loads(FILE.read_text(encoding="utf-8")))


def panel_for(game: Game) -> Panel:
    """The panel of a game.

    Raises:
        ValueError: it has none.
    """
    for each in panels():
        if games.make_from(each.game, each.options) == game:
            return each
    known = (" ".join([each.game, *(f"{name}={value}" for name, value in each.options.items())]) for each in panels())
    raise ValueError(f"expected a game with a panel: {', '.join(known)}; got {game!r}")


def points_of(match: Match, played: Games) -> np.ndarray:
    """The points of the first agent in each game, float64[G]: a win counts 1, a game without a winner 1 / players."""
    if len(match.agents) == 2:
        by_seat, order = seat_points(played.places), played.seating.argsort(axis=1)
        found: np.ndarray = np.take_along_axis(by_seat, order, axis=1)[:, 0]
        return found
    winner = played.winning_agent
    return np.where(winner < 0, 1 / len(match.agents), winner == 0)


def expected_points(elo: float, others: float, players: int) -> float:
    """The share of the points at these ratings, if all other seats have one rating. (R. D. Luce's choice model.)"""
    return 1 / (1 + (players - 1) * math.exp((others - elo) * math.log(10) / 400))


def elo_for(points: float, panel: Panel) -> float | None:
    """The rating at which this mean share of the points is expected; None: beyond the panel."""

    def missing(elo: float) -> float:
        share = np.mean([expected_points(elo, each, panel.players) for each in panel.elo.values()])
        return float(share) - points

    if missing(-LIMIT) * missing(LIMIT) >= 0:
        return None
    return root_of(missing, -LIMIT, LIMIT)


def grade(
    panel: Panel,
    agent: str,
    jobs: int | Workers | None = None,
    progress: Callable[[int], None] | None = None,
) -> dict[str, Any]:
    """Play all matches of an agent.

    Returns:
        "members": for each player of the panel the points of the agent and their 95 % interval;
        "points", "ci95": the same over all games; "elo", "elo_ci95": the rating for these points, and for the ends of
        the interval (None: beyond the panel); "games".
    """
    matches = [(match, play_match(match, jobs=jobs, progress=progress)) for match in panel.matches(agent)]
    clusters = openings_of(matches)  # all members meet the agent from the same openings
    points = [points_of(match, played) for match, played in matches]
    members = {
        name: {"points": float(each.mean()), "ci95": _inside(mean_interval(each, clusters[: len(each)]))}
        for name, each in zip(panel.elo, points, strict=True)
    }
    together = np.concatenate(points)
    mean, ends = float(together.mean()), _inside(mean_interval(together, clusters))
    return {
        "game": panel.game,
        "options": dict(panel.options),
        "agent": agent,
        "panel": VERSION,
        "members": members,
        "games": len(together),
        "points": mean,
        "ci95": ends,
        "elo": elo_for(mean, panel),
        "elo_ci95": None if ends is None else [elo_for(end, panel) for end in ends],
    }


def _inside(ends: list[float] | None) -> list[float] | None:
    return None if ends is None else [min(1.0, max(0.0, end)) for end in ends]


def elo_text(found: dict[str, Any]) -> str:
    """The rating of a grade with its interval."""
    if found["elo"] is None:
        return "beyond the panel"
    ends = found["elo_ci95"]
    return f"{found['elo']:.0f}" + ("" if ends is None or None in ends else " [{:.0f}, {:.0f}]".format(*ends))


def share_text(row: dict[str, Any]) -> str:
    """The share of the points of a grade, or against one player, with its interval."""
    ends = "" if row["ci95"] is None else " [{:.1f}, {:.1f}]".format(*(100 * end for end in row["ci95"]))
    return f"{100 * row['points']:.1f} %{ends}"


def command_of(found: dict[str, Any]) -> str:
    """The command that makes a grade."""
    options = "".join(f" --option {name}={value}" for name, value in found["options"].items())
    return f"amoba evaluate {found['game']} {found['agent']}{options}"


def line_of(found: dict[str, Any]) -> str:
    """A grade in one line, for a paper."""
    return (
        f"{found['agent']}: Elo {elo_text(found)}, {share_text(found)} of the points in {found['games']:,} games, "
        f"panel {found['panel']} ({command_of(found)})"
    )
