"""The chance that a seat wins against two others, after its own move: learned from games.

A small network reads the board as the seat sees it:

1. Rows of an embedding are summed: one for the cell of each man; one for the moves that each player needs alone
   (race_tables.py); one for the number of men that each player has in another player's goal; and one for the moves that
   each player needs together with whether others are in its goal.
2. Two layers map the sum to one number, the logarithm of the odds.

A move of the seat changes few of these rows, so the rest is added up once for each position. The numbers are integers,
so values are the same on every machine. workshop.search_networks learns them.
"""

import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_agents.endgame import race_board as rb
from amoba_agents.endgame.race_board import RaceBoard
from amoba_agents.endgame.race_tables import RaceTables
from amoba_agents.sources import arrays_like, read_file
from amoba_agents.values.solver import popcount
from amoba_env.core.jit import jit

FILE = Path(__file__).with_name("chances.npz")
SEATS, BOARD_CELLS, MEN_OF_A_SEAT = 3, 37, 6  # the game that the network is for

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


def network(file: str | Path = "", own: Path = FILE) -> ChanceNetwork:
    """The network of a file (by default `own`, whose shapes it must have)."""
    return read_file(file or own, _network, own)


def _network(file: Path, own: Path) -> ChanceNetwork:
    found = arrays_like(own, file)
    return ChanceNetwork(*(found[name].astype(np.int32) for name in ChanceNetwork._fields))


@jit
def steady_rows(t: RaceTables, b: RaceBoard, seats: int, seat: int, out: NDArray[np.int32]) -> int:
    """Write the rows that a move of the seat changes only by its man's cell; return their number.

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
        for i in range(rb.MEN_AT + own * MEN_OF_A_SEAT, rb.MEN_AT + (own + 1) * MEN_OF_A_SEAT):
            out[at] = player * BOARD_CELLS + t.relative[seat, b[i]]
            at += 1
    for player in range(1, seats):
        out[at] = NEED_ROW + NEEDS * player + min(b[rb.NEED + (seat + player) % seats], NEEDS - 1)
        out[at + 1] = _held_row(b, seats, seat, np.int64(0), player, b[rb.ON + (seat + player) % seats])
        at += 2
        if seats == SEATS:
            out[at] = _held_row(b, seats, seat, player, player, b[rb.ON + (seat + SEATS - player) % SEATS])
            at += 1
    return at


@jit
def moving_rows(b: RaceBoard, seats: int, seat: int, men: int, needed: int, out: NDArray[np.int32]) -> int:
    """Write the rows that any move of the seat may change, except those of its men's cells; return their number.

    Args:
        b: the board.
        seats: the number of players, 2 or 3.
        seat: the seat that moves.
        men: the cells of its men, one bit each.
        needed: the moves that they need.
        out: int32[at least 2 * seats].
    """
    out[0] = NEED_ROW + min(needed, NEEDS - 1)
    everybody = b[rb.ALL] ^ b[rb.ON + seat] | men
    for player in range(seats):
        own = (seat + player) % seats
        moves, others = (needed, everybody ^ men) if player == 0 else (b[rb.NEED + own], everybody ^ b[rb.ON + own])
        held = np.int64((others & b[rb.GOALS + own]) != 0)
        out[1 + player] = BOTH_ROW + 2 * (HELD_NEEDS * player + min(moves, HELD_NEEDS - 1)) + held
    for player in range(1, seats):
        out[seats + player] = _held_row(b, seats, seat, player, seats - player, men)
    return 2 * seats


@jit
def _held_row(b: RaceBoard, seats: int, seat: int, player: int, who: int, men: int) -> int:
    """The row for men in the player's goal that belong to the seat `who` places after the player."""
    held = min(popcount(np.uint64(men & b[rb.GOALS + (seat + player) % seats])), HELD - 1)
    return HELD_ROW + HELD * (2 * player + who - 1) + held


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
def odds_of_moves(
    net: ChanceNetwork,
    t: RaceTables,
    b: RaceBoard,
    seat: int,
    moves: NDArray[np.int64],
    count: int,
    out: NDArray[np.float64],
) -> None:
    """Write the logarithm of the odds that the seat wins after each of its first `count` moves to `out`."""
    rows = np.empty(ROWS_OF_A_POSITION, np.int32)
    first, sums, hidden = np.empty(FIRST, np.int32), net.bias.copy(), np.empty(HIDDEN, np.int32)
    for i in range(steady_rows(t, b, SEATS, seat, rows)):
        for k in range(FIRST):
            sums[k] += net.rows[rows[i], k]
    for move in range(count):
        origin, to = moves[move] >> rb.CELL_BITS & rb.CELL_MASK, moves[move] & rb.CELL_MASK
        old, new = t.relative[seat, origin], t.relative[seat, to]
        for k in range(FIRST):
            first[k] = sums[k] + net.rows[new, k] - net.rows[old, k]
        men = b[rb.ON + seat] ^ 1 << origin ^ 1 << to
        for i in range(moving_rows(b, SEATS, seat, men, moves[move] >> rb.NEEDED_SHIFT, rows)):
            for k in range(FIRST):
                first[k] += net.rows[rows[i], k]
        out[move] = odds_of(net, first, hidden)


@jit
def chance(odds: float) -> float:
    """The probability for a logarithm of odds."""
    return 1 / (1 + math.exp(-odds))
