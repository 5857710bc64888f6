"""Ratings: the strengths of agents on the Elo scale, estimated from who finished ahead of whom.

Games of two players: the model of Bradley and Terry ("Rank analysis of incomplete block designs", Biometrika 39, 1952),
with a draw as half a win for each. Games of more: the model of Plackett and Luce (R. Plackett, "The analysis of
permutations", Applied Statistics 24, 1975), which contains the other: the first is chosen among all with a probability
in proportion to its strength, then the second among the rest, and so on. A shared place counts as all orders of the
agents that share it, in equal parts. A shared last place behind others, as when a row of stones ended the game, gives
no information about the agents that share it.

A factor of ten in strength is 400 Elo. 0 is the mean of the agents that can be compared, or of all if none can be.

Estimates are maximum-likelihood strengths after some drawn games are added, which keep the rating of an agent that wins
every game finite. For n agents that met, n - 1 games are added, divided among the pairs by their contribution to the
estimate (leverage). With two players this is D. Firth's correction ("Bias reduction of
maximum likelihood estimates", Biometrika 80, 1993), which removes most of the bias of small samples; with two agents it
is the well-known half that is added to wins and to losses.

Intervals come from the spread between openings within each pairing, see certainty.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from itertools import groupby, permutations, product
from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_experiments.statistics.clusters import Parts, parts_of

Floats = NDArray[np.float64]
Choice = tuple[int, tuple[int, ...]]  # an agent, and the others that it was placed ahead of

ELO = 400 / log(10)  # a unit of log strength
CLOSE = 1e-6  # the iteration ends if no log strength changes by more than this: 0.0002 Elo
MOST_STEPS = 200
LONGEST_STEP = 1.0  # of a log strength, in one step of the iteration


class Ratings(NamedTuple):
    """The ratings of n agents from G games, and the data for their intervals."""

    elo: Floats  # [n] 0 is the mean of the first group, or of all agents if that group has only one
    groups: list[list[int]]  # agents that can be compared, the largest group first
    inverse: Floats  # [n, n] the inverse of the Fisher information
    error: Parts  # [K, n] what each cluster adds to the error of log strengths
    outcomes: NDArray[np.int_]  # [H, 2 * seats] distinct outcomes of games: the agent on each seat, and their places
    of: NDArray[np.intp]  # [G] the outcome of each game
    clusters: NDArray[np.intp]  # [G] the cluster of each game, 0 .. K - 1


def groups_by_name(found: Ratings, names: Sequence[str]) -> list[list[str]]:
    """The groups of agents that cannot be compared, the strongest first; none if all can be compared."""
    groups = sorted(found.groups, key=lambda group: -found.elo[group].mean())
    return [[names[agent] for agent in group] for group in groups] if len(groups) > 1 else []


def rate(
    agents: int,
    lineups: NDArray[np.int_],
    places: NDArray[np.int_],
    strata: NDArray[np.int_],
    clusters: NDArray[np.int_],
) -> Ratings:
    """Ratings of agents 0 .. agents - 1.

    Args:
        agents: the number of agents.
        lineups: [G, seats], the agent on each seat; an agent may have several seats.
        places: [G, seats], the place of each seat, 1 is best; seats that share a place have the same number.
        strata: [G], the pairing of each game.
        clusters: [G], the opening or pair of each game: games with the same number depend on each other.
    """
    outcomes, of = np.unique(np.hstack([lineups, places]), axis=0, return_inverse=True)
    of = of.ravel()
    known, weights = choices(outcomes)
    chosen = model(agents, known)
    found, information = fit(chosen, np.bincount(of, minlength=len(outcomes)) @ weights)
    inverse = np.linalg.pinv(information, hermitian=True).astype(np.float64)
    moves = weights @ scores(chosen, found) @ inverse  # of log strengths, by each outcome
    groups = _groups(agents, known)
    zero = found[groups[0]].mean() if len(groups[0]) > 1 else 0.0
    number = np.unique(clusters, return_inverse=True)[1].ravel()
    error = parts_of(moves[of], number, strata)
    return Ratings(ELO * (found - zero), groups, inverse, error, outcomes, of, number)


def choices(outcomes: NDArray[np.int_], among: Collection[int] | None = None) -> tuple[list[Choice], Floats]:
    """The choices that make up outcomes [H, 2 * seats], and the weight of each in every outcome, [H, C]. See `ahead`.

    `among`: only choices between these agents.
    """
    seats = outcomes.shape[1] // 2
    parts = [ahead(row[:seats], row[seats:]) for row in outcomes.tolist()]
    if among is not None:
        parts = [_between(part, among) for part in parts]
    known = sorted({choice for part in parts for choice in part})
    number = {choice: i for i, choice in enumerate(known)}
    weights = np.zeros((len(outcomes), len(known)))
    for row, part in zip(weights, parts, strict=True):
        for choice, weight in part.items():
            row[number[choice]] = weight
    return known, weights


def _between(part: dict[Choice, float], among: Collection[int]) -> dict[Choice, float]:
    found: dict[Choice, float] = defaultdict(float)
    for (winner, others), weight in part.items():
        if winner in among and (rest := tuple(other for other in others if other in among)):
            found[winner, rest] += weight
    return dict(found)


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


class ChoiceModel(NamedTuple):
    """Choices of n agents as arrays."""

    table: Floats  # [C, n] how often each agent is among those of a choice
    won: Floats  # [C, n] who is chosen
    met: NDArray[np.intp]  # [P, 2] pairs of agents that met


def model(agents: int, known: Sequence[Choice]) -> ChoiceModel:
    """The model of these distinct choices."""
    table = np.zeros((len(known), agents))
    for row, (winner, others) in zip(table, known, strict=True):
        np.add.at(row, [winner, *others], 1.0)
    won = np.eye(agents)[[winner for winner, _ in known]]
    pairs = {(winner, other) for winner, others in known for other in others if other != winner}
    return ChoiceModel(table, won, np.array(sorted({(min(pair), max(pair)) for pair in pairs}), np.intp).reshape(-1, 2))


def scores(of: ChoiceModel, strengths: Floats) -> Floats:
    """The score of each choice: the slope of the log of its probability along each log strength. [C, n]"""
    chance = of.table * np.exp(strengths)
    found: Floats = of.won - chance / chance.sum(axis=1, keepdims=True)
    return found


def fit(of: ChoiceModel, weights: Floats, drawn: bool = True, start: Floats | None = None) -> tuple[Floats, Floats]:
    """The most likely log strengths, by Newton's method.

    Args:
        of: the choices.
        weights: [C], how often each was made.
        drawn: whether drawn games are added, see the top of this file.
        start: [n], log strengths that may be near.

    Returns:
        Log strengths [n] with mean 0, and their Fisher information [n, n].
    """
    table, won, (one, other) = of.table, of.won, of.met.T
    agents = table.shape[1]
    differences = np.eye(agents)[one] - np.eye(agents)[other]
    found = np.zeros(agents) if start is None else start
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
    return found, information


def _groups(agents: int, known: Sequence[Choice]) -> list[list[int]]:
    """Groups of agents that can be compared with each other.

    No agent of a group finished ahead of one of a group before it, so only the added drawn games keep the distance
    between groups finite (L. Ford, "Solution of a ranking problem from binary comparisons", American Mathematical
    Monthly 64, 1957).
    """
    reaches = np.eye(agents, dtype=bool)  # [i, j] whether a chain of agents leads from i to j, each ahead of the next
    for winner, rest in known:
        reaches[winner, list(rest)] = True
    for _ in range(agents.bit_length()):
        reaches = reaches @ reaches
    groups = {tuple(np.flatnonzero(row).tolist()) for row in reaches & reaches.T}
    return sorted(map(list, groups), key=lambda group: (-len(group), group))
