"""Ratings: the strengths of agents on the Elo scale, estimated from who finished ahead of whom.

Games of two players: the model of Bradley and Terry ("Rank analysis of incomplete block designs", Biometrika 39, 1952),
with a draw as half a win for each. Games of more: the model of Plackett and Luce (R. Plackett, "The analysis of
permutations", Applied Statistics 24, 1975), which contains the other: the first is chosen among all with a probability
in proportion to its strength, then the second among the rest, and so on. A shared place counts as all orders of the
agents that share it, in equal parts. Nothing is learned about agents that share the last place behind others, as when a
row of stones ended the game.

A factor of ten in strength is 400 Elo. 0 is the mean of the agents that can be compared, or of all if none can be.

Estimates are the most likely strengths after some drawn games are added. These keep ratings finite: an agent that wins
every game would have an infinite one. For n agents that met, n - 1 games are added. Each pair gets the part of them
that it contributes to the estimate (its leverage). With two players this is D. Firth's correction ("Bias reduction of
maximum likelihood estimates", Biometrika 80, 1993), which removes most of the bias of small samples; with two agents it
is the well-known half that is added to wins and to losses.

The error of a rating comes from the spread of openings within each pairing: the cluster-robust ("sandwich") variance of
K. Liang and S. Zeger ("Longitudinal data analysis using generalized linear models", Biometrika 73, 1986), with
quantiles of Student's t and Satterthwaite's degrees of freedom. `amoba reproduce coverage` measures how often such an
interval holds the truth.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby, permutations, product
from math import log, sqrt
from typing import NamedTuple

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from amoba_experiments.statistics.clusters import degrees_of_freedom
from amoba_experiments.statistics.intervals import student_95, student_below

Floats = NDArray[np.float64]
Choice = tuple[int, tuple[int, ...]]  # an agent, and the others that it was placed ahead of

ELO = 400 / log(10)  # a unit of log strength
FEWEST = 20  # openings that an agent has to play for an interval
CLOSE = 1e-6  # the iteration ends if no log strength changes by more than this: 0.0002 Elo
MOST_STEPS = 200
LONGEST_STEP = 1.0  # of a log strength, in one step of the iteration
TINY = 1e-6  # a standard error in log strength below this means that the openings do not differ


class Ratings(NamedTuple):
    """The ratings of n agents, from games of h pairings, and how sure they are."""

    elo: Floats  # [n] 0 is the mean of the first group, or of all agents if that group has only one
    groups: list[list[int]]  # agents that can be compared, the largest group first
    openings: NDArray[np.int64]  # [n] clusters of games that each played
    variance: Floats  # [h, n, n] what each pairing adds to the covariance of log strengths
    freedom: NDArray[np.int64]  # [h] the degrees of freedom of each pairing


def rate(
    agents: int,
    lineups: NDArray[np.int_],
    places: NDArray[np.int_],
    strata: NDArray[np.int_],
    clusters: NDArray[np.int_],
) -> Ratings:
    """Ratings of agents 0 .. agents - 1.

    Args:
        agents: how many.
        lineups: [G, seats], the agent on each seat; an agent may have several seats.
        places: [G, seats], the place of each seat, 1 is best; seats that share a place have the same number.
        strata: [G], the pairing of each game.
        clusters: [G], the opening or pair of each game: games with the same number depend on each other, and belong to
            one pairing.
    """
    outcomes, of = np.unique(np.hstack([lineups, places]), axis=0, return_inverse=True)
    seats = lineups.shape[1]
    parts = [ahead(row[:seats], row[seats:]) for row in outcomes.tolist()]
    known = sorted({choice for part in parts for choice in part})
    number = {choice: i for i, choice in enumerate(known)}
    weights = np.zeros((len(outcomes), len(known)))
    for row, part in zip(weights, parts, strict=True):
        for choice, weight in part.items():
            row[number[choice]] = weight
    times = np.bincount(of.ravel(), minlength=len(outcomes))
    found, information, scores = fit(agents, known, times @ weights)

    first, cluster = np.unique(clusters, return_index=True, return_inverse=True)[1:]
    own = np.zeros((len(first), agents))  # the score of each cluster
    np.add.at(own, cluster, (weights @ scores)[of.ravel()])
    inverse = np.linalg.pinv(information, hermitian=True)
    pairing = np.unique(strata[first], return_inverse=True)[1]
    variance = np.zeros((pairing.max() + 1, agents, agents))
    freedom = np.bincount(pairing) - 1
    for i, each in enumerate(variance):
        off = (own[pairing == i] - own[pairing == i].mean(axis=0)) @ inverse
        each[:] = off.T @ off * (len(off) / max(freedom[i], 1))
    played = np.array([len(np.unique(clusters[(lineups == agent).any(axis=1)])) for agent in range(agents)])
    groups = _groups(agents, known)
    zero = found[groups[0]].mean() if len(groups[0]) > 1 else 0.0
    return Ratings(ELO * (found - zero), groups, played, variance, freedom)


def ahead(lineup: Sequence[int], places: Sequence[int]) -> dict[Choice, float]:
    """The choices that make up an outcome, each with its part. A choice is (an agent, the others who were left)."""
    order = sorted(range(len(lineup)), key=lambda seat: places[seat])
    tied = [list(group) for _, group in groupby(order, key=lambda seat: places[seat])]
    last = tied.pop() if len(tied) > 1 else []
    orders = [sum(each, ()) for each in product(*(list(permutations(group)) for group in tied))]
    parts: dict[Choice, float] = defaultdict(float)
    for each in orders:
        for i, seat in enumerate(each):
            rest = tuple(sorted(lineup[other] for other in (*each[i + 1 :], *last)))
            if rest:
                parts[lineup[seat], rest] += 1 / len(orders)
    return dict(parts)


def fit(agents: int, known: Sequence[Choice], weights: Floats, drawn: bool = True) -> tuple[Floats, Floats, Floats]:
    """The most likely log strengths, by Newton's method.

    Args:
        agents: how many, n.
        known: distinct choices.
        weights: [C], how often each was made.
        drawn: whether drawn games are added, see the top of this file.

    Returns:
        Log strengths [n] with mean 0, their Fisher information [n, n], and the score vector of each choice [C, n].
    """
    table = np.zeros((len(known), agents))
    for row, (winner, others) in zip(table, known, strict=True):
        np.add.at(row, [winner, *others], 1.0)
    won = np.eye(agents)[[winner for winner, _ in known]]
    pairs = {(winner, other) for winner, others in known for other in others if other != winner}
    met = np.array(sorted({(min(pair), max(pair)) for pair in pairs}), np.intp).reshape(-1, 2)
    one, other = met.T
    differences = np.eye(agents)[one] - np.eye(agents)[other]
    found = np.zeros(agents)
    for _ in range(MOST_STEPS):
        chance = table * np.exp(found)
        chance /= chance.sum(axis=1, keepdims=True)
        information = np.diag(weights @ chance) - chance.T @ (weights[:, None] * chance)
        score = weights @ (won - chance)
        if drawn:
            inverse = np.linalg.pinv(information, hermitian=True)
            apart = np.einsum("pi,ij,pj->p", differences, inverse, differences)
            added = -information[one, other] * apart
            even = 1 / (1 + np.exp(-differences @ found))
            score += differences.T @ (added * (0.5 - even))
            information += differences.T @ ((added * even * (1 - even))[:, None] * differences)
        step = np.clip(np.linalg.pinv(information, hermitian=True) @ score, -LONGEST_STEP, LONGEST_STEP)
        found = found + step - (found + step).mean()
        if np.abs(step).max() < CLOSE:
            break
    return found, information, won - chance


def _groups(agents: int, choices: Sequence[Choice]) -> list[list[int]]:
    """Groups of agents that can be compared with each other.

    No agent of a group finished ahead of one of a group before it, so only the added drawn games keep the distance
    between groups finite (L. Ford, "Solution of a ranking problem from binary comparisons", American Mathematical
    Monthly 64, 1957).
    """
    graph = nx.DiGraph()
    graph.add_nodes_from(range(agents))
    graph.add_edges_from((other, winner) for winner, rest in choices for other in rest)
    return sorted(
        (sorted(group) for group in nx.strongly_connected_components(graph)), key=lambda group: (-len(group), group)
    )


def _error(ratings: Ratings, contrast: Floats) -> tuple[float, float]:
    """The standard error of a weighted sum of log strengths, and its degrees of freedom."""
    parts = np.einsum("i,hij,j->h", contrast, ratings.variance, contrast)
    return sqrt(parts.sum()), degrees_of_freedom(parts, ratings.freedom)


def can_tell(ratings: Ratings, *agents: int) -> bool:
    """Whether games suffice for an interval: FEWEST openings of each agent, and two or more in every pairing."""
    return bool(ratings.freedom.min() > 0 and ratings.openings[list(agents)].min() >= FEWEST)


def superiority(ratings: Ratings, one: int, other: int) -> float | None:
    """The likelihood that one agent is stronger than another (one-sided, by Student's t).

    None if there are too few games, or if the two are in different groups.
    """
    if not can_tell(ratings, one, other) or not any({one, other} <= set(group) for group in ratings.groups):
        return None
    contrast = np.zeros(len(ratings.elo))
    contrast[[one, other]] = 1.0, -1.0
    error, freedom = _error(ratings, contrast)
    difference = float(contrast @ ratings.elo) / ELO
    if error < TINY:
        return 0.5 if abs(difference) < TINY else None
    return student_below(difference / error, max(freedom, 1.0))


def interval(ratings: Ratings, agent: int) -> list[float] | None:
    """The 95 % interval of a rating.

    None if there are too few games, if the agent is outside the largest group, or if openings do not differ.
    """
    group = ratings.groups[0]
    if agent not in group or not can_tell(ratings, agent):
        return None
    contrast = np.zeros(len(ratings.elo))
    contrast[group] = -1 / len(group)
    contrast[agent] += 1
    error, freedom = _error(ratings, contrast)
    if error < TINY:
        return None
    half = ELO * error * student_95(max(freedom, 1.0))
    return [float(ratings.elo[agent]) - half, float(ratings.elo[agent]) + half]
