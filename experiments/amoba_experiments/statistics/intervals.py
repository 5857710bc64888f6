"""Intervals and p-values. What a match needs is plain Python: importing scipy.special takes longer than a small match.

It agrees with SciPy's, as tests/analysis/test_intervals.py checks: Wilson's intervals bit for bit, Student's t
distribution to ten digits (to eight for a hundred million degrees of freedom).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from math import erfc, exp, hypot, isinf, lgamma, log, pi, sqrt

NORMAL_95 = 1.959963984540054  # 95 % of a normal distribution lie within this many standard deviations of the mean
CHI2_95 = 3.841458820694124  # 95 % of a chi-squared distribution of one degree of freedom lie below this


def wilson(wins: int, of: int) -> list[float]:
    """The 95 % interval of a share (E. B. Wilson, Journal of the American Statistical Association 22, 1927).

    Raises ValueError unless 0 <= wins <= of and 0 < of.
    """
    if not 0 <= wins <= of or not of:
        raise ValueError(f"expected 0 <= wins <= of and of > 0, got {wins} of {of}")
    low, high = wilson_ends(wins / of, of, NORMAL_95)
    return [0.0 if wins == 0 else low, 1.0 if wins == of else high]


def wilson_ends(share: float, of: float, z: float) -> list[float]:
    """Wilson's interval of a share among `of` independent games, z standard deviations to either side."""
    scale = 2 * (of + z**2)
    centre = (2 * of * share + z**2) / scale
    half = z / scale * sqrt(4 * of * share * (1 - share) + z**2)
    return [centre - half, centre + half]


def normal_two_sided(distance: float) -> float:
    """The two-sided p-value of a normal value that is this many standard deviations away from its mean."""
    return erfc(distance / sqrt(2))


def student_below(value: float, freedom: float) -> float:
    """The share of Student's t distribution below a value; `freedom`: its degrees of freedom, may be infinite."""
    if isinf(freedom):
        return erfc(-value / sqrt(2)) / 2
    square = value * value
    tail = _incomplete_beta(freedom / (freedom + square), square / (freedom + square), freedom / 2, 0.5) / 2
    return tail if value < 0 else 1 - tail


@functools.lru_cache(maxsize=4096)
def student_95(freedom: float) -> float:
    """The t for which 95 % of Student's t distribution lie between -t and t; `freedom`: its degrees of freedom."""
    scale = _gamma_ratio(freedom / 2) / sqrt(freedom * pi)
    value, step = NORMAL_95, 1.0
    while step > 1e-6 * value:  # Newton's method, which squares the error: one more step would be below 1e-12
        density = scale * (1 + value * value / freedom) ** (-(freedom + 1) / 2)
        step = (student_below(-value, freedom) - 0.025) / density
        value += step
    return value


def _incomplete_beta(x: float, rest: float, a: float, b: float) -> float:
    """The regularised incomplete beta function I_x(a, b), where rest = 1 - x, and a or b is 1/2.

    By its continued fraction (NIST Digital Library of Mathematical Functions, 8.17.22), from left to right
    (W. Lentz, "Generating Bessel functions in Mie scattering calculations using continued fractions", Applied Optics
    15, 1976).
    """
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(rest, x, b, a)
    if not x:
        return 0.0
    value, above, below, change, n = 1.0, 1.0, 0.0, 0.0, 0
    while abs(change - 1) > 1e-15 and n < 10_000:
        half, n = (n + 1) // 2, n + 1
        if n % 2:
            term = -(a + half) * (a + b + half) * x / ((a + n - 1) * (a + n))
        else:
            term = half * (b - half) * x / ((a + n - 1) * (a + n))
        above, below = 1 + term / above, 1 / (1 + term * below)
        change = above * below
        value *= change
    return _gamma_ratio(a + b - 0.5) / sqrt(pi) * exp(a * log(x) + b * log(rest)) / (a * value)


def _gamma_ratio(x: float) -> float:
    """The gamma function at x + 1/2, divided by that at x."""
    if x < 100:
        return exp(lgamma(x + 0.5) - lgamma(x))
    return sqrt(x) * exp(-1 / (8 * x) + 1 / (192 * x**3))  # to 14 digits


def p_all_equal(counts: Sequence[int]) -> float:
    """The p-value of the hypothesis that all these counts have the same expectation (chi-squared test).

    It is 1 if all counts are 0.
    """
    from scipy.special import chdtrc

    expected = sum(counts) / len(counts)
    if not expected:
        return 1.0
    return float(chdtrc(len(counts) - 1, sum((count - expected) ** 2 for count in counts) / expected))


def p_same_share(wins: int, of: int, other_wins: int, other_of: int) -> float:
    """The p-value of the hypothesis that two shares are the same (chi-squared test of the 2x2 table).

    It is 1 if all games were won, or none.
    """
    from scipy.special import chdtrc

    won, played = wins + other_wins, of + other_of
    if won in (0, played):
        return 1.0
    off = wins * (other_of - other_wins) - other_wins * (of - wins)
    return float(chdtrc(1, off**2 * played / (of * other_of * won * (played - won))))


def p_same_mean(
    value: float, error: float | None, other: float, other_error: float | None, rounding: float
) -> float | None:
    """The p-value of the hypothesis that two means are the same; None if an error is not known, or both are 0.

    `rounding`: half a unit of the last digit of a mean that was published rounded.
    """
    if error is None or other_error is None or not (error or other_error):
        return None
    off = max(0.0, abs(value - other) - rounding)
    return normal_two_sided(off / hypot(error, other_error))
