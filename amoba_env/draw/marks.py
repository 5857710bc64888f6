"""Marks that all drawings show besides stones: winning cells, forbidden points, the path of a man."""

import numpy as np

from amoba_env.core import play, renju
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.state import State
from amoba_env.games import Game


def winning_cells(game: Game, state: State) -> set[int]:
    """The cells of the winning rows or goal; none during the game."""
    if state[st.STATUS] < 0:
        return set()
    won = np.zeros(game.n_cells, np.uint8)
    play.winning_cells(game.rules, state, won)
    return set(np.flatnonzero(won).tolist())


def forbidden_points(game: Game, state: State) -> dict[int, int]:
    """The points that are forbidden for the player to move (renju, omok), and their kinds."""
    if (
        game.rules[ru.FAMILY] != ru.RENJU
        or state[st.STATUS] != st.RUNNING
        or state[st.PHASE]
        or state[st.TO_MOVE] != renju.judged(game.rules, state)
    ):
        return {}
    kinds = np.zeros(game.n_cells, np.int8)
    renju.points(game.rules, state, kinds)
    return {
        cell: int(kinds[cell]) for cell in np.flatnonzero(kinds).tolist() if renju.is_forbidden_kind(int(kinds[cell]))
    }


def move_path(game: Game, state: State) -> tuple[int, ...]:
    """The cells of the last move of a man, FROM first and TO last: a step, or a shortest chain of jumps.

    The men that were jumped over did not move, so the path can be found from the board after the move. It is empty in
    games of stones, before the first move, and if the last move of a position that was set up is impossible.
    """
    origin, to = int(state[st.FROM]), int(state[st.TO])
    if origin == st.NOWHERE:
        return ()
    near = game.board.neighbor
    if to in near[origin]:
        return origin, to
    taken = state[st.CELLS :] >= 0
    taken[to] = False  # as before the move; no jump goes over the cell that the man left
    paths: dict[int, tuple[int, ...]] = {origin: (origin,)}
    for cell in (reached := [origin]):  # a breadth-first search: the list grows during the loop
        for d, over in enumerate(near[cell].tolist()):
            landing = int(near[over, d]) if over != st.NOWHERE and taken[over] else st.NOWHERE
            if landing != st.NOWHERE and not taken[landing] and landing not in paths:
                paths[landing] = (*paths[cell], landing)
                reached.append(landing)
    return paths.get(to, ())
