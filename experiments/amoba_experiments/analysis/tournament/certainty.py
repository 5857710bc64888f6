"""How sure ratings are: intervals, and the likelihood that one agent is stronger than another.

What each opening adds to the error of a rating is its influence, as in the cluster-robust ("sandwich") variance of
K. Liang and S. Zeger ("Longitudinal data analysis using generalized linear models", Biometrika 73, 1986). A score test
(statistics/restricted.py) asks what chances of the openings are still possible: those of an end of the interval. The
end is the rating that the agent would have if openings had these chances, without the added drawn games. For two agents
it is therefore the Elo number of an end of the interval of their points.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from amoba_experiments.analysis.tournament.ratings import ELO, Floats, Ratings, choices, fit, scores
from amoba_experiments.statistics.clusters import Parts, Spread, spread
from amoba_experiments.statistics.intervals import student_below
from amoba_experiments.statistics.restricted import Chances, furthest, shifted

FEWEST = 20  # openings that an agent has to play for an interval
TINY = 1e-6  # of a log strength: a smaller difference is none


class _Contrast:
    """A weighted sum of log strengths of agents that can be compared, shifted upwards or downwards."""

    def __init__(self, ratings: Ratings, weights: Floats, upwards: bool, extremes: Iterable[tuple[int, bool]]) -> None:
        """`extremes`: agents that might win (or lose) all games of an opening, though nobody saw it."""
        sign = 1.0 if upwards else -1.0
        error = Parts(sign * (ratings.error.parts @ weights), ratings.error.blocks)
        self.parts, self.certainty = error.parts, spread(error)
        rows, times = zip(*(_unseen(ratings, agent, wins) for agent, wins in extremes), strict=True)
        outcomes = np.concatenate([ratings.outcomes, *rows])
        known, shares = choices(outcomes)
        moves = sign * (shares @ scores(known, ratings.elo / ELO) @ ratings.inverse @ weights)
        starts = np.cumsum([len(ratings.outcomes), *map(len, rows)])
        added = [np.zeros(len(outcomes)) for _ in rows]
        for each, start, own in zip(added, starts, times, strict=False):
            each[start : start + len(own)] = own
        self._unseen = max(added, key=lambda each: float(each @ moves))
        self.greatest = float(self._unseen @ moves)
        group = next(group for group in ratings.groups if weights[group].any())
        among, self._shares = choices(outcomes, group)
        number = {agent: i for i, agent in enumerate(group)}
        self._known = [(number[winner], tuple(number[other] for other in rest)) for winner, rest in among]
        self._start = ratings.elo[group] / ELO - ratings.elo[group].mean() / ELO
        self._weights, self._of, self._clusters = weights[group], ratings.of, ratings.clusters

    def value(self, found: Chances) -> float:
        """The sum if openings had these chances."""
        count = len(found.seen)
        seen = np.bincount(self._of, found.seen[self._clusters], len(self._unseen))
        times = count * (seen + found.unseen * self._unseen)
        strengths, _ = fit(len(self._start), self._known, times @ self._shares, False, self._start)
        return float(self._weights @ strengths)


def _unseen(ratings: Ratings, agent: int, wins: bool) -> tuple[NDArray[np.int_], Floats]:
    """An opening of an agent as if it had won, or lost, all games: outcomes, and how often each is among them."""
    seats = ratings.outcomes.shape[1] // 2
    mine = (ratings.outcomes[:, :seats] == agent).any(axis=1)
    rows = ratings.outcomes[mine].copy()
    rows[:, seats:] = np.where((rows[:, :seats] == agent) == wins, 1, 2)
    return rows, np.bincount(ratings.of, minlength=len(mine))[mine] / openings(ratings, agent)


def openings(ratings: Ratings, agent: int) -> int:
    """How many openings, or other clusters of games, an agent played."""
    mine = (ratings.outcomes[:, : ratings.outcomes.shape[1] // 2] == agent).any(axis=1)
    return len(np.unique(ratings.clusters[mine[ratings.of]]))


def can_tell(ratings: Ratings, *agents: int) -> bool:
    """Whether games suffice for an interval: FEWEST openings of each agent, and two or more in every pairing."""
    return ratings.error.known() and all(openings(ratings, agent) >= FEWEST for agent in agents)


def superiority(ratings: Ratings, one: int, other: int) -> float | None:
    """The likelihood that one agent is stronger than another (one-sided, by Student's t).

    None if there are too few games, or if the two are in different groups.
    """
    if not can_tell(ratings, one, other) or not any({one, other} <= set(group) for group in ratings.groups):
        return None
    weights = np.zeros(len(ratings.elo))
    weights[[one, other]] = 1.0, -1.0
    difference = float(weights @ ratings.elo) / ELO
    if abs(difference) < TINY:
        return 0.5
    up = difference < 0  # towards no difference
    contrast = _Contrast(ratings, weights, up, [(one, up), (other, not up)])
    sign = 1.0 if up else -1.0
    found = shifted(contrast.parts, contrast.greatest, lambda chances: sign * contrast.value(chances))
    certainty: Spread = contrast.certainty
    distance = found.shift / sqrt(certainty.correction * found.variance)
    return student_below(-sign * distance, certainty.freedom)


def interval(ratings: Ratings, agent: int) -> list[float] | None:
    """The 95 % interval of a rating. None if there are too few games, or if the agent is outside the largest group."""
    group = ratings.groups[0]
    if agent not in group or len(group) == 1 or not can_tell(ratings, agent):
        return None
    weights = np.zeros(len(ratings.elo))
    weights[group] = -1 / len(group)
    weights[agent] += 1
    ends = []
    for up in (False, True):
        contrast = _Contrast(ratings, weights, up, [(agent, up)])
        found = furthest(contrast.parts, contrast.greatest, contrast.certainty.limit)
        ends.append(ELO * contrast.value(found))
    return [min(ends[0], float(ratings.elo[agent])), max(ends[1], float(ratings.elo[agent]))]
