"""Halma: the shortest way home of a seat's own men while the others stand still.

Iterative deepening A* (Korf, "Depth-first iterative-deepening", Artificial Intelligence 27, 1985). A man outside the
goal needs at least one move, so the number of men outside is a lower bound of the moves needed. Near the end this
bound cuts off nearly all lines.
"""

import numpy as np
from numpy.typing import NDArray

from amoba_agents.halma import reach as rc
from amoba_agents.halma import seats
from amoba_agents.halma.reach import MenWork
from amoba_env.core import rules as ru
from amoba_env.core.jit import jit
from amoba_env.core.lookup import steps
from amoba_env.core.rules import Rules

Budget = NDArray[np.int64]  # [1] the number of positions that may still be visited

MOST_MOVES = 6  # the longest way home that is searched
MOST_POSITIONS = 2000  # the limit of positions visited


@jit
def _men_outside(rules: Rules, w: MenWork, seat: int) -> int:
    """The number of men that have to move into the goal: a lower bound of the moves needed."""
    return rules[ru.MEN] - w[(seats.ALL_HOME if rules[ru.ANTI_SPOILING] else seats.OWN_HOME) + seat]


@jit
def _can_finish(rules: Rules, w: MenWork, budget: Budget, seat: int, moves_left: int, ply: int) -> bool:
    """Whether the seat's men can get home in `moves_left` moves."""
    budget[0] -= 1
    if budget[0] < 0:
        return False
    at, goal = seats.PLIES + ply * seats.moves_capacity(rules), rc.IN_GOAL + seat * rc.CELLS_MAX
    no_move_to_spare = _men_outside(rules, w, seat) == moves_left  # every move must bring a man into the goal
    for i in range(at, seats.list_moves(rules, w, seat, at)):
        origin, to = seats.origin_of(w[i]), seats.target_of(w[i])
        if no_move_to_spare and w[goal + to] <= w[goal + origin]:
            continue
        home = seats.move_man(rules, w, origin, to) == seat
        if not home and moves_left > 1 and _men_outside(rules, w, seat) < moves_left:
            home = _can_finish(rules, w, budget, seat, moves_left - 1, ply + 1)
        seats.move_man(rules, w, to, origin)
        if home:
            return True
    return False


@jit
def moves_to_finish(rules: Rules, w: MenWork, budget: Budget, seat: int, limit: int) -> int:
    """The number of moves that the seat needs to bring its men home; limit + 1 if it is larger or not found.

    It is not found if that takes more than budget[0] positions. Uses `limit` plies of the work row.
    """
    if not rules[ru.ANTI_SPOILING] and w[seats.ALL_HOME + seat] > w[seats.OWN_HOME + seat]:
        return limit + 1  # another seat's man is in the goal
    for moves_left in range(max(np.int64(1), _men_outside(rules, w, seat)), limit + 1):
        if _can_finish(rules, w, budget, seat, moves_left, np.int64(0)):
            return moves_left
    return limit + 1


@jit
def finishing_moves(
    rules: Rules, w: MenWork, budget: Budget, seat: int, moves_left: int, out: NDArray[np.int32]
) -> int:
    """Write to `out` the first moves (as actions) that lead home in `moves_left` moves; return their number."""
    at, one = seats.PLIES, np.int64(1)
    count = 0
    for i in range(at, seats.list_moves(rules, w, seat, np.int64(at))):
        origin, to = seats.origin_of(w[i]), seats.target_of(w[i])
        home = seats.move_man(rules, w, origin, to) == seat
        if not home and moves_left > 1 and _men_outside(rules, w, seat) < moves_left:
            home = _can_finish(rules, w, budget, seat, moves_left - 1, one)
        seats.move_man(rules, w, to, origin)
        if home:
            out[count] = origin * rules[ru.N_CELLS] + to
            count += 1
    return count


@jit
def is_race(rules: Rules, w: MenWork, seat: int) -> bool:
    """Whether contact is over: every other man is farther from the seat's tip than all its own men."""
    farthest = 0
    for man in range(seats.MEN_CELLS + seat * rc.MEN_MAX, seats.MEN_CELLS + seat * rc.MEN_MAX + rules[ru.MEN]):
        farthest = max(farthest, steps(rules, seat, w[man]))
    for other in range(rules[ru.PLAYERS]):
        if other != seat:
            first = seats.MEN_CELLS + other * rc.MEN_MAX
            for man in range(first, first + rules[ru.MEN]):
                if steps(rules, seat, w[man]) <= farthest:
                    return False
    return True


@jit
def race_moves(rules: Rules, w: MenWork, budget: Budget, seat: int, out: NDArray[np.int32]) -> int:
    """In a race, write to `out` the first moves of the shortest ways home; return their number.

    It is 0 if this is not a race or no way home was found. Uses MOST_MOVES plies of the work row.
    """
    if not is_race(rules, w, seat):
        return 0
    budget[0] = MOST_POSITIONS
    needed = moves_to_finish(rules, w, budget, seat, np.int64(MOST_MOVES))
    if needed > MOST_MOVES:
        return 0
    return finishing_moves(rules, w, budget, seat, needed, out)
