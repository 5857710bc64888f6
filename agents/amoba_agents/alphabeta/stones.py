"""Putting and removing stones: updates of the work row, see lines.py.

A stone changes some twenty sets and thirty other cells, and most of these cells are in several of the sets. So the
changes are first summed up, set after set. The sets through two given cells mostly are consecutive: the change of the
second cell is then the difference of two prefix sums. The sums stay in the stone's frame until the stone is removed.
"""

import numpy as np

from amoba_agents.alphabeta import lines as li
from amoba_agents.alphabeta.lines import HashTable, StoneWork
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.jit import jit
from amoba_env.core.place import is_restricted
from amoba_env.core.rules import Rules
from amoba_env.core.state import State


@jit
def _move_index(rules: Rules, w: StoneWork, line: int, step: int) -> None:
    """Add `step` to the table index of a set, and update its cells, the total value and the lists."""
    code = w[li.SET_CODE] + line
    before = w[code]
    after = before + step
    w[code] = after
    old, new = w[before], w[after]
    at = w[li.CELL_COUNTS]
    size = rules[ru.SET_SIZE]
    first = rules[ru.SETS] + line * size
    for i in range(first, first + size):
        w[at + rules[i]] += new - old
    worth = w[li.VALUE_TABLE] - w[li.COUNT_TABLE]
    w[w[li.VALUE]] += w[after + worth] - w[before + worth]
    if (new ^ old) & li.URGENT_MASK:
        _update_lists(rules, w, line, old, new)


@jit
def _update_lists(rules: Rules, w: StoneWork, line: int, old: int, new: int) -> None:
    """Move a set between the lists; `old` and `new` are its entries of COUNT_TABLE."""
    for seat in range(2):
        shift = li.SEAT_BITS * seat + 2 * li.BITS
        was, now = old >> shift & 0xFFFF, new >> shift & 0xFFFF
        if was:
            _unlist_set(rules, w, line, np.int64(seat), np.int64(was & 1))
        if now:
            _list_set(rules, w, line, np.int64(seat), np.int64(now & 1))


@jit
def _unlist_set(rules: Rules, w: StoneWork, line: int, seat: int, more: int) -> None:
    """Remove a set from the list of those in which the seat needs 1 + more stones."""
    which = w[li.LIST_LENGTH] + 2 * more + seat
    w[which] -= 1
    first, place = w[li.URGENT_SETS] + (2 * more + seat) * rules[ru.N_SETS], w[li.LIST_INDEX] + seat * rules[ru.N_SETS]
    last = w[first + w[which]]
    w[first + w[place + line]] = last
    w[place + last] = w[place + line]


@jit
def _list_set(rules: Rules, w: StoneWork, line: int, seat: int, more: int) -> None:
    """Add a set to the list of those in which the seat needs 1 + more stones."""
    which = w[li.LIST_LENGTH] + 2 * more + seat
    w[w[li.URGENT_SETS] + (2 * more + seat) * rules[ru.N_SETS] + w[which]] = line
    w[w[li.LIST_INDEX] + seat * rules[ru.N_SETS] + line] = w[which]
    w[which] += 1


@jit
def put(rules: Rules, s: State, w: StoneWork, t: HashTable, seat: int, cell: int) -> None:
    """Put a stone of the seat on an empty cell. The game must not be over."""
    s[st.CELLS + cell] = seat
    t[w[li.HASH]] ^= t[2 * cell + seat]
    w[li.NODES] += 1
    w[li.FREE] -= 1
    step = _index_step(rules, seat)
    codes, worth, frame = w[li.SET_CODE], w[li.VALUE_TABLE] - w[li.COUNT_TABLE], w[li.FRAME]
    w[li.FRAME] = frame + w[li.FRAME_SIZE]
    index = rules[ru.THROUGH_INDEX] + cell
    first, end = rules[ru.THROUGH] + rules[index], rules[ru.THROUGH] + rules[index + 1]
    sums, changed = frame + 2, frame + 3 + end - first
    w[sums] = 0
    change, value = np.int64(0), np.int64(0)
    for i in range(first, end):
        line = np.int64(rules[i])
        before = w[codes + line]
        after = before + step
        w[codes + line] = after
        old, new = w[before], w[after]
        change += new - old
        sums += 1
        w[sums] = change
        value += w[after + worth] - w[before + worth]
        if (new ^ old) & li.URGENT_MASK:
            w[changed] = line
            changed += 1
            _update_lists(rules, w, line, old, new)
    w[frame], w[frame + 1] = value, changed
    w[w[li.VALUE]] += value
    cells, sums = w[li.CELL_COUNTS], frame + 2
    for i in range(w[w[li.SHARED_INDEX] + cell], w[w[li.SHARED_INDEX] + cell + 1]):
        entry = w[i]
        w[cells + (entry & 0xFFFF)] += w[sums + (entry >> 24)] - w[sums + (entry >> 16 & 0xFF)]
    if is_restricted(rules, s, seat):
        _move_guarded(rules, w, seat, cell, np.int64(1))


@jit
def put_all(rules: Rules, s: State, w: StoneWork, t: HashTable) -> None:
    """Put the stones of a position on the empty board of a work row."""
    for cell in range(rules[ru.N_CELLS]):
        if s[st.CELLS + cell] != st.EMPTY:
            put(rules, s, w, t, np.int64(s[st.CELLS + cell]), np.int64(cell))


@jit
def remove(rules: Rules, s: State, w: StoneWork, t: HashTable, seat: int, cell: int) -> None:
    """Remove the stone of the seat on the cell, the last one put."""
    s[st.CELLS + cell] = st.EMPTY
    t[w[li.HASH]] ^= t[2 * cell + seat]
    w[li.FREE] += 1
    step = _index_step(rules, seat)
    frame = w[li.FRAME] - w[li.FRAME_SIZE]
    w[li.FRAME] = frame
    codes = w[li.SET_CODE]
    index = rules[ru.THROUGH_INDEX] + cell
    first, end = rules[ru.THROUGH] + rules[index], rules[ru.THROUGH] + rules[index + 1]
    for i in range(first, end):
        w[codes + rules[i]] -= step
    w[w[li.VALUE]] -= w[frame]
    for i in range(frame + 3 + end - first, w[frame + 1]):
        code = w[codes + w[i]]
        _update_lists(rules, w, w[i], w[code + step], w[code])
    cells, sums = w[li.CELL_COUNTS], frame + 2
    for i in range(w[w[li.SHARED_INDEX] + cell], w[w[li.SHARED_INDEX] + cell + 1]):
        entry = w[i]
        w[cells + (entry & 0xFFFF)] -= w[sums + (entry >> 24)] - w[sums + (entry >> 16 & 0xFF)]
    if is_restricted(rules, s, seat):
        _move_guarded(rules, w, seat, cell, np.int64(-1))


@jit
def _index_step(rules: Rules, seat: int) -> int:
    """The change of the table index of each set through the cell of a stone of the seat."""
    return np.int64(li.GUARDS_STEP * li.GUARDS_STEP * (rules[ru.SET_SIZE] + 1 if seat == 0 else 1))


@jit
def _move_guarded(rules: Rules, w: StoneWork, seat: int, cell: int, sign: int) -> None:
    """Update the sets that have the cell as a guard, for a stone that is put (sign = 1) or removed (sign = -1)."""
    step = sign * (li.GUARDS_STEP if seat == 0 else 1)
    for i in range(w[w[li.GUARDED_INDEX] + cell], w[w[li.GUARDED_INDEX] + cell + 1]):
        _move_index(rules, w, w[w[li.GUARDED] + i], np.int64(step))
