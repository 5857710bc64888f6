"""The leaf for halma: the value of a position for all players, learned from games.

It replaces playouts, in about the same time. The network is the one of amoba_agents.endgame.chances with one more row
for the player to move, evaluated once for each player. There is a file for two players and one for three.
workshop.search_networks trains them on games of `mcts`.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_agents.endgame import chances as ch
from amoba_agents.endgame import race_board as rb
from amoba_agents.endgame.chances import ChanceNetwork
from amoba_agents.endgame.race_board import RaceBoard, RaceWork
from amoba_agents.endgame.race_tables import RaceTables
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.jit import jit
from amoba_env.core.rules import Rules
from amoba_env.core.state import State

TURN_ROW = ch.ROWS  # + the number of seats from the player to the player to move
ALL_ROWS = ch.ROWS + ch.SEATS
MOST_ROWS = ch.ROWS_OF_A_POSITION + 1  # of a position


class ChancesScratch(NamedTuple):
    """Buffers for evaluating the network."""

    work: RaceWork
    rows: NDArray[np.int32]  # [MOST_ROWS]
    first: NDArray[np.int32]  # [FIRST]
    hidden: NDArray[np.int32]  # [HIDDEN]


def file_for(players: int) -> Path:
    """The package's file for this many players."""
    return Path(__file__).with_name(f"values-{players}.npz")


def fits(rules: Rules) -> bool:
    """Whether learned values exist: halma of two or three players with six men on the small star."""
    size = (rules[ru.N_CELLS], rules[ru.MEN]) == (ch.BOARD_CELLS, ch.MEN_OF_A_SEAT)
    return bool(rules[ru.FAMILY] == ru.HALMA and size and rules[ru.PLAYERS] in (2, 3) and not rules[ru.ANTI_SPOILING])


@jit
def room_for(rules: Rules, tables: RaceTables) -> ChancesScratch:
    """Buffers for one search."""
    men = np.zeros(rb.MEN_AT + rules[ru.PLAYERS] * rules[ru.MEN], np.int64)
    keys, seen = np.zeros((rules[ru.PLAYERS], rules[ru.N_CELLS]), np.int64), np.zeros((1, 2), np.int64)
    lists, cells = np.zeros((1, rb.MOST_MOVES), np.int64), np.zeros(rules[ru.N_CELLS], np.int64)
    first, hidden = np.zeros(ch.FIRST, np.int32), np.zeros(ch.HIDDEN, np.int32)
    work = RaceWork(tables, keys, seen, men, lists, cells)
    return ChancesScratch(work, np.zeros(MOST_ROWS, np.int32), first, hidden)


@jit
def position_rows(t: RaceTables, b: RaceBoard, seats: int, seat: int, to_move: int, out: NDArray[np.int32]) -> int:
    """Write the network's rows for the position on the board as the seat sees it; return their number.

    Args:
        t: tables of the game.
        b: the board.
        seats: number of players, 2 or 3.
        seat: the seat that sees the position.
        to_move: the seat to move.
        out: int32[MOST_ROWS].
    """
    count = ch.steady_rows(t, b, seats, seat, out)
    count += ch.moving_rows(b, seats, seat, b[rb.ON + seat], b[rb.NEED + seat], out[count:])
    out[count] = TURN_ROW + (to_move - seat) % seats
    return count + 1


@jit
def read_chances(
    rules: Rules, s: State, net: ChanceNetwork, room: ChancesScratch, seat_values: NDArray[np.float32]
) -> None:
    """Set seat_values[seat], -1 / (players - 1) .. 1, of a position that is not over. The values add up to 0."""
    rb.load(room.work, rules, s)
    seats, to_move, b = np.int64(rules[ru.PLAYERS]), np.int64(s[st.TO_MOVE]), room.work.board
    total = 0.0
    for seat in range(seats):
        room.first[:] = net.bias
        for i in range(position_rows(room.work.tables, b, seats, np.int64(seat), to_move, room.rows)):
            row = room.rows[i]
            for k in range(ch.FIRST):
                room.first[k] += net.rows[row, k]
        seat_values[seat] = ch.chance(ch.odds_of(net, room.first, room.hidden))
        total += seat_values[seat]
    for seat in range(seats):
        seat_values[seat] = (seat_values[seat] / total * seats - 1.0) / (seats - 1)
