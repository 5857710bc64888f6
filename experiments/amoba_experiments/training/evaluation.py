"""How strong a policy in training is: matches against the players that its settings name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from amoba_env import games
from amoba_env.options import Options
from amoba_experiments.analysis.summary import summarize
from amoba_experiments.arena.match import Match
from amoba_experiments.arena.play import play_match

Evaluation = dict[str, Any]  # a line of evaluations.jsonl


class Judged(Protocol):
    """What settings of a training say of its evaluations."""

    @property
    def game(self) -> str:
        """Its name."""

    @property
    def options(self) -> Options:
        """Of the game."""

    @property
    def seed(self) -> int:
        """Of the matches."""

    @property
    def threads(self) -> int:
        """On how many cores they are played."""

    @property
    def random_plies(self) -> int:
        """How many random moves begin each game."""

    @property
    def evaluate_games(self) -> int:
        """How many games a match has."""

    @property
    def evaluate_against(self) -> str:
        """The judges, one or more agents."""


def judge(settings: Judged, policy: Path, where: Evaluation, report: Callable[[Evaluation], None]) -> list[Evaluation]:
    """Let a policy play, on every seat in turn, with each judge on all others; `where` begins the lines."""
    others = games.make_from(settings.game, settings.options).players - 1
    openings = (f"random:{settings.random_plies}",) if settings.random_plies else ()
    lines = []
    for name in settings.evaluate_against.split():
        agents = (f"trained:{policy}", *[name] * others)
        match = Match(
            settings.game,
            agents,
            settings.evaluate_games,
            seed=settings.seed,
            rotate=True,
            options=settings.options,
            openings=openings,
        )
        result = summarize(match, play_match(match, jobs=settings.threads), 0.0)
        wins, lost = result["players"][0]["wins"], sum(row["wins"] for row in result["players"][1:])
        lines.append(
            {
                **where,
                "against": name,
                "games": match.games,
                "wins": wins,
                "losses": lost,
                "draws": match.games - wins - lost,
                "ci95": result["players"][0]["ci95"],
                "mean_reward": (wins - lost / others) / match.games,
            }
        )
        report(lines[-1])
    return lines


def score(lines: list[Evaluation]) -> float:
    """The mean reward, over all judges."""
    return float(np.mean([line["mean_reward"] for line in lines]))


def scores(evaluations: list[Evaluation]) -> Iterator[float]:
    """The mean reward, over all judges, of each step that was evaluated."""
    for step in {line["steps"] for line in evaluations}:
        yield score([line for line in evaluations if line["steps"] == step])
