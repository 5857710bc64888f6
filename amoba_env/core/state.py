"""A position is one row of integers: a short header, then the cells. A batch of positions is a 2-D array of rows.

So positions are copied, hashed, compared, saved and batched with plain NumPy, and a copy undoes a move.

    slot    0        1       2       3    4     5   6      7      8     9        10 ...
            TO_MOVE  STATUS  ENDING  PLY  FROM  TO  BLACK  PHASE  LEFT  CHOICES  cells: EMPTY or the owner's seat

TO_MOVE is the seat whose turn it is. PLY is the number of moves played. FROM and TO are the last move. BLACK is the
seat that has the black stones where colours matter (renju, openings with a swap), else 0. ENDING says why the game is
over, see endings.py. PHASE, LEFT (actions left in this phase) and CHOICES (actions so far that put no stone) belong to
openings, see opening_rules.py; elsewhere they are 0.
"""

import numpy as np
from numpy.typing import NDArray

State = NDArray[np.int16]  # [CELLS + n] one position
States = NDArray[np.int16]  # [B, CELLS + n] a batch

MOST_PLIES = 32767  # of any game: PLY is an int16

TO_MOVE, STATUS, ENDING, PLY, FROM, TO, BLACK, PHASE, LEFT, CHOICES, CELLS = range(11)

EMPTY = -1  # a cell without a stone or man
OFFERED = -2  # an empty cell that is offered for the fifth stone (opening_rules.py)
NOWHERE = -1  # FROM and TO before the first move; FROM of a placed stone; "no such cell" in all tables

# STATUS: the winner's seat, or
RUNNING = -1
NOBODY = -2  # over, and nobody won: a draw, a truncated game, or (with more than two seats) a forfeit
