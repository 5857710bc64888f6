"""Who meets whom: each format is a function from the results so far to the next lineups.

Agents are numbered in the order in which they are given, which is also their seeding. A lineup has an agent for each
seat. A lineup of one agent is a bye: the agent advances without playing. An empty list of lineups ends the tournament.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, combinations_with_replacement
from typing import NamedTuple

Lineup = tuple[int, ...]


class PairingResult(NamedTuple):
    """How a lineup ended."""

    lineup: Lineup
    points: tuple[float, ...] = (1.0,)  # of each of them
    winner: int | None = None  # None: nobody; the agent of a bye is its winner


def round_robin(agents: int, seats: int = 2) -> list[Lineup]:
    """Every set of agents that fills the seats. With fewer agents than seats: every way to share the seats among them.

    With three seats two agents A and B meet as A-A-B and as A-B-B.
    """
    if agents >= seats:
        return list(combinations(range(agents), seats))
    return [each for each in combinations_with_replacement(range(agents), seats) if len(set(each)) == agents]


def gauntlet(agents: int, seats: int = 2) -> list[Lineup]:
    """The first agent against all others: the lineups of a round robin that it is part of."""
    return [lineup for lineup in round_robin(agents, seats) if 0 in lineup]


def knockout(agents: int, results: Sequence[Sequence[PairingResult]]) -> list[Lineup]:
    """The next round: winners of neighbouring lineups meet, until one is left.

    In the first round the best seed meets the worst, so that the two best can meet in the final only. If the number of
    agents is not a power of two, the best seeds have a bye.

    Args:
        agents: the number of agents.
        results: for each round, the results in the order of its lineups.
    """
    if not results:
        return [tuple(sorted(seed for seed in pair if seed < agents)) for pair in _pairs(_seeding(agents))]
    winners = [result.winner for result in results[-1] if result.winner is not None]
    return [tuple(pair) for pair in _pairs(winners)] if len(winners) > 1 else []


def _seeding(agents: int) -> list[int]:
    """Seeds from the top of the bracket to its bottom, for the next power of two: with four agents 0 3 1 2."""
    order = [0]
    while len(order) < agents:
        order = [seed for each in order for seed in (each, 2 * len(order) - 1 - each)]
    return order


def _pairs(order: Sequence[int]) -> list[Sequence[int]]:
    return [order[i : i + 2] for i in range(0, len(order), 2)]


class Standing(NamedTuple):
    """The standing of an agent in a Swiss tournament; more is better."""

    points: float  # 1 for each lineup that it won and for a bye, a half for one that nobody won
    buchholz: float  # the sum of its opponents' points; a bye counts as its own points
    games: float  # its share of the points of its games


def standings(agents: int, results: Sequence[PairingResult]) -> list[Standing]:
    """The standing of each agent."""
    points, won, of = ([0.0] * agents for _ in range(3))
    for lineup, scores, winner in results:
        for agent, score in zip(lineup, scores, strict=True):
            points[agent] += 0.5 if winner is None else float(winner == agent)
            if len(lineup) > 1:
                won[agent] += score
                of[agent] += sum(scores)
    buchholz = [0.0] * agents
    for lineup, *_ in results:
        for agent in lineup:
            buchholz[agent] += sum(points[other] for other in lineup if other != agent or len(lineup) == 1)
    return [Standing(points[i], buchholz[i], won[i] / of[i] if of[i] else 0.5) for i in range(agents)]


def ranked(table: Sequence[Standing]) -> list[int]:
    """Agents, best first; equal ones in the order in which they were given."""
    return sorted(range(len(table)), key=lambda agent: (*(-value for value in table[agent]), agent))


def swiss(agents: int, results: Sequence[PairingResult]) -> list[Lineup]:
    """The next round of a Swiss tournament; an odd agent has a bye.

    It is the best matching by these aims, in this order: few agents meet again or have a second bye; differences of
    points are small; the lowest agent has the bye; of agents with equal points the upper half meets the lower half.
    The algorithm is networkx's (J. Edmonds, "Paths, trees, and flowers", 1965).
    """
    import networkx as nx  # a second to import

    table = standings(agents, results)
    order = ranked(table)
    bye = agents
    met = nx.MultiGraph(tuple(sorted((*lineup, bye)[:2])) for lineup, *_ in results)
    graph = nx.Graph()
    nodes = [*order, bye] if agents % 2 else order
    far = len(nodes) ** 2  # more than any difference of ranks, squared
    apart = far * len(nodes) * (2 * len(results) + 2) ** 2  # more than all differences of points, squared
    for (i, one), (j, other) in combinations(enumerate(nodes), 2):
        points = table[one].points
        if other == bye:
            gap, distance = points, len(order) - 1 - i
        else:
            group = [k for k, agent in enumerate(order) if table[agent].points == points]
            gap = points - table[other].points
            distance = abs(j - i - len(group) // 2) if gap == 0 else j - i
        cost = met.number_of_edges(one, other) * apart * len(nodes) + int(4 * gap**2) * far * len(nodes) + distance**2
        graph.add_edge(one, other, weight=-cost)
    chosen = nx.max_weight_matching(graph, maxcardinality=True)
    rank = {agent: i for i, agent in enumerate(nodes)}
    lineups = [sorted(pair, key=rank.__getitem__) for pair in chosen]
    return [tuple(agent for agent in pair if agent != bye) for pair in sorted(lineups, key=lambda pair: rank[pair[0]])]
