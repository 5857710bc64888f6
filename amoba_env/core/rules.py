"""The rules of a game are one row of integers, as a position is: a header of numbers and offsets, then tables.

One array of one type serves every game, so the core is compiled once, and a new game is new data. It is also fast: to
pass it from Python takes 0.4 µs (a NamedTuple of nine arrays: 3 µs), and compiled play is 1.7 times as fast.
Compiled code reads tables with the functions of lookup.py, Python code with `table()`. Nothing here is compiled, so
that listing games does not wait for Numba.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amoba_env.core import planes
from amoba_env.core import state as st
from amoba_env.core.state import State

Rules = NDArray[np.int32]

PLACE, RENJU, HALMA = range(3)  # families: the module of the core that plays the game
TOO_MUCH = 2  # of the weights of guards

# Numbers in the header ...
(
    FAMILY,
    PLAYERS,
    N_CELLS,
    N_ACTIONS,
    PLY_LIMIT,  # moves after which the game ends undecided
    ADJUDICATE,  # 1: at PLY_LIMIT the player with the least step distance wins (halma)
    ANTI_SPOILING,  # 1: a full goal with at least one of the player's men wins, see halma.is_home
    HEIGHT,  # of the grid on which boards are drawn and observed
    WIDTH,
    DIRECTIONS,  # neighbours of a cell; direction d is opposite to d + DIRECTIONS / 2
    N_SETS,  # winning sets
    SET_SIZE,  # cells of the largest set
    MEN,  # men of each player (halma)
    COLORED,  # 1: colours matter: the seat that begins has black, and observations have a plane for the colour
    BLACK_ONLY,  # 1: exact rows and forbidden points are for Black alone (renju)
    OWN_GUARD,  # what an own stone on a guard of a winning set weighs,
    OTHER_GUARD,  # and what another's weighs: with a weight of TOO_MUCH the set does not win, see patterns.py
    FORBIDDEN_LOSES,  # renju, omok: 1: forbidden points may be played, and lose; 0: they are illegal
    OPENING_RULE,  # see opening_rules.py
    PLANES,  # of an observation, see planes.py: pack() counts them
    # ... and where the tables begin.
    START,  # [CELLS + n]              the first position
    NEIGHBOR,  # [n, DIRECTIONS]       the next cell, or NOWHERE
    SITE,  # [PLAYERS, n]              grid point (row * WIDTH + column) of a cell as that seat sees it
    VIEW,  # [PLAYERS, n]              cell -> its number relative to the seat (halma's board is turned)
    BACK,  # [PLAYERS, n]              the inverse: relative number -> cell
    SETS,  # [N_SETS, SET_SIZE]        cells of the winning sets, see patterns.py
    GUARDS,  # [N_SETS, 2]             cells whose stones can keep a set from winning
    THROUGH_INDEX,  # [n + 1]          THROUGH of cell c: THROUGH_INDEX[c] .. THROUGH_INDEX[c + 1]
    THROUGH,  # [..]                   the sets through the cells
    PROBE_INDEX,  # [n, 2]             PROBES of a cell: first, end
    PROBES,  # [probes, 3]             an offset and the rows of REST that share it
    REST,  # [rows, SET_SIZE + 1]      offsets from a cell to the others of a set
    CODES,  # [1024]                   renju and omok, see line_windows.py
    WINDOWS,  # [3 ** 10]
    HOMES,  # [PLAYERS, MEN]           first cells of the men, in the order of their numbers
    GOALS,  # [PLAYERS, MEN]           cells to fill
    STEPS,  # [PLAYERS, n]             step distance of each cell for that seat: 0 at the far end of its goal
    END,
    HEADER,
) = range(39)


def pack(numbers: dict[int, int], tables: dict[int, ArrayLike]) -> Rules:
    """Lay out header numbers and tables, by header slot, as one int32 row. Absent tables are empty."""
    row = np.zeros(HEADER, np.int64)
    for slot, number in numbers.items():
        row[slot] = number
    row[PLANES] = row[PLAYERS] + planes.last(row[COLORED], row[OPENING_RULE]) + 1
    parts, offset = [], HEADER
    for slot in range(START, END):
        part = np.asarray(tables.get(slot, ()), np.int64).ravel()
        row[slot] = offset
        offset += part.size
        parts.append(part)
    row[END] = offset
    return np.concatenate([row, *parts]).astype(np.int32)


def table(rules: Rules, slot: int) -> NDArray[np.int32]:
    """A table as a view: 2-D if it has a row for each seat, else 1-D."""
    flat = rules[rules[slot] : rules[slot + 1]]
    return flat.reshape(rules[PLAYERS], -1) if slot in (SITE, VIEW, BACK, HOMES, GOALS, STEPS) else flat


def start_row(cells: ArrayLike) -> State:
    """A position before the first move: int16[CELLS + n]."""
    header = np.zeros(st.CELLS, np.int16)
    header[: st.TO + 1] = 0, st.RUNNING, 0, 0, st.NOWHERE, st.NOWHERE
    return np.concatenate([header, np.asarray(cells, np.int16)])
