"""Intervals and p-values beside those of scipy.stats."""

from math import inf

import numpy as np
import pytest
from scipy import stats

from amoba_experiments.statistics.clusters import mean_interval, share_interval, share_p_value, spread
from amoba_experiments.statistics.intervals import (
    CHI2_95,
    NORMAL_95,
    alike,
    chi2_tail,
    differs,
    normal_two_sided,
    student_95,
    student_below,
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


def test_shares_and_means_of_single_games_are_the_usual_ones() -> None:
    values = np.random.default_rng(1).normal(3, 2, 40)
    usual = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert mean_interval(values) == pytest.approx([usual.low, usual.high])
    won = np.repeat([0.0, 1.0], [7000, 3000])
    assert share_interval(won, np.arange(10_000)) == pytest.approx(wilson(3000, 10_000), abs=1e-5)


def test_clusters_are_what_counts() -> None:
    rng = np.random.default_rng(2)
    values = rng.integers(0, 3, 30) / 2
    alone, copies = np.arange(30), np.repeat(np.arange(30), 25)
    assert share_interval(np.repeat(values, 25), copies) == pytest.approx(share_interval(values, alone))
    assert mean_interval(np.repeat(values, 25), copies) == pytest.approx(mean_interval(values))
    assert share_interval(values, alone // 4) is mean_interval(values, alone // 4) is None  # eight are too few
    assert share_p_value(values, alone // 4, 0.5) is None


def test_strata_are_compared_with_themselves() -> None:
    """A pairing won and a pairing lost: all spread is between them, and none is left to doubt."""
    values, clusters = np.repeat([0.0, 1.0], 20), np.arange(40)
    assert spread(values, clusters).variance > 0 == spread(values, clusters, values).variance
    one = spread(values, np.where(values > 0, 99, clusters), values)
    assert (one.mean, one.freedom) == (0.5, 0)  # a pairing with one opening says nothing of its spread
    assert share_interval(values, np.where(values > 0, 99, clusters), values) is None


def test_where_no_game_differs() -> None:
    draws = share_interval(np.full(50, 0.5), np.arange(50)) or [0.5, 0.5]
    assert draws[0] < 0.45 < 0.55 < draws[1]
    assert share_interval(np.ones(50), np.arange(50)) == pytest.approx([wilson(50, 50)[0], 1])


def test_p_values_agree_with_intervals() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        values, clusters = rng.integers(0, 3, 60) / 2, np.arange(60) // 2
        low, high = share_interval(values, clusters) or [0, 1]
        for expected in (low, high):
            assert share_p_value(values, clusters, expected) == pytest.approx(0.05)


def test_tails() -> None:
    for value in [0.0, 1e-9, 0.01, 0.5, 1.0, 3.84, 10.0, 40.0, 300.0]:
        assert normal_two_sided(value) == pytest.approx(2 * stats.norm.sf(value), rel=1e-12)
        for freedom in range(1, 12):
            assert chi2_tail(value, freedom) == pytest.approx(stats.chi2.sf(value, freedom), rel=1e-12), freedom


@pytest.mark.parametrize("freedom", [1, 1.3, 5.5, 9, 100, 9_999])
def test_student(freedom: float) -> None:
    usual = stats.t(freedom)
    assert student_95(freedom) == pytest.approx(usual.ppf(0.975), rel=1e-10)
    for value in [-30, -4, -1.96, -0.5, 0, 1e-3, 0.1, 1, 2.5, 12]:
        assert student_below(value, freedom) == pytest.approx(usual.cdf(value), rel=1e-10, abs=1e-300)
    assert student_below(-1.96, inf) == pytest.approx(stats.norm.cdf(-1.96), rel=1e-12)


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
