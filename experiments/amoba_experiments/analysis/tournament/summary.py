"""The results of a tournament, ready for JSON: standings, the cross table, ratings, and each pairing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_experiments.analysis.illegal import illegal_moves
from amoba_experiments.analysis.openings import openings_of
from amoba_experiments.analysis.summary import REPEATED, effective_size, seat_points
from amoba_experiments.analysis.tournament import ratings
from amoba_experiments.analysis.tournament.certainty import FEWEST_OPENINGS, Certainty
from amoba_experiments.analysis.tournament.play_tournament import Encounter, Lineup, Tournament, run_name
from amoba_experiments.arena.games import Games
from amoba_experiments.arena.match import Match
from amoba_experiments.statistics.clusters import share_interval


def summarize(tournament: Tournament, matches: Sequence[Encounter], seconds: float | None = None) -> dict[str, Any]:
    """The statistics of a tournament that was played.

    A game gives 1 point for the first place and 0 for the last, with even steps between. Agents that share places get
    the mean of their points (two players: 1, a half, 0). Intervals are of 95 % and count openings; without openings
    they count pairs of games, or else games. An agent with fewer than FEWEST_OPENINGS of them has no interval (null).

    Returns:
        A dict with the settings of the tournament, and
        "standings": for each agent, best first: points, games (seats that it had in games), share (and the share for
            each seed), wins, mean place, Elo with an interval, and the likelihood of superiority over the next agent
            (null: unknown);
        "cross": `[i][j]`, agents in the order of the standings: how often i was placed before j ("ahead"; a half if
            they shared a place) of this many times ("of"); null if they did not meet;
        "pairings": agents, points, games, how many of them were distinct, the seed, the folder;
        "ratings": the model, its zero, and the groups of agents that it cannot compare, the strongest first.
    """
    names = tournament.names
    data = gather([(each.lineup, each.match, each.played) for each in matches])
    rated = ratings.rate(len(names), data.lineups, data.places, data.strata, data.clusters)
    sure = Certainty(rated)
    table = _standings(tournament, data, rated, sure)
    numbers = [row["number"] - 1 for row in table]
    unsure = [name for agent, name in enumerate(names) if not sure.can_tell(agent)]
    repeats = sum(effective_size(each.played.digest) for each in matches) < len(data.lineups) / 2
    return {
        "game": tournament.game,
        "options": dict(tournament.rules.options),
        "format": tournament.format,
        "agents": list(names),
        "games": tournament.games,
        "seed": tournament.seed,
        "seeds": tournament.seeds,
        "openings": list(tournament.openings),
        "paired": tournament.in_pairs,
        "standings": table,
        "cross": [[_ahead(data, one, other) for other in numbers] for one in numbers],
        "pairings": [_pairing(tournament, each) for each in matches],
        "ratings": {
            "model": "Bradley-Terry" if tournament.seats == 2 else "Plackett-Luce",
            "unit": "Elo",
            "zero": _zero(rated, names),
            "groups": ratings.groups_by_name(rated, names),
        },
        "games_played": len(data.lineups),
        "warnings": [
            *([REPEATED] if repeats else []),
            *([_few(unsure, len(table), tournament.openings)] if unsure else []),
            *illegal_moves([([names[agent] for agent in each.lineup], each.played) for each in matches]),
        ],
        "seconds": None if seconds is None else round(seconds, 3),
    }


class AllGames(NamedTuple):
    """The games of several matches, one row for each."""

    lineups: NDArray[np.int_]  # [G, seats] the agent on each seat
    places: NDArray[np.int_]  # [G, seats] of each seat, 1 is best
    strata: NDArray[np.int64]  # [G] games with the same number have the same lineup
    clusters: NDArray[np.int64]  # [G] games with the same number depend on each other
    seeds: NDArray[np.int64]  # [G] which of the seeds, from 0


def gather(matches: Sequence[tuple[Lineup, Match, Games]]) -> AllGames:
    """The games of matches; a lineup has the number of each agent of its match."""
    return AllGames(
        lineups=np.concatenate([np.array(lineup)[played.seating] for lineup, _, played in matches]),
        places=np.concatenate([played.places for *_, played in matches]),
        strata=np.repeat(np.arange(len(matches)), [len(played.index) for *_, played in matches]),
        clusters=openings_of([(match, played) for _, match, played in matches]),
        seeds=np.concatenate([match.origin(played.index)[0] for _, match, played in matches]),
    )


def _standings(tournament: Tournament, data: AllGames, rated: ratings.Ratings, sure: Certainty) -> list[dict[str, Any]]:
    """A row for each agent, the highest rating first."""
    rows: list[dict[str, Any]] = []
    points = seat_points(data.places)
    for agent, name in enumerate(tournament.names):
        game, seat = np.nonzero(data.lineups == agent)
        own, places = points[game, seat], data.places[game]
        rows.append(
            {
                "agent": name,
                "number": agent + 1,
                "points": float(own.sum()),
                "games": len(own),
                "share": float(own.mean()),
                "ci95": share_interval(own, data.clusters[game], data.strata[game], FEWEST_OPENINGS),
                "by_seed": [float(own[data.seeds[game] == seed].mean()) for seed in range(tournament.seeds)],
                "wins": int(((places == 1).sum(axis=1) == 1)[data.places[game, seat] == 1].sum()),
                "place_mean": float(places.shape[1] - own.mean() * (places.shape[1] - 1)),
                "elo": float(rated.elo[agent]),
                "elo_ci95": sure.interval(agent),
            }
        )
    table = sorted(rows, key=lambda row: (-row["elo"], row["number"]))
    for row, below in zip(table, [*table[1:], None], strict=True):
        other = None if below is None else below["number"] - 1
        row["superiority"] = None if other is None else sure.superiority(row["number"] - 1, other)
    return table


def _zero(rated: ratings.Ratings, names: Sequence[str]) -> str:
    """The agents whose mean rating is 0, in words."""
    *others, last = (names[agent] for agent in rated.groups[0])
    if not others or len(rated.groups) == 1:
        return "mean of all agents"
    return f"mean of {', '.join(others)} and {last}"


def _few(unsure: Sequence[str], count: int, openings: Sequence[str]) -> str:
    who = "nobody has" if len(unsure) >= count else f"{', '.join(unsure)} {'lacks' if len(unsure) == 1 else 'lack'}"
    given = openings and not any(text.startswith("random") for text in openings) and len(openings) < FEWEST_OPENINGS
    what = "give more openings (--openings)" if given else "play more games (--games)"
    return f"{who} the {FEWEST_OPENINGS} openings that an interval needs, two or more of them in each pairing: {what}"


def ahead_of(data: AllGames, one: int, other: int) -> tuple[NDArray[np.float64], NDArray[np.int_]]:
    """In each game: how often a seat of one agent was placed before one of another, a half for the same place; and the
    number of such pairs of seats. [G], [G].
    """
    lineups, places = data.lineups, data.places
    pairs = (lineups == one)[:, :, None] & (lineups == other)[:, None, :] & (one != other)
    ahead = (places[:, :, None] < places[:, None, :]) + (places[:, :, None] == places[:, None, :]) / 2
    return (ahead * pairs).sum(axis=(1, 2)), pairs.sum(axis=(1, 2))


def _ahead(data: AllGames, one: int, other: int) -> dict[str, float] | None:
    """How often one agent was placed before another, see summarize(); None if they did not meet."""
    ahead, of = (each.sum() for each in ahead_of(data, one, other))
    return {"ahead": float(ahead), "of": int(of)} if of else None


def _pairing(tournament: Tournament, each: Encounter) -> dict[str, Any]:
    """The row of a pairing."""
    digests = each.played.digest
    return {
        "agents": [tournament.names[agent] for agent in each.lineup],
        "points": each.points.sum(axis=0).tolist(),
        "games": len(digests),
        "distinct_games": len(np.unique(digests)),
        "seed": each.match.seed,
        "run": run_name(each.lineup),
    }
