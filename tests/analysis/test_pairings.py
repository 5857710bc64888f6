"""Who meets whom: properties of each format."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from amoba_experiments.analysis.tournament.play_tournament import gauntlet, round_robin

MANY = st.integers(2, 12)


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
