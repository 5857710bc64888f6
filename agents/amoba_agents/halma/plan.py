"""Halma: the best own moves while the others stand still (the recursive player of the thesis).

The value of a line of D own moves is the own distance at its end. A line that brings all men home before its last
move has the value 0. Standing still is a line too, so no value exceeds the present distance. The search finds all
first moves of the best value. The code maximises *progress*, the present distance minus the value.

These accelerations are exact: they do not change the set of best first moves.

- The cells that each man can reach are found with few memory accesses, see reach.py.
- The last of the D moves is not made: its progress is the largest progress of any man.
- Different orders of the same moves lead to the same position, so the progress of last moves is kept in a memo, by the
  cells of the own men.
- Jumps stay in a class of cells (every second cell), which bounds the progress of a man in one move. Moves whose bound
  is below the best progress so far are not searched.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoba_agents.halma import reach as rc
from amoba_agents.halma.reach import MenWork
from amoba_agents.values.ties import break_tie, sort
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.interrupt import cancelled
from amoba_env.core.jit import jit
from amoba_env.core.later import is_small, jit_later
from amoba_env.core.rng import MIX1, mix
from amoba_env.core.rules import Rules
from amoba_env.core.state import State, States

Memo = NDArray[np.uint64]  # [n] a random word for each cell, then MEMO pairs (key, progress)

FAR_AWAY = 1 << 14  # more than any distance
MEMO = 1 << 13

# The blocks of a level: the number of cells that each man can reach; bounds by man, see _find_bounds(); the least
# distance of a landing cell by class; the cells that each man can reach.
COUNT, BOUND, BOUND_OF_OTHERS, FARTHEST, LEAST_DISTANCE = (i * rc.MEN_MAX for i in range(5))
REACHED = LEAST_DISTANCE + rc.CELLS_MAX


@jit
def _expand(rules: Rules, w: MenWork, level: int) -> None:
    """Find the cells that each man can reach."""
    for man in range(rules[ru.MEN]):
        w[level + COUNT + man] = rc.reach(rules, w, w[rc.MAN + man], level + REACHED + man * rc.CELLS_MAX)


@jit
def _find_bounds(rules: Rules, s: State, w: MenWork, level: int) -> None:
    """Bound the progress of each man in one move: a step gains 1; a jump ends beside a man, in the jumper's class."""
    least, distances = level + LEAST_DISTANCE, w[rc.DISTANCES]
    for cell in range(rules[ru.N_CELLS]):
        w[least + cell] = FAR_AWAY
    for cell in range(rules[ru.N_CELLS]):
        # Directions from which a man can jump here:
        beside = (w[rc.NEAR + cell] ^ w[rc.RIM_NEAR + cell]) & ~w[rc.RIM_FAR + cell]
        if beside and s[st.CELLS + cell] == st.EMPTY:
            at = least + w[rc.CLASS + cell]
            w[at] = min(w[at], rules[distances + cell])
    for man in range(rules[ru.MEN]):
        cell = w[rc.MAN + man]
        w[level + BOUND + man] = max(1, rules[distances + cell] - w[least + w[rc.CLASS + cell]])
    for mover in range(rules[ru.MEN]):
        origin = w[rc.MAN + mover]
        others = farthest = 0
        for man in range(rules[ru.MEN]):
            if man != mover:
                here = rules[distances + w[rc.MAN + man]]
                farthest = max(farthest, here)
                others = max(others, w[level + BOUND + man])
                if w[rc.CLASS + w[rc.MAN + man]] == w[rc.CLASS + origin]:
                    others = max(others, here - rules[distances + origin])
        w[level + BOUND_OF_OTHERS + mover] = others
        w[level + FARTHEST + mover] = farthest


@jit
def _bound_after(rules: Rules, w: MenWork, level: int, man: int, vacated: int, taken: int) -> int:
    """A bound on a man's progress in one move after another man went from `vacated` to `taken`.

    It may now land on `vacated` or beside `taken`.
    """
    distances, cell = w[rc.DISTANCES], w[rc.MAN + man]
    here = rules[distances + cell]
    bound = max(w[level + BOUND + man], here - rules[distances + taken] + 1)
    if w[rc.CLASS + cell] == w[rc.CLASS + vacated]:
        bound = max(bound, here - rules[distances + vacated])
    return bound


@jit
def _bound_of_mover(rules: Rules, w: MenWork, level: int, vacated: int, taken: int) -> int:
    """A bound for the man that moved, which may go back to `vacated`."""
    distances = w[rc.DISTANCES]
    least = min(w[level + LEAST_DISTANCE + w[rc.CLASS + taken]], rules[distances + vacated])
    return max(1, rules[distances + taken] - least)


@jit
def _max_bound(rules: Rules, w: MenWork, level: int, mover: int, to: int) -> int:
    """A bound on the progress of any man in one move after this one."""
    others = max(w[level + BOUND_OF_OTHERS + mover], w[level + FARTHEST + mover] - rules[w[rc.DISTANCES] + to] + 1)
    return max(others, _bound_of_mover(rules, w, level, w[rc.MAN + mover], to))


@jit
def _last_progress(rules: Rules, w: MenWork, level: int, mover: int, vacated: int) -> int:
    """The most progress in one more move after `mover` has left `vacated`; at least 0 (no move)."""
    distances, taken = w[rc.DISTANCES], w[rc.MAN + mover]
    best = 0
    for man in range(rules[ru.MEN]):
        cell = w[rc.MAN + man]
        if best == 0 and w[w[rc.FORWARD_AT] + cell] & ~w[rc.NEAR + cell]:
            best = 1
        if w[rc.NEAR + cell] & ~w[rc.FAR + cell]:
            if man == mover:
                bound = _bound_of_mover(rules, w, level, vacated, taken)
            else:
                bound = _bound_after(rules, w, level, man, vacated, taken)
            if bound > best:
                here = rules[distances + cell]
                for i in range(rc.jumps(rules, w, cell, np.int64(rc.QUEUE))):
                    best = max(best, here - rules[distances + w[rc.QUEUE + i]])
    return best


@jit
def _move_man(rules: Rules, s: State, w: MenWork, man: int, to: int) -> None:
    """Move a man, or move it back."""
    origin = w[rc.MAN + man]
    s[st.CELLS + to] = s[st.CELLS + origin]
    s[st.CELLS + origin] = st.EMPTY
    rc.toggle(rules, w, origin)
    rc.toggle(rules, w, to)
    w[rc.MAN + man] = to


@jit
def _best_progress(
    rules: Rules,
    s: State,
    w: MenWork,
    memo: Memo,
    progress_by_move: MenWork,
    level: int,
    moves_left: int,
    needed: int,
    floor: int,
    key: np.uint64,
    home: int,
) -> int:
    """The most progress in `moves_left` own moves: exact if it is at least `needed`, and never less than `floor`.

    `key` is a hash of the own men and `home` the number of them in the goal. The progress of the moves at the root
    goes to progress_by_move[man * n + cell]: exact for the best moves, a lower bound for the others.

    This is one long function because Numba's disk cache cannot restore functions, or versions of one function, that
    call each other: it calls only itself, always with the same types (no literals).
    """
    if cancelled() and level > rc.LEVELS:
        return floor
    _expand(rules, w, level)
    if moves_left == 2:
        _find_bounds(rules, s, w, level)
    n, men, distances = rules[ru.N_CELLS], rules[ru.MEN], w[rc.DISTANCES]
    zero = np.int64(0)
    remembered = moves_left == 2 and level > rc.LEVELS  # a single move cannot transpose
    best = floor
    for forward in (True, False):  # moves forward first, so that bounds exclude most others
        for man in range(men):
            origin = w[rc.MAN + man]
            reached = level + REACHED + man * rc.CELLS_MAX
            for i in range(reached, reached + w[level + COUNT + man]):
                to = w[i]
                progress = rules[distances + origin] - rules[distances + to]
                if (progress > 0) != forward and moves_left > 1:
                    continue
                if moves_left > 1:
                    wanted = max(best, needed) - progress
                    home_after = home + w[w[rc.IN_GOAL_AT] + to] - w[w[rc.IN_GOAL_AT] + origin]
                    key_after = key - memo[origin] + memo[to]
                    slot = n + 2 * np.int64(key_after & np.uint64(MEMO - 1))
                    if home_after == men:
                        progress = _distance(rules, w)
                    elif moves_left > 2:
                        _move_man(rules, s, w, man, to)
                        deeper = level + REACHED + men * rc.CELLS_MAX
                        progress += _best_progress(
                            rules,
                            s,
                            w,
                            memo,
                            progress_by_move,
                            deeper,
                            moves_left - 1,
                            wanted,
                            zero,
                            key_after,
                            home_after,
                        )
                        _move_man(rules, s, w, man, origin)
                    elif _max_bound(rules, w, level, man, to) < wanted:
                        pass  # cannot reach `wanted`
                    elif remembered and memo[slot] == key_after:
                        progress += np.int64(memo[slot + 1])
                    else:
                        _move_man(rules, s, w, man, to)
                        more = _last_progress(rules, w, level, man, origin)
                        _move_man(rules, s, w, man, origin)
                        progress += more
                        if remembered:
                            memo[slot] = key_after
                            memo[slot + 1] = more
                if level == rc.LEVELS:
                    progress_by_move[man * n + to] = max(progress, floor)
                best = max(best, progress)
        if moves_left == 1:
            break
    return best


@jit
def _distance(rules: Rules, w: MenWork) -> int:
    """The steps that the own men have left."""
    total = 0
    for man in range(rules[ru.MEN]):
        total += rules[w[rc.DISTANCES] + w[rc.MAN + man]]
    return total


@jit
def best_moves(
    rules: Rules,
    s: State,
    w: MenWork,
    memo: Memo,
    depth: int,
    greedy: bool,
    salt: int,
    progress_by_move: MenWork,
    out: MenWork,
) -> int:
    """Write the first moves of best value to `out`, ordered by man, then by cell; return their number.

    w[MAN:] holds the own men. With `greedy`, moves backwards keep their value; without, they count as standing
    still. `salt` separates the memo entries of this position from those of others.
    """
    n = rules[ru.N_CELLS]
    rc.load_position(rules, s, w)
    home = np.int64(0)
    key = mix(np.uint64(salt))
    for man in range(rules[ru.MEN]):
        home += w[w[rc.IN_GOAL_AT] + w[rc.MAN + man]]
        key += memo[w[rc.MAN + man]]
    floor = np.int64(-FAR_AWAY if greedy else 0)
    best = _best_progress(rules, s, w, memo, progress_by_move, np.int64(rc.LEVELS), depth, floor, floor, key, home)
    count = 0
    for man in range(rules[ru.MEN]):
        reached = rc.LEVELS + REACHED + man * rc.CELLS_MAX
        first = count
        for i in range(reached, reached + w[rc.LEVELS + COUNT + man]):
            if progress_by_move[man * n + w[i]] == best:
                out[count] = w[rc.MAN + man] * n + w[i]
                count += 1
        sort(out, first, count)
    return count


@jit
def find_men(rules: Rules, s: State, remembered: NDArray[np.int16], w: MenWork) -> None:
    """Write the cells of the own men to w[MAN:], ordered by the numbers of the men.

    `remembered` [M] is the memory of this game, cells + 1. If it does not fit the position, men are numbered as at the
    start of the game if they stand there, else row by row.
    """
    seat, men = s[st.TO_MOVE], rules[ru.MEN]
    fits = len(remembered) > 0
    for i in range(len(remembered)):
        fits = fits and remembered[i] > 0 and s[st.CELLS + remembered[i] - 1] == seat
    at_home = True
    for i in range(men):
        w[rc.MAN + i] = remembered[i] - 1 if fits else rules[rules[ru.HOMES] + seat * men + i]
        at_home = at_home and s[st.CELLS + w[rc.MAN + i]] == seat
    if not at_home:
        count = 0
        for cell in range(rules[ru.N_CELLS]):
            if s[st.CELLS + cell] == seat:
                w[rc.MAN + count] = cell
                count += 1


@jit
def _workspace(rules: Rules, depth: int) -> tuple[MenWork, Memo]:
    """A work row and a memo for searches of this depth."""
    n = rules[ru.N_CELLS]
    w = np.zeros(rc.LEVELS + depth * (REACHED + rules[ru.MEN] * rc.CELLS_MAX), np.int32)
    memo = np.zeros(n + 2 * MEMO, np.uint64)
    for cell in range(n):
        memo[cell] = mix(np.uint64(cell + 1) * MIX1)
    rc.precompute_board(rules, w)
    rc.find_jump_classes(rules, w)
    return w, memo


@jit
def all_best(
    rules: Rules, s: State, remembered: NDArray[np.int16], depth: int, greedy: bool, out: MenWork
) -> tuple[int, int]:
    """Write all best first moves to `out`, int32[M * n]; return their number and the distance that they lead to."""
    w, memo = _workspace(rules, depth)
    progress_by_move = np.zeros(rules[ru.MEN] * rules[ru.N_CELLS], np.int32)
    find_men(rules, s, remembered, w)
    count = best_moves(rules, s, w, memo, depth, greedy, np.int64(1), progress_by_move, out)
    progress = progress_by_move[0]
    for man in range(rules[ru.MEN]):
        if w[rc.MAN + man] == out[0] // rules[ru.N_CELLS]:
            progress = progress_by_move[man * rules[ru.N_CELLS] + out[0] % rules[ru.N_CELLS]]
    return count, _distance(rules, w) - progress


def _is_small(rules: Rules, states: States, streams: Any, memory: Any, depth: int, greedy: bool, *others: Any) -> bool:
    return greedy and is_small(states)


@jit_later(_is_small)
def plan(
    rules: Rules,
    states: States,
    streams: NDArray[np.uint64],
    memory: NDArray[np.int16],
    depth: int,
    greedy: bool,
    thesis: bool,
    actions: NDArray[np.int32],
) -> None:
    """Write a best first move of each position to `actions`, int32[B].

    Equal moves are ordered by the numbers of the men, then row by row, see ties.py. `memory` [B, M] keeps the
    numbers from move to move; with [B, 0] the men are numbered again at each move.
    """
    n, men = rules[ru.N_CELLS], rules[ru.MEN]
    w, memo = _workspace(rules, depth)
    progress_by_move = np.zeros(men * n, np.int32)
    best = np.zeros(men * n, np.int32)
    for b in range(len(states)):
        s = states[b]
        find_men(rules, s, memory[b], w)
        count = best_moves(rules, s, w, memo, depth, greedy, b + 1, progress_by_move, best)
        if cancelled():
            break
        chosen = break_tie(best, count, thesis, streams[b : b + 1])
        actions[b] = chosen
        for i in range(memory.shape[1]):
            memory[b, i] = 1 + (chosen % n if w[rc.MAN + i] == chosen // n else w[rc.MAN + i])
