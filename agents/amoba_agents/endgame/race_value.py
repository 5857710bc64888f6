"""Static evaluation for the root, the seat for which the search finds a move; two players.

The value is the number of moves that the opponent needs to get home alone on the board, minus the root's own number
(race_tables.py); step distance breaks ties. In a race, when the sides have passed each other, the side that needs fewer
moves nearly always wins.

Each goal shares a corner with the home of the other side. A man that never leaves the other side's goal keeps that side
from winning, so if both wait the game is a draw, and a side that is about to lose waits. So the root does not come
nearer than NEAR moves to an occupied goal. Its own men in the other side's goal have no value by themselves: a search
that valued them kept them there, and drew games that it could win. In a long game both sides wait. Then a side whose
goal is occupied is valued as if it needed at least WAIT moves: men stay in the way until the other side has left.
"""

import numpy as np
from numpy.typing import NDArray

from amoba_agents.endgame import race_board as rb
from amoba_agents.endgame.race_board import RaceBoard
from amoba_env.core.jit import jit

MOVE_VALUE = 16  # the value of a move; a step counts 1
NEAR = 3  # a seat waits this many moves from home while its goal is occupied
WAIT = 11  # in a long game: the least number of moves of a seat whose goal is occupied
TEMPO = MOVE_VALUE // 2  # having the move is worth half a move
RACE = 1000  # the bonus for fewer moves in a race


@jit
def is_race(steps: NDArray[np.int64], b: RaceBoard) -> bool:
    """Whether each side's men are all nearer to its tip than every man of the other side."""
    return _is_ahead(steps, b, np.int64(0)) and _is_ahead(steps, b, np.int64(1))


@jit
def _is_ahead(steps: NDArray[np.int64], b: RaceBoard, seat: int) -> bool:
    """Whether the men of the seat are all nearer to its tip than every man of the other."""
    farthest, men, other = 0, b[rb.MEN_EACH], 1 - seat
    for i in range(rb.MEN_AT + seat * men, rb.MEN_AT + seat * men + men):
        farthest = max(farthest, steps[seat, b[i]])
    for i in range(rb.MEN_AT + other * men, rb.MEN_AT + other * men + men):
        if steps[seat, b[i]] <= farthest:
            return False
    return True


@jit
def lead(b: RaceBoard) -> int:
    """The moves by which the root is ahead, see the module."""
    root, other = b[rb.ROOT], 1 - b[rb.ROOT]
    own, theirs = b[rb.NEED + root], b[rb.NEED + other]
    if b[rb.ON + other] & b[rb.GOALS + root]:
        if b[rb.PATIENT]:
            own = max(own, WAIT)
        elif own < NEAR:
            own = 2 * NEAR + 1 - own
    if b[rb.PATIENT] and b[rb.ON + root] & b[rb.GOALS + other]:
        theirs = max(theirs, WAIT)
    return theirs - own


@jit
def value(steps: NDArray[np.int64], b: RaceBoard, seat: int) -> int:
    """The value of the position for `seat`, which is to move."""
    ahead, nearer = lead(b), b[rb.FAR + 1 - seat] - b[rb.FAR + seat]
    if seat != b[rb.ROOT]:
        ahead = -ahead
    worth = ahead * MOVE_VALUE + nearer + TEMPO
    if is_race(steps, b):
        worth += RACE if ahead >= 0 else -RACE
    return worth
