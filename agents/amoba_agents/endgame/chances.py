"""The chance that a seat wins in halma with two or three players, learned from games.

A small network reads the board as the seat sees it:

1. Rows of numbers are added up: one for the cell of each man; one for the moves that each player needs alone
   (race_tables.py); one for the number of men that each player has in another player's goal; and one for the moves that
   each player needs together with whether others are in its goal.
2. Two layers map the sum to one number, the logarithm of the odds.

The numbers are integers, so values are the same on every machine. workshop.search_networks learns them.
"""

import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_agents.endgame.race_board import ALL, GOALS, MEN_AT, NEED, ON, RaceBoard
from amoba_agents.endgame.race_tables import RaceTables
from amoba_agents.sources import arrays_like, read_file
from amoba_env.core.jit import jit

SEATS, BOARD_CELLS, MEN_OF_A_SEAT = 3, 37, 6  # the largest game that the network is for

# The rows. Players are counted from the seat on: itself 0, the next one 1, the one before it 2.
NEEDS, HELD, HELD_NEEDS = 16, 4, 8  # rows for moves, for men in a goal, and for moves together with a held goal
NEED_ROW = SEATS * BOARD_CELLS  # + NEEDS * player + moves
HELD_ROW = NEED_ROW + SEATS * NEEDS  # + HELD * (2 * player + who - 1) + men; `who` is counted from the player on
BOTH_ROW = HELD_ROW + SEATS * 2 * HELD  # + 2 * (HELD_NEEDS * player + moves) + whether others are in its goal
ROWS = BOTH_ROW + SEATS * HELD_NEEDS * 2
ROWS_OF_A_POSITION = SEATS * (MEN_OF_A_SEAT + 1 + 2 + 1)
FIRST, HIDDEN = 64, 32  # sizes of the layers
UNIT_BITS = 10  # bits after the point


class ChanceNetwork(NamedTuple):
    """Fixed-point numbers, in units of 1 / 2 ** UNIT_BITS."""

    rows: NDArray[np.int32]  # [ROWS, FIRST]
    bias: NDArray[np.int32]  # [FIRST]
    hidden: NDArray[np.int32]  # [FIRST, HIDDEN]
    hidden_bias: NDArray[np.int32]  # [HIDDEN]
    odds: NDArray[np.int32]  # [HIDDEN]
    odds_bias: NDArray[np.int32]  # [1]


def network(file: str | Path, own: Path) -> ChanceNetwork:
    """The network of a file; of `own`, whose shapes it must have, if the text is empty."""
    return read_file(file or own, _network, own)


def _network(file: Path, own: Path) -> ChanceNetwork:
    found = arrays_like(own, file)
    return ChanceNetwork(*(found[name].astype(np.int32) for name in ChanceNetwork._fields))


@jit
def _count(cells: int) -> int:
    """The number of set bits."""
    count = 0
    while cells:
        cells &= cells - 1
        count += 1
    return count


@jit
def board_rows(t: RaceTables, b: RaceBoard, seats: int, seat: int, out: NDArray[np.int32]) -> int:
    """Write the rows for the board as the seat sees it; return their number.

    Args:
        t: tables of the game.
        b: the board.
        seats: the number of players, 2 or 3.
        seat: the seat that sees the board.
        out: int32[at least ROWS_OF_A_POSITION].
    """
    at = 0
    for player in range(seats):
        own = (seat + player) % seats
        for i in range(MEN_AT + own * MEN_OF_A_SEAT, MEN_AT + (own + 1) * MEN_OF_A_SEAT):
            out[at] = player * BOARD_CELLS + t.relative[seat, b[i]]
            at += 1
        needed, goal = b[NEED + own], b[GOALS + own]
        is_held = np.int64(((b[ALL] ^ b[ON + own]) & goal) != 0)
        out[at] = NEED_ROW + NEEDS * player + min(needed, NEEDS - 1)
        out[at + 1] = BOTH_ROW + 2 * (HELD_NEEDS * player + min(needed, HELD_NEEDS - 1)) + is_held
        at += 2
        for who in range(1, seats):
            held = min(_count(b[ON + (own + who) % seats] & goal), HELD - 1)
            out[at] = HELD_ROW + HELD * (2 * player + who - 1) + held
            at += 1
    return at


@jit
def odds_of(net: ChanceNetwork, first: NDArray[np.int32], hidden: NDArray[np.int32]) -> float:
    """The logarithm of the odds for a sum of rows; `hidden` [HIDDEN] is work space."""
    for j in range(HIDDEN):
        hidden[j] = net.hidden_bias[j] << UNIT_BITS
    for k in range(FIRST):
        x = first[k]
        if x > 0:
            for j in range(HIDDEN):
                hidden[j] += x * net.hidden[k, j]
    odds = np.int64(net.odds_bias[0]) << UNIT_BITS
    for j in range(HIDDEN):
        odds += np.int64(max(hidden[j], 0) >> UNIT_BITS) * net.odds[j]
    return odds / (1 << 2 * UNIT_BITS)


@jit
def chance(odds: float) -> float:
    """The probability for a logarithm of odds."""
    return 1 / (1 + math.exp(-odds))
