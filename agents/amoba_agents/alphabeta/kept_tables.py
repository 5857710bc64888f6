"""Tables of results that are kept from one move of a game to the next.

With a limit of time the search goes on with the table of its last move in the game: much of what it looked at then
comes up again. With a limit of nodes it does not, since its moves would then depend on what it was asked before.
"""

from typing import NamedTuple

import numpy as np

from amoba_agents.alphabeta.lines import HashTable
from amoba_env.core import state as st
from amoba_env.core.state import State
from amoba_env.games import Game

MOST = 4  # tables of 25 MB that a player keeps


class _Kept(NamedTuple):
    game: Game
    state: State  # the position that was searched
    table: HashTable


class KeptTables:
    """The tables of the last games of a player. Several threads may use it."""

    def __init__(self) -> None:
        """No table yet."""
        self._kept: dict[int, _Kept] = {}

    def take(self, game: Game, state: State) -> HashTable | None:
        """The table of an earlier move in the game, which is no longer kept then; None if there is none."""
        for key, kept in list(self._kept.items()):
            if kept.game == game and goes_on(kept.state, state):
                taken = self._kept.pop(key, None)  # another thread may have taken it
                if taken is not None:
                    return taken.table
        return None

    def keep(self, game: Game, state: State, table: HashTable) -> None:
        """Keep a table in which a position was searched."""
        self._kept[id(table)] = _Kept(game, state.copy(), table)
        for key in list(self._kept)[:-MOST]:
            self._kept.pop(key, None)


def goes_on(before: State, after: State) -> bool:
    """Whether one position can come after another in a game, with the same player to move."""
    stones = before[st.CELLS :] != st.EMPTY
    return bool(
        (after[[st.TO_MOVE, st.BLACK]] == before[[st.TO_MOVE, st.BLACK]]).all()
        and (after[st.CELLS :][stones] == before[st.CELLS :][stones]).all()
        and np.count_nonzero(after[st.CELLS :] != st.EMPTY) > np.count_nonzero(stones)
    )
