"""What the search does in the phases of an opening, see amoba_env/core/opening.py.

Who puts stones that the other may take over leaves them as even as a few tries can; who chooses takes the colour that a
short search likes better; offers for the fifth stone are the best ones, and of those that are offered White picks
Black's worst. Cells are looked at within two of the stones.
"""

from collections.abc import Callable

import numpy as np

from amoba_env.agent import Streams
from amoba_env.core import opening, play
from amoba_env.core.opening import (
    CHOOSE,
    CHOOSE_AGAIN,
    DECLARE,
    MORE_ACTION,
    OFFER,
    PICK,
    PLAYING,
    PUT_THREE,
    PUT_TWO,
    STAY_ACTION,
    SWAP_ACTION,
)
from amoba_env.core.rng import below
from amoba_env.core.rules import OPENING
from amoba_env.core.state import BLACK, CELLS, EMPTY, LEFT, PHASE, TO_MOVE, State, States
from amoba_env.games import Game

Values = Callable[[States], list[int]]  # of positions in no phase, for the players to move, by a short search

TRIES = 8  # stones of which the one that leaves the most even position is put
EVEN = 25  # swap2: less than this is no reason to prefer a colour


def choose(game: Game, state: State, stream: Streams, best: Callable[[State], int], values: Values) -> int:
    """An action in a phase. `best` finds the stone that a search would put; stream: uint64[1]."""
    phase, black, white, n = int(state[PHASE]), int(state[BLACK]), 1 - int(state[BLACK]), game.n_cells
    legal = np.empty(game.n_actions, np.int32)
    legal = legal[: play.moves(game.rules, state, legal)]
    if phase in (PUT_THREE, PUT_TWO):
        cells = _near(game, state, legal)
        if state[LEFT] > 1:
            return int(cells[below(stream, len(cells))])
        tried = [int(cells[below(stream, len(cells))]) for _ in range(TRIES)]
        after = [_plain(_after(game, state, cell), white) for cell in tried]
        return tried[int(np.argmin(np.abs(values(np.array(after)))))]
    if phase in (CHOOSE, CHOOSE_AGAIN):
        if phase == CHOOSE_AGAIN and game.rules[OPENING] == opening.SOOSYRV8:
            (worst, _) = _fifths(game, state, values)[int(state[LEFT]) - 1]
            value = worst if state[TO_MOVE] == black else -worst
        else:
            (value,) = values(_plain(state, white)[None])
            value = value if state[TO_MOVE] == white else -value
        if n + MORE_ACTION in legal and abs(value) < EVEN:
            return n + MORE_ACTION
        return n + (STAY_ACTION if value >= 0 else SWAP_ACTION)
    if phase == DECLARE:
        offers = [abs(value) for value, _ in _fifths(game, state, values)]
        return int(legal[np.argmin(offers[: len(legal)])])
    if phase == OFFER:
        return next((cell for _, cell in _fifths(game, state, values) if cell in legal), int(legal[0]))
    if phase == PICK:
        after = [_plain(_after(game, state, int(cell)), white) for cell in legal]
        return int(legal[np.argmax(values(np.array(after)))])
    return best(_plain(state, white))  # the fourth stone


def _plain(state: State, seat: int) -> State:
    """The stones alone, in no phase, `seat` to move."""
    plain = state.copy()
    plain[PHASE], plain[LEFT], plain[TO_MOVE] = PLAYING, 0, seat
    plain[CELLS:][plain[CELLS:] < EMPTY] = EMPTY
    return plain


def _after(game: Game, state: State, action: int) -> State:
    """The position after an action."""
    after = state.copy()
    play.apply(game.rules, after, action)
    return after


def _near(game: Game, state: State, legal: np.ndarray) -> np.ndarray:
    """Those of the cells that are within two of a stone, or of the middle if there is none."""
    points = game.board.coords.astype(int)
    stones = points[state[CELLS:] >= 0]
    middle = (points.max(axis=0) + 1) // 2
    centres = stones if len(stones) else middle[None]
    cells = legal[legal < game.n_cells]
    away = np.abs(points[cells, None] - centres).max(axis=2).min(axis=1)
    return cells[away <= 2] if (away <= 2).any() else cells


def _fifths(game: Game, state: State, values: Values) -> list[tuple[int, int]]:
    """Black's fifth stones, the best first, and what they are worth to Black."""
    plain = _plain(state, int(state[BLACK]))
    legal = np.empty(game.n_actions, np.int32)
    cells = _near(game, plain, legal[: play.moves(game.rules, plain, legal)])
    after = np.array([_plain(_after(game, plain, int(cell)), 1 - int(state[BLACK])) for cell in cells])
    return sorted(zip((-value for value in values(after)), cells.tolist(), strict=True), reverse=True)
