"""Tic-tac-toe has few enough positions to visit them all through the core."""

import numpy as np

from amoba_env import games
from amoba_env.core import play
from amoba_env.core import state as st
from amoba_env.core.state import State

GAME = games.make("tictactoe")


def ends(state: State, known: dict[bytes, tuple[int, int, int]]) -> tuple[int, int, int]:
    """How many games from here are won by the first player, lost and drawn; `known`: by cells."""
    key = state[st.CELLS :].tobytes()
    if key not in known:
        if state[st.STATUS] != st.RUNNING:
            won, lost, drawn = (int(state[st.STATUS] == outcome) for outcome in (0, 1, st.NOBODY))
        else:
            won = lost = drawn = 0
            legal = np.empty(GAME.n_actions, np.int32)
            for action in legal[: play.moves(GAME.rules, state, legal)].tolist():
                child = state.copy()
                assert play.step(GAME.rules, child, action)
                more = ends(child, known)
                won, lost, drawn = won + more[0], lost + more[1], drawn + more[2]
        known[key] = won, lost, drawn
    return known[key]


def test_all_games() -> None:
    known: dict[bytes, tuple[int, int, int]] = {}
    assert ends(GAME.start(), known) == (131184, 77904, 46080)
    assert len(known) == 5478
