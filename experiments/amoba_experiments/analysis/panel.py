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
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from amoba_env import games
from amoba_env.games import Game
from amoba_env.options import Options
from amoba_experiments.analysis.match_text import game_text
from amoba_experiments.analysis.openings import openings_of
from amoba_experiments.analysis.summary import agent_points, percent
from amoba_experiments.arena.games import Games
from amoba_experiments.arena.match import Match
from amoba_experiments.arena.workers import Workers
from amoba_experiments.runs.play_match import play_match
from amoba_experiments.statistics.clusters import share_interval
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
    def rules(self) -> Game:
        """The game with its options."""
        return games.make_from(self.game, self.options)

    def matches(self, agent: str) -> list[Match]:
        """The matches of an agent against each player of the panel, which takes all other seats."""
        how: dict[str, Any] = {"openings": (self.openings,), "paired": True, "seeds": SEEDS}
        lineups = [(agent, *[member] * (self.rules.players - 1)) for member in self.elo]
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
        if each.rules == game:
            return each
    known = (game_text(each.game, each.options) for each in panels())
    raise ValueError(f"expected a game with a panel: {', '.join(known)}; got {game_text(game.name, game.options)}")


def shares(played: Games) -> np.ndarray:
    """The share of the first agent in each game, float64[G]: its points; of three players or more whether it won, and
    1 / players if nobody did.
    """
    players, winner = played.places.shape[1], played.winning_agent
    found: np.ndarray = agent_points(played)[:, 0]
    return found if players == 2 else np.where(winner < 0, 1 / players, winner == 0)


def expected_share(elo: float, others: float, players: int) -> float:
    """The share to expect at these ratings, if all other seats have one rating. (R. D. Luce's choice model.)"""
    return 1 / (1 + (players - 1) * math.exp((others - elo) * math.log(10) / 400))


def elo_for(share: float, panel: Panel) -> float | None:
    """The rating at which this mean share is expected; None: beyond the panel."""
    players = panel.rules.players

    def missing(elo: float) -> float:
        return sum(expected_share(elo, each, players) - share for each in panel.elo.values())

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
        "members": for each player of the panel the "share" of the agent, see shares(), and its interval "ci95";
        "share", "ci95": the same over all games; "elo", "elo_ci95": the rating for this share, and for the ends of its
        interval (None: beyond the panel); "games", "panel": the version; "game", "options", "agent".
    """
    matches = [(match, play_match(match, jobs=jobs, progress=progress)) for match in panel.matches(agent)]
    clusters = openings_of(matches)  # all members meet the agent from the same openings
    each = [shares(played) for _, played in matches]
    rows = [_row(values, clusters[: len(values)]) for values in each]
    members = np.repeat(np.arange(len(each)), [len(values) for values in each])
    found = _row(np.concatenate(each), clusters, members)
    ends = found["ci95"]
    return {
        "game": panel.game,
        "options": dict(panel.options),
        "agent": agent,
        "panel": VERSION,
        "members": dict(zip(panel.elo, rows, strict=True)),
        "games": len(clusters),
        **found,
        "elo": elo_for(found["share"], panel),
        "elo_ci95": None if ends is None else [elo_for(end, panel) for end in ends],
    }


def _row(values: np.ndarray, clusters: np.ndarray, strata: np.ndarray | None = None) -> dict[str, Any]:
    return {"share": float(values.mean()), "ci95": share_interval(values, clusters, strata)}


def elo_text(found: dict[str, Any]) -> str:
    """The rating of a grade with its interval."""
    if found["elo"] is None:
        return f"{'above' if found['share'] > 0.5 else 'below'} the panel"
    if (ends := found["elo_ci95"]) is None:
        return f"{round(found['elo'])}"
    return f"{round(found['elo'])} [{', '.join('beyond' if end is None else f'{round(end)}' for end in ends)}]"


def command_of(found: dict[str, Any]) -> str:
    """The command that makes a grade."""
    options = "".join(f" --option {shlex.quote(f'{name}={value}')}" for name, value in found["options"].items())
    return f"amoba evaluate {found['game']} {shlex.quote(found['agent'])}{options}"


def counted(found: dict[str, Any]) -> str:
    """What the shares of a grade are of, see shares()."""
    return "points" if games.make_from(found["game"], found["options"]).players == 2 else "wins"


def line_of(found: dict[str, Any]) -> str:
    """A grade in one line, for a paper."""
    return (
        f"{found['agent']}: Elo {elo_text(found)}, {percent(found)} of the {counted(found)} "
        f"in {found['games']:,} games, panel {found['panel']} ({command_of(found)})"
    )
