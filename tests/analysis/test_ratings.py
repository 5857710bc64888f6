"""Ratings: choix's own answers, closed forms, and known strengths in simulated tournaments."""

from collections import Counter
from itertools import combinations, permutations

import choix
import numpy as np
import pytest
from effort import cases
from scipy import stats

from amoba_experiments.analysis.tournament import certainty
from amoba_experiments.analysis.tournament.certainty import FEWEST_OPENINGS, Certainty
from amoba_experiments.analysis.tournament.ratings import ELO, ahead, fit, model, rate
from amoba_experiments.statistics.clusters import share_interval
from amoba_experiments.statistics.restricted import Probabilities
from amoba_experiments.statistics.sequential import elo_of


def rated(lineups: np.ndarray, places: np.ndarray, agents: int):  # type: ignore[no-untyped-def]
    """Every game on its own, each set of agents a pairing."""
    _, strata = np.unique(np.sort(lineups, axis=1), axis=0, return_inverse=True)
    return rate(agents, lineups, places, strata.ravel(), np.arange(len(lineups)))


def draws(lineups: np.ndarray, elo: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Places by the model of Plackett and Luce: the order of strengths with Gumbel noise (R. Luce, P. Suppes 1965)."""
    values = elo[lineups] / ELO + rng.gumbel(size=lineups.shape)
    return (-values).argsort(axis=1).argsort(axis=1) + 1


def test_two_players_in_closed_form() -> None:
    for wins, drawn, losses in ((30, 7, 12), (5, 0, 0), (0, 9, 0)):
        places = np.array([[1, 2]] * wins + [[1, 1]] * drawn + [[2, 1]] * losses)
        found = rated(np.tile([0, 1], (len(places), 1)), places, 2).elo
        difference = 400 * np.log10((wins + drawn / 2 + 0.5) / (losses + drawn / 2 + 0.5))
        assert found[0] - found[1] == pytest.approx(difference, abs=0.01)
        assert found.sum() == pytest.approx(0)


def test_pairs_and_triples_as_choix_has_them() -> None:
    """Without the drawn games."""
    rng = np.random.default_rng(2)
    elo = np.array([150.0, 30, 0, -60, -120])
    for seats in (2, 3):
        lineups = np.array(list(combinations(range(5), seats)) * 6)
        places = draws(lineups, elo, rng)
        rankings = [tuple(lineup[order]) for lineup, order in zip(lineups, places.argsort(axis=1), strict=True)]
        reference = choix.mm_rankings(5, rankings, tol=1e-9)
        known = Counter(
            choice for each in zip(lineups.tolist(), places.tolist(), strict=True) for choice in ahead(*each)
        )
        found = fit(model(5, list(known)), np.array([*known.values()], float), drawn=False)[0]
        assert found == pytest.approx(reference - reference.mean(), abs=2e-4)


def test_the_drawn_games_do_not_shrink() -> None:
    """Over many small tournaments ratings are right on average; those of the most likely strengths are too far out."""
    rng, elo = np.random.default_rng(3), np.array([200.0, 0, 0, -200])
    lineups = np.array(list(combinations(range(4), 2)) * 10)
    means = np.mean([rated(lineups, draws(lineups, elo, rng), 4).elo for _ in range(cases(200))], axis=0)
    assert means == pytest.approx(elo, abs=15)


def test_one_agent_on_two_seats_in_closed_form() -> None:
    """A-A-B where B is first in 3 of 10 games: of strengths a, a, b it is so with probability b / (2 a + b)."""
    games = 1000
    places = np.array([[2, 3, 1]] * (3 * games) + [[1, 2, 3], [1, 3, 2]] * (7 * games // 2))
    found = rated(np.tile([0, 0, 1], (len(places), 1)), places, 2).elo
    # Where A is first, A and B are left: second and third fall evenly here, so b = a there; so the whole likelihood is
    # 3 log b / (2a + b) + 7 log a / (2a + b) + 3.5 log a / (a + b) + 3.5 log b / (a + b).
    ratio = np.linspace(0.3, 2, 170_001)
    likelihood = 3 * np.log(ratio / (2 + ratio)) - 7 * np.log(2 + ratio) + 3.5 * np.log(ratio) - 7 * np.log(1 + ratio)
    assert 10 ** ((found[1] - found[0]) / 400) == pytest.approx(ratio[likelihood.argmax()], abs=1e-3)


def test_choices_of_an_outcome() -> None:
    assert ahead([4, 2, 7], [2, 1, 3]) == {(2, (4, 7)): 1, (4, (7,)): 1}
    assert ahead([4, 2], [1, 1]) == {(4, (2,)): 0.5, (2, (4,)): 0.5}
    assert ahead([4, 2, 7], [1, 2, 2]) == {(4, (2, 7)): 1}  # of the others nothing is known
    shared = ahead([4, 2, 7], [3, 1, 1])  # a forfeit: the two before are tied
    assert shared == {(2, (4, 7)): 0.5, (7, (2, 4)): 0.5, (7, (4,)): 0.5, (2, (4,)): 0.5}
    assert sum(ahead([0, 1, 2], [1, 1, 1]).values()) == pytest.approx(2)
    assert ahead([0, 0, 1], [1, 2, 3]) == {(0, (0, 1)): 1, (0, (1,)): 1}


@pytest.mark.parametrize("seats", [2, 3])
def test_known_strengths_are_inside_the_intervals(seats: int) -> None:
    """Forty tournaments of four: 95 % of the 160 intervals should contain the true value.

    The four of a tournament depend on each other, so chance is that of forty (p < 0.001).
    """
    rng, times, elo = np.random.default_rng(seats), cases(40), np.array([120.0, 40, -20, -140])
    lineups = np.array(list(combinations(range(4), seats)) * 20)
    held = 0
    for _ in range(times):
        found = rated(lineups, draws(lineups, elo, rng), 4)
        for agent in range(4):
            low, high = Certainty(found).interval(agent) or [0, 0]
            held += low <= elo[agent] <= high
    assert stats.binom.ppf(0.001, times, 0.95) / times <= held / (4 * times) < 1


def test_few_openings_have_no_interval() -> None:
    lineups = np.array([[0, 1]] * (2 * FEWEST_OPENINGS))
    places = np.array([[1, 2], [2, 1], [1, 2], [1, 2]] * (FEWEST_OPENINGS // 2))
    openings = np.repeat(np.arange(FEWEST_OPENINGS), 2)
    for count, known in ((2 * FEWEST_OPENINGS, True), (2 * FEWEST_OPENINGS - 2, False)):
        found = rate(2, lineups[:count], places[:count], np.zeros(count, int), openings[:count])
        assert (Certainty(found).interval(0) is not None) == (Certainty(found).superiority(0, 1) is not None) == known
    alone = rate(2, lineups, places, openings // (FEWEST_OPENINGS - 1), openings)  # one opening is a pairing of its own
    assert Certainty(alone).interval(0) is None


def test_intervals_count_openings_not_games() -> None:
    """Copies of a game say nothing new."""
    rng = np.random.default_rng(4)
    lineups = np.tile([0, 1], (60, 1))
    places = draws(lineups, np.array([50.0, -50]), rng)
    widths = []
    for times in (1, 20):
        found = rate(2, *(np.repeat(each, times, axis=0) for each in (lineups, places)), np.zeros(60 * times, int),
                     np.repeat(np.arange(60), times))  # fmt: skip
        low, high = Certainty(found).interval(0) or [0, 0]
        widths.append(high - low)
    assert widths[1] == pytest.approx(widths[0], rel=0.05)


def test_likelihood_of_superiority() -> None:
    """As a normal difference has it."""
    wins, losses = 60, 45
    places = np.array([[1, 2]] * wins + [[2, 1]] * losses)
    found = rated(np.tile([0, 1], (105, 1)), places, 2)
    error = np.sqrt(1 / wins + 1 / losses)
    assert Certainty(found).superiority(0, 1) == pytest.approx(stats.norm.cdf(np.log(wins / losses) / error), abs=0.03)
    assert (Certainty(found).superiority(0, 1) or 0) + (Certainty(found).superiority(1, 0) or 0) == pytest.approx(1)
    draws_only = rated(np.tile([0, 1], (30, 1)), np.ones((30, 2), int), 2)
    assert Certainty(draws_only).superiority(0, 1) == 0.5
    low, high = Certainty(draws_only).interval(0) or [0, 0]
    assert low == pytest.approx(-high)
    assert 10 < high < 40


def test_superiority_is_unknown_if_no_game_speaks_for_the_weaker_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a tournament where `random` won a game of others only: nothing that happened can shift the difference."""
    found = rated(np.tile([0, 1], (40, 1)), np.array([[1, 2]] * 39 + [[2, 1]]), 2)
    assert Certainty(found).superiority(0, 1) is not None
    monkeypatch.setattr(certainty, "shifted", lambda parts, *_: Probabilities(0.0, 0.0, parts, 0.0))
    assert Certainty(found).superiority(0, 1) is None


def test_superiority_is_sure_if_nothing_makes_the_two_equal() -> None:
    """`random` and `greedy` met only a player that beats both, `greedy` seldom and `random` always."""
    seating = np.concatenate([np.tile([0, 1], (100, 1)), np.tile([0, 2], (100, 1))])
    places = np.array([[1, 2]] * 60 + [[2, 1]] * 40 + [[1, 2]] * 99 + [[2, 1]])
    found = Certainty(rated(seating, places, 3))
    assert found.superiority(1, 2) is not None
    assert (found.superiority(1, 2) or 0) > 0.999
    assert (found.superiority(2, 1) or 0) < 0.001


def test_two_agents_are_a_match() -> None:
    """The ends of a rating are those of the points, as Elo numbers."""
    places = np.array([[1, 2]] * 25 + [[1, 1]] * 6 + [[2, 1]] * 9)
    openings = np.arange(40) // 2
    found = rate(2, np.tile([0, 1], (40, 1)), places, np.zeros(40, int), openings)
    ends = share_interval((places[:, 0] < places[:, 1]) + (places[:, 0] == places[:, 1]) / 2, openings) or []
    assert Certainty(found).interval(0) == pytest.approx([(elo_of(end) or 0) / 2 for end in ends], abs=0.01)


@pytest.mark.parametrize("decisive", range(20))
def test_one_decisive_pairing_of_three(decisive: int) -> None:
    """The games of the others do not touch the rating of 0, but for rounding. It is still not known exactly."""
    lineups = np.repeat([[0, 1], [0, 2], [1, 2]], 20, axis=0)
    places = np.ones((60, 2), int)
    places[40 : 41 + decisive, 1] = 2
    found = rated(lineups, places, 3)
    for agent in range(3):
        ends = Certainty(found).interval(agent)
        if decisive < 19:  # else 1 always beat 2
            low, high = ends or [0, 0]
            assert low < found.elo[agent] < high


def test_an_opening_of_several_pairings_is_one() -> None:
    """Sixty openings of three pairings, or twenty that all pairings play with the same results."""
    rng = np.random.default_rng(7)
    lineups = np.repeat([[0, 1], [0, 2], [1, 2]], 20, axis=0)
    places = draws(lineups, np.zeros(3), rng)
    places[20:40] = places[:20]  # 0 does alike against both
    strata = np.repeat(np.arange(3), 20)
    own, shared = (rate(3, lineups, places, strata, clusters) for clusters in (np.arange(60), np.tile(range(20), 3)))
    assert own.elo == pytest.approx(shared.elo)
    (low, high), (below, above) = (Certainty(each).interval(0) or [0, 0] for each in (own, shared))
    assert above - below > 1.1 * (high - low)


def test_who_wins_everything() -> None:
    """0 beats all; 1 and 2 beat each other; 3 loses all."""
    lineups = np.array(list(combinations(range(4), 2)) * 10)
    places = np.tile([1, 2], (60, 1))
    odd = (lineups == [1, 2]).all(axis=1) & (np.arange(60) % 12 < 6)
    places[odd] = [2, 1]
    found = rated(lineups, places, 4)
    assert found.groups == [[1, 2], [0], [3]]
    assert (np.diff(found.elo) <= 1e-6).all()
    assert np.isfinite(found.elo).all()
    assert found.elo[1:3].mean() == pytest.approx(0)  # of those that can be compared
    assert [Certainty(found).interval(agent) is None for agent in range(4)] == [True, False, False, True]
    assert Certainty(found).superiority(0, 1) is Certainty(found).superiority(2, 3) is None
    assert Certainty(found).superiority(1, 2) is not None


def test_agents_that_no_game_connects() -> None:
    lineups = np.array([[0, 1]] * 4 + [[2, 3]] * 4)
    found = rated(lineups, np.array([[1, 2], [1, 2], [1, 2], [2, 1]] * 2), 4)
    difference = 400 * np.log10(3.5 / 1.5)
    assert found.elo == pytest.approx([difference / 2, -difference / 2] * 2, abs=0.01)
    assert found.groups == [[0, 1], [2, 3]]
    assert Certainty(found).superiority(0, 3) is None


def test_the_order_of_games_and_seats_does_not_matter() -> None:
    rng = np.random.default_rng(5)
    lineups = np.array([order for lineup in combinations(range(4), 3) for order in permutations(lineup)] * 5)
    places = draws(lineups, np.array([80.0, 20, 0, -100]), rng)
    mixed = rng.permutation(len(lineups))
    one, other = rated(lineups, places, 4).elo, rated(lineups[mixed][:, ::-1], places[mixed][:, ::-1], 4).elo
    assert one == pytest.approx(other, abs=0.01)
