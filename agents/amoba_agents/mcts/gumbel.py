"""The root of a search with few simulations: draws without replacement, sequential halving, improved policies.

I. Danihelka, A. Guez, J. Schrittwieser, D. Silver, "Policy improvement by planning with Gumbel", ICLR 2022:

- Each move's logit gets Gumbel noise, and the moves with the highest sums are *considered*. This draws moves without
  replacement. Without noise the considered moves are the most probable ones.
- The simulations are divided into phases. Each phase drops the worse half of the considered moves, by noise + logit +
  weight * value. The best remaining move is played.
- The *improved policy* is softmax(logit + weight * value). Moves without visits get the mean value of the root. This
  policy is the target of a network, also after few simulations, when visit shares say little.
"""

import math

import numpy as np

from amoba_agents.mcts import tree as tr
from amoba_agents.mcts.tree import Floats, Integers, Trees
from amoba_env.core.jit import jit
from amoba_env.core.rng import GOLDEN, Stream, mix

CONSIDERED = 16  # moves, at most
VISITS, SCALE = 50, 0.1  # the range of the moves' values is scaled to SCALE * (VISITS + most visits of a move) logits,
WIDEST, NARROWEST = 0.5, 0.1  # after the range is clipped to NARROWEST .. WIDEST


def plans_for(sims: int) -> Integers:
    """The plan for each number of legal moves, the last for CONSIDERED or more: int32[CONSIDERED + 1, sims]."""
    return np.array([plan_for(sims, legal) for legal in range(CONSIDERED + 1)])


def plan_for(sims: int, legal: int) -> Integers:
    """For each simulation, the visit count that the chosen move must have: int32[sims].

    In a phase with m considered moves each is visited sims / (log2(considered) * m) times, at least once.
    """
    m = max(1, min(CONSIDERED, legal, sims))
    phases, visits = max(1, math.ceil(math.log2(m))), 0
    plan: list[int] = []
    while len(plan) < sims:
        for _ in range(max(1, sims // (phases * m))):
            plan += [visits] * m
            visits += 1
        m = max(2, m // 2) if m > 1 else 1
    return np.array(plan[:sims], np.int32)


@jit
def draw_noise(tree: Trees, b: int, stream: Stream) -> None:
    """Draw Gumbel noise for the root's edges."""
    for i in range(tree.degree[b, 0]):
        stream[0] += GOLDEN
        uniform = (np.float64(mix(stream[0]) >> np.uint64(11)) + 0.5) / 2.0**53
        tree.noise[b, i] = -math.log(-math.log(uniform))


@jit
def noise_of(tree: Trees, b: int, i: int) -> float:
    """The noise of edge i of the root; 0 where none was drawn."""
    return np.float64(tree.noise[b, i])


@jit
def value_weight(tree: Trees, b: int) -> float:
    """How many logits a value of 1 is worth. Where moves differ little in value, small differences count more."""
    first, most, low, high = tree.first[b, 0], 0, math.inf, -math.inf
    for edge in range(first, first + tree.degree[b, 0]):
        n = tree.visits[b, edge]
        if n and tree.proof[b, edge] == tr.UNKNOWN:
            low, high = min(low, tree.total[b, edge] / n), max(high, tree.total[b, edge] / n)
        most = max(most, n)
    return SCALE * (VISITS + most) / max(NARROWEST, min(WIDEST, high - low))


@jit
def mixed_value(tree: Trees, b: int) -> float:
    """The value of the root, from its evaluation as a leaf and the values of visited moves, weighted by priors."""
    first, total, prior, weighted = tree.first[b, 0], 0.0, 1e-9, 0.0
    for edge in range(first, first + tree.degree[b, 0]):
        n = tree.visits[b, edge]
        if n:
            total += n
            prior += tree.prior[b, edge]
            weighted += tree.prior[b, edge] * tree.total[b, edge] / n
    return (tree.worth[b] + total * weighted / prior) / (1.0 + total)


@jit
def root_edge(tree: Trees, b: int, c: float) -> int:
    """The edge of the root that the next simulation follows."""
    first, count = tree.first[b, 0], tree.degree[b, 0]
    done = 0
    for edge in range(first, first + count):
        if tree.proof[b, edge] == tr.WON:
            return edge
        done += tree.visits[b, edge]
    plan = tree.plan[min(count, CONSIDERED)]
    if done >= len(plan):
        return tr.best_edge(tree, b, np.int64(0), c)
    unvisited, weight = mixed_value(tree, b), value_weight(tree, b)
    best, highest = -1, -math.inf
    for edge in range(first, first + count):
        n = tree.visits[b, edge]
        if n == plan[done] and tree.proof[b, edge] == tr.UNKNOWN:
            value = tree.total[b, edge] / n if n else unvisited
            score = noise_of(tree, b, edge - first) + math.log(tree.prior[b, edge] + 1e-30) + weight * value
            if score > highest:
                best, highest = edge, score
    return tr.best_edge(tree, b, np.int64(0), c) if best < 0 else best


@jit
def improve(tree: Trees, policy: Floats, chosen: Integers, values: Floats) -> None:
    """Write the results of the searches.

    Args:
        tree: B trees.
        policy: float32[B, M], overwritten with the improved policy of the root's edges, in their order.
        chosen: int32[B], the action to play, the best of the remaining considered moves.
        values: float32[B], the value of the root for its player, the mean of its moves by the improved policy.
    """
    for b in range(len(chosen)):
        first, count, won, lost = np.int64(tree.first[b, 0]), np.int64(tree.degree[b, 0]), 0, 0
        for edge in range(first, first + count):
            won += tree.proof[b, edge] == tr.WON
            lost += tree.proof[b, edge] == tr.LOST
        unvisited, weight = mixed_value(tree, b), value_weight(tree, b)
        top, highest, best, most_left = -math.inf, -math.inf, first, -1
        for i in range(count):
            edge = first + i
            n, proof = tree.visits[b, edge], tree.proof[b, edge]
            value = tree.total[b, edge] / n if n else unvisited
            value = 1.0 if proof == tr.WON else -1.0 if proof == tr.LOST else value
            logit = math.log(tree.prior[b, edge] + 1e-30) + weight * value
            out = (won > 0 and proof != tr.WON) or (proof == tr.LOST and lost < count)
            policy[b, i] = -math.inf if out else logit
            top = max(top, policy[b, i])
            if not out and (n > most_left or (n == most_left and logit + noise_of(tree, b, i) > highest)):
                best, most_left, highest = edge, n, logit + noise_of(tree, b, i)
        total, mean = 0.0, 0.0
        for i in range(count):
            edge = first + i
            n, proof = tree.visits[b, edge], tree.proof[b, edge]
            policy[b, i] = math.exp(policy[b, i] - top)
            total += policy[b, i]
            value = tree.total[b, edge] / n if n else unvisited
            mean += policy[b, i] * (1.0 if proof == tr.WON else -1.0 if proof == tr.LOST else value)
        for i in range(count):
            policy[b, i] /= total
        chosen[b] = tree.action[b, best]
        values[b] = mean / total
