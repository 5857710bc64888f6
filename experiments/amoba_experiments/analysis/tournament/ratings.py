"""Strengths of agents from who finished ahead of whom, on the Elo scale.

Two players: the model of Bradley and Terry ("Rank analysis of incomplete block designs", Biometrika 39, 1952), with a
draw as half a win for each. More: that of Plackett and Luce (R. Plackett, "The analysis of permutations", Applied
Statistics 24, 1975), of which it is a case: the first is chosen among all with a probability in proportion to its
strength, then the second among the others, and so on. Those who share a place stand for all their orders, each with the
same part; but of those who share the last place behind others nothing is known, as where a row ended the game.

The most likely strengths are found by Luce spectral ranking (L. Maystre, M. Grossglauser, "Fast and accurate inference
of Plackett-Luce models", NeurIPS 2015) with the package `choix`. A factor of ten in strength is 400 Elo; 0 is the mean
of all agents.

Every two agents that met are given one more drawn game. It keeps all ratings finite: without it, one who wins
everything would have none. With two players it is the well-known half added to wins and to losses (J. Haldane, "The
estimation and significance of the logarithm of a ratio of frequencies", Annals of Human Genetics 20, 1956).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations, groupby, permutations, product
from math import log
from typing import NamedTuple

import choix
import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

ELO = 400 / log(10)  # a unit of log strength
RESAMPLES = 500
CLOSE = 1e-5  # of log strengths in two steps, 0.002 Elo
MOST_STEPS = 1000
ALPHA = 1e-9  # of choix: it only matters where agents hang together by no games, whose groups then have one mean
SAME = 0.1  # Elo: closer than that is the same


class Ratings(NamedTuple):
    """What is known of n agents."""

    elo: NDArray[np.float64]  # [n] 0 is their mean
    samples: NDArray[np.float64]  # [resamples, n] the same from resampled games
    apart: list[list[int]]  # groups of agents, the largest first, between which somebody never finished ahead


class Choices(NamedTuple):
    """The distinct choices that games were made of: this agent ahead of those others."""

    winner: NDArray[np.intp]  # [C]
    others: NDArray[np.intp]  # [C, seats - 1] n where there are fewer of them
    agents: int  # n


def rate(
    agents: int,
    lineups: NDArray[np.int_],
    places: NDArray[np.int_],
    strata: NDArray[np.int_],
    clusters: NDArray[np.int_],
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Ratings:
    """Ratings of agents 0 .. agents - 1.

    Args:
        agents: how many.
        lineups: [G, seats] the agent on each seat; one may have several seats.
        places: [G, seats] its place, 1 is best; seats that share a place have the same number.
        strata: [G] the pairing of the game.
        clusters: [G] games of one number hang together (an opening, a pair) and belong to one pairing.
        resamples: of whole clusters, within each pairing (bootstrap).
        seed: of the resampling.
    """
    outcomes, of = np.unique(np.hstack([lineups, places]), axis=0, return_inverse=True)
    seats = lineups.shape[1]
    parts = [ahead(row[:seats], row[seats:]) for row in outcomes.tolist()]
    met = {pair for row in outcomes for pair in combinations(sorted(set(row[:seats].tolist())), 2)}
    drawn = [((one, (other,)), 0.5) for pair in met for one, other in (pair, pair[::-1])]
    known = sorted({choice for part in parts for choice in part} | {choice for choice, _ in drawn})
    number = {choice: i for i, choice in enumerate(known)}
    others = np.full((len(known), seats - 1), agents)
    for row, (_, rest) in zip(others, known, strict=True):
        row[: len(rest)] = rest
    choices = Choices(np.array([winner for winner, _ in known]), others, agents)

    made = np.zeros((len(outcomes), len(known)))
    for row, part in zip(made, parts, strict=True):
        for choice, weight in part.items():
            row[number[choice]] = weight
    more = np.zeros(len(known))
    for choice, weight in drawn:
        more[number[choice]] = weight
    first, cluster = np.unique(clusters, return_index=True, return_inverse=True)[1:]
    games = sparse.csr_array((np.ones(len(of)), (cluster, of.ravel())), shape=(len(first), len(outcomes)))
    found = games @ made  # [clusters, choices]
    estimate = fit(choices, found.sum(axis=0) + more)
    rng = np.random.default_rng(seed)
    groups = [np.flatnonzero(strata[first] == each) for each in np.unique(strata)]
    samples = np.empty((resamples, agents))
    for sample in samples:
        drawn_again = np.zeros(len(first))
        for group in groups:
            drawn_again[group] = rng.multinomial(len(group), np.full(len(group), 1 / len(group)))
        sample[:] = fit(choices, drawn_again @ found + more, estimate)
    return Ratings(ELO * estimate, ELO * samples, _apart(agents, [choice for part in parts for choice in part]))


def ahead(lineup: Sequence[int], places: Sequence[int]) -> dict[tuple[int, tuple[int, ...]], float]:
    """The choices that an outcome is made of, with their parts: (an agent, the others who were left)."""
    order = sorted(range(len(lineup)), key=lambda seat: places[seat])
    tied = [list(group) for _, group in groupby(order, key=lambda seat: places[seat])]
    last = tied.pop() if len(tied) > 1 else []
    orders = [sum(each, ()) for each in product(*(list(permutations(group)) for group in tied))]
    parts: dict[tuple[int, tuple[int, ...]], float] = defaultdict(float)
    for each in orders:
        for i, seat in enumerate(each):
            rest = tuple(sorted(lineup[other] for other in (*each[i + 1 :], *last)))
            if rest:
                parts[lineup[seat], rest] += 1 / len(orders)
    return dict(parts)


def fit(
    choices: Choices, weights: NDArray[np.float64], start: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Log strengths [n] with mean 0 under which choices that were made so often are most likely.

    A step of the algorithm takes a choice among many as wins over each of the others, worth as much as the present
    strengths say; with two players that is the number of wins itself, whatever the strengths.
    """
    winner, others, agents = choices
    cell = winner[:, None] * (agents + 1) + others
    found = np.zeros(agents) if start is None else start
    for _ in range(MOST_STEPS):
        strength = np.append(np.exp(found), 0.0)
        own, theirs = strength[winner], strength[others]
        rate = weights / (own + theirs.sum(axis=1))
        wins = np.where(others < agents, rate[:, None] * (own[:, None] + theirs), 0.0)
        counts = np.bincount(cell.ravel(), wins.ravel(), agents * (agents + 1)).astype(np.float64)
        matrix = counts.reshape(agents, agents + 1)[:, :agents]
        before, found = found, choix.lsr_pairwise_dense(matrix, ALPHA, found)
        found = found - found.mean()
        if np.abs(found - before).max() < CLOSE:
            break
    return found


def _apart(agents: int, choices: Sequence[tuple[int, tuple[int, ...]]]) -> list[list[int]]:
    """Where an order of groups was never broken, only the drawn games keep them at a distance (L. Ford, "Solution of a
    ranking problem from binary comparisons", American Mathematical Monthly 64, 1957)."""
    graph = nx.DiGraph()
    graph.add_nodes_from(range(agents))
    graph.add_edges_from((other, winner) for winner, rest in choices for other in rest)
    return sorted(
        (sorted(group) for group in nx.strongly_connected_components(graph)), key=lambda group: (-len(group), group)
    )


def superiority(ratings: Ratings, one: int, other: int) -> float | None:
    """The likelihood that one agent is stronger than another: the part of resamples in which it is.

    None where they are in different groups: of games that always end alike, no sample ends otherwise.
    """
    if not any({one, other} <= set(group) for group in ratings.apart):
        return None
    difference = ratings.samples[:, one] - ratings.samples[:, other]
    return float((difference > SAME).mean() + (np.abs(difference) <= SAME).mean() / 2)


def interval(ratings: Ratings, agent: int) -> list[float] | None:
    """The 95 % interval of a rating (percentiles).

    None where games cannot tell: outside the largest group, and where no resample differs (all pairs of games alike).
    """
    low, high = np.percentile(ratings.samples[:, agent], [2.5, 97.5])
    if agent not in ratings.apart[0] or high - low < SAME:
        return None
    return [float(low), float(high)]
