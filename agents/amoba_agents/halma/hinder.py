"""Halma: lookahead that minds the others in two ways that the thesis names and leaves to others, compiled.

The own next moves are looked at as lookahead does it (plan.py): what they gain in all, 0 for standing still. To that

- hinder: what each other player can gain in its next move is subtracted, with a weight;
- robust: the own gain after the first move is not that with all others standing still, but the mean over the replies
  to be expected: each move of another player that gains the most that it can.
"""

import numpy as np
from numpy.typing import NDArray

from amoba_agents.halma.home import MOVES, best_ways
from amoba_agents.halma.reach import Work
from amoba_agents.halma.seats import PLIES, gain_of, list_moves, load, origin_of, room, seats_row, shift, target_of
from amoba_agents.values.ties import break_tie
from amoba_env.core.jit import jit
from amoba_env.core.rules import MEN, N_CELLS, PLAYERS, Rules
from amoba_env.core.state import TO_MOVE, State, States

HOME_EARLY = 1 << 10  # gained by men who are all home, for each of the moves that are left: more than any way


@jit
def _gain(rules: Rules, w: Work, seat: int, left: int, ply: int) -> int:
    """The most that the seat gains in `left` moves while the others stand still; 0 for standing still."""
    best = np.int64(0)
    if left == 0:
        return best
    at = PLIES + ply * room(rules)
    for i in range(at, list_moves(rules, w, seat, at)):
        gain = gain_of(w[i])
        if left > 1:
            origin, to = origin_of(w[i]), target_of(w[i])
            if shift(rules, w, origin, to) == seat:
                gain += (left - 1) * HOME_EARLY
            else:
                gain += _gain(rules, w, seat, left - 1, ply + 1)
            shift(rules, w, to, origin)
        best = max(best, gain)
    return best


@jit
def _expected(rules: Rules, w: Work, seat: int, left: int, ply: int) -> float:
    """The mean of _gain() over all replies by another player that gain it the most."""
    total, count = 0, 0
    at = PLIES + ply * room(rules)
    for other in range(np.int64(rules[PLAYERS])):
        if other == seat:
            continue
        end = list_moves(rules, w, other, at)
        for i in range(at, end):
            if gain_of(w[i]) == gain_of(w[at:end].min()):
                origin, to = origin_of(w[i]), target_of(w[i])
                if shift(rules, w, origin, to) != other:
                    total += _gain(rules, w, seat, left, ply + 1)
                shift(rules, w, to, origin)
                count += 1
    return total / count if count else float(_gain(rules, w, seat, left, ply + 1))


@jit
def best_moves(
    rules: Rules, s: State, w: Work, depth: int, weight: float, robust: bool, out: NDArray[np.int32]
) -> tuple[int, float]:
    """Write all best moves to `out` (as actions); return how many, and what they are worth.

    The work row must be loaded with the position.
    """
    seat, one = np.int64(s[TO_MOVE]), np.int64(1)
    best = -1e9
    count = 0
    for i in range(PLIES, list_moves(rules, w, seat, np.int64(PLIES))):
        origin, to = origin_of(w[i]), target_of(w[i])
        value = float(gain_of(w[i]))
        if shift(rules, w, origin, to) == seat:
            value += depth * HOME_EARLY
        elif robust:
            value += _expected(rules, w, seat, depth - 1, one)
        else:
            value += _gain(rules, w, seat, depth - 1, one)
        for other in range(np.int64(rules[PLAYERS])):
            if other != seat and weight > 0:
                value -= weight * _gain(rules, w, other, one, one)
        shift(rules, w, to, origin)
        if value > best + 1e-9:
            best = value
            count = 0
        if value >= best - 1e-9:
            out[count] = origin * rules[N_CELLS] + to
            count += 1
    return count, best


@jit
def choose(
    rules: Rules,
    states: States,
    streams: NDArray[np.uint64],
    depth: int,
    weight: float,
    robust: bool,
    actions: NDArray[np.int32],
) -> None:
    """actions[b], int32[B]: a best move of each position; equal ones are equally likely."""
    looks = np.zeros(1, np.int64)
    w = seats_row(rules, max(depth + 1, MOVES))
    best = np.empty(rules[MEN] * rules[N_CELLS], np.int32)
    for b in range(len(states)):
        load(rules, states[b], w)
        count = best_ways(rules, w, looks, np.int64(states[b, TO_MOVE]), best)
        if count == 0:
            count, _ = best_moves(rules, states[b], w, depth, weight, robust, best)
        best[:count].sort()
        actions[b] = break_tie(best, count, False, streams[b : b + 1])
