"""Shares and means of games that depend on each other.

The games of one opening are a cluster: their results are more alike, or less, than those of other games. So not the
games are counted but the clusters, and the spread between clusters says how sure a figure is. Each match is a stratum:
its clusters are compared with the mean of that match only.

The variance of a mean is estimated within each stratum, and its degrees of freedom by F. Satterthwaite ("An
approximate distribution of estimates of variance components", Biometrics Bulletin 2, 1946). The interval of a share is
Wilson's, with the number of independent games that would have this variance (N. Dean, M. Pagano, "Evaluating
confidence interval methods for binomial proportions in clustered surveys", Journal of Survey Statistics and Methodology
3, 2015), and with quantiles of Student's t. `amoba reproduce coverage` measures how often such intervals hold the
truth.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_experiments.statistics.intervals import NORMAL_95, student_95, student_below, wilson_ends

FEWEST = 10  # clusters that an interval needs: with fewer it would hold the truth too rarely, or be uselessly wide

Values = NDArray[Any]  # [G] a number for each game


class Spread(NamedTuple):
    """A mean, and how sure it is."""

    mean: float
    variance: float  # of the mean
    freedom: float  # degrees of freedom of the variance; 0: it cannot be estimated
    clusters: int


def spread(values: Values, clusters: Values, strata: Values | None = None) -> Spread:
    """The mean of all values, and its variance from the spread of clusters.

    Args:
        values: number[G].
        clusters: int[G], the cluster of each value: values with the same number depend on each other. A cluster
            belongs to one stratum.
        strata: int[G], the match of each value; None: all are of one match.
    """
    _, first, cluster, sizes = np.unique(clusters, return_index=True, return_inverse=True, return_counts=True)
    stratum = np.zeros(len(sizes), np.int64) if strata is None else np.unique(strata[first], return_inverse=True)[1]
    sums = np.bincount(cluster, weights=values)
    means = np.bincount(stratum, sums) / np.bincount(stratum, sizes)
    count = np.bincount(stratum)
    squares = np.bincount(stratum, (sums - means[stratum] * sizes) ** 2)
    mean = float(sums.sum() / sizes.sum())
    if count.min() < 2:
        return Spread(mean, 0.0, 0.0, len(sizes))
    parts = squares * count / (count - 1) / sizes.sum() ** 2
    return Spread(mean, float(parts.sum()), degrees_of_freedom(parts, count - 1), len(sizes))


def degrees_of_freedom(parts: NDArray[np.float64], freedom: NDArray[Any]) -> float:
    """The degrees of freedom of a sum of variances that have degrees of freedom of their own (Satterthwaite)."""
    total = parts.sum()
    return float(total**2 / (parts**2 / freedom).sum()) if total > 0 else float(freedom.sum())


def mean_interval(values: Values, clusters: Values | None = None) -> list[float] | None:
    """The 95 % interval of a mean; None for fewer than FEWEST clusters. By default each value is a cluster."""
    found = spread(values, np.arange(len(values)) if clusters is None else clusters)
    if found.clusters < FEWEST:
        return None
    half = student_95(max(found.freedom, 1.0)) * sqrt(found.variance)
    return [found.mean - half, found.mean + half]


def share_interval(
    values: Values, clusters: Values, strata: Values | None = None, fewest: int = FEWEST
) -> list[float] | None:
    """The 95 % interval of a mean of values between 0 and 1; None for fewer than `fewest` clusters."""
    found = spread(values, clusters, strata)
    if found.clusters < fewest or not found.freedom:
        return None
    size, sure = _independent(found, found.mean), found.variance == 0
    ends = wilson_ends(found.mean, size, NORMAL_95 if sure else student_95(max(found.freedom, 1.0)))
    return [max(ends[0], 0.0), min(ends[1], 1.0)]


def share_p_value(values: Values, clusters: Values, expected: float) -> float | None:
    """The two-sided p-value of the hypothesis that the mean is `expected`.

    It is below 0.05 where share_interval does not hold `expected`, and None where there is no interval.
    """
    found = spread(values, clusters)
    if found.clusters < FEWEST:
        return None
    error = sqrt(expected * (1 - expected) / _independent(found, found.mean))
    freedom = inf if found.variance == 0 else max(found.freedom, 1.0)
    return 2 * student_below(-abs(found.mean - expected) / error, freedom)


def _independent(found: Spread, mean: float) -> float:
    """The number of independent games that would have this variance; the number of clusters if all are alike."""
    return mean * (1 - mean) / found.variance if found.variance > 0 else float(found.clusters)
