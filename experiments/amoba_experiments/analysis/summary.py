"""What a match says: shares with intervals, means with standard errors, and how much was really seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from amoba_env import games
from amoba_env.core.state import ENDINGS, FORFEITS, MAX_PLIES, NOBODY
from amoba_experiments.arena.games import Games
from amoba_experiments.arena.match import Match
from amoba_experiments.arena.play import has_black
from amoba_experiments.arena.stopping import stopping_summary
from amoba_experiments.statistics.intervals import NORMAL_95, bootstrap_ratio, normal_two_sided, wilson


def share(wins: int, of: int) -> dict[str, Any]:
    """Wins, their share and its 95 % interval (Wilson)."""
    return {"wins": wins, "share": wins / of, "ci95": wilson(wins, of)}


def mean(values: np.ndarray) -> tuple[float, float]:
    """Mean and its standard error (0 for a single value)."""
    error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
    return float(values.mean()), float(error)


def mean_interval(values: np.ndarray, groups: np.ndarray | None = None) -> list[float] | None:
    """The 95 % interval of a mean; None if there is nothing to tell it from.

    Args:
        values: number[G].
        groups: [G]. Values of a group hang together (games of one opening): whole groups are drawn again and again
            (bootstrap, percentiles of 999). Without them the values are independent and many: normal.
    """
    if groups is None:
        average, error = mean(values)
        half = NORMAL_95 * error
        return [average - half, average + half] if len(values) > 1 else None
    _, group, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    if len(sizes) < 2:
        return None
    return bootstrap_ratio(np.bincount(group, weights=values).astype(np.float64), sizes.astype(np.float64))


def effective_size(digests: np.ndarray) -> float:
    """Kish's effective sample size, (sum of n)^2 / sum of n^2 over distinct games: G if none repeats, 1 if all do.

    L. Kish, "Survey Sampling" (1965). Games of players with chance in them repeat without harm where games are short.
    """
    times = np.unique(digests, return_counts=True)[1].astype(float)
    return float(times.sum() ** 2 / (times**2).sum())


def summarize(match: Match, played: Games, seconds: float | None) -> dict[str, Any]:
    """The statistics of a match, ready for JSON.

    A round is one turn of each player; rounds completed are counted, as in the thesis. A forfeit with more than
    two players has no winner and is no draw. Where openings were drawn or given, means have bootstrap intervals over
    distinct openings, and each player's share has one too (`ci95_openings`) beside Wilson's, which takes all games as
    independent. With three players or more, `places` of an agent says how often it was first, second, ...: in halma
    the others are placed by the distance they had left when the first was home. Those who share a place have its best
    number there, and their mean in `place_mean`. `until` is the stopping_summary of arena.stopping, if the match has a
    stopping rule; other intervals ignore it. Where games come from several seeds, `by_seed` has the share of each.
    `seconds` is the time that it took, if known.
    """
    game = games.make_from(match.game, match.options)
    groups = played.opening if match.openings or match.paired else None
    effective = effective_size(played.digest)
    players = len(match.agents)
    count = len(played.status)
    won = played.status >= 0
    winner = np.where(won, played.seating[np.arange(count), np.maximum(played.status, 0)], NOBODY)
    forfeit = np.isin(played.ending, FORFEITS)
    truncated = played.ending == MAX_PLIES
    rounds_mean, rounds_se = mean(played.plies // players)
    plies_mean, plies_se = mean(played.plies)
    incidents = _incidents(played)
    endings, times = np.unique(played.ending, return_counts=True)
    rows = [
        {"agent": agent, **share(int((winner == number).sum()), count)} for number, agent in enumerate(match.agents)
    ]
    if groups is not None:
        for number, row in enumerate(rows):
            row["ci95_openings"] = mean_interval(winner == number, groups)
    if match.seeds > 1:
        seed = match.origin(np.arange(count))[0]
        for number, row in enumerate(rows):
            row["by_seed"] = [float((winner[seed == each] == number).mean()) for each in range(match.seeds)]
    if players > 2:
        for number, row in enumerate(rows):
            row.update(_places(played, number, groups))
    return {
        "game": match.game,
        "options": dict(game.options),
        "games": count,
        "seed": match.seed,
        "seeds": match.seeds,
        "start": match.start,
        "rotate": match.rotate,
        "players": rows,
        "seats": _seats(match, played, winner),
        "draws": int((~won & ~truncated & ~forfeit).sum()),
        "truncated": int(truncated.sum()),
        "forfeits": int(forfeit.sum()),
        "endings": {ENDINGS[ending] or "agreed": n for ending, n in zip(endings.tolist(), times.tolist(), strict=True)},
        "first_mover": share(int((played.status == played.starter).sum()), count),
        "first_mover_seats": [
            {
                "seat": seat,
                "games": int(began.sum()),
                **share(int((played.status[began] == seat).sum()), int(began.sum())),
            }
            for seat in range(players)
            if (began := played.starter == seat).any()
        ],
        "black": share(int((played.status == played.black).sum()), count) if has_black(game) else None,
        "rounds_mean": rounds_mean,
        "rounds_se": rounds_se,
        "rounds_ci95": mean_interval(played.plies // players, groups),
        "plies_mean": plies_mean,
        "plies_se": plies_se,
        "plies_ci95": mean_interval(played.plies, groups),
        "openings": None if groups is None else len(np.unique(groups)),
        "paired": match.paired,
        "until": stopping_summary(match, played) if match.until else None,
        "distinct_games": len(np.unique(played.digest)),
        "effective_games": round(effective, 1),
        "incidents": incidents,
        "warnings": [*([REPEATED] if effective < count / 2 else []), *_told(incidents)],
        "seconds": None if seconds is None else round(seconds, 3),
    }


MOST_TOLD = 10  # incidents among the warnings
REPEATED = (
    "games repeat: where players leave nothing to chance, copies say nothing new and the intervals are too narrow; "
    "draw openings (--openings random:4)"
)


def _incidents(played: Games) -> list[dict[str, Any]]:
    """What agents reported, the most frequent first: in how many games, and in which first."""
    texts, first, times = np.unique(played.incident, return_index=True, return_counts=True)
    rows = zip(texts.tolist(), times.tolist(), first.tolist(), strict=True)
    found = [{"what": text, "games": number, "first": index} for text, number, index in rows if text]
    return sorted(found, key=lambda row: -row["games"])


def _told(incidents: list[dict[str, Any]]) -> list[str]:
    lines = [f"{row['what']} ({row['games']:,} games, first {row['first']})" for row in incidents]
    more = len(lines) - MOST_TOLD
    return lines if more <= 0 else [*lines[:MOST_TOLD], f"{more:,} more kinds of incidents, see --json"]


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


def shared_places(places: np.ndarray) -> np.ndarray:
    """Places [G, players] in which those who share some take the mean of them: 1 2 2 becomes 1 2.5 2.5."""
    shared: np.ndarray = places + ((places[:, :, None] == places[:, None, :]).sum(axis=2) - 1) / 2
    return shared


def _places(played: Games, number: int, groups: np.ndarray | None) -> dict[str, Any]:
    """How often an agent had each place, and its mean place."""
    seat = (played.seating == number).argmax(axis=1)
    games = np.arange(len(seat))
    had = np.bincount(played.places[games, seat] - 1, minlength=played.places.shape[1])
    values = shared_places(played.places)[games, seat]
    average, error = mean(values)
    counted = [share(int(times), len(seat)) for times in had]
    return {
        "places": [
            {"place": place, "games": each["wins"], "share": each["share"], "ci95": each["ci95"]}
            for place, each in enumerate(counted, 1)
        ],
        "place_mean": average,
        "place_se": error,
        "place_ci95": mean_interval(values, groups),
    }


def share_difference(wins: int, of: int, other_wins: int, other_of: int) -> dict[str, Any]:
    """The difference of two independent shares and its 95 % interval, from their Wilson intervals.

    R. G. Newcombe, "Interval estimation for the difference between independent proportions", Statistics in Medicine
    17 (1998), method 10.
    """
    one, other = share(wins, of), share(other_wins, other_of)
    off = one["share"] - other["share"]
    (low, high), (other_low, other_high) = one["ci95"], other["ci95"]
    below = np.hypot(one["share"] - low, other_high - other["share"])
    above = np.hypot(high - one["share"], other["share"] - other_low)
    return {"share": off, "ci95": [float(off - below), float(off + above)]}


def mean_differs(value: float, error: float, other: float, other_error: float, rounding: float) -> float:
    """The p-value of two means being the same; `rounding` is half the last digit of a published one."""
    off = max(0.0, abs(value - other) - rounding)
    return normal_two_sided(off / float(np.hypot(error, other_error)))


def spread(by_seed: list[float]) -> str:
    """The least and the greatest share of the seeds as text: "88.1 to 92.1 %"."""
    return f"{100 * min(by_seed):.1f} to {100 * max(by_seed):.1f} %"


def seeds_text(result: Mapping[str, Any]) -> str:
    """Which seeds: "seed 0", "seeds 0 to 2"."""
    seed, seeds = result["seed"], result.get("seeds", 1)
    return f"seed {seed}" if seeds == 1 else f"seeds {seed} to {seed + seeds - 1}"


def percent(part: Mapping[str, Any]) -> str:
    """A share as text: "33.4 % [32.5, 34.3]"."""
    low, high = part["ci95"]
    return f"{100 * part['share']:.1f} % [{100 * low:.1f}, {100 * high:.1f}]"
