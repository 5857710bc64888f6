"""Halma: the best own moves as if the others stood still (the thesis's recursive player), compiled.

The value of a line of D own moves is the own distance at its end; a line that brings all men home before its last
move is worth 0. Standing still is a line too, so no value is more than the distance now. All first moves of best
value are found. Here gains are counted (distance now less value), so more is better.

What makes it fast is exact: the set of best first moves is the same as without.
- What each man can reach is kept with few looks, see reach.py.
- The last of the D moves is not made: its gain is the best over the men of what each can reach.
- Moves in another order lead to the same place: gains of last moves are kept by the cells of the own men (memo).
- Jumps stay in a class of cells (every second one), so no man gains more in one move than down to the least empty
  cell of its class: moves that cannot reach the best so far are not looked into.
"""

import numpy as np
from numpy.typing import NDArray

from amoba_agents.halma.reach import (
    CELLS_MAX,
    CLASS,
    DISTANCES,
    FAR,
    FORWARD_AT,
    IN_GOAL_AT,
    LEVELS,
    MAN,
    MEN_MAX,
    NEAR,
    QUEUE,
    RIM_FAR,
    RIM_NEAR,
    Work,
    find_classes,
    jumps,
    learn_board,
    reach,
    set_up,
    toggle,
)
from amoba_agents.values.ties import break_tie
from amoba_env.core.jit import jit
from amoba_env.core.rng import MIX1, mix
from amoba_env.core.rules import HOME, MEN, N_CELLS, Rules
from amoba_env.core.state import CELLS, EMPTY, TO_MOVE, State, States

Memo = NDArray[np.uint64]  # [n] a random word a cell, then MEMO pairs (key, gain)

FAR_AWAY = 1 << 14  # more than any distance
MEMO = 1 << 13

# A level: how many cells each man can reach; bounds by man, see _bound(); the least distance to land on by class;
# the cells that each man can reach.
COUNT, ROOM, OTHERS, FARTHEST, LEAST = (i * MEN_MAX for i in range(5))
REACHED = LEAST + CELLS_MAX


@jit
def _expand(rules: Rules, s: State, w: Work, level: int) -> None:
    """Find what each man can reach."""
    for man in range(rules[MEN]):
        w[level + COUNT + man] = reach(rules, w, w[MAN + man], level + REACHED + man * CELLS_MAX)


@jit
def _bound(rules: Rules, s: State, w: Work, level: int) -> None:
    """Find what each man can gain at most in one move: a step gains 1, a jump ends in its class beside a man."""
    least, distances = level + LEAST, w[DISTANCES]
    for cell in range(rules[N_CELLS]):
        w[least + cell] = FAR_AWAY
    for cell in range(rules[N_CELLS]):
        beside = (w[NEAR + cell] ^ w[RIM_NEAR + cell]) & ~w[RIM_FAR + cell]  # where a man could come from over a man
        if beside and s[CELLS + cell] == EMPTY:
            at = least + w[CLASS + cell]
            w[at] = min(w[at], rules[distances + cell])
    for man in range(rules[MEN]):
        cell = w[MAN + man]
        w[level + ROOM + man] = max(1, rules[distances + cell] - w[least + w[CLASS + cell]])
    for mover in range(rules[MEN]):
        origin = w[MAN + mover]
        others = farthest = 0
        for man in range(rules[MEN]):
            if man != mover:
                here = rules[distances + w[MAN + man]]
                farthest = max(farthest, here)
                others = max(others, w[level + ROOM + man])
                if w[CLASS + w[MAN + man]] == w[CLASS + origin]:
                    others = max(others, here - rules[distances + origin])
        w[level + OTHERS + mover] = others
        w[level + FARTHEST + mover] = farthest


@jit
def _room(rules: Rules, w: Work, level: int, man: int, vacated: int, taken: int) -> int:
    """A bound on what a man gains in one move after another one went from `vacated` to `taken`.

    It may land on `vacated` now, or beside `taken`.
    """
    distances, cell = w[DISTANCES], w[MAN + man]
    here = rules[distances + cell]
    room = max(w[level + ROOM + man], here - rules[distances + taken] + 1)
    if w[CLASS + cell] == w[CLASS + vacated]:
        room = max(room, here - rules[distances + vacated])
    return room


@jit
def _room_of_mover(rules: Rules, w: Work, level: int, vacated: int, taken: int) -> int:
    """The same for the one that moved; it may go back to `vacated`."""
    distances = w[DISTANCES]
    least = min(w[level + LEAST + w[CLASS + taken]], rules[distances + vacated])
    return max(1, rules[distances + taken] - least)


@jit
def _most(rules: Rules, w: Work, level: int, mover: int, to: int) -> int:
    """A bound on what any man gains in one move after this one: the greatest of all rooms."""
    others = max(w[level + OTHERS + mover], w[level + FARTHEST + mover] - rules[w[DISTANCES] + to] + 1)
    return max(others, _room_of_mover(rules, w, level, w[MAN + mover], to))


@jit
def _last_gain(rules: Rules, w: Work, level: int, mover: int, vacated: int) -> int:
    """The best gain of one more move, 0 for standing still, after `mover` has left `vacated`."""
    distances, taken = w[DISTANCES], w[MAN + mover]
    best = 0
    for man in range(rules[MEN]):
        cell = w[MAN + man]
        if best == 0 and w[w[FORWARD_AT] + cell] & ~w[NEAR + cell]:
            best = 1
        if w[NEAR + cell] & ~w[FAR + cell]:
            if man == mover:
                room = _room_of_mover(rules, w, level, vacated, taken)
            else:
                room = _room(rules, w, level, man, vacated, taken)
            if room > best:
                here = rules[distances + cell]
                for i in range(jumps(rules, w, cell, np.int64(QUEUE))):
                    best = max(best, here - rules[distances + w[QUEUE + i]])
    return best


@jit
def _shift(rules: Rules, s: State, w: Work, man: int, to: int) -> None:
    """Move a man, or move it back."""
    origin = w[MAN + man]
    s[CELLS + to] = s[CELLS + origin]
    s[CELLS + origin] = EMPTY
    toggle(rules, w, origin)
    toggle(rules, w, to)
    w[MAN + man] = to


@jit
def _gain(
    rules: Rules,
    s: State,
    w: Work,
    memo: Memo,
    gains: Work,
    level: int,
    left: int,
    need: int,
    floor: int,
    key: np.uint64,
    home: int,
) -> int:
    """The best gain of `left` own moves, exact if it is `need` or more, and `floor` if that is more.

    `key` and `home` are the hash of the own men and how many of them stand in the goal. The gains of the moves at
    the root go to gains[man * n + cell]: exact for the best ones, not more than true for others.
    It calls only itself, with the same types (no literals): Numba's disk cache brings functions, or versions of
    one, that call each other back broken.
    """
    _expand(rules, s, w, level)
    if left == 2:
        _bound(rules, s, w, level)
    n, men, distances = rules[N_CELLS], rules[MEN], w[DISTANCES]
    zero = np.int64(0)
    known = left == 2 and level > LEVELS  # after a single move no two lines meet
    best = floor
    for forward in (True, False):  # moves that gain come first, so that most others can be passed over
        for man in range(men):
            origin = w[MAN + man]
            reached = level + REACHED + man * CELLS_MAX
            for i in range(reached, reached + w[level + COUNT + man]):
                to = w[i]
                gain = rules[distances + origin] - rules[distances + to]
                if (gain > 0) != forward and left > 1:
                    continue
                if left > 1:
                    wanted = max(best, need) - gain
                    home_after = home + w[w[IN_GOAL_AT] + to] - w[w[IN_GOAL_AT] + origin]
                    key_after = key - memo[origin] + memo[to]
                    slot = n + 2 * np.int64(key_after & np.uint64(MEMO - 1))
                    if home_after == men:
                        gain = _distance(rules, w)
                    elif left > 2:
                        _shift(rules, s, w, man, to)
                        deeper = level + REACHED + men * CELLS_MAX
                        gain += _gain(rules, s, w, memo, gains, deeper, left - 1, wanted, zero, key_after, home_after)
                        _shift(rules, s, w, man, origin)
                    elif _most(rules, w, level, man, to) < wanted:
                        pass  # hopeless
                    elif known and memo[slot] == key_after:
                        gain += np.int64(memo[slot + 1])
                    else:
                        _shift(rules, s, w, man, to)
                        more = _last_gain(rules, w, level, man, origin)
                        _shift(rules, s, w, man, origin)
                        gain += more
                        if known:
                            memo[slot] = key_after
                            memo[slot + 1] = more
                if level == LEVELS:
                    gains[man * n + to] = max(gain, floor)
                best = max(best, gain)
        if left == 1:
            break
    return best


@jit
def _distance(rules: Rules, w: Work) -> int:
    total = 0
    for man in range(rules[MEN]):
        total += rules[w[DISTANCES] + w[MAN + man]]
    return total


@jit
def best_moves(
    rules: Rules, s: State, w: Work, memo: Memo, depth: int, greedy: bool, salt: int, gains: Work, out: Work
) -> int:
    """Write the first moves of best value to `out`, in the order man, then cell; return how many.

    w[MAN:] holds the own men. `greedy` takes moves that lose ground as they are; otherwise standing still would be
    as good, so they are all worth the same. `salt` tells what the memo knows of this position from what it knows
    of others.
    """
    n = rules[N_CELLS]
    set_up(rules, s, w)
    home = np.int64(0)
    key = mix(np.uint64(salt))
    for man in range(rules[MEN]):
        home += w[w[IN_GOAL_AT] + w[MAN + man]]
        key += memo[w[MAN + man]]
    floor = np.int64(-FAR_AWAY if greedy else 0)
    best = _gain(rules, s, w, memo, gains, np.int64(LEVELS), depth, floor, floor, key, home)
    count = 0
    for man in range(rules[MEN]):
        reached = LEVELS + REACHED + man * CELLS_MAX
        first = count
        for i in range(reached, reached + w[LEVELS + COUNT + man]):
            if gains[man * n + w[i]] == best:
                at = count  # insert in ascending order, that is row by row
                action = w[MAN + man] * n + w[i]
                while at > first and out[at - 1] > action:
                    out[at] = out[at - 1]
                    at -= 1
                out[at] = action
                count += 1
    return count


@jit
def find_men(rules: Rules, s: State, known: NDArray[np.int16], w: Work) -> None:
    """Write to w[MAN:] where the own men stand, in the order of their numbers.

    `known` [M] (cells + 1) is what was remembered of the game. Where it does not fit the position, the men are
    numbered anew: as at the start of the game if they stand there, else row by row.
    """
    seat, men = s[TO_MOVE], rules[MEN]
    fits = len(known) > 0
    for i in range(len(known)):
        fits = fits and known[i] > 0 and s[CELLS + known[i] - 1] == seat
    at_home = True
    for i in range(men):
        w[MAN + i] = known[i] - 1 if fits else rules[rules[HOME] + seat * men + i]
        at_home = at_home and s[CELLS + w[MAN + i]] == seat
    if not at_home:
        count = 0
        for cell in range(rules[N_CELLS]):
            if s[CELLS + cell] == seat:
                w[MAN + count] = cell
                count += 1


@jit
def _workspace(rules: Rules, depth: int) -> tuple[Work, Memo]:
    n = rules[N_CELLS]
    w = np.zeros(LEVELS + depth * (REACHED + rules[MEN] * CELLS_MAX), np.int32)
    memo = np.zeros(n + 2 * MEMO, np.uint64)
    for cell in range(n):
        memo[cell] = mix(np.uint64(cell + 1) * MIX1)
    learn_board(rules, w)
    find_classes(rules, w)
    return w, memo


@jit
def all_best(rules: Rules, s: State, known: NDArray[np.int16], depth: int, greedy: bool, out: Work) -> tuple[int, int]:
    """Write every best first move to `out` (int32 [M * n]); return how many, and the distance they lead to."""
    w, memo = _workspace(rules, depth)
    gains = np.zeros(rules[MEN] * rules[N_CELLS], np.int32)
    find_men(rules, s, known, w)
    count = best_moves(rules, s, w, memo, depth, greedy, 1, gains, out)
    gain = gains[0]
    for man in range(rules[MEN]):
        if w[MAN + man] == out[0] // rules[N_CELLS]:
            gain = gains[man * rules[N_CELLS] + out[0] % rules[N_CELLS]]
    return count, _distance(rules, w) - gain


@jit
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
    """actions[b]: a best first move of each position, int32[B].

    Equal moves are ordered by the numbers of the men, then row by row, see ties.py. `memory` [B, M] keeps the
    numbers from move to move; without ([B, 0]) they are given anew.
    """
    n, men = rules[N_CELLS], rules[MEN]
    w, memo = _workspace(rules, depth)
    gains = np.zeros(men * n, np.int32)
    best = np.zeros(men * n, np.int32)
    for b in range(len(states)):
        s = states[b]
        find_men(rules, s, memory[b], w)
        count = best_moves(rules, s, w, memo, depth, greedy, b + 1, gains, best)
        chosen = break_tie(best, count, thesis, streams[b : b + 1])
        actions[b] = chosen
        for i in range(memory.shape[1]):
            memory[b, i] = 1 + (chosen % n if w[MAN + i] == chosen // n else w[MAN + i])
