"""How often 95 % intervals hold the truth, in simulated matches and tournaments.

The value of a player in a game is its strength, what the opening gives its seat, and chance (a Gumbel variable each, so
that without openings the models of Bradley and Terry and of Plackett and Luce are exact). Values decide the places; two
players whose values are close draw. The truth is what the same players have after very many openings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, permutations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_experiments.analysis.summary import seat_points
from amoba_experiments.analysis.tournament import certainty, ratings
from amoba_experiments.statistics.clusters import FEWEST, share_interval
from amoba_experiments.studies.section import Cell, Table

QUESTION = "How often do 95 % intervals hold the truth?"
OPENINGS = (2, 4, 10, 20, 50)  # of a pairing
TIMES = 500  # simulated tournaments of each kind
MATCHES = 8  # times as many matches, which have one interval each
TRUTH = 4000  # openings of a pairing that stand for very many


class Scenario(NamedTuple):
    """Who plays."""

    name: str
    elo: tuple[float, ...]  # of each player
    favour: float = 0.0  # standard deviation of what an opening gives a seat, in Elo
    margin: float = 0.0  # values that are closer are a draw, in Elo
    seats: int = 2


class Simulated(NamedTuple):
    """Games of all pairings, each opening in every order of the seats."""

    lineups: NDArray[np.int_]  # [G, seats]
    places: NDArray[np.int_]  # [G, seats]
    strata: NDArray[np.int_]  # [G] the pairing
    clusters: NDArray[np.int_]  # [G] the opening


SCENARIOS = (
    Scenario("a match of two equal players, many draws", (0, 0), 0, 200),
    Scenario("a match of two players, 200 Elo apart", (100, -100), 100, 50),
    Scenario("a match where openings favour a side", (50, -50), 400, 20),
    Scenario("a tournament of 4 equal players", (0, 0, 0, 0), 0, 50),
    Scenario("a tournament of 4, 500 Elo from first to last", (250, 50, -50, -250), 100, 100),
    Scenario("a tournament of 10, 500 Elo from first to last", tuple(np.linspace(250, -250, 10)), 100, 100),
    Scenario("a tournament of 4 in games of three", (150, 50, -50, -150), 100, 0, 3),
)


def simulate(what: Scenario, openings: int, rng: np.random.Generator) -> Simulated:
    """Play so many openings of each pairing."""
    orders = np.array(list(permutations(range(what.seats))))
    pairings = np.array(list(combinations(range(len(what.elo)), what.seats)))
    shape = (len(pairings), openings, len(orders), what.seats)
    lineups = np.broadcast_to(pairings[:, orders][:, None], shape)
    given = rng.normal(0, what.favour, (len(pairings), openings, 1, what.seats))
    values = np.array(what.elo, float)[lineups] + given + ratings.ELO * rng.gumbel(size=shape)
    places = (-values).argsort(axis=-1).argsort(axis=-1) + 1
    if what.margin:
        places[np.abs(values[..., 0] - values[..., 1]) < what.margin] = 1
    opening = np.arange(len(pairings) * openings).repeat(len(orders))
    return Simulated(lineups.reshape(-1, what.seats), places.reshape(-1, what.seats), opening // openings, opening)


def intervals(what: Scenario, games: Simulated) -> list[tuple[list[float] | None, list[float] | None]]:
    """The intervals of each player's share of points and of its rating, as `amoba match` or `tournament` give them."""
    points, match = seat_points(games.places), len(what.elo) == what.seats
    found = None if match else ratings.rate(len(what.elo), *games)
    rows = []
    for agent in range(1 if match else len(what.elo)):
        game, seat = np.nonzero(games.lineups == agent)
        fewest = FEWEST if match else certainty.FEWEST
        share = share_interval(points[game, seat], games.clusters[game], games.strata[game], fewest)
        rows.append((share, None if found is None else certainty.interval(found, agent)))
    return rows


def measure(what: Scenario, openings: int, times: int, rng: np.random.Generator) -> dict[str, Cell]:
    """How often the intervals hold the truth, in so many simulations of a scenario."""
    match = len(what.elo) == what.seats
    large = simulate(what, TRUTH, rng)
    points = seat_points(large.places)
    shares = [float(points[large.lineups == agent].mean()) for agent in range(len(what.elo))]
    elo = ratings.rate(len(what.elo), *large).elo
    held, shown = np.zeros(2, int), np.zeros(2, int)
    for _ in range(times * MATCHES if match else times):
        found = intervals(what, simulate(what, openings, rng))
        for agent, (share, rating) in enumerate(found):
            for i, (ends, truth) in enumerate(((share, shares[agent]), (rating, float(elo[agent])))):
                if ends is not None:
                    shown[i] += 1
                    held[i] += ends[0] <= truth <= ends[1]
    texts = [
        f"{100 * one / of:.1f} %" if of else "none shown" for one, of in zip(held.tolist(), shown.tolist(), strict=True)
    ]
    return {"simulated": what.name, "openings": openings, "points": texts[0], "Elo": texts[0] if match else texts[1]}


def coverage(
    times: int = TIMES,
    seed: int = 0,
    openings: Sequence[int] = OPENINGS,
    progress: Callable[[int], None] = lambda count: None,
) -> dict[str, Any]:
    """Simulate all scenarios; the result is as of section.play_section, ready for JSON."""
    rows: list[dict[str, Cell]] = []
    for number, what in enumerate(SCENARIOS):
        for count in openings:
            rows.append(measure(what, count, times, np.random.default_rng([seed, number, count])))
            progress(times)
    note = (
        f"Openings are of each pairing. Each row has {MATCHES * times:,} simulated matches or {times:,} tournaments, "
        "and counts all intervals of their players. "
        f"A match with fewer than {FEWEST} openings shows no interval. A tournament shows none for a player with fewer "
        f"than {certainty.FEWEST} openings in all of its pairings."
    )
    return {
        "section": "table",
        "question": QUESTION,
        "games": times,
        "seed": seed,
        "seeds": 1,
        "notes": [],
        "tables": [Table("Intervals that hold the truth", rows, note)._asdict()],
        "warnings": [],
    }
