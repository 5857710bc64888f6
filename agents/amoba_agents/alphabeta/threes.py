"""Wins by threes and fours (VCT), and the relevant replies to a threat of fours. Wins are proven.

A *three* here is a move that threatens to win by fours. That threat is one winning sequence: the attacker's fours
and the forced answers. A reply is relevant only if it could disturb the sequence:

- it takes a cell of the sequence,
- it makes a four itself, or
- it prepares a counter-threat by the forced answers: it lies in a set that is open for the defender, even if it is
  empty, holds at least one answer, and needs at most two more stones when all answers are on the board.

After any other reply the same sequence wins. In renju a stone elsewhere can also change which points are forbidden.
If a sequence depends on that (FRAGILE), all replies are relevant; in caro they always are.
"""

import numpy as np

from amoba_agents.alphabeta import fours
from amoba_agents.alphabeta import lines as li
from amoba_agents.alphabeta.lines import HashTable, StoneWork
from amoba_agents.alphabeta.stones import put, remove
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.jit import jit
from amoba_env.core.rules import Rules
from amoba_env.core.state import State

FOURS_NODES = 60  # nodes of a search by fours within a search by threes


@jit
def relevant_replies(rules: Rules, s: State, w: StoneWork, seat: int) -> int:
    """List the seat's relevant replies to the last winning sequence, see the module, on the STACK from TOP on.

    Returns the end of the list. If the sequence is FRAGILE, all empty cells are relevant.
    """
    end = w[li.TOP]
    if w[li.FRAGILE]:
        for cell in range(rules[ru.N_CELLS]):
            if s[st.CELLS + cell] == st.EMPTY:
                w[end] = cell
                end += 1
        return end
    for i in range(w[li.FINAL_CELLS], w[li.FINAL_CELLS] + w[li.FINAL_COUNT]):
        end = fours.add_cell(w, end, w[i], fours.LISTED)
    path = w[li.SEQUENCE]
    for i in range(path, path + 2 * w[li.SEQUENCE_LENGTH]):
        end = fours.add_cell(w, end, w[i], fours.LISTED if i & 1 == path & 1 else fours.ANSWER)
    first, behind = li.urgent_sets(rules, w, np.int64(2), seat)
    for i in range(first, behind):
        a = li.first_empty(rules, s, w[i])
        end = fours.add_cell(w, end, a, fours.LISTED)
        end = fours.add_cell(w, end, li.next_empty(rules, s, w[i], a), fours.LISTED)
    for i in range(path + 1, path + 2 * w[li.SEQUENCE_LENGTH], 2):
        index = rules[ru.THROUGH_INDEX] + w[i]
        for j in range(rules[ru.THROUGH] + rules[index], rules[ru.THROUGH] + rules[index + 1]):
            end = _add_counter_cells(rules, s, w, seat, np.int64(rules[j]), end)
    for i in range(w[li.TOP], end):
        w[w[li.MARKS] + w[i]] = 0
    return end


@jit
def _add_counter_cells(rules: Rules, s: State, w: StoneWork, seat: int, line: int, end: int) -> int:
    """Append the empty cells of a set that could give a counter-threat, see the module; return the new end."""
    if not li.is_open(w, seat, line):
        return end
    first = rules[ru.SETS] + line * rules[ru.SET_SIZE]
    behind = first + rules[ru.SET_SIZE]
    rest = 0
    for i in range(first, behind):
        cell = rules[i]
        rest += cell != st.NOWHERE and s[st.CELLS + cell] == st.EMPTY and w[w[li.MARKS] + cell] != fours.ANSWER
        if rest > 2:
            return end
    for i in range(first, behind):
        cell = np.int64(rules[i])
        if cell != st.NOWHERE and s[st.CELLS + cell] == st.EMPTY:
            end = fours.add_cell(w, end, cell, fours.LISTED)
    return end


@jit
def _select_urgent(w: StoneWork, seat: int, at: int, end: int) -> int:
    """Swap the cell of w[at:end] with the most urgent sets of the seat to w[at]; return it."""
    best = at
    for i in range(at + 1, end):
        if li.open_counts(w, seat, w[i]) > li.open_counts(w, seat, w[best]):
            best = i
    w[at], w[best] = w[best], w[at]
    return w[at]


@jit
def by_threes(rules: Rules, s: State, w: StoneWork, t: HashTable, seat: int, threes_left: int) -> int:
    """An upper bound of the plies in which the seat, to move, wins by fours and at most `threes_left` threes.

    0: no win was found; w[LIMIT] is the node limit. The first cell of the win is left in w[FIRST_CELL].
    """
    if fours.wins_by_fours(rules, s, w, t, seat, np.int64(FOURS_NODES)):
        w[li.FIRST_CELL] = w[w[li.SEQUENCE]]
        return 2 * w[li.SEQUENCE_LENGTH] + 1
    other = 1 - seat
    forced_cell = fours.winning_cell(rules, s, w, other)
    if forced_cell in (fours.MANY, fours.BLOCKABLE) or threes_left == 0 or fours.is_stopped(w):
        return np.int64(0)
    key = fours.search_key(w, t, seat, threes_left)
    slot = w[li.FAILED] + np.int64(key & np.uint64(w[li.FAILED_MASK]))
    if t[slot] == key:
        return np.int64(0)
    top = w[li.TOP]
    last = top
    if forced_cell == fours.NONE:
        for cell in range(rules[ru.N_CELLS]):
            if (
                s[st.CELLS + cell] == st.EMPTY
                and li.open_counts(w, seat, np.int64(cell)) >= li.NEED_3
                and last < w[li.STACK_END]
            ):
                w[last] = cell
                last += 1
    else:
        w[last] = forced_cell
        last += 1
    w[li.TOP] = last
    plies = np.int64(0)
    for i in range(top, last):
        three = _select_urgent(w, seat, np.int64(i), last)
        if fours.forbidden(rules, s, seat, three):
            continue
        put(rules, s, w, t, seat, three)
        answer = fours.winning_cell(rules, s, w, seat)
        if answer == fours.MANY:
            plies = np.int64(3)
        elif answer >= 0:
            possible = fours.can_answer(rules, s, other, answer)
            if possible == fours.NO:
                plies = np.int64(3)
            elif possible == fours.YES:
                put(rules, s, w, t, other, answer)
                plies = by_threes(rules, s, w, t, seat, threes_left - 1)
                remove(rules, s, w, t, other, answer)
                plies += 2 * (plies > 0)
        elif (
            answer == fours.NONE
            and fours.wins_by_fours(rules, s, w, t, seat, np.int64(FOURS_NODES))
            and not w[li.FRAGILE]
        ):
            plies = 2 * w[li.SEQUENCE_LENGTH] + 3  # after a reply that is not relevant
            end = relevant_replies(rules, s, w, other)
            w[li.TOP] = end
            for j in range(last, end):
                if not fours.forbidden(rules, s, other, w[j]):
                    reply = w[j]
                    put(rules, s, w, t, other, reply)
                    more = by_threes(rules, s, w, t, seat, threes_left - 1)
                    remove(rules, s, w, t, other, reply)
                    plies = max(plies, more + 2) if more > 0 else np.int64(0)
                    if plies == 0:
                        break
            w[li.TOP] = last
        remove(rules, s, w, t, seat, three)
        if plies > 0:
            w[li.FIRST_CELL] = three
            break
    w[li.TOP] = top
    if plies == 0 and not fours.is_stopped(w):
        t[slot] = key
    return plies
