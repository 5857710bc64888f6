"""Positions and moves as text of the protocol.

In the opening swap2 an engine gets SWAP2BOARD with the stones so far. Its answer means one or more actions:

    stones   answer         meaning
    none     three points   a black, a white and a black stone
    three    SWAP           play Black; the opponent, White, moves next
             one point      play White, and put the next stone there
             two points     put a white and a black stone; the opponent chooses
    five     SWAP           play Black; the opponent, White, moves next
             one point      play White, and put the next stone there
"""

from __future__ import annotations

from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from amoba_agents.gomocup import protocol as pr
from amoba_env.core import opening_rules as op
from amoba_env.core import state as st
from amoba_env.core.state import State
from amoba_env.games import Game

Stones = NDArray[np.int8]  # [n] EMPTY, OWN or THEIRS


class Failure(Exception):
    """The engine gave no valid answer; the text says why."""


def stones_of(state: State) -> Stones:
    """The board as the player to move sees it."""
    cells = state[st.CELLS :]
    return np.where(cells < 0, pr.EMPTY, np.where(cells == state[st.TO_MOVE], pr.OWN, pr.THEIRS)).astype(np.int8)


def new_stone(known: Stones, stones: Stones) -> int | None:
    """The cell of the opponent's stone, if it is the only difference between two boards."""
    new = np.flatnonzero(known != stones)
    if len(new) == 1 and known[new[0]] == pr.EMPTY and stones[new[0]] == pr.THEIRS:
        return int(new[0])
    return None


def cell_of(game: Game, answer: str) -> int:
    """The cell of a point x,y, NOWHERE if it is off the board. Raises Failure if the answer is not a point."""
    found = pr.POINT.fullmatch(answer)
    if found is None:
        raise Failure(f"protocol error: expected a move, got {answer!r:.80}")
    cells = np.flatnonzero((game.board.coords == (int(found[1]), int(found[2]))).all(axis=1))
    return int(cells[0]) if cells.size else st.NOWHERE


def board_commands(game: Game, state: State, stones: Stones) -> list[str]:
    """BOARD with its lines. The stones are in a possible order of play, as renju requires."""
    coords = game.board.coords.tolist()
    points = [(*coords[cell], int(stones[cell])) for cell in _in_order_of_play(state, stones)]
    cells = set(map(tuple, coords))
    grid = ((x, y) for y in range(game.board.height) for x in range(game.board.width))
    points += [(x, y, pr.BLOCKED) for x, y in grid if (x, y) not in cells]
    return ["BOARD", *(f"{x},{y},{field}" for x, y, field in points), "DONE"]


def _in_order_of_play(state: State, stones: Stones) -> list[int]:
    """The cells of the stones in a possible order of play: Black and White in turn, the last move at the end."""
    black = pr.THEIRS if (stones == pr.OWN).sum() < (stones == pr.THEIRS).sum() else pr.OWN
    first, second = (np.flatnonzero(stones == whose).tolist() for whose in (black, pr.OWN + pr.THEIRS - black))
    for own in (first, second):
        own.sort(key=lambda cell: cell == state[st.TO])
    return [cell for pair in zip_longest(first, second) for cell in pair if cell is not None]


def swap2_commands(game: Game, state: State, stones: Stones) -> list[str]:
    """SWAP2BOARD with its lines. Raises Failure in the middle of a phase, which the protocol cannot express."""
    if state[st.PHASE] not in (op.CHOOSE, op.CHOOSE_AGAIN) and not (
        state[st.PHASE] == op.PUT_THREE and state[st.LEFT] == 3
    ):
        raise Failure("no command: SWAP2BOARD cannot express a position in the middle of a phase of swap2")
    points = game.board.coords[_in_order_of_play(state, stones)].tolist()
    return ["SWAP2BOARD", *(f"{x},{y}" for x, y in points), "DONE"]


def swap2_actions(game: Game, phase: int, answer: str) -> list[int]:
    """The actions that an answer to SWAP2BOARD means, see above. Raises Failure for other answers."""
    n = game.n_cells
    if answer.upper() == "SWAP" and phase != op.PUT_THREE:
        return [n + (op.SWAP_ACTION if phase == op.CHOOSE else op.STAY_ACTION)]
    choices = {
        (op.PUT_THREE, 3): [],
        (op.CHOOSE, 1): [n + op.STAY_ACTION],
        (op.CHOOSE, 2): [n + op.MORE_ACTION],
        (op.CHOOSE_AGAIN, 1): [n + op.SWAP_ACTION],
    }
    points = answer.split()
    if (phase, len(points)) not in choices:
        raise Failure(f"protocol error: expected an answer to SWAP2BOARD, got {answer!r:.80}")
    return [*choices[phase, len(points)], *(cell_of(game, point) for point in points)]
