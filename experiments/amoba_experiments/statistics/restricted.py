"""Score tests for a sum of independent parts, without a model of the parts.

A part is the contribution of a cluster of games to the error of a figure. If the true figure differs by a shift, the
parts have other probabilities than those observed. Among all probabilities that shift the sum this far, the most likely
ones are taken (empirical likelihood: A. Owen, "Empirical Likelihood", 2001, chapter 2). As in a score test, the shift
is compared with the standard deviation of the sum under these probabilities. An unobserved part may have a probability
too: after three drawn games somebody may still win the fourth.

For games that are won or lost this is E. B. Wilson's interval (Journal of the American Statistical Association 22,
1927); for wins, draws and losses it is that of T. Tango ("Equivalence test and confidence interval for the difference
in proportions for the paired-sample design", Statistics in Medicine 17, 1998). They are
reliable with few decisive games because they use the variance at the restricted estimate in place of the observed one:
a match with one win and a hundred draws might have had five wins, with five times the variance. Tests of this form
without a model are due to G. Imbens, R. Spady and P. Johnson ("Information theoretic approaches to inference in moment
condition models", Econometrica 66, 1998).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

STEPS, CLOSE = 100, 1e-11  # of the search: the limit of steps, and the precision


class Probabilities(NamedTuple):
    """The most likely probabilities of K parts that shift the mean of their sum."""

    shift: float
    variance: float  # of the sum
    seen: Floats  # [K] of each part
    unseen: float  # of the greatest possible part; all probabilities add up to 1


def greatest_of(parts: Floats, whole: float, games: float) -> float:
    """The greatest possible part, observed or not.

    Its distance from the median is the largest distance of a part on either side: what one side did, the other may do.
    It is at least one game and at most the whole opening. If all parts are equal, the correlation within openings is
    unknown, and it is the whole opening.

    Args:
        parts: float[K].
        whole: the part of an opening if all its games shift the sum upwards.
        games: the number of games of an opening.
    """
    if not parts.any():
        return whole
    middle = float(np.median(parts))
    return min(whole, max(whole / games, middle + float(np.abs(parts - middle).max())))


def furthest(parts: Floats, greatest: float, limit: float) -> Probabilities:
    """The probabilities that shift the sum upwards until shift^2 / variance is `limit`.

    Args:
        parts: float[K], with a sum of 0.
        greatest: the greatest possible part.
        limit: the square of a quantile.
    """
    return _search(parts, greatest, lambda found, each: found.shift**2 - limit * found.variance)


def shifted(parts: Floats, greatest: float, value: Callable[[Probabilities], float]) -> Probabilities:
    """The probabilities at which `value` is 0; it is negative without a shift, and grows with the shift."""
    return _search(parts, greatest, lambda found, each: value(each(found)))


Expand = Callable[[Probabilities], Probabilities]


def _search(parts: Floats, greatest: float, value: Callable[[Probabilities, Expand], float]) -> Probabilities:
    """The root of `value`, which grows along the path of probabilities: regula falsi (M. Dowell, P. Jarratt, 1971), and
    bisection. `value` takes the probabilities of distinct parts, and a function that expands them to all parts.
    """
    kinds, kind, times = np.unique(parts, return_inverse=True, return_counts=True)
    greatest = max(greatest, float(kinds[-1]))
    if greatest <= 0:  # no part can shift the sum upwards
        return Probabilities(0.0, 0.0, np.full(len(parts), 1 / len(parts)), 0.0)

    def at(place: float) -> Probabilities:
        return _chances(kinds, times, greatest, place)

    def each(found: Probabilities) -> Probabilities:
        return found._replace(seen=(found.seen / times)[kind.ravel()])

    low = 0.0 if len(kinds) > 1 else 1.0  # up to 1 nothing changes if all parts are alike
    high = 2.0 if kinds[-1] < greatest else 1 - 1e-12
    found, side = at(high), 0
    below, above = min(value(at(low), each), -1e-300), value(found, each)
    for step in range(STEPS):
        if above <= 0 or high - low < CLOSE:
            break
        place = (low * above - high * below) / (above - below)
        if step % 3 == 2:
            place = (low + high) / 2
        place = min(max(place, low + 0.01 * (high - low)), high - 0.01 * (high - low))
        found = at(place)
        new = value(found, each)
        if new < 0:
            low, below, above, side = place, new, above / 2 if side < 0 else above, -1
        else:
            high, above, below, side = place, new, below / 2 if side > 0 else below, 1
    return each(found)


def _chances(kinds: Floats, times: NDArray[np.int64], greatest: float, place: float) -> Probabilities:
    """The probabilities at a place of their path.

    At 0 all are equal. Up to 1 they are proportional to 1 / (1 - place * part / greatest), by the empirical likelihood.
    From 1 to 2 the unobserved part gets more and more.
    """
    count = times.sum()
    if place < 1:
        weights = times / (1 - place * kinds / greatest)
        unseen = 0.0
    else:
        weights = times * greatest / np.maximum(greatest - kinds, 1e-12 * greatest)
        unseen = min(place - 1, 1.0)
    seen = weights * ((1 - unseen) / weights.sum())
    mean = float(seen @ kinds) + unseen * greatest
    variance = float(seen @ (kinds - mean) ** 2) + unseen * (greatest - mean) ** 2
    return Probabilities(float(count * mean), float(count * variance), seen, unseen)
