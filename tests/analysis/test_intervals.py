"""Intervals and p-values beside those of scipy.stats."""

from math import inf

import numpy as np
import pytest
from scipy import optimize, stats

from amoba_experiments.statistics.clusters import (
    mean_interval,
    mean_of,
    share_interval,
    share_p_value,
    spread,
    standard_error,
)
from amoba_experiments.statistics.intervals import (
    CHI2_95,
    NORMAL_95,
    normal_two_sided,
    p_all_equal,
    p_same_mean,
    p_same_share,
    student_95,
    student_below,
    wilson,
)
from amoba_experiments.statistics.restricted import furthest, greatest_of


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
    with pytest.raises(ValueError, match=f"got {wins} of {of}"):
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
    assert spread(mean_of(values, clusters).error).variance > 0
    assert spread(mean_of(values, clusters, values).error).variance == 0
    one = mean_of(values, np.where(values > 0, 99, clusters), values)
    assert one.mean == 0.5
    assert not one.error.known()  # a pairing with one opening says nothing of its spread
    assert share_interval(values, np.where(values > 0, 99, clusters), values) is None


def test_openings_that_several_matches_share() -> None:
    """What they add in all matches counts as one."""
    values = np.random.default_rng(4).integers(0, 3, 20) / 2
    clusters, strata = np.tile(np.arange(20), 3), np.repeat(np.arange(3), 20)
    found = share_interval(np.tile(values, 3), clusters, strata)
    assert found == pytest.approx(share_interval(values, np.arange(20)))
    assert standard_error(np.tile(values, 3), clusters) == pytest.approx(values.std(ddof=1) / 20**0.5)
    assert standard_error(values, np.zeros(20)) is None


def reached(values: np.ndarray) -> list[float]:
    """The interval of independent games, with a normal quantile and no correction for few games."""
    mean, error = mean_of(values)
    ends = [(-1, mean), (1, 1 - mean)]
    shifts = [
        furthest(parts, greatest_of(parts, room / len(values), 1), NORMAL_95**2).shift
        for parts, room in ((sign * error.parts, room) for sign, room in ends)
    ]
    return [mean - shifts[0], mean + shifts[1]]


def tango(wins: int, losses: int, of: int) -> list[float]:
    """Tango's interval of (wins - losses) / of (Statistics in Medicine 17, 1998), by its closed form."""

    def score(off: float) -> float:
        a, b, c = 2 * of, (2 * of - wins + losses) * off - wins - losses, -losses * off * (1 - off)
        lost = (np.sqrt(b * b - 4 * a * c) - b) / (2 * a)
        return float((wins - losses - of * off) / np.sqrt(of * (2 * lost + off * (1 - off))))

    mean, tiny = (wins - losses) / of, 1e-9
    return [
        optimize.brentq(lambda off: score(off) - NORMAL_95, -1 + tiny, mean - tiny),
        optimize.brentq(lambda off: score(off) + NORMAL_95, mean + tiny, 1 - tiny),
    ]


def test_known_intervals_are_cases_of_ours() -> None:
    for wins, of in ((0, 50), (1, 50), (3, 10), (50, 50), (1, 100_000)):
        assert reached(np.repeat([1.0, 0.0], [wins, of - wins])) == pytest.approx(wilson(wins, of), abs=1e-9)
    for wins, losses, of in ((1, 0, 100), (5, 0, 60), (10, 3, 40), (9, 9, 30)):
        ends = reached(np.repeat([1, 0, 0.5], [wins, losses, of - wins - losses]))
        assert [2 * end - 1 for end in ends] == pytest.approx(tango(wins, losses, of), abs=1e-8)


def test_openings_that_differ_little_are_worth_many_games() -> None:
    """Six games in each opening, of which a player nearly always gets half: nobody lost six at once."""
    rng = np.random.default_rng(6)
    points = 0.5 + rng.choice([-1, 0, 1], 20) / 12
    values, clusters = np.repeat(points, 6), np.repeat(np.arange(20), 6)
    low, high = share_interval(values, clusters) or [0, 1]
    usual = mean_interval(points) or [0, 0]
    assert high - low < 1.3 * (usual[1] - usual[0])


@pytest.mark.parametrize("openings", [10, 20, 200])
@pytest.mark.parametrize("decisive", [3, 5, 8])
def test_where_one_side_never_loses_and_nearly_all_is_drawn(openings: int, decisive: int) -> None:
    """How many intervals contain the true value, exactly: games are won with a small chance, else drawn."""
    chance, covered, counted = decisive / (2 * openings), 0.0, 0.0
    for both in range(min(openings, 8) + 1):
        for one in range(min(openings - both, 25) + 1):
            points = np.repeat([1, 0.75, 0.5], [both, one, openings - both - one])
            chances = [chance**2, 2 * chance * (1 - chance), (1 - chance) ** 2]
            likely = stats.multinomial.pmf([both, one, openings - both - one], openings, chances)
            if likely > 1e-6:
                low, high = share_interval(points, np.arange(openings)) or [0, 0]
                covered += likely * (low <= 0.5 + chance / 2 <= high)
                counted += likely
    assert counted > 0.999
    assert covered > 0.93


def test_one_decisive_game_shows_no_difference() -> None:
    points = np.repeat([0.5, 0.75], [99, 1])
    low, high = share_interval(points, np.arange(100)) or [1, 1]
    assert low < 0.5 < 0.51 < high
    assert (share_p_value(points, np.arange(100), 0.5) or 0) > 0.3


def test_where_no_game_differs() -> None:
    draws = share_interval(np.full(50, 0.5), np.arange(50)) or [0.5, 0.5]
    assert draws == pytest.approx([0.5 - (1 - wilson(50, 50)[0]) / 2, 0.5 + (1 - wilson(50, 50)[0]) / 2], abs=0.003)
    assert share_p_value(np.full(50, 0.5), np.arange(50), 0.5) == 1
    assert share_interval(np.ones(50), np.arange(50)) == pytest.approx([wilson(50, 50)[0], 1])


def test_p_values_agree_with_intervals() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        values, clusters = rng.integers(0, 3, 60) / 2, np.arange(60) // 2
        low, high = share_interval(values, clusters) or [0, 1]
        for expected in (low, high):
            assert share_p_value(values, clusters, expected) == pytest.approx(0.05)


def test_p_value_of_a_share_that_openings_cannot_explain() -> None:
    """Nearly all games are won, and openings have different numbers of games: the p-value is small."""
    clusters = np.repeat(np.arange(12), [4] * 6 + [3] * 6)
    values = np.where(np.arange(len(clusters)) == 1, 0.5, 1.0)
    low, high = share_interval(values, clusters) or [0, 1]
    assert 0.5 < low < high < 1
    assert share_p_value(values, clusters, 0.5) == 0
    assert share_p_value(values, clusters, low) == pytest.approx(0.05)


def test_tails() -> None:
    for value in [0.0, 1e-9, 0.01, 0.5, 1.0, 3.84, 10.0, 40.0, 300.0]:
        assert normal_two_sided(value) == pytest.approx(2 * stats.norm.sf(value), rel=1e-12)


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
        assert p_all_equal(counts) == pytest.approx(stats.chisquare(counts).pvalue, rel=1e-12)
    for of, other_of in rng.integers(2, 10_000, (100, 2)).tolist():
        wins, other_wins = int(rng.integers(1, of)), int(rng.integers(1, other_of))
        table = [[wins, of - wins], [other_wins, other_of - other_wins]]
        reference = stats.chi2_contingency(table, correction=False).pvalue
        assert p_same_share(wins, of, other_wins, other_of) == pytest.approx(reference, rel=1e-11, abs=1e-300)


def test_where_nothing_differs_and_where_nothing_was_counted() -> None:
    assert p_all_equal([0, 0, 0]) == 1
    assert p_same_share(0, 10, 0, 20) == p_same_share(10, 10, 20, 20) == 1
    assert p_same_mean(14.7, 0.04, 14.74, 0.04, rounding=0.05) == pytest.approx(1)
    assert p_same_mean(14.0, 0.03, 14.1, 0.04, rounding=0) == pytest.approx(normal_two_sided(2))
