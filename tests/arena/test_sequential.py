"""Stopping early: the formulas by hand, error rates and intervals by simulation, the same stop however it is played."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from amoba_experiments import load
from amoba_experiments.analysis.match_text import match_lines
from amoba_experiments.analysis.queries import stats as run_stats
from amoba_experiments.analysis.summary import summarize
from amoba_experiments.arena import stopping
from amoba_experiments.arena.games import HELD, Games
from amoba_experiments.arena.match import BLOCK, Match
from amoba_experiments.arena.stopping import rule_is_met, stopping_summary
from amoba_experiments.runs.play_match import play_match
from amoba_experiments.statistics.sequential import (
    elo_of,
    evaluate_rule,
    expected,
    log_likelihood_ratio,
    read_rule,
    score_interval,
    shortfall,
)

TICTACTOE = Match("tictactoe", ("greedy", "random"), 3000, 3, until="elo 40")
PAIRED = dataclasses.replace(TICTACTOE, paired=True, openings=("random:2",), until="sprt 450 550")


def test_rules() -> None:
    rule = read_rule("sprt -5 2.5 beta=0.1")
    assert (rule.elo0, rule.elo1, rule.alpha, rule.beta, rule.width) == (-5, 2.5, 0.05, 0.1, None)
    assert rule.bounds == pytest.approx((np.log(0.1 / 0.95), np.log(0.9 / 0.05)))
    assert read_rule("elo 20").width == 20


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("soon", 'until \'soon\': expected "elo WIDTH" or "sprt ELO0 ELO1"'),
        ("elo", '"elo WIDTH"'),
        ("elo twenty", '"elo WIDTH"'),
        ("elo nan", '"elo WIDTH"'),
        ("elo 20 alpha=0.1", '"elo WIDTH"'),
        ("elo 0", "expected a width of more than 0"),
        ("sprt 20", '"sprt ELO0 ELO1"'),
        ("sprt 0 20 gamma=0.1", "alpha=0.05 beta=0.05 may change"),
        ("sprt 0 20 alpha=0.1 alpha=0.2", "alpha=0.05 beta=0.05 may change"),
        ("sprt 20 20", "expected the first Elo difference to be less than the second"),
        ("sprt 0 20 alpha=0.5", "expected error rates between 0 and 0.5"),
    ],
)
def test_bad_rules(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(TICTACTOE, until=text)


def test_three_players_are_no_two() -> None:
    with pytest.raises(ValueError, match="until: expected a game of two players, got halma with 3"):
        Match("halma", ("random",) * 3, until="elo 20")


def test_elo() -> None:
    assert (expected(0), elo_of(0.5), elo_of(1)) == (0.5, 0, None)
    assert expected(400) == pytest.approx(10 / 11)
    assert elo_of(expected(-123.4)) == pytest.approx(-123.4)


def test_likelihood_without_draws_is_the_binomial_one() -> None:
    wins, losses = 61, 39
    found = log_likelihood_ratio(np.array([losses, 0, wins]), 0, 50)
    p, q = expected(0), expected(50)
    assert found == pytest.approx(wins * np.log(q / p) + losses * np.log((1 - q) / (1 - p)), abs=0.01)


def test_likelihood_is_the_best_of_a_fine_grid() -> None:
    """All (loss, draw, win) probabilities with a mean of s, one free number."""
    counts, score = np.array([20, 35, 45]), 0.55
    win = np.linspace(1e-6, score - 1e-6, 400_001)
    draw = 2 * (score - win)
    loss = 1 - win - draw
    at = loss > 0
    best = (counts[0] * np.log(loss[at]) + counts[1] * np.log(draw[at]) + counts[2] * np.log(win[at])).max()
    seen = counts @ np.log(counts / counts.sum())
    assert shortfall(counts, score) == pytest.approx(seen - best, abs=1e-6)
    assert shortfall(counts, 0.625) == pytest.approx(0, abs=1e-9)


def test_likelihood_ratio_is_nearly_normal() -> None:
    """The known approximation N (s1 - s0) (2 s - s0 - s1) / (2 variance) where differences are small."""
    counts = np.array([9, 31, 64, 40, 11]) * 20
    points = np.linspace(0, 1, 5)
    count, mean = counts.sum(), counts @ points / counts.sum()
    variance = counts @ (points - mean) ** 2 / count
    zero, one = expected(0), expected(10)
    about = count * (one - zero) * (2 * mean - zero - one) / (2 * variance)
    assert log_likelihood_ratio(counts, 0, 10) == pytest.approx(about, rel=0.02)


def test_intervals() -> None:
    low, high = score_interval(np.array([400, 200, 1400]))
    error = np.sqrt((0.7 + 0.25 * 0.1 - 0.75**2) / 2000)
    assert [low, high] == pytest.approx([0.75 - 1.96 * error, 0.75 + 1.96 * error], abs=1e-3)
    assert score_interval(np.array([0, 0, 50])) == [pytest.approx(np.exp(-stats.chi2.ppf(0.95, 1) / 100), abs=1e-3), 1]
    assert score_interval(np.array([50, 0, 0]))[0] == 0
    low, high = score_interval(np.array([0, 50, 0]))  # draws only: not certain either
    assert 0.4 < low < 0.49
    assert low + high == pytest.approx(1)
    assert (
        evaluate_rule(read_rule("elo 2000"), np.array([0, 0, 50]))["stop"] is False
    )  # no upper end: never narrow enough


def walk(text: str, chances: np.ndarray, rng: np.random.Generator) -> dict[str, object]:
    """What is known when a match of units with these results stops, looked at in blocks as the arena does."""
    rule = read_rule(text)
    counts, unit = np.zeros(len(chances), np.int64), 2 if len(chances) == 5 else 1
    for _ in range(1000):
        counts += rng.multinomial(BLOCK // unit, chances)
        if rule.width is None:  # the interval takes longer
            lower, upper = rule.bounds
            if not lower < log_likelihood_ratio(counts, rule.elo0, rule.elo1) < upper:
                break
        elif evaluate_rule(rule, counts)["stop"]:
            break
    return evaluate_rule(rule, counts)


def chances(score: float, units: int) -> np.ndarray:
    """Probabilities with this mean: a third draws; or of pairs whose games hang together."""
    if units == 3:
        return np.array([1 - score - 1 / 6, 1 / 3, score - 1 / 6])
    tilt = (score - 0.5) / 0.375
    return np.array([0.05, 0.2, 0.5, 0.2, 0.05]) + tilt * np.array([-0.05, -0.5, 0, 0.5, 0.05]) * 0.375 / 0.3


@pytest.mark.parametrize(("units", "elo1"), [(3, 40), (5, 20)])
def test_error_rates_of_the_test(units: int, elo1: int) -> None:
    """Both hypotheses in turn are true: at most 5 % of 200 matches go wrong, within what chance allows (p < 0.001)."""
    rng, count = np.random.default_rng(units), 200
    assert chances(expected(elo1), units) @ np.linspace(0, 1, units) == pytest.approx(expected(elo1))
    allowed = stats.binom.ppf(0.999, count, 0.05)
    for elo, wrong in ((0, "elo1"), (elo1, "elo0")):
        ends = [walk(f"sprt 0 {elo1}", chances(expected(elo), units), rng) for _ in range(count)]
        assert all(end["stop"] for end in ends)
        assert sum(end["accepted"] == wrong for end in ends) <= allowed
    ends = [walk(f"sprt 0 {elo1} alpha=0.3 beta=0.3", chances(0.5, units), rng) for _ in range(count)]
    assert sum(end["accepted"] == "elo1" for end in ends) > allowed  # errors are made where they are let


def test_intervals_that_stop_at_a_width_cover() -> None:
    rng, count = np.random.default_rng(1), 200
    for elo in (0, 150):
        ends = [walk("elo 45", chances(expected(elo), 3), rng) for _ in range(count)]
        assert all(end["half_width"] <= 45 for end in ends)  # type: ignore[operator]
        held = sum(end["elo_ci95"][0] <= elo <= end["elo_ci95"][1] for end in ends)  # type: ignore[index]
        assert held >= stats.binom.ppf(0.001, count, 0.95)


@pytest.mark.parametrize("match", [TICTACTOE, PAIRED], ids=["elo", "sprt"])
def test_the_stop_does_not_depend_on_how_it_is_played(match: Match, tmp_path: Path) -> None:
    reference = play_match(match, jobs=1)
    count = len(reference.winner)
    assert BLOCK < count < match.games
    assert count % BLOCK == 0
    whole = play_match(dataclasses.replace(match, until=""))
    assert not any(rule_is_met(match, [first(whole, games)]) for games in range(BLOCK, count, BLOCK))
    for name in HELD:
        np.testing.assert_array_equal(getattr(reference, name), getattr(whole, name)[:count], err_msg=name)
    tables = []
    for jobs, batch in ((1, None), (2, 70)):
        folder = tmp_path / f"{jobs}"
        again = play_match(match, folder, jobs=jobs, batch=batch)
        tables.append(load(folder))
        np.testing.assert_array_equal(again.digest, reference.digest)
    assert tables[0].equals(tables[1])
    found = summarize(match, reference, None)
    assert found["until"]["stop"]
    assert found["until"]["reason"].startswith(f"stopped after {count:,} of at most 3,000 games: ")
    assert run_stats(folder)["match"] == found


def test_a_run_that_was_interrupted_goes_on_to_the_same_stop(tmp_path: Path) -> None:
    play_match(PAIRED, tmp_path / "run", jobs=1, batch=50)
    files = sorted((tmp_path / "run" / "games").iterdir())
    rows = load(tmp_path / "run")
    files[-1].unlink()
    files[1].unlink()
    found = run_stats(tmp_path / "run")["match"]["until"]
    assert "reason" in found
    for file in files[2:-1]:
        file.unlink()
    assert "too few for a first evaluation" in run_stats(tmp_path / "run")["match"]["until"]["reason"]
    told: list[int] = []
    play_match(PAIRED, tmp_path / "run", jobs=2, progress=told.append)
    assert load(tmp_path / "run").equals(rows)
    assert sum(told) == len(rows)
    with pytest.raises(ValueError, match="until is sprt 450 550 there, none here"):
        play_match(dataclasses.replace(PAIRED, until=""), tmp_path / "run")


def first(played: Games, count: int) -> Games:
    return Games(**{name: getattr(played, name)[:count] for name in HELD})


def test_figures_agree_with_the_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    """20.04 is not shown as "20.0, not within 20"; an infinite difference has the sign of the games that count."""
    match = Match("tictactoe", ("greedy", "random"), 100, until="elo 20")
    played = play_match(match)
    monkeypatch.setattr(stopping, "tally", lambda *_: np.array([577, 0, 578]))
    assert stopping_summary(match, played)["reason"].endswith("the interval is 20.1 to either side, not within 20")
    monkeypatch.setattr(stopping, "tally", lambda *_: np.array([100, 0, 0]))
    assert match_lines(summarize(match, played, None))["Elo difference"].startswith("-inf [-inf, ")


def test_all_games_are_played_where_nothing_is_decided() -> None:
    match = Match("tictactoe", ("greedy", "greedy"), 150, 3, until="elo 1")
    found = summarize(match, play_match(match), None)
    assert found["games"] == 150
    assert not found["until"]["stop"]
    assert found["until"]["reason"].startswith("all 150 games are played: the interval is ")
