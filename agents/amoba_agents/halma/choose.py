"""Halma: the move of the players that consider their opponents: maxn, paranoid, brs, hinder and robust."""

import numpy as np
from numpy.typing import NDArray

from amoba_agents.halma import hinder, replies
from amoba_agents.halma.home import MOST_MOVES, race_moves
from amoba_agents.halma.reach import SEATS_MAX
from amoba_agents.halma.replies import BEST_REPLY
from amoba_agents.halma.seats import load, seats_workspace
from amoba_agents.values.ties import break_tie, sort
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.interrupt import cancelled
from amoba_env.core.jit import jit
from amoba_env.core.rules import Rules
from amoba_env.core.state import States

HINDER, ROBUST = BEST_REPLY + 1, BEST_REPLY + 2  # further kinds, after those of replies.py

_hinder_moves, _reply_moves = hinder.best_moves, replies.best_moves


@jit
def choose(
    rules: Rules,
    states: States,
    streams: NDArray[np.uint64],
    kind: int,
    depth: int,
    width: int,
    weight: float,
    actions: NDArray[np.int32],
) -> None:
    """Write a best move of each position to `actions`; equally good moves are equally likely.

    In a race without contact, every player takes the moves of a shortest way home (home.py).

    Args:
        rules: of a game in which men move.
        states: int16[B, S].
        streams: uint64[B], advanced in place.
        kind: MAXN, PARANOID, BEST_REPLY, HINDER or ROBUST.
        depth: of the search: moves of all players, or for HINDER and ROBUST own moves.
        width: the number of moves that are searched at each ply; ignored by HINDER and ROBUST.
        weight: the weight of the opponents' progress, for HINDER and ROBUST.
        actions: int32[B], output.
    """
    budget = np.zeros(1, np.int64)
    w = seats_workspace(rules, max(depth + 1, MOST_MOVES))
    values = np.zeros((depth + 1, SEATS_MAX), np.int64)
    best = np.empty(rules[ru.MEN] * rules[ru.N_CELLS], np.int32)
    for b in range(len(states)):
        load(rules, states[b], w)
        count = race_moves(rules, w, budget, np.int64(states[b, st.TO_MOVE]), best)
        if count == 0 and kind <= BEST_REPLY:
            count, _ = _reply_moves(rules, states[b], w, values, kind, depth, width, best)
        elif count == 0:
            count, _ = _hinder_moves(rules, states[b], w, depth, weight, kind == ROBUST, best)
        if cancelled():
            break
        sort(best, 0, count)
        actions[b] = break_tie(best, count, False, streams[b : b + 1])
