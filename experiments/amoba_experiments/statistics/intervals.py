"""Intervals and p-values of counts, in plain Python: importing scipy.stats takes longer than a small match.

They are those of scipy.stats, see tests/analysis/test_intervals.py: intervals bit for bit, p-values to twelve digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import erfc, exp, pi, sqrt

NORMAL_95 = 1.959963984540054  # 95 % of a normal distribution lie so many standard deviations to either side
CHI2_95 = 3.841458820694124  # 95 % of a chi-squared distribution of one degree of freedom lie below


def wilson(wins: int, of: int) -> list[float]:
    """The 95 % interval of a share (E. B. Wilson, Journal of the American Statistical Association 22, 1927).

    Raises ValueError unless 0 <= wins <= of and 0 < of.
    """
    if not 0 <= wins <= of or not of:
        raise ValueError(f"{wins} of {of} is no share")
    low, high = wilson_ends(wins / of, of, NORMAL_95)
    return [0.0 if wins == 0 else low, 1.0 if wins == of else high]


def wilson_ends(share: float, of: float, z: float) -> list[float]:
    """Wilson's interval of a share among `of` independent games, z standard deviations to either side."""
    scale = 2 * (of + z**2)
    centre = (2 * of * share + z**2) / scale
    half = z / scale * sqrt(4 * of * share * (1 - share) + z**2)
    return [centre - half, centre + half]


def normal_two_sided(distance: float) -> float:
    """The p-value of being at least so many standard deviations away from the mean."""
    return erfc(distance / sqrt(2))


def chi2_tail(value: float, freedom: int) -> float:
    """The p-value of a chi-squared statistic with this whole number (1 or more) of degrees of freedom.

    M. Abramowitz, I. Stegun, "Handbook of Mathematical Functions" (1964), 26.4.4 and 26.4.5.
    """
    half = value / 2
    if freedom % 2:
        tail, term, first = erfc(sqrt(half)), 2 * sqrt(half / pi) * exp(-half), 3
    else:
        tail, term, first = exp(-half), half * exp(-half), 4
    for more in range(first, freedom + 1, 2):
        tail += term
        term *= value / more
    return tail


def alike(counts: Sequence[int]) -> float:
    """The p-value of all these counts having the same expectation (chi-squared test); 1 where nothing was counted."""
    expected = sum(counts) / len(counts)
    if not expected:
        return 1.0
    return chi2_tail(sum((count - expected) ** 2 for count in counts) / expected, len(counts) - 1)


def differs(wins: int, of: int, other_wins: int, other_of: int) -> float:
    """The p-value of two shares being the same (chi-squared test of the 2x2 table); 1 where all or none were won."""
    won, played = wins + other_wins, of + other_of
    if won in (0, played):
        return 1.0
    off = wins * (other_of - other_wins) - other_wins * (of - wins)
    return chi2_tail(off**2 * played / (of * other_of * won * (played - won)), 1)
