"""The common part of the placing games."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from amoba_env import checks
from amoba_env.core import board as boards
from amoba_env.core import opening_rules as op
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.patterns import Guards, Sets, rows_of, sets_table
from amoba_env.games.game import Game
from amoba_env.options import Options

SYMBOLS, COLORS = "xovz", ("black", "white", "red", "blue")  # of the seats
GUARD_WEIGHTS = {"freestyle": (0, 0), "exact": (2, 0), "caro": (0, 1), "exact-caro": (2, 1)}  # see core/patterns.py


def k_in_a_row(
    name: str, options: Options, width: int, height: int, k: int, rule: str = "freestyle", opening: str = "none"
) -> Game:
    """Two players place stones on width x height cells; k in a row win, by a rule of GUARD_WEIGHTS."""
    return row_game(name, options, boards.square(width, height), k, rule, opening)


def row_game(
    name: str, options: Options, board: boards.Board, k: int, rule: str = "freestyle", opening: str = "none"
) -> Game:
    """Like k_in_a_row(), on any board."""
    own, other = GUARD_WEIGHTS[rule]
    more = {ru.OWN_GUARD: own, ru.OTHER_GUARD: other} | opening_numbers(opening, board.n_cells)
    return stones(name, options, board, *rows_of(board, k, rule != "freestyle"), players=2, more_numbers=more)


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
    """Two to four players place stones; the first to own a winning set wins. ValueError for other numbers.

    `more_numbers` and `more_tables` add to the rules row or override parts of it.
    """
    checks.whole("players", players, 2, len(SYMBOLS))
    n, table = board.n_cells, sets_table(board.n_cells, sets, guards)
    cells = np.arange(n)
    x, y = board.coords.T.astype(int)
    numbers = {
        ru.FAMILY: ru.PLACE,
        ru.PLAYERS: players,
        ru.N_CELLS: n,
        ru.N_ACTIONS: n,
        ru.PLY_LIMIT: st.MOST_PLIES,  # these games end earlier, with a full board
        ru.HEIGHT: board.height,
        ru.WIDTH: board.width,
        ru.DIRECTIONS: board.neighbor.shape[1],
        ru.OWN_GUARD: ru.TOO_MUCH,
        ru.N_SETS: table.sets.shape[0],
        ru.SET_SIZE: table.sets.shape[1],
    } | dict(more_numbers or {})
    start = ru.start_row(np.full(n, st.EMPTY))
    if numbers.get(ru.OPENING_RULE):
        start[st.PHASE] = op.SCRIPTS[numbers[ru.OPENING_RULE]][0]
        start[st.LEFT] = 3 if start[st.PHASE] == op.PUT_THREE else 1
    own: dict[int, ArrayLike] = {
        ru.START: start,
        ru.NEIGHBOR: board.neighbor,
        ru.SITE: [y * board.width + x] * players,
        ru.VIEW: [cells] * players,
        ru.BACK: [cells] * players,
        ru.SETS: table.sets,
        ru.GUARDS: table.guards,
        ru.THROUGH_INDEX: table.through_index,
        ru.THROUGH: table.through,
        ru.PROBE_INDEX: table.probe_index,
        ru.PROBES: table.probes,
        ru.REST: table.rest,
    }
    rules = ru.pack(numbers, own | dict(more_tables or {}))
    return Game(name, options, board, rules, SYMBOLS[:players], COLORS[:players])


def opening_numbers(opening: str, n_cells: int) -> dict[int, int]:
    """The header numbers of an opening, see core/opening_rules.py; empty for "none"."""
    if opening == "none":
        return {}
    kind = op.OPENING_RULES.index(opening)
    return {ru.COLORED: 1, ru.OPENING_RULE: kind, ru.N_ACTIONS: n_cells + len(op.CHOICE_NAMES[kind])}
