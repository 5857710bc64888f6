"""Transposition tables that are kept from one move of a game to the next.

With a time limit the search reuses the table of its last move in the game, as many of those positions come up again.
With a node limit it does not: its moves would depend on earlier calls.
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
        """Start without tables."""
        self._kept: dict[int, _Kept] = {}

    def take(self, game: Game, state: State) -> HashTable | None:
        """Take out the table of an earlier move in this game; None if there is none."""
        for key, kept in list(self._kept.items()):
            if kept.game == game and goes_on(kept.state, state):
                taken = self._kept.pop(key, None)  # another thread may have taken it
                if taken is not None:
                    return taken.table
        return None

    def keep(self, game: Game, state: State, table: HashTable) -> None:
        """Keep the table of a search of this position."""
        self._kept[id(table)] = _Kept(game, state.copy(), table)
        for key in list(self._kept)[:-MOST]:
            self._kept.pop(key, None)


def goes_on(before: State, after: State) -> bool:
    """Whether `after` can follow `before` in a game, with the same player to move."""
    stones = before[st.CELLS :] != st.EMPTY
    return bool(
        (after[[st.TO_MOVE, st.BLACK]] == before[[st.TO_MOVE, st.BLACK]]).all()
        and (after[st.CELLS :][stones] == before[st.CELLS :][stones]).all()
        and np.count_nonzero(after[st.CELLS :] != st.EMPTY) > np.count_nonzero(stones)
    )
