"""Is a row of numbers a position of its game? Rows from outside are checked once; compiled code relies on that.

A position need not be reachable by legal moves. But it must have existing seats and cells, the right number of men, as
many plies as stones and choices, a phase that fits the stones, an ending that fits the status, and a legal move for the
player to move. Otherwise compiled code could read or write outside its arrays, or never stop.
"""

import numpy as np

from amoba_env.core import endings as en
from amoba_env.core import opening_rules as op
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.halma import can_move
from amoba_env.core.jit import jit
from amoba_env.core.later import jit_later
from amoba_env.core.phases import fits, is_part, mover
from amoba_env.core.renju import has_forbidden, is_stuck
from amoba_env.core.rules import Rules
from amoba_env.core.state import State, States

# Faults of a row, in the order of the checks. amoba_env/border.py has a message for each.
(
    NOTHING,
    SEAT,  # TO_MOVE is not a seat
    RESULT,  # STATUS is neither a seat nor RUNNING nor NOBODY
    PLIES,  # PLY is below 0
    LAST,  # FROM and TO are not a move
    COLOR,  # BLACK is not a seat, or is not 0 in a game where colours do not matter
    PHASE_UNKNOWN,  # PHASE is not a phase of this opening
    CHOICES_RANGE,  # CHOICES is out of range
    OWNER,  # the owner of a cell is not a seat
    MEN_COUNT,  # a player has too many or too few men
    PHASE_STONES,  # LEFT or the offered cells do not fit the phase and the stones
    COUNT,  # PLY is not the number of stones and choices
    TURN,  # in this phase it is the other player's turn
    ENDING_MISMATCH,  # ENDING does not fit STATUS
    TOO_LONG,  # PLY is at the limit, but the game goes on
    STUCK,  # the player to move has no legal move, but the game goes on
    LAST_MOVE_CELLS,  # the last move has left no stone or man where it went
) = range(17)


@jit_later(nogil=False)
def fault(rules: Rules, s: State, settled: bool) -> int:
    """The fault of a row [CELLS + n] of any numbers, or NOTHING.

    `settled`: STATUS and ENDING are set. If false, settle() has not been called yet, so the limit of plies and the lack
    of a legal move are not checked.
    """
    n, players = rules[ru.N_CELLS], rules[ru.PLAYERS]
    wrong = _in_header(rules, s)
    if wrong:
        return wrong
    stones, offered = 0, 0
    least, most = st.EMPTY, st.EMPTY
    for cell in range(n):  # no branches, so that the compiler vectorises the loop
        owner = s[st.CELLS + cell]
        least, most = min(least, owner), max(most, owner)
        stones += owner >= 0
        offered += owner == st.OFFERED
    if most >= players or least < (st.OFFERED if rules[ru.OPENING_RULE] else st.EMPTY):
        return OWNER
    if rules[ru.FAMILY] == ru.HALMA:
        if not _all_men(rules, s):
            return MEN_COUNT
    elif not fits(rules, s, stones, offered):
        return PHASE_STONES
    elif s[st.PLY] - s[st.CHOICES] != stones:
        return COUNT
    if not _left_trace(rules, s):
        return LAST_MOVE_CELLS
    if s[st.PHASE] != op.PLAYING and s[st.TO_MOVE] != mover(np.int64(s[st.PHASE]), s[st.BLACK], stones):
        return TURN
    if not _ending_fits(rules, s):
        return ENDING_MISMATCH
    if settled and s[st.STATUS] == st.RUNNING:
        if s[st.PLY] >= rules[ru.PLY_LIMIT]:
            return TOO_LONG
        if s[st.PHASE] == op.PLAYING and not _can_play(rules, s, stones):
            return STUCK
    return NOTHING


@jit
def _in_header(rules: Rules, s: State) -> int:
    """The fault of the header alone, or NOTHING."""
    players, colors = rules[ru.PLAYERS], rules[ru.PLAYERS] if rules[ru.COLORED] else 1
    if s[st.TO_MOVE] < 0 or s[st.TO_MOVE] >= players:
        return SEAT
    if s[st.STATUS] < st.NOBODY or s[st.STATUS] >= players:
        return RESULT
    if s[st.PLY] < 0:
        return PLIES
    if not _is_move(rules, s[st.FROM], s[st.TO]):
        return LAST
    if s[st.BLACK] < 0 or s[st.BLACK] >= colors:
        return COLOR
    if s[st.PHASE] < 0 or s[st.PHASE] >= len(op.PHASES) or not is_part(rules, s[st.PHASE]):
        return PHASE_UNKNOWN
    if s[st.CHOICES] < 0 or s[st.CHOICES] > (op.MOST_CHOICES if rules[ru.OPENING_RULE] else 0):
        return CHOICES_RANGE
    return NOTHING


@jit
def _is_move(rules: Rules, origin: int, to: int) -> bool:
    """Are FROM and TO both NOWHERE, or what a move writes there?"""
    if to == st.NOWHERE or rules[ru.FAMILY] != ru.HALMA:
        return origin == st.NOWHERE and st.NOWHERE <= to < rules[ru.N_ACTIONS]
    return 0 <= origin < rules[ru.N_CELLS] and 0 <= to < rules[ru.N_CELLS]


@jit
def _all_men(rules: Rules, s: State) -> bool:
    """Has every player the right number of men? LEFT must be 0, as these games have no openings."""
    for seat in range(rules[ru.PLAYERS]):
        men = 0
        for cell in range(rules[ru.N_CELLS]):
            men += s[st.CELLS + cell] == seat
        if men != rules[ru.MEN]:
            return False
    return s[st.LEFT] == 0


@jit
def _left_trace(rules: Rules, s: State) -> bool:
    """Is there a stone, an offered cell or a man where the last move went, and no man where it came from?"""
    to = s[st.TO]
    if to == st.NOWHERE:
        return True
    if rules[ru.FAMILY] == ru.HALMA:
        return s[st.CELLS + to] >= 0 and s[st.CELLS + s[st.FROM]] == st.EMPTY
    return to >= rules[ru.N_CELLS] or s[st.CELLS + to] != st.EMPTY


@jit
def _ending_fits(rules: Rules, s: State) -> bool:
    """Can a game of this family end in this way, with this status?"""
    family, status, ending = rules[ru.FAMILY], s[st.STATUS], s[st.ENDING]
    if ending == en.NOT_OVER:
        return status == st.RUNNING
    if ending in en.FORFEITS:
        return status == (1 - s[st.TO_MOVE] if rules[ru.PLAYERS] == 2 else st.NOBODY)
    if ending == en.LINE:
        return (
            family != ru.HALMA
            and status >= 0
            and 0 <= s[st.TO] < rules[ru.N_CELLS]
            and s[st.CELLS + s[st.TO]] == status
        )
    if ending == en.GOAL:
        return family == ru.HALMA and status >= 0
    if ending == en.FULL_BOARD:
        return family != ru.HALMA and status == st.NOBODY
    if ending == en.NO_MOVES:
        return family != ru.PLACE and status == st.NOBODY
    if ending == en.MAX_PLIES:
        return family == ru.HALMA and not rules[ru.ADJUDICATE] and status == st.NOBODY
    if ending == en.DISTANCE:
        return family == ru.HALMA and rules[ru.ADJUDICATE] and status != st.RUNNING
    fouled = ending == en.FORBIDDEN and rules[ru.FORBIDDEN_LOSES] and status >= 0
    return fouled and has_forbidden(rules, s, 1 - status)


@jit
def _can_play(rules: Rules, s: State, stones: int) -> bool:
    """Has the player to move a legal move?"""
    if rules[ru.FAMILY] == ru.HALMA:
        return can_move(rules, s, np.int64(s[st.TO_MOVE]))
    return stones < rules[ru.N_CELLS] and not (rules[ru.FAMILY] == ru.RENJU and is_stuck(rules, s))


@jit_later()
def first_fault(rules: Rules, states: States, settled: bool) -> int:
    """The number of the first row of [B, CELLS + n] with a fault, or -1; `settled` as in fault()."""
    for i in range(len(states)):
        if fault(rules, states[i], settled) != NOTHING:
            return i
    return -1
