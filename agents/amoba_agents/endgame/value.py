"""What a position is worth to the root, the seat for which a move is sought, compiled.

A position is worth the moves that the opponent needs to get home if nobody else were on the board, less the own ones
(tables.py); ties are broken by step distance. In a race, when neither side is in the other's way any more, the side
that needs fewer moves nearly always wins.

The goal of each seat shares a corner with the home of the other. A man that never leaves the other's goal keeps that
side from winning, so two players who both wait draw. An opponent who sees that he is about to lose does not leave. So
the root comes no nearer than NEAR moves to an occupied goal. Its own men in the other's goal are worth nothing by
themselves: a search that counted them as a gain kept them there, and drew games that it could win. When a game is long,
both sides wait. Then patience pays: a side whose goal is occupied is valued as if it needed WAIT moves at least, so men
stay where they are in the way until the other side has wandered off.

With three players the root must be ahead of both others. It can keep a man in the goal of one of them until the root
itself needs only HOLD moves. So it is ahead of that one already if that one needs more than HOLD moves.
"""

import numpy as np
from numpy.typing import NDArray

from amoba_agents.endgame.board import ALL, FAR, GOALS, MEN_AT, MEN_EACH, NEED, ON, PATIENT, ROOT, SEATS, Board
from amoba_agents.endgame.tables import UNKNOWN
from amoba_env.core.jit import jit

MOVE_VALUE = 16  # of a move needed, in the unit of the values; a step counts 1
NEAR = 3  # so many moves from home a seat waits while a man of the other stands in its goal
WAIT = 11  # in a long game each seat whose goal is occupied is valued as if it needed so many moves
HOLD = 3  # with three players: the root can keep a man in another's goal until it needs so many moves itself
TEMPO = MOVE_VALUE // 2  # it is worth half a move to be to move
RACE = 1000  # who needs fewer moves in a race


@jit
def is_race(steps: NDArray[np.int64], b: Board) -> bool:
    """Whether the men of the root are all nearer to its tip than every other man, and the others' men to theirs."""
    root = b[ROOT]
    for other in range(b[SEATS]):
        if other != root and not (_is_ahead(steps, b, root, other) and _is_ahead(steps, b, other, root)):
            return False
    return True


@jit
def _is_ahead(steps: NDArray[np.int64], b: Board, seat: int, other: int) -> bool:
    """Whether the men of the seat are all nearer to its tip than every man of the other."""
    farthest, men = 0, b[MEN_EACH]
    for i in range(MEN_AT + seat * men, MEN_AT + seat * men + men):
        farthest = max(farthest, steps[seat, b[i]])
    for i in range(MEN_AT + other * men, MEN_AT + other * men + men):
        if steps[seat, b[i]] <= farthest:
            return False
    return True


@jit
def lead(b: Board) -> int:
    """By how many moves the root is ahead of the others, see the module."""
    root = b[ROOT]
    own = b[NEED + root]
    if (b[ALL] ^ b[ON + root]) & b[GOALS + root]:
        if b[PATIENT]:
            own = max(own, WAIT)
        elif own < NEAR:
            own = 2 * NEAR + 1 - own
    if b[SEATS] == 2:
        waits = b[PATIENT] and b[ON + root] & b[GOALS + 1 - root]
        return (max(b[NEED + 1 - root], WAIT) if waits else b[NEED + 1 - root]) - own
    best = np.int64(-UNKNOWN)
    for last in range(b[SEATS]):  # whose goal is left last, if the root is there
        if last != root:
            first = b[SEATS] - root - last
            behind = min(HOLD, own) if b[ON + root] & b[GOALS + last] else own
            best = max(best, min(b[NEED + first] - own, b[NEED + last] - behind))
    return best


@jit
def value(steps: NDArray[np.int64], b: Board, seat: int) -> int:
    """What the position is worth to the seat, which is to move; all others together if it is beyond the last one."""
    far = np.int64(0)
    for other in range(b[SEATS]):
        if other != b[ROOT]:
            far += b[FAR + other]
    ahead, nearer = lead(b), (far >> b[SEATS] - 2) - b[FAR + b[ROOT]]  # the mean of the others, less the own
    if seat != b[ROOT]:
        ahead, nearer = -ahead, -nearer
    worth = ahead * MOVE_VALUE + nearer + TEMPO
    if is_race(steps, b):
        worth += RACE if ahead >= 0 else -RACE
    return worth
