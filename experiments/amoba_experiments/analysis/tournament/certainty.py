"""The uncertainty of ratings: intervals, and the likelihood that one agent is stronger than another.

The contribution of each opening to the error of a rating is its influence, as in the cluster-robust ("sandwich")
variance of K. Liang and S. Zeger ("Longitudinal data analysis using generalized linear models", Biometrika 73, 1986). A
score test (statistics/restricted.py) finds the probabilities of openings that are just not rejected. The end of the
interval is the rating of the agent with these probabilities, without the added drawn games. So for two agents it is the
Elo difference at the end of the interval of their points.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt
from typing import NamedTuple

import numpy as np

from amoba_experiments.analysis.tournament.ratings import ELO, ChoiceModel, Floats, Ratings, choices, fit, model, scores
from amoba_experiments.statistics.clusters import Spread, spread
from amoba_experiments.statistics.intervals import student_below
from amoba_experiments.statistics.restricted import Probabilities, furthest, greatest_of, shifted

FEWEST_OPENINGS = 20  # openings that an agent has to play for an interval
TINY = 1e-6  # a smaller difference of log strengths counts as 0


class _Group(NamedTuple):
    """Agents that can be compared, and the choices between them."""

    agents: list[int]
    model: ChoiceModel
    shares: Floats  # [H, C] how much of each choice an outcome has
    start: Floats  # [n] their log strengths, with mean 0


class _Shift(NamedTuple):
    """A weighted sum of log strengths of a group, to be shifted upwards or downwards."""

    parts: Floats  # [K] what each cluster adds to its error, in the direction of the shift
    greatest: float  # the greatest part that is possible
    unseen: Floats  # [H] the outcomes of that part
    certainty: Spread
    group: _Group
    weights: Floats  # [n] of the sum


class Certainty:
    """The uncertainty of ratings."""

    def __init__(self, ratings: Ratings) -> None:
        self._ratings = ratings
        agents, seats = len(ratings.elo), ratings.outcomes.shape[1] // 2
        times = np.bincount(ratings.of, minlength=len(ratings.outcomes))
        plays = [(ratings.outcomes[:, :seats] == agent).any(axis=1) for agent in range(agents)]
        self._openings = [len(np.unique(ratings.clusters[mine[ratings.of]])) for mine in plays]
        rows = [ratings.outcomes]
        self._won: dict[tuple[int, bool], tuple[slice, Floats]] = {}
        self._usual = [times * mine / max(each, 1) for mine, each in zip(plays, self._openings, strict=True)]
        count = len(ratings.outcomes)
        for agent, mine in enumerate(plays):
            lineups, lineup = np.unique(ratings.outcomes[mine, :seats], axis=0, return_inverse=True)
            each = np.bincount(lineup.ravel(), times[mine]) / max(self._openings[agent], 1)
            for wins in (False, True):
                rows.append(np.hstack([lineups, np.where((lineups == agent) == wins, 1, 2)]))
                self._won[agent, wins] = slice(count, count + len(lineups)), each
                count += len(lineups)
        self._outcomes = np.concatenate(rows)
        known, shares = choices(self._outcomes)
        self._moves = shares @ scores(model(agents, known), ratings.elo / ELO) @ ratings.inverse
        self._groups: dict[int, _Group] = {}

    def can_tell(self, *agents: int) -> bool:
        """Whether games suffice for an interval: FEWEST_OPENINGS of each agent, and two or more in every pairing."""
        return self._ratings.error.known() and all(self._openings[agent] >= FEWEST_OPENINGS for agent in agents)

    def interval(self, agent: int) -> list[float] | None:
        """The 95 % interval of a rating; None if there are too few games, or outside the largest group."""
        group = self._ratings.groups[0]
        if agent not in group or len(group) == 1 or not self.can_tell(agent):
            return None
        weights = np.zeros(len(self._ratings.elo))
        weights[group] = -1 / len(group)
        weights[agent] += 1
        ends = [float(self._ratings.elo[agent])]
        for up in (False, True):
            shift = self._shift(weights, up, [(agent, up)])
            ends.append(ELO * self._value(shift, furthest(shift.parts, shift.greatest, shift.certainty.limit)))
        return [min(ends), max(ends)]

    def superiority(self, one: int, other: int) -> float | None:
        """The likelihood that one agent is stronger than another (one-sided, by Student's t).

        None if there are too few games, if the two are in different groups, or if no game speaks for the weaker one.
        """
        if not self.can_tell(one, other) or not any({one, other} <= set(each) for each in self._ratings.groups):
            return None
        weights = np.zeros(len(self._ratings.elo))
        weights[[one, other]] = 1.0, -1.0
        difference = float(weights @ self._ratings.elo) / ELO
        if abs(difference) < TINY:
            return 0.5
        up = difference < 0  # towards no difference
        sign = 1.0 if up else -1.0
        shift = self._shift(weights, up, [(one, up), (other, not up)])
        found = shifted(shift.parts, shift.greatest, lambda chances: sign * self._value(shift, chances))
        if not found.variance:  # nothing that happened, or might have happened, makes the two equal
            return float(difference > 0) if found.unseen == 1 else None
        distance = found.shift / sqrt(shift.certainty.correction * found.variance)
        return student_below(-sign * distance, shift.certainty.freedom)

    def _shift(self, weights: Floats, upwards: bool, extremes: Iterable[tuple[int, bool]]) -> _Shift:
        """`extremes`: agents that might win (or lose) all games of an opening, though nobody saw it."""
        sign, error = 1.0 if upwards else -1.0, self._ratings.error
        error = error.weighted(sign * weights)
        moves = sign * (self._moves @ weights)
        unseen = max(
            (self._unseen(error.parts, moves, agent, wins) for agent, wins in extremes),
            key=lambda each: float(each @ moves),
        )
        group = self._group(next(i for i, agents in enumerate(self._ratings.groups) if weights[agents].any()))
        return _Shift(error.parts, float(unseen @ moves), unseen, spread(error), group, weights[group.agents])

    def _unseen(self, parts: Floats, moves: Floats, agent: int, wins: bool) -> Floats:
        """The outcomes of an opening that shifts the sum as far as is possible, see restricted.greatest_of. [H]"""
        whole, usual = np.zeros(len(self._outcomes)), np.zeros(len(self._outcomes))
        where, times = self._won[agent, wins]
        whole[where] = times
        usual[: len(self._usual[agent])] = self._usual[agent]
        most = float(whole @ moves)
        part = greatest_of(parts, most, float(times.sum())) / most if most > 0 else 1.0
        return part * whole + (1 - part) * usual

    def _group(self, number: int) -> _Group:
        if number not in self._groups:
            agents = self._ratings.groups[number]
            known, shares = choices(self._outcomes, agents)
            place = {agent: i for i, agent in enumerate(agents)}
            own = [(place[winner], tuple(place[other] for other in rest)) for winner, rest in known]
            start = self._ratings.elo[agents] / ELO
            self._groups[number] = _Group(agents, model(len(agents), own), shares, start - start.mean())
        return self._groups[number]

    def _value(self, shift: _Shift, found: Probabilities) -> float:
        """The sum if openings had these chances."""
        seen = np.bincount(self._ratings.of, found.seen[self._ratings.clusters], len(shift.unseen))
        times = len(found.seen) * (seen + found.unseen * shift.unseen)
        strengths, _ = fit(shift.group.model, times @ shift.group.shares, False, shift.group.start)
        return float(shift.weights @ strengths)
