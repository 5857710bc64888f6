"""Shares and means of games that depend on each other.

The games of one opening are a cluster: their results are correlated. So each cluster is one observation, and the spread
between clusters gives the error of a figure. Each match is a stratum: its games are compared with the mean of that
match only. A cluster may have games of several matches.

The variance of a mean is estimated within each stratum, and its degrees of freedom by F. Satterthwaite ("An
approximate distribution of estimates of variance components", Biometrics Bulletin 2, 1946). The interval of a share
contains all shares that a score test does not reject (statistics/restricted.py), with quantiles of Student's t. For
independent games that are won or not it is Wilson's interval. `python -m workshop.coverage` measures how often these
intervals contain the true value.
"""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_experiments.statistics.intervals import normal_two_sided, student_95, student_below, wilson
from amoba_experiments.statistics.restricted import furthest, greatest_of, shifted

ROUNDING = 1e-9  # a smaller relative difference counts as 0
FEWEST = 10  # clusters that an interval needs: with fewer its coverage is too low, or it is too wide to be of use

Numbers = NDArray[Any]  # [G] a number for each game


class Parts(NamedTuple):
    """The contributions of K clusters to the error of a sum."""

    parts: NDArray[np.float64]  # [K], or [K, n] of n sums; their sum is 0
    blocks: NDArray[np.intp]  # [K] clusters of different blocks have no stratum in common

    @property
    def sizes(self) -> NDArray[np.intp]:
        """The number of clusters in each block."""
        return np.bincount(self.blocks)

    def known(self) -> bool:
        """Whether the variance can be estimated: no cluster is alone in its block."""
        return bool(self.sizes.min() > 1)

    def weighted(self, weights: NDArray[np.float64]) -> Parts:
        """The parts of a weighted sum of the n sums."""
        return Parts(_rounded(self.parts @ weights, self.parts), self.blocks)


class Spread(NamedTuple):
    """The error of a sum of parts."""

    variance: float  # of the sum
    freedom: float  # degrees of freedom of the variance
    correction: (
        float  # the variance is this many times that of the parts themselves, which are too close to their means
    )

    @property
    def limit(self) -> float:
        """The largest shift^2 / variance of the parts inside the 95 % interval."""
        return self.correction * student_95(self.freedom) ** 2


class Mean(NamedTuple):
    """A mean of games, and the contribution of each cluster to its error."""

    mean: float
    error: Parts


def parts_of(values: Numbers, clusters: Numbers, strata: Numbers | None = None) -> Parts:
    """The contributions of clusters to the error of the sum of all values.

    Args:
        values: number[G], or [G, n] for n sums.
        clusters: int[G], the cluster of each value: values with the same number depend on each other.
        strata: int[G], the match of each value; None: all are of one match.
    """
    values = np.asarray(values, float)
    cluster = np.unique(clusters, return_inverse=True)[1].ravel()
    stratum = np.zeros_like(cluster) if strata is None else np.unique(strata, return_inverse=True)[1].ravel()
    columns = values.reshape(len(values), -1)
    means = _sums(columns, stratum) / np.bincount(stratum)[:, None]
    parts = _rounded(_sums(columns - means[stratum], cluster), values)
    return Parts(parts if values.ndim > 1 else parts[:, 0], _blocks(cluster, stratum))


def _rounded(parts: NDArray[np.float64], of: Numbers) -> NDArray[np.float64]:
    """These parts, with 0 for what is left by rounding alone where numbers of the size of `of` cancel out."""
    found: NDArray[np.float64] = np.where(np.abs(parts) < ROUNDING * np.abs(of).max(), 0.0, parts)
    return found


def _sums(columns: NDArray[np.float64], group: NDArray[np.intp]) -> NDArray[np.float64]:
    """The sums of each group, of each column."""
    return np.stack([np.bincount(group, column) for column in columns.T], axis=1)


def _blocks(cluster: NDArray[np.intp], stratum: NDArray[np.intp]) -> NDArray[np.intp]:
    """The block of each cluster. Strata that share a cluster are in one block."""
    block, before = np.arange(stratum.max() + 1), None
    found = np.empty(0, np.intp)
    while before is None or (block != before).any():
        before = block.copy()
        found = np.full(cluster.max() + 1, len(block))
        np.minimum.at(found, cluster, block[stratum])
        np.minimum.at(block, stratum, found[cluster])
    return np.unique(found, return_inverse=True)[1].ravel()


def spread(error: Parts) -> Spread:
    """The error of a sum. The parts are [K], with two clusters or more in each block."""
    parts, blocks = error
    sizes = error.sizes
    own = np.bincount(blocks, parts**2)
    each = own * sizes / (sizes - 1)
    variance, raw = float(each.sum()), float(own.sum())
    if raw <= 0:
        return Spread(0.0, float((sizes - 1).sum()), len(parts) / float((sizes - 1).sum()))
    return Spread(variance, max(variance**2 / float((each**2 / (sizes - 1)).sum()), 1.0), variance / raw)


def mean_of(values: Numbers, clusters: Numbers | None = None, strata: Numbers | None = None) -> Mean:
    """The mean of all values. By default each value is a cluster. See `parts_of`."""
    error = parts_of(values, np.arange(len(values)) if clusters is None else clusters, strata)
    return Mean(float(np.mean(values)), Parts(error.parts / len(values), error.blocks))


def standard_error(values: Numbers, clusters: Numbers) -> float | None:
    """The standard error of a mean; None for a single cluster."""
    error = mean_of(values, clusters).error
    return sqrt(spread(error).variance) if error.known() else None


def mean_interval(values: Numbers, clusters: Numbers | None = None) -> list[float] | None:
    """The 95 % interval of a mean; None for fewer than FEWEST clusters. By default each value is a cluster."""
    mean, error = mean_of(values, clusters)
    if len(error.blocks) < FEWEST:
        return None
    found = spread(error)
    half = student_95(found.freedom) * sqrt(found.variance)
    return [mean - half, mean + half]


def share_interval(
    values: Numbers, clusters: Numbers, strata: Numbers | None = None, fewest: int = FEWEST
) -> list[float] | None:
    """The 95 % interval of a mean of values between 0 and 1; None for fewer than `fewest` clusters."""
    mean, error = mean_of(values, clusters, strata)
    count = len(error.blocks)
    if count < fewest or not error.known():
        return None
    if (strata is None or np.ptp(strata) == 0) and _single_wins(values, count):
        return wilson(int(np.sum(values)), count)
    limit, games = spread(error).limit, len(values) / count
    low, high = (
        furthest(parts, greatest_of(parts, room / count, games), limit).shift
        for parts, room in ((-error.parts, mean), (error.parts, 1 - mean))
    )
    return [max(mean - low, 0.0), min(mean + high, 1.0)]


def share_p_value(values: Numbers, clusters: Numbers, expected: float) -> float | None:
    """The two-sided p-value of the hypothesis that the mean is `expected`, which lies between 0 and 1.

    It is below 0.05 if share_interval does not contain `expected`, and None without an interval.
    """
    mean, error = mean_of(values, clusters)
    count = len(error.blocks)
    if count < FEWEST:
        return None
    if _single_wins(values, count):
        return normal_two_sided(abs(mean - expected) / sqrt(expected * (1 - expected) / count))
    off = expected - mean
    if off == 0:
        return 1.0
    parts, room = (error.parts, 1 - mean) if off > 0 else (-error.parts, mean)
    greatest = greatest_of(parts, room / count, len(values) / count)
    variance = shifted(parts, greatest, lambda found: found.shift - abs(off)).variance
    if variance <= 0:  # no probabilities of the parts shift the mean so far
        return 0.0
    found = spread(error)
    return 2 * student_below(-abs(off) / sqrt(found.correction * variance), found.freedom)


def _single_wins(values: Numbers, clusters: int) -> bool:
    """Whether games are independent, and each is won or not."""
    return clusters == len(values) and bool(np.isin(values, (0, 1)).all())
