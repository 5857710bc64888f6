"""The halma family: a man steps to a neighbour or makes a chain of jumps; the first with a full goal wins.

An action is one whole turn: from_cell * n + to_cell.
"""

import numpy as np

from amoba_env.core import endings as en
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.jit import jit
from amoba_env.core.later import jit_later
from amoba_env.core.lookup import goal, steps
from amoba_env.core.rules import Rules
from amoba_env.core.state import State


@jit
def jumps(rules: Rules, s: State, origin: int, marked: np.ndarray, out: np.ndarray) -> int:
    """Write to `out` the cells where a chain of jumps from `origin` can end; return their number.

    The man stays on `origin` during the search. A jump moves by two cells, so no jump of the chain goes over
    `origin`. `marked` [n] must be zero; afterwards it is 1 at `origin` and at each cell written. A chain
    that returns to `origin` is not a move, so `origin` is not written.
    """
    n_dirs = rules[ru.DIRECTIONS]
    near = rules[ru.NEIGHBOR]
    marked[origin] = 1
    cell = origin
    count = head = 0
    while True:
        row = near + cell * n_dirs
        for d in range(n_dirs):
            over = rules[row + d]
            if over >= 0 and s[st.CELLS + over] != st.EMPTY:
                to = rules[near + over * n_dirs + d]
                if to >= 0 and s[st.CELLS + to] == st.EMPTY and marked[to] == 0:
                    marked[to] = 1
                    out[count] = to
                    count += 1
        if head == count:
            break
        cell = out[head]
        head += 1
    return count


@jit_later(nogil=False)
def reach(rules: Rules, s: State, origin: int, marked: np.ndarray, out: np.ndarray) -> int:
    """Write to `out` the cells that the man on `origin` can reach; return their number. `marked` as in jumps()."""
    count = jumps(rules, s, origin, marked, out)
    row = rules[ru.NEIGHBOR] + origin * rules[ru.DIRECTIONS]
    for d in range(rules[ru.DIRECTIONS]):
        to = rules[row + d]
        if to >= 0 and s[st.CELLS + to] == st.EMPTY and marked[to] == 0:
            marked[to] = 1
            out[count] = to
            count += 1
    return count


@jit
def unmark(marked: np.ndarray, origin: int, cells: np.ndarray, count: int) -> None:
    """Clear `marked` after jumps() or reach()."""
    marked[origin] = 0
    for i in range(count):
        marked[cells[i]] = 0


@jit
def moves(rules: Rules, s: State, out: np.ndarray) -> int:
    """Write the legal actions to `out` (any integer array, [N_ACTIONS]), ascending; return their number."""
    n = rules[ru.N_CELLS]
    marked = np.zeros(n, np.uint8)
    cells = np.empty(n, np.int16)
    count = 0
    for origin in range(n):
        if s[st.CELLS + origin] == s[st.TO_MOVE]:
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
    n = rules[ru.N_CELLS]
    marked = np.zeros(n, np.uint8)
    cells = np.empty(n, np.int16)
    for origin in range(n):
        if s[st.CELLS + origin] == s[st.TO_MOVE]:
            found = reach(rules, s, origin, marked, cells)
            first = rules[view + origin] * n
            for i in range(found):
                out[first + rules[view + cells[i]]] = 1
            unmark(marked, origin, cells, found)


@jit
def is_legal(rules: Rules, s: State, action: int) -> bool:
    """Can the player to move go from action // n to action % n?"""
    n = rules[ru.N_CELLS]
    origin, to = action // n, action % n
    if s[st.CELLS + origin] != s[st.TO_MOVE] or s[st.CELLS + to] != st.EMPTY:
        return False
    row = rules[ru.NEIGHBOR] + origin * rules[ru.DIRECTIONS]
    for d in range(rules[ru.DIRECTIONS]):
        if rules[row + d] == to:
            return True
    marked = np.zeros(n, np.uint8)
    jumps(rules, s, origin, marked, np.empty(n, np.int16))
    return marked[to] == 1


@jit
def can_move(rules: Rules, s: State, seat: int) -> bool:
    """Has the seat a legal move? A chain begins with a jump, so it is enough to try steps and single jumps."""
    n_dirs = rules[ru.DIRECTIONS]
    near = rules[ru.NEIGHBOR]
    for origin in range(rules[ru.N_CELLS]):
        if s[st.CELLS + origin] == seat:
            for d in range(n_dirs):
                over = rules[near + origin * n_dirs + d]
                if over >= 0:
                    if s[st.CELLS + over] == st.EMPTY:
                        return True
                    to = rules[near + over * n_dirs + d]
                    if to >= 0 and s[st.CELLS + to] == st.EMPTY:
                        return True
    return False


@jit
def is_home(rules: Rules, s: State, seat: int) -> bool:
    """Is the goal of the seat full of its own men? (With ANTI_SPOILING: full of any men, at least one its own?)"""
    own = False
    for i in range(rules[ru.MEN]):
        owner = s[st.CELLS + goal(rules, seat, i)]
        if owner == st.EMPTY or (owner != seat and not rules[ru.ANTI_SPOILING]):
            return False
        own = own or owner == seat
    return own


@jit
def who_is_home(rules: Rules, s: State) -> int:
    """The seat that is home, or NOBODY."""
    for seat in range(np.int64(rules[ru.PLAYERS])):
        if is_home(rules, s, seat):
            return seat
    return np.int64(st.NOBODY)


@jit_later(nogil=False)
def distance(rules: Rules, s: State, seat: int) -> int:
    """Sum of the step distances of the seat's men (table STEPS)."""
    total = 0
    for cell in range(rules[ru.N_CELLS]):
        if s[st.CELLS + cell] == seat:
            total += steps(rules, seat, cell)
    return total


@jit
def apply(rules: Rules, s: State, action: int) -> None:
    """Move the man. Then finish() ends the game or skips players without a move."""
    n = rules[ru.N_CELLS]
    me = np.int64(s[st.TO_MOVE])  # always int64: one compiled version of each function
    s[st.CELLS + action // n] = st.EMPTY
    s[st.CELLS + action % n] = me
    s[st.PLY] += 1
    s[st.FROM] = action // n
    s[st.TO] = action % n
    s[st.TO_MOVE] = (me + 1) % rules[ru.PLAYERS]
    winner = np.int64(st.NOBODY)
    if rules[ru.ANTI_SPOILING]:  # a move can fill another player's goal
        winner = who_is_home(rules, s)
    elif is_home(rules, s, me):
        winner = me
    finish(rules, s, winner)


@jit
def finish(rules: Rules, s: State, winner: int) -> None:
    """End the game if there is a winner, at the limit of plies, or if nobody can move; skip seats without a move."""
    players = rules[ru.PLAYERS]
    if winner != st.NOBODY:
        s[st.STATUS] = winner
        s[st.ENDING] = en.GOAL
        return
    if s[st.PLY] >= rules[ru.PLY_LIMIT]:
        _stop(rules, s)
        return
    skipped = 0
    while skipped < players and not can_move(rules, s, np.int64(s[st.TO_MOVE])):
        s[st.TO_MOVE] = (s[st.TO_MOVE] + 1) % players
        skipped += 1
    if skipped == players:
        s[st.STATUS] = st.NOBODY
        s[st.ENDING] = en.NO_MOVES


@jit
def settle(rules: Rules, s: State) -> None:
    """Set STATUS and ENDING of a position that was not reached by play."""
    finish(rules, s, who_is_home(rules, s))


@jit
def _stop(rules: Rules, s: State) -> None:
    """End the game at the limit of plies: truncated, or (ADJUDICATE) won by the seat with the least distance."""
    s[st.STATUS] = st.NOBODY
    s[st.ENDING] = en.MAX_PLIES
    if rules[ru.ADJUDICATE]:
        s[st.ENDING] = en.DISTANCE
        least = np.int64(rules[ru.N_CELLS]) ** 2  # more than any distance
        for seat in range(np.int64(rules[ru.PLAYERS])):
            d = distance(rules, s, seat)
            if d < least:
                least = d
                s[st.STATUS] = seat
            elif d == least:
                s[st.STATUS] = st.NOBODY
