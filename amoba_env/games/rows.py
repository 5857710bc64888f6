"""What the placing games share: stones on a board."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from amoba_env.core import board as boards
from amoba_env.core import rules as tables
from amoba_env.core.opening import CHOICE_NAMES, OPENINGS, PUT_THREE
from amoba_env.core.patterns import Guards, Sets, SetTables, rows_of, sets_table
from amoba_env.core.rules import Rules
from amoba_env.core.state import EMPTY, LEFT, PHASE
from amoba_env.games.game import Game
from amoba_env.options import Options

UNLIMITED = 32767  # plies: these games end earlier, with a full board
SYMBOLS, COLORS = "xovz", ("black", "white", "red", "blue")  # of the seats


def k_in_a_row(
    name: str, options: Options, width: int, height: int, k: int, exact: bool, opening: str = "none"
) -> Game:
    """Two players place stones on width x height cells; k in a row win (`exact`: and no more than k)."""
    board = boards.square(width, height)
    more = opening_numbers(opening, board.n_cells)
    return stones(name, options, board, *rows_of(board, k, exact), players=2, more_numbers=more)


def stones(
    name: str,
    options: Options,
    board: boards.Board,
    sets: Sets,
    guards: Guards,
    players: int,
    more_numbers: Mapping[int, int] | None = None,
    more_tables: Mapping[int, ArrayLike] | None = None,
) -> Game:
    """Players (up to four) place stones; one who owns a winning set wins."""
    rules = place_rules(board, sets_table(board.n_cells, sets, guards), players, more_numbers, more_tables)
    return Game(name, options, board, rules, SYMBOLS[:players], COLORS[:players])


def opening_numbers(opening: str, n_cells: int) -> dict[int, int]:
    """The numbers in the rules row for this opening, see core/opening.py; none for "none"."""
    if opening == "none":
        return {}
    kind = OPENINGS.index(opening)
    return {
        tables.COLORED: 1,
        tables.OPENING: kind,
        tables.N_ACTIONS: n_cells + len(CHOICE_NAMES[kind]),
        tables.PLANES: 7,
    }


def place_rules(
    board: boards.Board,
    sets: SetTables,
    players: int,
    more_numbers: Mapping[int, int] | None = None,
    more_tables: Mapping[int, ArrayLike] | None = None,
) -> Rules:
    """The rules row of a placing game with these winning sets; `more_...` add to it or replace what it has."""
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
        tables.PLANES: players + 1,
        tables.N_SETS: sets.sets.shape[0],
        tables.SET_SIZE: sets.sets.shape[1],
    } | dict(more_numbers or {})
    start = tables.start_row(np.full(n, EMPTY))
    if numbers.get(tables.OPENING):
        start[PHASE], start[LEFT] = PUT_THREE, 3
    own: dict[int, ArrayLike] = {
        tables.START: start,
        tables.NEIGHBOR: board.neighbor,
        tables.SITE: [y * board.width + x] * players,
        tables.VIEW: [cells] * players,
        tables.BACK: [cells] * players,
        tables.SETS: sets.sets,
        tables.GUARDS: sets.guards,
        tables.THROUGH_INDEX: sets.through_index,
        tables.THROUGH: sets.through,
        tables.PROBE_INDEX: sets.probe_index,
        tables.PROBES: sets.probes,
        tables.REST: sets.rest,
    }
    return tables.pack(numbers, own | dict(more_tables or {}))
