"""Arrays from callers become positions of a game here, or raise a ValueError that says what is wrong.

Compiled code relies on these checks (core/check.py). Positions that the core itself has reached are not checked again:
see `amoba_env.position.trusted`.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from amoba_env import checks
from amoba_env.core import check as core
from amoba_env.core import endings as en
from amoba_env.core import opening_rules as op
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.state import State, States
from amoba_env.games import Game


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
        raise ValueError(WORDS[wrong](game, row))
    return row


def checked_rows(game: Game, states: ArrayLike) -> States:
    """Rows, checked, as positions: int16[B, CELLS + n_cells], a copy. ValueError names the first wrong row."""
    rows = whole_numbers(game, states, 2)
    wrong = core.first_fault(game.rules, rows, True)
    if wrong >= 0:
        raise ValueError(f"position {wrong}: {WORDS[core.fault(game.rules, rows[wrong], True)](game, rows[wrong])}")
    return rows


def whole_numbers(game: Game, given: ArrayLike, dimensions: int) -> State:
    """One row or many as int16, a copy. ValueError for another shape, or numbers that do not fit into int16."""
    array, length = checks.array("position", given), st.CELLS + game.n_cells
    if array.ndim != dimensions or array.shape[-1] != length:
        wanted = (
            f"expected a position of {game.name}, shape ({length},)"
            if dimensions == 1
            else (f"expected positions of {game.name}, shape (B, {length})")
        )
        raise ValueError(f"{wanted}, got {array.shape}")
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
        if not 0 <= seat < game.players:
            raise ValueError(f"expected a seat of {game.name}, 0..{game.players - 1}, got {seat}")
    return array.astype(np.int64)


def seats(game: Game) -> str:
    """The seats of a game, for messages."""
    return f"a seat from 0 to {game.players - 1}"


def no_owner(game: Game, owner: object) -> str:
    """The message that this is not an owner of a cell."""
    return f"a cell is owned by {owner}: expected {seats(game)}, or -1"


def _result(game: Game, s: State) -> str:
    return f"status {s[st.STATUS]}: expected {seats(game)} (who won), -1 (the game goes on) or -2 (nobody won)"


def _last(game: Game, s: State) -> str:
    if game.moves_men:
        return (
            f"last move from {s[st.FROM]} to {s[st.TO]}: expected two cells from 0 to {game.n_cells - 1}, or -1 and -1"
        )
    most = game.n_actions - 1
    return f"last move from {s[st.FROM]} to {s[st.TO]}: expected from -1, to an action from 0 to {most} or -1"


def _trace(game: Game, s: State) -> str:
    where = f"from {s[st.FROM]} to {s[st.TO]}" if game.moves_men else f"to {s[st.TO]}"
    return f"last move {where}: it does not fit the cells; -1 is an unknown move"


def _color(game: Game, s: State) -> str:
    wanted = seats(game) if game.rules[ru.COLORED] else "0"
    return f"black {s[st.BLACK]}: expected {wanted}"


def _stage(game: Game, s: State) -> str:
    if 0 <= s[st.PHASE] < len(op.PHASES):
        return f"phase {op.PHASES[s[st.PHASE]]!r} is not part of this opening"
    return f"phase {s[st.PHASE]}: expected a number from 0 to {len(op.PHASES) - 1}"


def _chosen(game: Game, s: State) -> str:
    wanted = f"a number from 0 to {op.MOST_CHOICES}" if game.choices else "0"
    return f"choices {s[st.CHOICES]}: expected {wanted}"


def _owner(game: Game, s: State) -> str:
    least = st.OFFERED if game.choices else st.OFFERED + 1
    return no_owner(game, next(owner for owner in s[st.CELLS :].tolist() if not least <= owner < game.players))


def _army(game: Game, s: State) -> str:
    men = int(game.rules[ru.MEN])
    for seat, color in enumerate(game.colors):
        own = int((s[st.CELLS :] == seat).sum())
        if own != men:
            return f"{color} has {own} men, expected {men}"
    return f"left {s[st.LEFT]}: {game.name} has no opening, so expected 0"


def _fit(game: Game, s: State) -> str:
    stones, offered = int((s[st.CELLS :] >= 0).sum()), int((s[st.CELLS :] == st.OFFERED).sum())
    phase = op.PHASES[s[st.PHASE]]
    return f"phase {phase!r} with {s[st.LEFT]} left does not fit {stones} stones and {offered} offered cells"


def _count(game: Game, s: State) -> str:
    also = f" and {s[st.CHOICES]} choices were made" if s[st.CHOICES] else ""
    return f"moves played {s[st.PLY]}: the board has {(s[st.CELLS :] >= 0).sum()} stones{also}"


def _reason(game: Game, s: State) -> str:
    known = 0 <= s[st.ENDING] < len(en.NAMES)
    ending = (
        (repr(en.NAMES[s[st.ENDING]]) if s[st.ENDING] else "none") if known else f"expected 0 to {len(en.NAMES) - 1}"
    )
    return f"ending {s[st.ENDING]} ({ending}) does not fit status {s[st.STATUS]} and the last move in {game.name}"


WORDS: dict[int, Callable[[Game, State], str]] = {
    core.SEAT: lambda game, s: f"player to move {s[st.TO_MOVE]}: expected {seats(game)}",
    core.RESULT: _result,
    core.PLIES: lambda game, s: f"moves played {s[st.PLY]}: expected a number from 0 to 32767",
    core.LAST: _last,
    core.COLOR: _color,
    core.STAGE: _stage,
    core.CHOSEN: _chosen,
    core.OWNER: _owner,
    core.ARMY: _army,
    core.FIT: _fit,
    core.COUNT: _count,
    core.TURN: lambda game, s: (
        f"player to move {s[st.TO_MOVE]}: in phase {op.PHASES[s[st.PHASE]]!r} it is seat {1 - s[st.TO_MOVE]}"
    ),
    core.REASON: _reason,
    core.TOO_LONG: lambda game, s: (
        f"moves played {s[st.PLY]}: expected at most {game.rules[ru.PLY_LIMIT] - 1} while the game goes on"
    ),
    core.TRACE: _trace,
    core.STUCK: lambda game, s: (
        f"{game.color(s, int(s[st.TO_MOVE]))} is to move and has no legal move, but status is -1"
    ),
}
