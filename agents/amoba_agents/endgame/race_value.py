"""What a position is worth to the root, the seat for which a move is sought.

A position is worth the moves that the opponent needs to get home if nobody else were on the board, less the own ones
(race_tables.py); ties are broken by step distance. In a race, when neither side is in the other's way any more, the
side that needs fewer moves nearly always wins.

The goal of each seat shares a corner with the home of the other. A man that never leaves the other's goal keeps that
side from winning, so two players who both wait draw. An opponent who sees that he is about to lose does not leave. So
the root comes no nearer than NEAR moves to an occupied goal. Its own men in the other's goal are worth nothing by
themselves: a search that counted them as a gain kept them there, and drew games that it could win. When a game is long,
both sides wait. Then patience pays: a side whose goal is occupied is valued as if it needed WAIT moves at least, so men
stay where they are in the way until the other side has wandered off.
"""

import numpy as np
from numpy.typing import NDArray

from amoba_agents.endgame.race_board import FAR, GOALS, MEN_AT, MEN_EACH, NEED, ON, PATIENT, ROOT, RaceBoard
from amoba_env.core.jit import jit

MOVE_VALUE = 16  # of a move needed, in the unit of the values; a step counts 1
NEAR = 3  # this many moves from home a seat waits while a man of the other stands in its goal
WAIT = 11  # in a long game each seat whose goal is occupied is valued as if it needed this many moves
TEMPO = MOVE_VALUE // 2  # it is worth half a move to be to move
RACE = 1000  # who needs fewer moves in a race


@jit
def is_race(steps: NDArray[np.int64], b: RaceBoard) -> bool:
    """Whether each side's men are all nearer to its tip than every man of the other side."""
    return _is_ahead(steps, b, np.int64(0)) and _is_ahead(steps, b, np.int64(1))


@jit
def _is_ahead(steps: NDArray[np.int64], b: RaceBoard, seat: int) -> bool:
    """Whether the men of the seat are all nearer to its tip than every man of the other."""
    farthest, men, other = 0, b[MEN_EACH], 1 - seat
    for i in range(MEN_AT + seat * men, MEN_AT + seat * men + men):
        farthest = max(farthest, steps[seat, b[i]])
    for i in range(MEN_AT + other * men, MEN_AT + other * men + men):
        if steps[seat, b[i]] <= farthest:
            return False
    return True


@jit
def lead(b: RaceBoard) -> int:
    """By how many moves the root is ahead of the other, see the module."""
    root, other = b[ROOT], 1 - b[ROOT]
    own, theirs = b[NEED + root], b[NEED + other]
    if b[ON + other] & b[GOALS + root]:
        if b[PATIENT]:
            own = max(own, WAIT)
        elif own < NEAR:
            own = 2 * NEAR + 1 - own
    if b[PATIENT] and b[ON + root] & b[GOALS + other]:
        theirs = max(theirs, WAIT)
    return theirs - own


@jit
def value(steps: NDArray[np.int64], b: RaceBoard, seat: int) -> int:
    """What the position is worth to the seat, which is to move."""
    ahead, nearer = lead(b), b[FAR + 1 - seat] - b[FAR + seat]
    if seat != b[ROOT]:
        ahead = -ahead
    worth = ahead * MOVE_VALUE + nearer + TEMPO
    if is_race(steps, b):
        worth += RACE if ahead >= 0 else -RACE
    return worth
