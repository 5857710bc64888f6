"""What a match says: shares with intervals, means with standard errors, and how much was really seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import stats

from amoba_env import games
from amoba_env.core.state import ENDINGS, FORFEITS, MAX_PLIES, NOBODY
from experiments.arena import Games, Match


def share(wins: int, of: int) -> dict[str, Any]:
    """Wins, their share and its 95 % interval (Wilson)."""
    interval = stats.binomtest(wins, of).proportion_ci(method="wilson")
    return {"wins": wins, "share": wins / of, "ci95": [float(interval.low), float(interval.high)]}


def mean(values: np.ndarray) -> tuple[float, float]:
    """Mean and its standard error (0 for a single value)."""
    error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
    return float(values.mean()), float(error)


def summarize(match: Match, played: Games, seconds: float) -> dict[str, Any]:
    """The statistics of a match, ready for JSON.

    A round is one turn of each player; rounds completed are counted, as in the thesis. A forfeit with more than
    two players has no winner and is no draw.
    """
    players = len(match.agents)
    count = len(played.status)
    won = played.status >= 0
    winner = np.where(won, played.seating[np.arange(count), np.maximum(played.status, 0)], NOBODY)
    forfeit = np.isin(played.ending, FORFEITS)
    truncated = played.ending == MAX_PLIES
    rounds_mean, rounds_se = mean(played.plies // players)
    plies_mean, plies_se = mean(played.plies)
    endings, times = np.unique(played.ending, return_counts=True)
    return {
        "game": match.game,
        "options": dict(games.make_from(match.game, match.options).options),
        "games": count,
        "seed": match.seed,
        "start": match.start,
        "rotate": match.rotate,
        "players": [
            {"agent": agent, **share(int((winner == number).sum()), count)} for number, agent in enumerate(match.agents)
        ],
        "seats": _seats(match, played, winner),
        "draws": int((~won & ~truncated & ~forfeit).sum()),
        "truncated": int(truncated.sum()),
        "forfeits": int(forfeit.sum()),
        "endings": {ENDINGS[ending]: n for ending, n in zip(endings.tolist(), times.tolist(), strict=True)},
        "first_mover": share(int((played.status == played.starter).sum()), count),
        "rounds_mean": rounds_mean,
        "rounds_se": rounds_se,
        "plies_mean": plies_mean,
        "plies_se": plies_se,
        "distinct_games": len(np.unique(played.digest)),
        "seconds": round(seconds, 3),
    }


def _seats(match: Match, played: Games, winner: np.ndarray) -> list[dict[str, Any]]:
    """Wins of each agent on each seat that it sat on."""
    rows = []
    for seat in range(len(match.agents)):
        for number, agent in enumerate(match.agents):
            here = played.seating[:, seat] == number
            if here.any():
                wins = int((here & (winner == number)).sum())
                rows.append({"seat": seat, "agent": agent, "games": int(here.sum()), **share(wins, int(here.sum()))})
    return rows


def differs(wins: int, of: int, other_wins: int, other_of: int) -> float:
    """The p-value of two shares being the same (chi-squared test of the 2x2 table)."""
    table = [[wins, of - wins], [other_wins, other_of - other_wins]]
    return float(stats.chi2_contingency(table, correction=False).pvalue)


def mean_differs(value: float, error: float, other: float, other_error: float, rounding: float) -> float:
    """The p-value of two means being the same; `rounding` is half the last digit of a published one."""
    off = max(0.0, abs(value - other) - rounding)
    return float(2 * stats.norm.sf(off / np.hypot(error, other_error)))


def percent(part: Mapping[str, Any]) -> str:
    """A share as text: "33.4 % [32.5, 34.3]"."""
    low, high = part["ci95"]
    return f"{100 * part['share']:.1f} % [{100 * low:.1f}, {100 * high:.1f}]"
