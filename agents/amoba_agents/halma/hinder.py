"""Halma: lookahead that also considers the opponents, in two ways that the thesis proposes as future work.

The value of a move is the progress (steps gained) of the best line of own moves, as in plan.py, with these changes:

- hinder: minus a weight times the progress that each opponent can make in its next move;
- robust: also, own progress after the first move is the mean over the opponents' likely replies, in place of the
  progress while they stand still. Likely replies are all moves that give an opponent the most progress.
"""

import numpy as np
from numpy.typing import NDArray

from amoba_agents.halma import seats
from amoba_agents.halma.reach import MenWork
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.interrupt import cancelled
from amoba_env.core.jit import jit
from amoba_env.core.rules import Rules
from amoba_env.core.state import State

FINISH_BONUS = 1 << 10  # for each move to spare when all men are home; more than any progress


@jit
def _best_progress(rules: Rules, w: MenWork, seat: int, moves_left: int, ply: int) -> int:
    """The most progress of the seat in `moves_left` moves while the others stand still; at least 0 (no move)."""
    best = np.int64(0)
    if moves_left == 0 or cancelled():
        return best
    at = seats.PLIES + ply * seats.moves_capacity(rules)
    for i in range(at, seats.list_moves(rules, w, seat, at)):
        progress = seats.progress_of(w[i])
        if moves_left > 1:
            origin, to = seats.origin_of(w[i]), seats.target_of(w[i])
            if seats.move_man(rules, w, origin, to) == seat:
                progress += (moves_left - 1) * FINISH_BONUS
            else:
                progress += _best_progress(rules, w, seat, moves_left - 1, ply + 1)
            seats.move_man(rules, w, to, origin)
        best = max(best, progress)
    return best


@jit
def _expected_progress(rules: Rules, w: MenWork, seat: int, moves_left: int, ply: int) -> float:
    """The mean of _best_progress() over the likely replies of the opponents."""
    total, count = 0, 0
    at = seats.PLIES + ply * seats.moves_capacity(rules)
    for other in range(np.int64(rules[ru.PLAYERS])):
        if other == seat:
            continue
        end = seats.list_moves(rules, w, other, at)
        most = seats.progress_of(w[at:end].min()) if end > at else 0
        for i in range(at, end):
            if seats.progress_of(w[i]) == most:
                origin, to = seats.origin_of(w[i]), seats.target_of(w[i])
                if seats.move_man(rules, w, origin, to) != other:
                    total += _best_progress(rules, w, seat, moves_left, ply + 1)
                seats.move_man(rules, w, to, origin)
                count += 1
    return total / count if count else float(_best_progress(rules, w, seat, moves_left, ply + 1))


@jit
def best_moves(
    rules: Rules, s: State, w: MenWork, depth: int, weight: float, robust: bool, out: NDArray[np.int32]
) -> tuple[int, float]:
    """Write all best moves to `out` (as actions); return their number and their value.

    The work row must be loaded with the position.
    """
    seat, one = np.int64(s[st.TO_MOVE]), np.int64(1)
    best = -1e9
    count = 0
    for i in range(seats.PLIES, seats.list_moves(rules, w, seat, np.int64(seats.PLIES))):
        origin, to = seats.origin_of(w[i]), seats.target_of(w[i])
        value = float(seats.progress_of(w[i]))
        is_won = seats.move_man(rules, w, origin, to) == seat
        if is_won:
            value += depth * FINISH_BONUS
        elif robust:
            value += _expected_progress(rules, w, seat, depth - 1, one)
        else:
            value += _best_progress(rules, w, seat, depth - 1, one)
        for other in range(np.int64(rules[ru.PLAYERS])):
            if other != seat and weight > 0 and not is_won:
                value -= weight * _best_progress(rules, w, other, one, one)
        seats.move_man(rules, w, to, origin)
        if value > best + 1e-9:
            best = value
            count = 0
        if value >= best - 1e-9:
            out[count] = origin * rules[ru.N_CELLS] + to
            count += 1
    return count, best
