"""Intervals and p-values beside those of scipy.stats."""

import numpy as np
import pytest
from scipy import stats

from amoba_experiments.statistics.intervals import (
    CHI2_95,
    NORMAL_95,
    alike,
    bootstrap_ratio,
    chi2_tail,
    differs,
    normal_two_sided,
    wilson,
)

pytestmark = pytest.mark.compiled


def test_constants() -> None:
    assert stats.norm.ppf(0.975) == NORMAL_95
    assert stats.chi2.ppf(0.95, 1) == CHI2_95


@pytest.mark.parametrize("of", [1, 2, 7, 30, 100, 999, 10_000])
def test_wilson(of: int) -> None:
    for wins in {*range(0, of + 1, max(1, of // 50)), 1, of - 1, of}:
        interval = stats.binomtest(wins, of).proportion_ci(method="wilson")
        assert wilson(wins, of) == [interval.low, interval.high], wins


@pytest.mark.parametrize(("wins", "of"), [(0, 0), (-1, 5), (6, 5)])
def test_what_is_no_share(wins: int, of: int) -> None:
    with pytest.raises(ValueError, match=f"{wins} of {of} is no share"):
        wilson(wins, of)


@pytest.mark.parametrize("n", [2, 3, 50, 1001])
def test_bootstrap(n: int) -> None:
    rng = np.random.default_rng(n)
    sums, counts = rng.normal(3, 2, n), rng.integers(1, 9, n).astype(float)
    found = stats.bootstrap(
        (sums, counts),
        lambda one, other, axis=-1: one.sum(axis=axis) / other.sum(axis=axis),
        paired=True,
        n_resamples=999,
        batch=100,
        method="percentile",
        rng=0,
    ).confidence_interval
    assert bootstrap_ratio(sums, counts) == [found.low, found.high]


def test_tails() -> None:
    for value in [0.0, 1e-9, 0.01, 0.5, 1.0, 3.84, 10.0, 40.0, 300.0]:
        assert normal_two_sided(value) == pytest.approx(2 * stats.norm.sf(value), rel=1e-12)
        for freedom in range(1, 12):
            assert chi2_tail(value, freedom) == pytest.approx(stats.chi2.sf(value, freedom), rel=1e-12), freedom


def test_tests_of_counts() -> None:
    rng = np.random.default_rng(0)
    for size in range(2, 7):
        counts = rng.integers(1, 400, size).tolist()
        assert alike(counts) == pytest.approx(stats.chisquare(counts).pvalue, rel=1e-12)
    for of, other_of in rng.integers(2, 10_000, (100, 2)).tolist():
        wins, other_wins = int(rng.integers(1, of)), int(rng.integers(1, other_of))
        table = [[wins, of - wins], [other_wins, other_of - other_wins]]
        reference = stats.chi2_contingency(table, correction=False).pvalue
        assert differs(wins, of, other_wins, other_of) == pytest.approx(reference, rel=1e-11, abs=1e-300)


def test_where_nothing_differs_and_where_nothing_was_counted() -> None:
    assert alike([0, 0, 0]) == 1
    assert differs(0, 10, 0, 20) == differs(10, 10, 20, 20) == 1
