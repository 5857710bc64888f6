"""Arrays from callers become positions of a game here, or raise a ValueError that says what is wrong.

Compiled code relies on these checks (core/check.py). Positions that the core itself has reached are not checked again:
see `amoba_env.position.trusted`.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amoba_env import checks
from amoba_env.core import check as core
from amoba_env.core import opening_rules as op
from amoba_env.core import state as st
from amoba_env.core.state import State, States
from amoba_env.games import Game

WORDS = {
    core.SEAT: "the player to move is not a seat",
    core.RESULT: "the status is neither a seat (who won) nor -1 (the game goes on) nor -2 (nobody won)",
    core.PLIES: "the number of moves played is negative",
    core.LAST: "the last move is neither an action of the game nor -1 (unknown)",
    core.COLOR: "black is not a seat, or not 0 in a game where colours do not matter",
    core.PHASE_UNKNOWN: "the phase is not part of this opening",
    core.CHOICES_RANGE: f"the number of choices is not 0..{op.MOST_CHOICES}, or not 0 in a game without an opening",
    core.OWNER: "the owner of a cell is neither a seat nor -1 (empty)",
    core.MEN_COUNT: "a player has too many or too few men, or something is left of an opening",
    core.PHASE_STONES: "the phase and what is left of it do not fit the stones and the offered cells (owner -2)",
    core.COUNT: "the number of moves played is not that of stones and choices",
    core.TURN: "in this phase the other player is to move",
    core.ENDING_MISMATCH: "the ending does not fit the status, the last move and the game",
    core.TOO_LONG: "the limit of moves is reached, but the game goes on",
    core.STUCK: "the player to move has no legal move, but the game goes on",
    core.LAST_MOVE_CELLS: "the last move does not fit the cells (-1: unknown)",
}


def checked(game: Game, state: ArrayLike, settled: bool = True) -> State:
    """A row, checked, as a position of the game: int16[CELLS + n_cells], a copy.

    Args:
        game: the rules.
        state: whole numbers, [CELLS + n_cells], see core/state.py.
        settled: whether STATUS and ENDING are set; if not, the caller calls core.play.settle next.

    Raises:
        ValueError: the row is not a position of the game. The message says why, and what is possible.
    """
    row = whole_numbers(game, state, 1)
    wrong = core.fault(game.rules, row, settled)
    if wrong:
        raise ValueError(_message(game, row, wrong))
    return row


def checked_rows(game: Game, states: ArrayLike) -> States:
    """Rows, checked, as positions: int16[B, CELLS + n_cells], a copy. ValueError names the first wrong row."""
    rows = whole_numbers(game, states, 2)
    wrong = core.first_fault(game.rules, rows, True)
    if wrong >= 0:
        fault = core.fault(game.rules, rows[wrong], True)
        raise ValueError(f"position {wrong}: {_message(game, rows[wrong], fault)}")
    return rows


def whole_numbers(game: Game, given: ArrayLike, dimensions: int) -> State:
    """One row or many as int16, a copy. ValueError for another shape, or numbers that do not fit into int16."""
    array, length = checks.array("position", given), st.CELLS + game.n_cells
    if array.ndim != dimensions or array.shape[-1] != length:
        what, shape = ("a position", f"({length},)") if dimensions == 1 else ("positions", f"(B, {length})")
        raise ValueError(f"expected {what} of {game.name}, shape {shape}, got {array.shape}")
    if array.dtype.kind not in "iu":
        raise ValueError(f"expected whole numbers as a position of {game.name}, got {array.dtype}")
    numbers = np.array(array, np.int16, order="C")
    if array.dtype != np.int16 and (numbers != array).any():
        raise ValueError(
            f"expected numbers from -32768 to 32767 as a position of {game.name}, got {array[numbers != array][0]}"
        )
    return numbers


def checked_seats(game: Game, given: ArrayLike, count: int) -> NDArray[np.int64]:
    """`count` seats of a game, int64[count], a copy. ValueError for anything else."""
    array = checks.array("seats", given)
    if array.shape != (count,) or array.dtype.kind not in "iu":
        raise ValueError(f"expected {count} seats, whole numbers, got {array.dtype} of shape {array.shape}")
    for seat in np.unique(array).tolist():
        game.seat(seat)
    return array.astype(np.int64)


def no_owner(game: Game, owner: object) -> str:
    """The message that this is not an owner of a cell."""
    return f"a cell is owned by {owner}: expected a seat from 0 to {game.players - 1}, or -1"


def _message(game: Game, s: State, fault: int) -> str:
    """What is wrong with a row, and its values."""
    phase = op.PHASES[s[st.PHASE]] if 0 <= s[st.PHASE] < len(op.PHASES) else s[st.PHASE]
    owners, counts = np.unique(s[st.CELLS :], return_counts=True)
    values = {
        "player to move": s[st.TO_MOVE],
        "status": s[st.STATUS],
        "ending": s[st.ENDING],
        "moves played": s[st.PLY],
        "last move from": s[st.FROM],
        "to": s[st.TO],
        "black": s[st.BLACK],
        "phase": phase,
        "left": s[st.LEFT],
        "choices": s[st.CHOICES],
        "cells by owner": checks.brief(dict(zip(owners.tolist(), counts.tolist(), strict=True))),
    }
    got = ", ".join(f"{name} {value}" for name, value in values.items())
    return f"{WORDS[fault]}; {game.name} has seats 0..{game.players - 1}, got {got}"
