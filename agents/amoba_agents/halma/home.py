"""Halma: the shortest way home of a seat's own men while the others stand still, compiled.

Iterative deepening (IDA*: Korf, "Depth-first iterative-deepening", Artificial Intelligence 27, 1985): a man outside the
goal needs a move at least, so as many moves as there are men outside are a lower bound, which cuts nearly everything
where few moves are left over.
"""

import numpy as np
from numpy.typing import NDArray

from amoba_agents.halma.reach import CELLS_MAX, IN_GOAL, MEN_MAX, Work
from amoba_agents.halma.seats import ALL_HOME, OWN_HOME, PLIES, STANDS, list_moves, origin_of, room, shift, target_of
from amoba_env.core.jit import jit
from amoba_env.core.lookup import steps
from amoba_env.core.rules import ANTI_SPOILING, MEN, N_CELLS, PLAYERS, Rules

Looks = NDArray[np.int64]  # [1] how many positions may still be looked at

MOVES = 6  # ways of more moves are not looked for,
LOOKS = 2000  # nor are more positions looked at


@jit
def _outside(rules: Rules, w: Work, seat: int) -> int:
    """At least so many moves are needed."""
    return rules[MEN] - w[(ALL_HOME if rules[ANTI_SPOILING] else OWN_HOME) + seat]


@jit
def _gets_home(rules: Rules, w: Work, looks: Looks, seat: int, left: int, ply: int) -> bool:
    """Can the seat's men get home in `left` moves?"""
    looks[0] -= 1
    if looks[0] < 0:
        return False
    at, goal = PLIES + ply * room(rules), IN_GOAL + seat * CELLS_MAX
    short = _outside(rules, w, seat) == left  # every move must bring a man in
    for i in range(at, list_moves(rules, w, seat, at)):
        origin, to = origin_of(w[i]), target_of(w[i])
        if short and w[goal + to] <= w[goal + origin]:
            continue
        home = shift(rules, w, origin, to) == seat
        if not home and left > 1 and _outside(rules, w, seat) < left:
            home = _gets_home(rules, w, looks, seat, left - 1, ply + 1)
        shift(rules, w, to, origin)
        if home:
            return True
    return False


@jit
def moves_home(rules: Rules, w: Work, looks: Looks, seat: int, limit: int) -> int:
    """How many moves the seat needs to bring its men home; more than `limit` if that many do not do.

    Also if more positions would have to be looked at than `looks` has. Uses `limit` plies of the work row.
    """
    if not rules[ANTI_SPOILING] and w[ALL_HOME + seat] > w[OWN_HOME + seat]:
        return limit + 1  # somebody else stands in the goal
    for left in range(max(np.int64(1), _outside(rules, w, seat)), limit + 1):
        if _gets_home(rules, w, looks, seat, left, np.int64(0)):
            return left
    return limit + 1


@jit
def ways_home(rules: Rules, w: Work, looks: Looks, seat: int, left: int, out: NDArray[np.int32]) -> int:
    """Write to `out` the first moves (as actions) that get home in `left` moves; return how many."""
    at, one = PLIES, np.int64(1)
    count = 0
    for i in range(at, list_moves(rules, w, seat, np.int64(at))):
        origin, to = origin_of(w[i]), target_of(w[i])
        home = shift(rules, w, origin, to) == seat
        if not home and left > 1 and _outside(rules, w, seat) < left:
            home = _gets_home(rules, w, looks, seat, left - 1, one)
        shift(rules, w, to, origin)
        if home:
            out[count] = origin * rules[N_CELLS] + to
            count += 1
    return count


@jit
def is_alone(rules: Rules, w: Work, seat: int) -> bool:
    """Is every other man farther from the seat's tip than all its own?"""
    farthest = 0
    for man in range(STANDS + seat * MEN_MAX, STANDS + seat * MEN_MAX + rules[MEN]):
        farthest = max(farthest, steps(rules, seat, w[man]))
    for other in range(rules[PLAYERS]):
        if other != seat:
            for man in range(STANDS + other * MEN_MAX, STANDS + other * MEN_MAX + rules[MEN]):
                if steps(rules, seat, w[man]) <= farthest:
                    return False
    return True


@jit
def best_ways(rules: Rules, w: Work, looks: Looks, seat: int, out: NDArray[np.int32]) -> int:
    """If the seat is alone, write to `out` the first moves of its shortest ways home; return how many are
    known. Uses MOVES plies of the work row.
    """
    if not is_alone(rules, w, seat):
        return 0
    looks[0] = LOOKS
    needed = moves_home(rules, w, looks, seat, np.int64(MOVES))
    if needed > MOVES:
        return 0
    return ways_home(rules, w, looks, seat, needed, out)
