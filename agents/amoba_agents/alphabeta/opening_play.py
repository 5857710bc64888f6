"""Decisions in the phases of an opening rule, see amoba_env/core/opening_rules.py.

Whoever puts stones that the opponent may take over tries some placements and keeps the most even one. Whoever chooses a
colour takes the one that a short search prefers. Black offers its best fifth stones, and White picks the worst for
Black. In taraguchi10 Black offers ten stones if the worst of them is good for it. Where fifth stones count before the
fourth is put (yamaguchi), White's best fourth stone is assumed. Only cells within two of a stone are tried.
"""

from collections.abc import Callable

import numpy as np

from amoba_env.agent import Streams
from amoba_env.core import opening_rules as op
from amoba_env.core import play
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.rng import below
from amoba_env.core.state import State, States
from amoba_env.games import Game

Valuer = Callable[[States], list[int]]  # positions outside the phases -> their values for the players to move

TRIES = 8  # placements that are compared
EVEN = 25  # swap2: a smaller absolute value counts as even


def choose(game: Game, state: State, stream: Streams, best: Callable[[State], int], values: Valuer) -> int:
    """An action in a phase of an opening.

    Args:
        game: the rules.
        state: int16[S], a position in a phase.
        stream: uint64[1], the random stream of the game.
        best: finds the cell that a full search would choose.
        values: short searches: positions outside the phases -> their values for the players to move.
    """
    phase, black, white, n = int(state[st.PHASE]), int(state[st.BLACK]), 1 - int(state[st.BLACK]), game.n_cells
    legal = np.empty(game.n_actions, np.int32)
    legal = legal[: play.moves(game.rules, state, legal)]

    def fifths() -> list[tuple[int, int]]:
        plain = _without_phase(state, white)
        four = plain if (plain[st.CELLS :] >= 0).sum() == 4 else _after(game, plain, best(plain))
        return _rank_fifth_stones(game, four, values)

    following = black if (state[st.CELLS :] >= 0).sum() % 2 == 0 else white  # the seat that puts the next stone
    if phase in (op.PUT_THREE, op.PUT_TWO, op.PUT_ONE):
        cells = _near(game, state, legal)
        if state[st.LEFT] > 1:
            return int(cells[below(stream, len(cells))])
        tried = [int(cells[below(stream, len(cells))]) for _ in range(TRIES)]
        after = [_without_phase(_after(game, state, cell), 1 - following) for cell in tried]
        return tried[int(np.argmin(np.abs(values(np.array(after)))))]
    if phase in (op.CHOOSE, op.CHOOSE_AGAIN):
        opening = game.rules[ru.OPENING_RULE]
        if opening == op.YAMAGUCHI or (phase == op.CHOOSE_AGAIN and opening == op.SOOSYRV8):
            (worst, _) = fifths()[int(state[st.LEFT]) - 1]
            value = worst if state[st.TO_MOVE] == black else -worst
        else:
            (value,) = values(_without_phase(state, following)[None])
            value = value if state[st.TO_MOVE] == following else -value
        if n + op.MORE_ACTION in legal and (fifths()[9][0] > 0 if opening == op.TARAGUCHI10 else abs(value) < EVEN):
            return n + op.MORE_ACTION
        return n + (op.STAY_ACTION if value >= 0 else op.SWAP_ACTION)
    if phase == op.DECLARE:
        offers = [abs(value) for value, _ in fifths()]
        return int(legal[np.argmin(offers[: len(legal)])])
    if phase == op.OFFER:
        return next((cell for _, cell in fifths() if cell in legal), int(legal[0]))
    if phase == op.PICK:
        after = [_without_phase(_after(game, state, int(cell)), white) for cell in legal]
        return int(legal[np.argmax(values(np.array(after)))])
    return best(_without_phase(state, white))  # the fourth stone


def _without_phase(state: State, seat: int) -> State:
    """The position with the same stones in normal play, with `seat` to move."""
    plain = state.copy()
    plain[st.PHASE], plain[st.LEFT], plain[st.TO_MOVE] = op.PLAYING, 0, seat
    plain[st.CELLS :][plain[st.CELLS :] < st.EMPTY] = st.EMPTY
    return plain


def _after(game: Game, state: State, action: int) -> State:
    """The position after an action."""
    after = state.copy()
    play.apply(game.rules, after, int(action))
    return after


def _near(game: Game, state: State, legal: np.ndarray) -> np.ndarray:
    """The legal cells within two of a stone, or of the centre on an empty board."""
    points = game.board.coords.astype(int)
    stones = points[state[st.CELLS :] >= 0]
    middle = (points.max(axis=0) + 1) // 2
    centres = stones if len(stones) else middle[None]
    cells = legal[legal < game.n_cells]
    away = np.abs(points[cells, None] - centres).max(axis=2).min(axis=1)
    return cells[away <= 2] if (away <= 2).any() else cells


def _rank_fifth_stones(game: Game, state: State, values: Valuer) -> list[tuple[int, int]]:
    """Black's candidates for the fifth stone as pairs (value for Black, cell), the best first."""
    plain = _without_phase(state, int(state[st.BLACK]))
    legal = np.empty(game.n_actions, np.int32)
    cells = _near(game, plain, legal[: play.moves(game.rules, plain, legal)])
    after = np.array([_without_phase(_after(game, plain, int(cell)), 1 - int(state[st.BLACK])) for cell in cells])
    return sorted(zip((-value for value in values(after)), cells.tolist(), strict=True), reverse=True)
