"""Who meets whom: properties of each format, and Swiss rounds against all matchings by hand."""

from itertools import combinations

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amoba_experiments.analysis.summary import points_text
from amoba_experiments.analysis.tournament.bracket import draw
from amoba_experiments.analysis.tournament.pairings import (
    Lineup,
    PairingResult,
    gauntlet,
    knockout,
    round_robin,
    standings,
    swiss,
)

MANY = st.integers(2, 12)


def played(lineup: Lineup, outcome: int) -> PairingResult:
    """A result of two: the first wins, nobody, or the second."""
    if len(lineup) == 1:
        return PairingResult(lineup, (1.0,), lineup[0])
    return PairingResult(lineup, (2.0 - outcome, float(outcome)), (lineup[0], None, lineup[1])[outcome])


@given(MANY, st.integers(2, 4))
def test_everybody_meets_everybody(agents: int, seats: int) -> None:
    lineups = round_robin(agents, seats)
    assert len(set(lineups)) == len(lineups)
    assert all(len(lineup) == seats for lineup in lineups)
    met = {pair for lineup in lineups for pair in combinations(sorted(set(lineup)), 2)}
    assert met == set(combinations(range(agents), 2))
    if agents >= seats:
        times = [sum({one, other} <= set(lineup) for lineup in lineups) for one, other in met]
        assert len(set(times)) == 1  # equally often
        assert all(len(set(lineup)) == seats for lineup in lineups)


def test_fewer_agents_than_seats() -> None:
    assert round_robin(2, 3) == [(0, 0, 1), (0, 1, 1)]
    assert round_robin(3, 4) == [(0, 0, 1, 2), (0, 1, 1, 2), (0, 1, 2, 2)]


@given(MANY, st.integers(2, 3))
def test_the_first_against_all_others(agents: int, seats: int) -> None:
    lineups = gauntlet(agents, seats)
    assert set(lineups) <= set(round_robin(agents, seats))
    assert all(0 in lineup for lineup in lineups)
    assert {agent for lineup in lineups for agent in lineup} == set(range(agents))
    if seats == 2:
        assert lineups == [(0, agent) for agent in range(1, agents)]


@given(st.integers(2, 40), st.randoms())
def test_a_knockout_has_one_champion(agents: int, chance) -> None:  # type: ignore[no-untyped-def]
    rounds: list[list[PairingResult]] = []
    while lineups := knockout(agents, rounds):
        rounds.append([played(lineup, chance.choice((0, 2))) for lineup in lineups])
    assert len(rounds) == (agents - 1).bit_length()
    lost = [agent for each in rounds for result in each for agent in result.lineup if agent != result.winner]
    champion = rounds[-1][0].winner
    assert sorted([*lost, champion]) == list(range(agents))  # everybody else loses once
    byes = [result.lineup[0] for each in rounds for result in each if len(result.lineup) == 1]
    assert byes == sorted(byes, key=[result.winner for result in rounds[0]].index)
    assert sorted(byes) == list(range((1 << len(rounds)) - agents))  # the best seeds, in the first round
    entries = [[[(f"agent{agent}", "1") for agent in result.lineup] for result in each] for each in rounds]
    drawn = draw(entries, f"agent{champion}", 200)
    assert [drawn.count(f"agent{i} ") + drawn.count(f"agent{i}\n") for i in range(agents)] == [
        sum(i in result.lineup and len(result.lineup) == 2 for each in rounds for result in each) + (i == champion)
        for i in range(agents)
    ] or agents == 2


@given(st.integers(2, 6).map(lambda k: 1 << k))
def test_seeds_meet_as_late_as_they_can(agents: int) -> None:
    """If the better seed always wins, the best 2^k are those left."""
    rounds: list[list[PairingResult]] = []
    while lineups := knockout(agents, rounds):
        assert sorted(agent for lineup in lineups for agent in lineup) == list(range(agents >> len(rounds)))
        assert {sum(lineup) for lineup in lineups} == {(agents >> len(rounds)) - 1}
        rounds.append([played(lineup, 0) for lineup in lineups])


def test_the_bracket() -> None:
    long = "3 a very long name"
    rounds = [[[("1 one", "1")], [("2 two", "1½*"), (long, "2½*")]], [[("1 one", "3"), (long, "1")]]]
    assert draw(rounds, "1 one", 50).splitlines() == [
        "                    1 one         3 ┐",
        "                                    │",
        "                                    ├ 1 one",
        "2 two         1½* ┐                 │",
        "                  ├ 3 a very lo…  1 ┘",
        "3 a very lo…  2½* ┘",
    ]
    assert [points_text(each) for each in (0, 0.5, 3, 61.5, 0.75, 7.25)] == ["0", "½", "3", "61½", "0.75", "7.25"]


@settings(max_examples=60)
@given(MANY, st.randoms())
def test_a_swiss_repeats_nothing_that_it_need_not(agents: int, chance) -> None:  # type: ignore[no-untyped-def]
    """In each round as few meetings again, and second byes, as any matching has (counted by brute force for few)."""
    results: list[PairingResult] = []
    met: set[Lineup] = set()
    for number in range(agents + 1):
        lineups = swiss(agents, results)
        assert sorted(agent for lineup in lineups for agent in lineup) == list(range(agents))
        again = sum(tuple(sorted(lineup)) in met for lineup in lineups)
        if number < (agents + 1) // 2:  # as many rounds are always possible without (Dirac)
            assert again == 0
        elif agents <= 7 and number < agents - 1 + agents % 2:
            free = nx.Graph(pair for pair in [*pairs(agents)] if tuple(a for a in pair if a != agents) not in met)
            free.add_nodes_from(range(agents))
            assert (again == 0) == (2 * len(nx.max_weight_matching(free)) >= agents)
        met |= {tuple(sorted(lineup)) for lineup in lineups}
        results += [played(lineup, chance.choice((0, 1, 2))) for lineup in lineups]


def pairs(agents: int) -> list[Lineup]:
    """Of all agents, and with the bye where it is needed."""
    return list(combinations(range(agents + agents % 2), 2))


def test_swiss_pairs_equals_upper_half_against_lower() -> None:
    first = swiss(6, [])
    assert first == [(0, 3), (1, 4), (2, 5)]
    results = [played(lineup, 0) for lineup in first]
    second = swiss(6, results)
    assert sorted(second[0]) == [0, 1]
    assert {frozenset(pair) for pair in second} == {frozenset((0, 1)), frozenset((2, 3)), frozenset((4, 5))}
    assert swiss(5, []) == [(0, 2), (1, 3), (4,)]


def test_standings() -> None:
    """0 beats 1, 2 has a bye; 2 ties with 0, 1 has a bye."""
    table = standings(3, [played((0, 1), 0), played((2,), 0), played((0, 2), 1), played((1,), 0)])
    assert [each.points for each in table] == [1.5, 1, 1.5]
    assert [each.buchholz for each in table] == [1 + 1.5, 1.5 + 1, 1.5 + 1.5]
    assert [each.games for each in table] == [0.75, 0, 0.5]


@pytest.mark.parametrize("agents", [20, 31])
def test_a_large_swiss(agents: int) -> None:
    results: list[PairingResult] = []
    for _ in range(8):
        results += [played(lineup, int(lineup[-1] < lineup[0]) * 2) for lineup in swiss(agents, results)]
    assert max(range(agents), key=lambda agent: standings(agents, results)[agent]) == 0
