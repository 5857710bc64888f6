"""Stones on a board: the part that the placing games share."""

import numpy as np

from amoba_env.core import board as boards
from amoba_env.core import rules as tables
from amoba_env.core.patterns import Guards, Sets, SetTables, rows_of, sets_table
from amoba_env.core.rules import Rules
from amoba_env.core.state import EMPTY
from amoba_env.games.game import Game
from amoba_env.options import Options

UNLIMITED = 32767  # plies; a full board ends these games first
SYMBOLS, COLORS = "xovz", ("black", "white", "red", "blue")  # of the seats


def k_in_a_row(name: str, options: Options, width: int, height: int, k: int, exact: bool) -> Game:
    """Two players place stones on width x height cells; k in a row win (`exact`: and no more than k)."""
    board = boards.square(width, height)
    return stones(name, options, board, *rows_of(board, k, exact), players=2)


def stones(name: str, options: Options, board: boards.Board, sets: Sets, guards: Guards, players: int) -> Game:
    """Players (up to four) place stones; one who owns a winning set wins."""
    rules = place_rules(board, sets_table(board.n_cells, sets, guards), players)
    return Game(name, options, board, rules, SYMBOLS[:players], COLORS[:players])


def place_rules(board: boards.Board, sets: SetTables, players: int) -> Rules:
    """The rules row of a placing game with these winning sets."""
    n = board.n_cells
    cells = np.arange(n)
    x, y = board.coords.T.astype(int)
    numbers = {
        tables.FAMILY: tables.PLACE,
        tables.PLAYERS: players,
        tables.N_CELLS: n,
        tables.N_ACTIONS: n,
        tables.MAX_PLIES: UNLIMITED,
        tables.HEIGHT: board.height,
        tables.WIDTH: board.width,
        tables.DIRECTIONS: board.neighbor.shape[1],
        tables.N_SETS: sets.sets.shape[0],
        tables.SET_SIZE: sets.sets.shape[1],
    }
    return tables.pack(
        numbers,
        {
            tables.START: tables.start_row(np.full(n, EMPTY)),
            tables.NEIGHBOR: board.neighbor,
            tables.SITE: [y * board.width + x] * players,
            tables.VIEW: [cells] * players,
            tables.BACK: [cells] * players,
            tables.SETS: sets.sets,
            tables.GUARDS: sets.guards,
            tables.THROUGH_INDEX: sets.through_index,
            tables.THROUGH: sets.through,
            tables.LOOK_INDEX: sets.look_index,
            tables.LOOKS: sets.looks,
            tables.REST: sets.rest,
        },
    )
