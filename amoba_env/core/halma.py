"""The halma family: a man steps to a neighbour, or jumps over men in a chain; fill your goal to win.

An action is one whole turn: from_cell * n + to_cell.
"""

import numpy as np

from amoba_env.core.jit import jit
from amoba_env.core.lookup import goal, steps
from amoba_env.core.rules import (
    ADJUDICATE,
    ANTI_SPOILING,
    DIRECTIONS,
    MAX_PLIES,
    MEN,
    N_CELLS,
    NEIGHBOR,
    PLAYERS,
    Rules,
)
from amoba_env.core.state import (
    CELLS,
    DISTANCE,
    EMPTY,
    ENDING,
    FROM,
    GOAL,
    NO_MOVES,
    NOBODY,
    PLY,
    STATUS,
    TO,
    TO_MOVE,
    State,
)
from amoba_env.core.state import MAX_PLIES as AT_MAX_PLIES


@jit
def jumps(rules: Rules, s: State, origin: int, marked: np.ndarray, out: np.ndarray) -> int:
    """Write to `out` where a chain of jumps from `origin` can end; return how many.

    The man stays on `origin` during the search. That does no harm: a jump moves by two cells, so no jump of the chain
    goes over `origin`. `marked` [n] must be zero; afterwards it is 1 at `origin` and at each cell written. A chain
    that returns to `origin` is not a move, so `origin` is not written.
    """
    n_dirs = rules[DIRECTIONS]
    near = rules[NEIGHBOR]
    marked[origin] = 1
    cell = origin
    count = head = 0
    while True:
        row = near + cell * n_dirs
        for d in range(n_dirs):
            over = rules[row + d]
            if over >= 0 and s[CELLS + over] != EMPTY:
                to = rules[near + over * n_dirs + d]
                if to >= 0 and s[CELLS + to] == EMPTY and marked[to] == 0:
                    marked[to] = 1
                    out[count] = to
                    count += 1
        if head == count:
            break
        cell = out[head]
        head += 1
    return count


@jit
def reach(rules: Rules, s: State, origin: int, marked: np.ndarray, out: np.ndarray) -> int:
    """Write to `out` every cell where the man of `origin` can end its turn; return how many. `marked` as in jumps()."""
    count = jumps(rules, s, origin, marked, out)
    row = rules[NEIGHBOR] + origin * rules[DIRECTIONS]
    for d in range(rules[DIRECTIONS]):
        to = rules[row + d]
        if to >= 0 and s[CELLS + to] == EMPTY and marked[to] == 0:
            marked[to] = 1
            out[count] = to
            count += 1
    return count


@jit
def unmark(marked: np.ndarray, origin: int, cells: np.ndarray, count: int) -> None:
    """Make `marked` zero again after jumps() or reach()."""
    marked[origin] = 0
    for i in range(count):
        marked[cells[i]] = 0


@jit
def moves(rules: Rules, s: State, out: np.ndarray) -> int:
    """Write the legal actions to `out` (any integer array, [N_ACTIONS]), ascending; return how many."""
    n = rules[N_CELLS]
    marked = np.zeros(n, np.uint8)
    cells = np.empty(n, np.int16)
    count = 0
    for origin in range(n):
        if s[CELLS + origin] == s[TO_MOVE]:
            found = reach(rules, s, origin, marked, cells)
            marked[origin] = 0
            if found > 0:
                for to in range(n):
                    if marked[to]:
                        marked[to] = 0
                        out[count] = origin * n + to
                        count += 1
    return count


@jit
def mask(rules: Rules, s: State, view: int, out: np.ndarray) -> None:
    """Set out[action] = 1 for the legal actions; cells are renumbered by the table that begins at rules[view]."""
    n = rules[N_CELLS]
    marked = np.zeros(n, np.uint8)
    cells = np.empty(n, np.int16)
    for origin in range(n):
        if s[CELLS + origin] == s[TO_MOVE]:
            found = reach(rules, s, origin, marked, cells)
            first = rules[view + origin] * n
            for i in range(found):
                out[first + rules[view + cells[i]]] = 1
            unmark(marked, origin, cells, found)


@jit
def is_legal(rules: Rules, s: State, action: int) -> bool:
    """Can the player to move go from action // n to action % n?"""
    n = rules[N_CELLS]
    origin, to = action // n, action % n
    if s[CELLS + origin] != s[TO_MOVE] or s[CELLS + to] != EMPTY:
        return False
    row = rules[NEIGHBOR] + origin * rules[DIRECTIONS]
    for d in range(rules[DIRECTIONS]):
        if rules[row + d] == to:
            return True
    marked = np.zeros(n, np.uint8)
    jumps(rules, s, origin, marked, np.empty(n, np.int16))
    return marked[to] == 1


@jit
def can_move(rules: Rules, s: State, seat: int) -> bool:
    """Has the seat a legal move? A chain begins with a jump, so it is enough to try steps and single jumps."""
    n_dirs = rules[DIRECTIONS]
    near = rules[NEIGHBOR]
    for origin in range(rules[N_CELLS]):
        if s[CELLS + origin] == seat:
            for d in range(n_dirs):
                over = rules[near + origin * n_dirs + d]
                if over >= 0:
                    if s[CELLS + over] == EMPTY:
                        return True
                    to = rules[near + over * n_dirs + d]
                    if to >= 0 and s[CELLS + to] == EMPTY:
                        return True
    return False


@jit
def is_home(rules: Rules, s: State, seat: int) -> bool:
    """Is the goal of the seat full of its own men? (With ANTI_SPOILING: full, with at least one of its own men?)"""
    if rules[ANTI_SPOILING]:
        return _is_taken(rules, s, seat)
    for i in range(rules[MEN]):
        if s[CELLS + goal(rules, seat, i)] != seat:
            return False
    return True


@jit
def _is_taken(rules: Rules, s: State, seat: int) -> bool:
    """Are all goal cells of the seat filled, and at least one with a man of its own?"""
    own = False
    for i in range(rules[MEN]):
        owner = s[CELLS + goal(rules, seat, i)]
        if owner == EMPTY:
            return False
        own = own or owner == seat
    return own


@jit
def who_is_home(rules: Rules, s: State) -> int:
    """The seat that is home, or NOBODY."""
    for seat in range(np.int64(rules[PLAYERS])):
        if is_home(rules, s, seat):
            return seat
    return np.int64(NOBODY)


@jit
def distance(rules: Rules, s: State, seat: int) -> int:
    """Sum of the step distances of the seat's men (table STEPS)."""
    total = 0
    for cell in range(rules[N_CELLS]):
        if s[CELLS + cell] == seat:
            total += steps(rules, seat, cell)
    return total


@jit
def apply(rules: Rules, s: State, action: int) -> None:
    """Move the man. Then finish() ends the game or skips players without a move."""
    n = rules[N_CELLS]
    me = np.int64(s[TO_MOVE])  # seats are int64 in all calls: one compiled version of each function
    s[CELLS + action // n] = EMPTY
    s[CELLS + action % n] = me
    s[PLY] += 1
    s[FROM] = action // n
    s[TO] = action % n
    s[TO_MOVE] = (me + 1) % rules[PLAYERS]
    winner = np.int64(NOBODY)
    if rules[ANTI_SPOILING]:  # a move can fill the goal of another player
        winner = who_is_home(rules, s)
    elif is_home(rules, s, me):
        winner = me
    finish(rules, s, winner)


@jit
def finish(rules: Rules, s: State, winner: int) -> None:
    """End the game if somebody won, at the limit of plies, or if nobody can move; else skip seats without a move."""
    players = rules[PLAYERS]
    if winner != NOBODY:
        s[STATUS] = winner
        s[ENDING] = GOAL
        return
    if s[PLY] >= rules[MAX_PLIES]:
        _stop(rules, s)
        return
    skipped = 0
    while skipped < players and not can_move(rules, s, np.int64(s[TO_MOVE])):
        s[TO_MOVE] = (s[TO_MOVE] + 1) % players
        skipped += 1
    if skipped == players:
        s[STATUS] = NOBODY
        s[ENDING] = NO_MOVES


@jit
def settle(rules: Rules, s: State) -> None:
    """Set STATUS and ENDING of a position that was set up by hand."""
    finish(rules, s, who_is_home(rules, s))


@jit
def _stop(rules: Rules, s: State) -> None:
    """End the game at the limit of plies: truncated, or (ADJUDICATE) won by the only seat with the least distance."""
    s[STATUS] = NOBODY
    s[ENDING] = AT_MAX_PLIES
    if rules[ADJUDICATE]:
        s[ENDING] = DISTANCE
        least = np.int64(rules[N_CELLS]) ** 2  # more than any distance
        for seat in range(np.int64(rules[PLAYERS])):
            d = distance(rules, s, seat)
            if d < least:
                least = d
                s[STATUS] = seat
            elif d == least:
                s[STATUS] = NOBODY
