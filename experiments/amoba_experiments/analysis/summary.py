"""The statistics of a match: shares with intervals, means with standard errors, and the number of distinct games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from amoba_env.core import endings as en
from amoba_experiments.analysis.illegal import illegal_moves
from amoba_experiments.analysis.openings import game_clusters
from amoba_experiments.arena.games import ENDINGS, TIME, Games, has_black
from amoba_experiments.arena.match import Match
from amoba_experiments.arena.stopping import stopping_summary
from amoba_experiments.statistics.clusters import FEWEST, mean_interval, share_interval, share_p_value, standard_error
from amoba_experiments.statistics.sequential import elo_of


def effective_size(digests: np.ndarray) -> float:
    """Kish's effective sample size, (sum of n)^2 / sum of n^2 over distinct games: G if none repeats, 1 if all do.

    L. Kish, "Survey Sampling" (1965). If players draw their moves at random, short games may repeat without harm.
    """
    times = np.unique(digests, return_counts=True)[1].astype(float)
    return float(times.sum() ** 2 / (times**2).sum())


def summarize(match: Match, played: Games, seconds: float | None = None) -> dict[str, Any]:
    """The statistics of a match, ready for JSON.

    A round is one turn of each player; completed rounds are counted, as in the thesis. A forfeit with more than two
    players has no winner and is not a draw. `seats`, `colors` and `began` have a row for each agent on each seat, with
    each colour (null where colours do not matter), and where it moved first or not.

    In intervals and standard errors each opening is one observation (without openings each game, or group of paired
    games), see game_clusters. An interval is null for fewer than FEWEST observations, a standard error for one.

    A game gives 1 point for the first place and 0 for the last, with even steps between. With two players, an agent has
    `points` (also in `seats`, `colors` and `began`), and `comparison` has the first agent's Elo difference to the
    second, with its interval and the p-value of no difference. With three players or more, `places` of an agent says
    how often it was first, second, and so on. In halma the losers are placed by the distance that they had left. For a
    shared place `places` counts the best of the shared numbers, and `place_mean` their mean.

    `until` is the result of arena.stopping.stopping_summary, if the match has a stopping rule; other intervals ignore
    that rule. If games come from several seeds, `by_seed` of an agent has its share of the wins seed by seed, and
    `by_seed` of its `points` the share of the points. Both are null for a seed that has no games yet.
    `seconds`: the playing time, if known.

    Raises:
        ValueError: there are no games, or more, or with other seats, than the match has.
    """
    count, seats_of = played.seating.shape
    if not 1 <= count <= match.games or seats_of != len(match.agents) or played.index.max() >= match.games:
        given = f"{count:,} with {seats_of} seats"
        raise ValueError(
            f"expected games of the match, up to {match.games:,} with {len(match.agents)} seats, got {given}"
        )
    game = match.rules
    clusters = game_clusters(match, played)
    over_openings = bool(match.openings) or match.paired
    winner = played.winning_agent
    points = seat_points(played.places)
    seats = np.arange(len(match.agents))
    colors = np.where(seats == played.black[:, None], *game.colors[:2])
    rows = _players(match, played, winner, clusters)
    comparison = _compare(match, rows, winner, points, played, clusters) if len(match.agents) == 2 else None
    effective = effective_size(played.digest)
    incidents = _incidents(played)
    count_of = len(np.unique(clusters))
    unsure = [few(over_openings)] if count_of < FEWEST else []
    if match.until and count_of < count // match.orders:
        unsure.append(UNTIL_REPEATS)
    return {
        "game": match.game,
        "options": dict(game.options),
        "games": count,
        "seed": match.seed,
        "seeds": match.seeds,
        "start": match.start,
        "rotate": match.rotate,
        "players": rows,
        "comparison": comparison,
        "seats": _split(match, played, points, clusters, "seat", seats),
        "colors": _split(match, played, points, clusters, "color", colors) if has_black(game) else None,
        "began": _split(match, played, points, clusters, "began", seats == played.starter[:, None]),
        **_endings(played),
        **_first_movers(played, points, clusters),
        "black": wins_of(played.winner == played.black, clusters) if has_black(game) else None,
        **_length("rounds", played.plies // len(match.agents), clusters),
        **_length("plies", played.plies, clusters),
        "openings": len(np.unique(played.opening)) if over_openings else None,
        "clusters": count_of,
        "paired": match.paired,
        "until": stopping_summary(match, played) if match.until else None,
        "distinct_games": len(np.unique(played.digest)),
        "effective_games": round(effective, 1),
        "incidents": incidents,
        "warnings": [
            *([REPEATED] if effective < count / 2 else []),
            *unsure,
            *illegal_moves([(match.agents, played)]),
            *_incident_lines(incidents),
        ],
        "seconds": None if seconds is None else round(seconds, 3),
    }


def _players(match: Match, played: Games, winner: np.ndarray, clusters: np.ndarray) -> list[dict[str, Any]]:
    """A row for each agent: its share of wins with intervals, by seed, and its places among three or more."""
    rows = []
    for number, agent in enumerate(match.agents):
        won = winner == number
        row = {"agent": agent, **wins_of(won, clusters)}
        if match.seeds > 1:
            row["by_seed"] = _by_seed(match, played, won)
        if len(match.agents) > 2:
            row.update(_places(played, number, clusters))
        rows.append(row)
    return rows


def wins_of(won: np.ndarray, clusters: np.ndarray) -> dict[str, Any]:
    """The number of games that were won, their share and its 95 % interval."""
    return {"wins": int(won.sum()), "share": float(won.mean()), "ci95": share_interval(won, clusters)}


def _by_seed(match: Match, played: Games, values: np.ndarray) -> list[float | None]:
    """The mean of `values`, one for each game, by seed; None for a seed that has no games yet."""
    seed = match.origin(played.index)[0]
    own = [values[seed == each] for each in range(match.seeds)]
    return [float(each.mean()) if each.size else None for each in own]


def _endings(played: Games) -> dict[str, Any]:
    """The number of games without a winner, and the endings."""
    forfeit, truncated = np.isin(played.ending, (*en.FORFEITS, TIME)), played.ending == en.MAX_PLIES
    endings, times = np.unique(played.ending, return_counts=True)
    return {
        "draws": int(((played.winner < 0) & ~truncated & ~forfeit).sum()),
        "truncated": int(truncated.sum()),
        "forfeits": int(forfeit.sum()),
        "endings": {ENDINGS[ending]: n for ending, n in zip(endings.tolist(), times.tolist(), strict=True)},
    }


def _first_movers(played: Games, points: np.ndarray, clusters: np.ndarray) -> dict[str, Any]:
    """The wins and points of the players who moved first: in all games, and by the seat that moved first."""
    count, seats = points.shape
    return {
        "first_mover": wins_of(played.winner == played.starter, clusters),
        "first_mover_points": _points(points[np.arange(count), played.starter], clusters),
        "first_mover_seats": [
            {
                "seat": seat,
                "games": int(began.sum()),
                **wins_of(played.winner[began] == seat, clusters[began]),
                **({"points": _points(points[began, seat], clusters[began])} if seats == 2 else {}),
            }
            for seat in range(seats)
            if (began := played.starter == seat).any()
        ],
    }


def _length(unit: str, lengths: np.ndarray, clusters: np.ndarray) -> dict[str, Any]:
    """The mean length of games in a unit, with its standard error and interval."""
    return {
        f"{unit}_mean": float(lengths.mean()),
        f"{unit}_se": standard_error(lengths, clusters),
        f"{unit}_ci95": mean_interval(lengths, clusters),
    }


MOST_INCIDENTS = 10  # kinds of incidents among the warnings
REPEATED = (
    "games repeat: players without randomness play the same game again, which adds no evidence, so the intervals are "
    "too narrow; random openings, such as random:4, make games differ"
)
UNTIL_REPEATS = (
    "openings repeat, but the stopping rule counts each game, or pair of games, as a new one; "
    "--openings random:4 draws new ones"
)


def few(openings: bool) -> str:
    """The warning that there are too few games for intervals."""
    return f"fewer than {FEWEST} {'openings' if openings else 'games'}: too few for an interval"


def _compare(
    match: Match,
    rows: list[dict[str, Any]],
    winner: np.ndarray,
    points: np.ndarray,
    played: Games,
    clusters: np.ndarray,
) -> dict[str, Any]:
    """Add draws, losses and points to the rows of two players; return how the first compares with the second."""
    count = len(winner)
    for number, row in enumerate(rows):
        seat = (played.seating == number).argmax(axis=1)
        row["losses"] = int((winner == 1 - number).sum())
        row["draws"] = count - row["wins"] - row["losses"]
        own = points[np.arange(count), seat]
        row["points"] = _points(own, clusters)
        if match.seeds > 1:
            row["points"]["by_seed"] = _by_seed(match, played, own)
    found = rows[0]["points"]
    ends = found["ci95"]
    return {
        "elo": elo_of(found["share"]),
        "elo_ci95": None if ends is None else [elo_of(end) for end in ends],
        "p": found["p"],
    }


def _points(values: np.ndarray, clusters: np.ndarray) -> dict[str, Any]:
    """Points, their share with its 95 % interval, and the p-value of a true share of one half."""
    return {
        "points": float(values.sum()),
        "share": float(values.mean()),
        "ci95": share_interval(values, clusters),
        "p": share_p_value(values, clusters, 0.5),
    }


def _incidents(played: Games) -> list[dict[str, Any]]:
    """The incidents that agents reported, the most frequent first: the number of games, and the first game."""
    texts, first, times = np.unique(played.incident, return_index=True, return_counts=True)
    rows = zip(texts.tolist(), times.tolist(), played.index[first].tolist(), strict=True)
    found = [{"what": text, "games": number, "first": index} for text, number, index in rows if text]
    return sorted(found, key=lambda row: -row["games"])


def _incident_lines(incidents: list[dict[str, Any]]) -> list[str]:
    lines = [f"{row['what']} ({row['games']:,} games, first {row['first']})" for row in incidents]
    more = len(lines) - MOST_INCIDENTS
    return lines if more <= 0 else [*lines[:MOST_INCIDENTS], f"{more:,} more kinds of incidents, see --json"]


def _split(
    match: Match, played: Games, points: np.ndarray, clusters: np.ndarray, name: str, values: np.ndarray
) -> list[dict[str, Any]]:
    """The results of each agent, split by a value that each seat has, [players] or [G, players], such as its number."""
    rows = []
    for value in np.unique(values).tolist():
        for number, agent in enumerate(match.agents):
            game, seat = np.nonzero((played.seating == number) & (values == value))
            if game.size:
                found = wins_of(played.winner[game] == seat, clusters[game])
                if len(match.agents) == 2:
                    found["points"] = _points(points[game, seat], clusters[game])
                rows.append({name: value, "agent": agent, "games": game.size, **found})
    return rows


def shared_places(places: np.ndarray) -> np.ndarray:
    """Places [G, players] in which shared places are replaced by their mean: 1 2 2 becomes 1 2.5 2.5."""
    shared: np.ndarray = places + ((places[:, :, None] == places[:, None, :]).sum(axis=2) - 1) / 2
    return shared


def seat_points(places: np.ndarray) -> np.ndarray:
    """Points [G, players] of seats: 1 for the first place, 0 for the last, even steps between; shared places: means."""
    points: np.ndarray = (places.shape[1] - shared_places(places)) / (places.shape[1] - 1)
    return points


def agent_points(played: Games) -> np.ndarray:
    """The points [G, players] of seat_points, in the order of the match's agents."""
    points: np.ndarray = np.take_along_axis(seat_points(played.places), played.seating.argsort(axis=1), axis=1)
    return points


def _places(played: Games, number: int, clusters: np.ndarray) -> dict[str, Any]:
    """How often an agent had each place, with intervals, and its mean place."""
    game, seats = np.arange(len(played.winner)), played.places.shape[1]
    seat = (played.seating == number).argmax(axis=1)
    places, values = played.places[game, seat], shared_places(played.places)[game, seat]
    points = share_interval(seat_points(played.places)[game, seat], clusters)
    found = [wins_of(places == place, clusters) for place in range(1, seats + 1)]
    return {
        "places": [
            {"place": place, "games": each["wins"], "share": each["share"], "ci95": each["ci95"]}
            for place, each in enumerate(found, 1)
        ],
        "place_mean": float(values.mean()),
        "place_se": standard_error(values, clusters),
        "place_ci95": None if points is None else [seats - end * (seats - 1) for end in reversed(points)],
    }


def points_of(row: Mapping[str, Any]) -> tuple[float, list[float] | None]:
    """The share of the points of an agent in summarize(), and its 95 % interval, for any number of players."""
    if "points" in row:
        return row["points"]["share"], row["points"]["ci95"]
    seats, ends = len(row["places"]), row["place_ci95"]
    found = [(seats - place) / (seats - 1) for place in (row["place_mean"], *reversed(ends or ()))]
    return found[0], found[1:] or None


def difference_interval(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[float] | None:
    """The 95 % interval of the difference of two independent figures, "share", from their intervals, "ci95".

    None if one of these is unknown.

    R. G. Newcombe, "Interval estimation for the difference between independent proportions", Statistics in Medicine
    17 (1998), method 10.
    """
    if one["ci95"] is None or other["ci95"] is None:
        return None
    off = one["share"] - other["share"]
    (low, high), (other_low, other_high) = one["ci95"], other["ci95"]
    below = np.hypot(one["share"] - low, other_high - other["share"])
    above = np.hypot(high - one["share"], other["share"] - other_low)
    return [float(off - below), float(off + above)]


def range_of_seeds(by_seed: Sequence[float | None]) -> str:
    """The least and the greatest share of the seeds that have games as text: "88.1 to 92.1 %"."""
    shares = [100 * share for share in by_seed if share is not None]
    return f"{min(shares):.1f} to {max(shares):.1f} %"


def seeds_text(result: Mapping[str, Any]) -> str:
    """Which seeds: "seed 0", "seeds 0 to 2"."""
    seed, seeds = result["seed"], result.get("seeds", 1)
    return f"seed {seed}" if seeds == 1 else f"seeds {seed} to {seed + seeds - 1}"


def shown(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """The main figure of an agent: points with two players, wins with more. It has "share" and "ci95"."""
    points = row.get("points")
    return points if isinstance(points, Mapping) else row


def percent(row: Mapping[str, Any]) -> str:
    """A share and its interval as text: "33.4 % [32.5, 34.3]"; of an agent of a match, what the tables show."""
    return " ".join(share_cells(shown(row)))


def share_cells(row: Mapping[str, Any]) -> tuple[str, str]:
    """A share and its interval as text."""
    return percent_text(row["share"]), interval_text(row["ci95"])


def percent_text(share: float) -> str:
    """A share as text: "33.4 %"."""
    return f"{100 * share:.1f} %"


def interval_text(ci95: Sequence[float] | None, form: str = "{:.1f}", scale: float = 100) -> str:
    """An interval as text, by default that of a share: "[32.5, 34.3]"."""
    return "unknown" if ci95 is None else f"[{', '.join(form.format(scale * end) for end in ci95)}]"


def points_text(points: float) -> str:
    """Points as they are written: 61½."""
    whole, part = divmod(points, 1)
    if part == 0.5:
        return f"{whole:,.0f}½" if whole else "½"
    return f"{whole:,.0f}" if not part else f"{points:,.2f}"
