"""Sequential tests: two players play until it is known how many Elo one is stronger than the other.

    "elo 20"                            until the 95 % interval of the Elo difference is at most 20 to either side
    "sprt 0 20"                         until "0 Elo" or "20 Elo" is accepted, each wrongly in at most 5 % of matches
    "sprt 0 20 alpha=0.01 beta=0.1"     alpha: rate of accepting 20 if 0 is true; beta: of accepting 0 if 20 is true

Elo is logistic: a difference d means that the first player's expected score is 1 / (1 + 10^(-d/400)), where a draw is
half a point. The rule is evaluated after every hundred games, in the order of their numbers, so a match stops after the
same game for any number of jobs and any batch size.

The unit is the game (win, draw, loss: trinomial). With `paired` it is the pair of games of one opening (five sums of
points: pentanomial), since the two are not independent. Nothing else is assumed about the probabilities: the
likelihood of a score s is the largest of all probabilities with this mean. It is the empirical likelihood of A. Owen,
"Empirical Likelihood" (2001), chapter 2; the test that compares two of them is the generalised sequential probability
ratio test (X. Li, J. Liu, Z. Ying, "Generalized sequential probability ratio test for separate families of
hypotheses", Sequential Analysis 33, 2014) with Wald's bounds (A. Wald, "Sequential Analysis", 1947), in the form that
tests of chess programs use (M. Van den Bergh, "The generalized sequential probability ratio test for multinomial
distributions", and Fishtest), which also gave the value of MISSING.

Guarantees: the error rates of a test hold in the limit of small Elo differences and long matches; evaluation only after
blocks of games makes them a little smaller. An interval that stops at a given width covers 95 % in the same limit
(Y. Chow, H. Robbins, "On the asymptotic theory of fixed-width sequential confidence intervals for the mean", Annals of
Mathematical Statistics 36, 1965), and slightly less in short matches. Not guaranteed: the estimate and the
interval after a test ignore that it stopped early, so on average they are too far from 0. And players without
randomness repeat their games, which is not evidence; they need random openings.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from math import log1p
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_env import checks
from amoba_experiments.statistics.intervals import CHI2_95

Counts = NDArray[np.int64]  # [3] of games or [5] of pairs, by the first player's points, fewest first

MOST_ELO = 4000  # an expected score of 1 in 10,000,000,000
MISSING = 1e-3  # in place of the count of a result that did not occur
FORMS = '"elo WIDTH" or "sprt ELO0 ELO1", after which alpha=0.05 beta=0.05 may change the error rates'
NUMBER = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)"
RULE = re.compile(
    rf"elo (?P<width>{NUMBER})|sprt (?P<elo0>{NUMBER}) (?P<elo1>{NUMBER})(?P<rates>( (alpha|beta)={NUMBER})*)"
)


class Rule(NamedTuple):
    """A rule that says when a match stops."""

    text: str
    width: float | None = None  # of an interval, to either side, in Elo; None: a test
    elo0: float = 0.0
    elo1: float = 0.0
    alpha: float = 0.05
    beta: float = 0.05

    @property
    def bounds(self) -> tuple[float, float]:
        """Wald's bounds of the log likelihood ratio: elo0 is accepted up to the first, elo1 from the second on."""
        return float(np.log(self.beta / (1 - self.alpha))), float(np.log((1 - self.beta) / self.alpha))


def read_rule(text: str) -> Rule:
    """A rule from its text. Raises ValueError that says what is possible."""
    found = RULE.fullmatch(" ".join(checks.text("until", text).split()))
    rates = [] if found is None else re.findall(r"(\w+)=(\S+)", found["rates"] or "")
    if found is None or len(dict(rates)) < len(rates):
        raise ValueError(f"until {checks.brief(text)}: expected {FORMS}")
    width = None if found["width"] is None else float(found["width"])
    elo0, elo1 = float(found["elo0"] or 0), float(found["elo1"] or 0)
    rule = Rule(text, width, elo0, elo1, **{name: float(rate) for name, rate in rates})
    if rule.width is not None and rule.width <= 0:
        raise ValueError(f"until {checks.brief(text)}: expected a width of more than 0")
    if rule.width is None and elo0 >= elo1:
        raise ValueError(f"until {checks.brief(text)}: expected the first Elo difference to be less than the second")
    if any(abs(value) > MOST_ELO for value in (rule.width or 0, elo0, elo1)):
        raise ValueError(f"until {checks.brief(text)}: expected Elo numbers from -{MOST_ELO} to {MOST_ELO}")
    if not all(0 < rate < 0.5 for rate in (rule.alpha, rule.beta)):
        raise ValueError(f"until {checks.brief(text)}: expected error rates between 0 and 0.5")
    return rule


def expected(elo: float) -> float:
    """The expected score of a player who is this many Elo stronger."""
    return float(1 / (1 + 10 ** (-elo / 400)))


def elo_of(score: float) -> float | None:
    """The Elo difference of an expected score; None if it is infinite."""
    return float(400 * np.log10(score / (1 - score))) if 0 < score < 1 else None


def shortfall(counts: Counts, score: float) -> float:
    """The log likelihood of the best probabilities, minus that of the best ones with this expected score.

    The best ones with mean s are p_i = n_i / N / (1 + t (a_i - s)), with t such that they have this mean (Owen, 2001).
    """
    times = [count or MISSING for count in counts.tolist()]
    total = sum(times)
    off = [i / (len(times) - 1) - score for i in range(len(times))]
    terms = [(count / total, each) for count, each in zip(times, off, strict=True)]
    # Every p_i is at most 1, which keeps t well between these two.
    low, high = ((seen / 2 - 1) / each for seen, each in (terms[-1], terms[0]))
    root = root_of(lambda t: sum(seen * each / (1 + t * each) for seen, each in terms), low, high)
    return sum(count * log1p(root * each) for count, each in zip(times, off, strict=True))


def root_of(function: Callable[[float], float], low: float, high: float, close: float = 2e-12) -> float:
    """Where a function that grows or falls from `low` to `high` is 0."""
    from scipy.optimize import brentq  # takes longer to import than a small match takes to play

    return float(brentq(function, low, high, xtol=close))


def log_likelihood_ratio(counts: Counts, elo0: float, elo1: float) -> float:
    """The log of the likelihood of elo1 divided by that of elo0, given these results."""
    return shortfall(counts, expected(elo0)) - shortfall(counts, expected(elo1))


def score_interval(counts: Counts) -> list[float]:
    """The 95 % interval of the expected score: all scores whose `shortfall` is small enough (Wilks).

    It reaches 0 or 1 only if all results were losses, or all wins.
    """
    centre, limit = _score(counts), CHI2_95 / 2

    def excess(score: float) -> float:
        return shortfall(counts, score) - limit

    tiny = 1e-12
    low = root_of(excess, tiny, min(centre, 1 - tiny), 1e-9) if centre > 0 else 0.0
    high = root_of(excess, max(centre, tiny), 1 - tiny, 1e-9) if centre < 1 else 1.0
    return [low, high]


def _score(counts: Counts) -> float:
    return float(counts @ np.linspace(0, 1, len(counts)) / counts.sum())


def evaluate_rule(rule: Rule, counts: Counts) -> dict[str, Any]:
    """The state of the rule after these results, ready for JSON.

    Elo differences are those of the match's first agent, null where they are infinite. `accepted` is "elo0", "elo1" or
    null; `stop` says whether the match may stop.
    """
    low, high = score_interval(counts)
    elo, ends = elo_of(_score(counts)), [elo_of(low), elo_of(high)]
    found: dict[str, Any] = {
        "rule": rule.text,
        "unit": "pair" if len(counts) == 5 else "game",
        "counts": counts.tolist(),
        "score": _score(counts),
        "score_ci95": [low, high],
        "elo": elo,
        "elo_ci95": ends,
        "half_width": None if ends[0] is None or ends[1] is None else (ends[1] - ends[0]) / 2,
    }
    if rule.width is not None:
        return {**found, "stop": found["half_width"] is not None and found["half_width"] <= rule.width}
    ratio, (lower, upper) = log_likelihood_ratio(counts, rule.elo0, rule.elo1), rule.bounds
    accepted = "elo1" if ratio >= upper else "elo0" if ratio <= lower else None
    test = {"elo0": rule.elo0, "elo1": rule.elo1, "alpha": rule.alpha, "beta": rule.beta}
    return {**found, **test, "llr": ratio, "bounds": [lower, upper], "accepted": accepted, "stop": accepted is not None}
