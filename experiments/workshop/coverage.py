"""How often 95 % intervals contain the true value, in simulated matches and tournaments.

    python -m workshop.coverage --into docs/results/coverage.md

The value of a player in a game is the sum of its strength, the advantage of its seat in the opening, and chance. Chance
is a Gumbel variable, so that without openings the models of Bradley and Terry and of Plackett and Luce are exact.
Values decide the places; two players with close values draw. The first seat begins. The true value is the result of the
same players after very many openings.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, permutations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_experiments.analysis.summary import seat_points
from amoba_experiments.analysis.tournament import certainty, ratings
from amoba_experiments.cli.errors import exit_code
from amoba_experiments.cli.progress import progress_bar
from amoba_experiments.cli.shared import err, out
from amoba_experiments.cli.studies import check_marks, put_into, write_tables
from amoba_experiments.statistics.clusters import FEWEST, share_interval
from amoba_experiments.studies.section import Cell, Table, markdown, print_section

QUESTION = "How often do 95 % intervals contain the true value?"
OPENING_COUNTS = (2, 4, 10, 20, 50)  # of a pairing
DECISIVE = (3, 4, 5, 6, 8)  # expected decisive games of a match with few of them
TIMES = 500  # simulated tournaments of each kind
MATCHES = 8  # matches for each tournament, since a match has one interval of each kind
TRUTH = 4000  # openings of a pairing for the true value


class Scenario(NamedTuple):
    """The players."""

    name: str
    elo: tuple[float, ...]  # of each player
    favour: float = 0.0  # standard deviation of a seat's advantage in an opening, in Elo
    margin: float = 0.0  # closer values are a draw, in Elo
    seats: int = 2

    @property
    def match(self) -> bool:
        """Whether there is one pairing only."""
        return len(self.elo) == self.seats


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
    Scenario("a match of three players where openings decide much", (50, 0, -50), 800, 0, 3),
    Scenario("a tournament of 4 equal players", (0, 0, 0, 0), 0, 50),
    Scenario("a tournament of 4, 500 Elo from first to last", (250, 50, -50, -250), 100, 100),
    Scenario("a tournament of 4, one 600 Elo ahead", (450, -150, -150, -150), 100, 50),
    Scenario("a tournament of 10, 500 Elo from first to last", tuple(np.linspace(250, -250, 10)), 100, 100),
    Scenario("a tournament of 4 in games of three", (150, 50, -50, -150), 100, 0, 3),
)

Interval = list[float] | None
Figures = Mapping[str, list[tuple[Interval, float]]]  # by name: intervals, and what they should hold


def simulate(what: Scenario, openings: int, rng: np.random.Generator) -> Simulated:
    """Play this many openings of each pairing."""
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


def drawish(openings: int, decisive: float, rng: np.random.Generator) -> Simulated:
    """A match of two players with many draws; one of them wins this many games on average."""
    games = 2 * openings
    lineups = np.tile([[0, 1], [1, 0]], (openings, 1))
    places = np.ones((games, 2), int)
    won = rng.random(games) < decisive / games
    places[won] = lineups[won] + 1
    return Simulated(lineups, places, np.zeros(games, int), np.arange(games) // 2)


def figures(what: Scenario, games: Simulated, truth: Mapping[str, Sequence[float]]) -> Figures:
    """The intervals of `amoba match` (of one player) or `amoba tournament` (of all)."""
    if not what.match:
        return _ranks(len(what.elo), games, truth)
    points, own = seat_points(games.places), games.lineups == 0
    first = games.places[:, 0] == 1
    shown = {"points": points[own]}
    if what.seats > 2:
        shown |= {"first places": games.places[own] == 1, "first mover": first}
    else:
        shown |= {"first mover": points[:, 0]}
    size = len(games.clusters) // (games.clusters[-1] + 1)
    means = {name: np.sort(np.bincount(games.clusters, values)) / size for name, values in shown.items()}
    return {name: [(_share(tuple(own.tolist()), size), truth[name][0])] for name, own in means.items()}


@lru_cache(maxsize=100_000)
def _share(means: tuple[float, ...], games: int) -> Interval:
    """The interval of a share, from the means of openings; cached, since many simulated matches share them."""
    return share_interval(np.repeat(means, games), np.arange(len(means)).repeat(games))


def _ranks(agents: int, games: Simulated, truth: Mapping[str, Sequence[float]]) -> Figures:
    points, rated = seat_points(games.places), ratings.rate(agents, *games)
    zero = float(np.mean([truth["Elo"][agent] for agent in rated.groups[0]]))  # what the table says is 0
    sure = certainty.Certainty(rated)
    shares: list[tuple[Interval, float]] = []
    elo: list[tuple[Interval, float]] = []
    for agent in range(agents):
        game, seat = np.nonzero(games.lineups == agent)
        found = share_interval(points[game, seat], games.clusters[game], games.strata[game], certainty.FEWEST_OPENINGS)
        shares.append((found, truth["points"][agent]))
        elo.append((sure.interval(agent), truth["Elo"][agent] - zero))
    return {"points": shares, "Elo": elo}


def _truth(what: Scenario, rng: np.random.Generator) -> dict[str, list[float]]:
    """The true values, after very many openings."""
    large = simulate(what, TRUTH, rng)
    points, agents = seat_points(large.places), range(len(what.elo))
    found = {"points": [float(points[large.lineups == agent].mean()) for agent in agents]}
    first = large.places == 1
    if what.match:
        began = first[:, 0] if what.seats > 2 else points[:, 0]
        return {
            **found,
            "first places": [float(first[large.lineups == 0].mean())],
            "first mover": [float(began.mean())],
        }
    return {**found, "Elo": ratings.rate(len(what.elo), *large).elo.tolist()}


def measure(what: Scenario, openings: int, times: int, rng: np.random.Generator) -> dict[str, str]:
    """How often each interval contains the true value, in this many simulations of a scenario."""
    truth = _truth(what, rng)
    return _held(
        figures(what, simulate(what, openings, rng), truth) for _ in range(times * MATCHES if what.match else times)
    )


def measure_drawish(openings: int, decisive: float, times: int, rng: np.random.Generator) -> dict[str, str]:
    """The same for matches in which one player wins a few games and loses none."""
    what, chance = Scenario("", (0, 0)), decisive / (4 * openings)
    truth = {"points": [0.5 + chance], "first mover": [0.5]}
    return _held(figures(what, drawish(openings, decisive, rng), truth) for _ in range(times * MATCHES))


def _held(found: Iterable[Figures]) -> dict[str, str]:
    held: dict[str, list[bool]] = {}
    for each in found:
        for name, rows in each.items():
            inside = [ends[0] <= truth <= ends[1] for ends, truth in rows if ends is not None]
            held.setdefault(name, []).extend(inside)
    return {name: f"{100 * np.mean(inside):.1f} %" if inside else "none shown" for name, inside in held.items()}


ROWS = len(SCENARIOS) * len(OPENING_COUNTS) + sum(count >= FEWEST for count in OPENING_COUNTS)  # of the tables
COLUMNS = ("points", "Elo", "first places", "first mover")


def coverage(
    times: int = TIMES,
    seed: int = 0,
    openings: Sequence[int] = OPENING_COUNTS,
    progress: Callable[[int], None] = lambda count: None,
) -> dict[str, Any]:
    """Simulate all scenarios; the result has the form of section.play_section, ready for JSON."""
    rows: list[dict[str, Cell]] = []
    for number, what in enumerate(SCENARIOS):
        for count in openings:
            found = measure(what, count, times, np.random.default_rng([seed, number, count]))
            if what.match and what.seats == 2:
                found["Elo"] = found["points"]  # the interval is that of the points, converted
            rows.append({"simulated": what.name, "openings": count, **{name: found.get(name, "") for name in COLUMNS}})
            progress(times)
    few: list[dict[str, Cell]] = []
    for count in (each for each in openings if each >= FEWEST):
        found = {
            f"{decisive} games": measure_drawish(
                count, decisive, times, np.random.default_rng([seed, count, decisive])
            )["points"]
            for decisive in DECISIVE
        }
        few.append({"openings": count, **found})
        progress(times)
    note = (
        f"Openings: in each pairing. Each row has {MATCHES * times:,} simulated matches or {times:,} tournaments. "
        "Intervals: of all players in a tournament, of one player in a match. "
        f"A match with fewer than {FEWEST} openings shows no interval. A tournament shows none for a player with fewer "
        f"than {certainty.FEWEST_OPENINGS} openings in all of its pairings, or without a comparison with the others. "
        "first mover: points with two players, first places with three."
    )
    drawn = (
        f"Points, and so Elo, in {MATCHES * times:,} simulated matches for each cell: one player wins a few games, and "
        "all others are draws."
    )
    tables = [Table("Intervals that contain the true value", rows, note)]
    if few:
        tables.append(Table("One player never loses, nearly all games are draws: expected decisive games", few, drawn))
    return {
        "section": "table",
        "question": QUESTION,
        "games": times,
        "seed": seed,
        "seeds": 1,
        "notes": [],
        "tables": [table._asdict() for table in tables],
        "warnings": [],
    }


def main() -> None:
    """Simulate, and write the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--times", type=int, default=TIMES, help="simulated tournaments of each kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("runs"), help="folder for the tables")
    parser.add_argument("--into", type=Path, help="put the tables into this document too, where it has marks for them")
    given = parser.parse_args()
    if given.into is not None:
        check_marks(given.into, "coverage-table")
    with progress_bar(err, "simulations") as bar:
        task = bar.add_task("coverage", total=given.times * ROWS)
        result = coverage(given.times, given.seed, progress=lambda count: bar.advance(task, count))
    print_section(result, out)
    write_tables(given.out / "coverage-table", result, markdown(result))
    if given.into is not None:
        put_into(given.into, "coverage-table", markdown(result))


if __name__ == "__main__":
    sys.exit(exit_code(main))
