"""Is a row of numbers a position of its game? Rows from outside are checked once; compiled code relies on that.

A position need not be reachable by legal moves. But it must have existing seats and cells, the right number of men, as
many plies as stones and choices, a phase that fits the stones, an ending that fits the status, and a legal move for the
player to move. Otherwise compiled code could read or write outside its arrays, or never stop.
"""

import numpy as np

from amoba_env.core.halma import can_move
from amoba_env.core.jit import jit
from amoba_env.core.opening import PHASES, PLAYING
from amoba_env.core.phases import fits, is_part, mover
from amoba_env.core.renju import is_stuck
from amoba_env.core.rules import (
    ADJUDICATE,
    COLORED,
    FAMILY,
    FORBIDDEN_LOSES,
    HALMA,
    MEN,
    N_ACTIONS,
    N_CELLS,
    OPENING,
    PLACE,
    PLAYERS,
    RENJU,
    Rules,
)
from amoba_env.core.rules import MAX_PLIES as LIMIT
from amoba_env.core.state import (
    BLACK,
    CELLS,
    CHOICES,
    DISTANCE,
    EMPTY,
    ENDING,
    FORBIDDEN,
    FROM,
    FULL_BOARD,
    GOAL,
    ILLEGAL,
    LEFT,
    LINE,
    MAX_PLIES,
    NO_MOVES,
    NOBODY,
    NOT_OVER,
    NOWHERE,
    OFFERED,
    PHASE,
    PLY,
    RESIGNED,
    RUNNING,
    STATUS,
    TO,
    TO_MOVE,
    State,
    States,
)

MOST_CHOICES = 99

# What is wrong with a row, in the order in which it is looked for. amoba_env/border.py has the words.
(
    NOTHING,
    SEAT,  # TO_MOVE is no seat
    RESULT,  # STATUS is neither a seat nor RUNNING nor NOBODY
    PLIES,  # PLY is below 0
    LAST,  # FROM and TO are no move
    COLOR,  # BLACK is no seat, or is not 0 in a game where colours do not matter
    STAGE,  # PHASE is not a phase of this opening
    CHOSEN,  # CHOICES is out of range
    OWNER,  # the owner of a cell is no seat
    ARMY,  # a player has too many or too few men
    FIT,  # LEFT or the offered cells do not fit the phase and the stones
    COUNT,  # PLY is not the number of stones and choices
    TURN,  # in this phase it is the other player's turn
    REASON,  # ENDING does not fit STATUS
    TOO_LONG,  # PLY is at the limit, but the game goes on
    STUCK,  # the player to move has no legal move, but the game goes on
    TRACE,  # the last move has left no stone or man where it went
) = range(17)


@jit
def fault(rules: Rules, s: State, settled: bool) -> int:
    """What is wrong with a row [CELLS + n] of any numbers, or NOTHING.

    `settled`: the row says whether the game is over. If false, settle() has not been called yet, so the limit of plies
    and the lack of a legal move are not checked.
    """
    n, players = rules[N_CELLS], rules[PLAYERS]
    wrong = _in_header(rules, s)
    if wrong:
        return wrong
    stones, offered = 0, 0
    least, most = EMPTY, EMPTY
    for cell in range(n):  # no branches, so that the compiler vectorises the loop
        owner = s[CELLS + cell]
        least, most = min(least, owner), max(most, owner)
        stones += owner >= 0
        offered += owner == OFFERED
    if most >= players or least < (OFFERED if rules[OPENING] else EMPTY):
        return OWNER
    if rules[FAMILY] == HALMA:
        if not _all_men(rules, s):
            return ARMY
    elif not fits(rules, s, stones, offered):
        return FIT
    elif s[PLY] - s[CHOICES] != stones:
        return COUNT
    if not _left_trace(rules, s):
        return TRACE
    if s[PHASE] != PLAYING and s[TO_MOVE] != mover(s[PHASE], s[BLACK]):
        return TURN
    if not _ending_fits(rules, s):
        return REASON
    if settled and s[STATUS] == RUNNING:
        if s[PLY] >= rules[LIMIT]:
            return TOO_LONG
        if s[PHASE] == PLAYING and not _can_play(rules, s, stones):
            return STUCK
    return NOTHING


@jit
def _in_header(rules: Rules, s: State) -> int:
    """What is wrong with the header alone."""
    players, colors = rules[PLAYERS], rules[PLAYERS] if rules[COLORED] else 1
    if s[TO_MOVE] < 0 or s[TO_MOVE] >= players:
        return SEAT
    if s[STATUS] < NOBODY or s[STATUS] >= players:
        return RESULT
    if s[PLY] < 0:
        return PLIES
    if not _is_move(rules, s[FROM], s[TO]):
        return LAST
    if s[BLACK] < 0 or s[BLACK] >= colors:
        return COLOR
    if s[PHASE] < 0 or s[PHASE] >= len(PHASES) or not is_part(rules, s[PHASE]):
        return STAGE
    if s[CHOICES] < 0 or s[CHOICES] > (MOST_CHOICES if rules[OPENING] else 0):
        return CHOSEN
    return NOTHING


@jit
def _is_move(rules: Rules, origin: int, to: int) -> bool:
    """Are FROM and TO both NOWHERE, or what a move writes there?"""
    if to == NOWHERE or rules[FAMILY] != HALMA:
        return origin == NOWHERE and NOWHERE <= to < rules[N_ACTIONS]
    return 0 <= origin < rules[N_CELLS] and 0 <= to < rules[N_CELLS]


@jit
def _all_men(rules: Rules, s: State) -> bool:
    """Has every player the right number of men? LEFT must be 0, as these games have no openings."""
    for seat in range(rules[PLAYERS]):
        men = 0
        for cell in range(rules[N_CELLS]):
            men += s[CELLS + cell] == seat
        if men != rules[MEN]:
            return False
    return s[LEFT] == 0


@jit
def _left_trace(rules: Rules, s: State) -> bool:
    """Is there a stone, an offered cell or a man where the last move went, and no man where it came from?"""
    to = s[TO]
    if to == NOWHERE:
        return True
    if rules[FAMILY] == HALMA:
        return s[CELLS + to] >= 0 and s[CELLS + s[FROM]] == EMPTY
    return to >= rules[N_CELLS] or s[CELLS + to] != EMPTY


@jit
def _ending_fits(rules: Rules, s: State) -> bool:
    """Can a game of this family end in this way, with this status?"""
    family, status, ending = rules[FAMILY], s[STATUS], s[ENDING]
    if ending == NOT_OVER:
        return status == RUNNING
    if ending in (ILLEGAL, RESIGNED):
        return status == (1 - s[TO_MOVE] if rules[PLAYERS] == 2 else NOBODY)
    if ending == LINE:
        return family != HALMA and status >= 0 and 0 <= s[TO] < rules[N_CELLS] and s[CELLS + s[TO]] == status
    if ending == GOAL:
        return family == HALMA and status >= 0
    if ending == FULL_BOARD:
        return family != HALMA and status == NOBODY
    if ending == NO_MOVES:
        return family != PLACE and status == NOBODY
    if ending == MAX_PLIES:
        return family == HALMA and not rules[ADJUDICATE] and status == NOBODY
    if ending == DISTANCE:
        return family == HALMA and rules[ADJUDICATE] and status != RUNNING
    return ending == FORBIDDEN and family == RENJU and rules[FORBIDDEN_LOSES] and status == 1 - s[BLACK]


@jit
def _can_play(rules: Rules, s: State, stones: int) -> bool:
    """Has the player to move a legal move?"""
    if rules[FAMILY] == HALMA:
        return can_move(rules, s, np.int64(s[TO_MOVE]))
    return stones < rules[N_CELLS] and not (rules[FAMILY] == RENJU and is_stuck(rules, s))


@jit
def first_fault(rules: Rules, states: States, settled: bool) -> int:
    """The number of the first row of [B, CELLS + n] with something wrong, or -1; `settled` as in fault()."""
    for i in range(len(states)):
        if fault(rules, states[i], settled) != NOTHING:
            return i
    return -1
