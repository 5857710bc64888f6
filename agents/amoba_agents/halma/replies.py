"""Halma: searches over the moves of all players.

The value of a position for a seat is the number of steps that the other seats have left, minus (players - 1) times its
own. Values sum to zero. A win has a far greater value, the greater the earlier, and the others lose equally.

- maxn: each player takes the move that is worth most to itself (Luckhardt and Irani, "An algorithmic solution of
  n-person games", AAAI 1986); of equal moves the first in the order of seats.py.
- paranoid: all others play against the player to move, so alpha-beta can prune (Sturtevant and Korf, "On pruning
  techniques for multi-player games", AAAI 2000).
- best reply: like paranoid, but only the opponent with the strongest reply moves (Schadd and Winands, "Best reply
  search for multiplayer games", IEEE TCIAIG 2011).

With two players all three are minimax. The search ignores the limit of plies, and a player who cannot move passes.
"""

import numpy as np
from numpy.typing import NDArray

from amoba_agents.halma import reach as rc
from amoba_agents.halma import seats
from amoba_agents.halma.reach import MenWork
from amoba_agents.values.ties import sort
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.interrupt import cancelled
from amoba_env.core.jit import jit
from amoba_env.core.overwrite import overwrite
from amoba_env.core.rules import Rules
from amoba_env.core.state import State

MAXN, PARANOID, BEST_REPLY = range(3)

SeatValues = NDArray[np.int64]  # [plies, SEATS_MAX] the value of the position at each ply for each seat


@jit
def _value(rules: Rules, w: MenWork, seat: int) -> int:
    """The value of the position for the seat."""
    total = 0
    for other in range(rules[ru.PLAYERS]):
        total += w[seats.DISTANCE_LEFT + other]
    return total - rules[ru.PLAYERS] * w[seats.DISTANCE_LEFT + seat]


@jit
def _win_value(rules: Rules, seat: int, winner: int, ply: int) -> int:
    """The value for the seat if `winner` wins at this ply."""
    return (seats.WIN_VALUE - ply) * (rules[ru.PLAYERS] - 1 if winner == seat else -1)


@jit
def _ordered_moves(rules: Rules, w: MenWork, seat: int, root: int, ply: int, width: int) -> tuple[int, int]:
    """The slice of the work row with the best `width` moves of the seat, in order: first, end.

    A seat beyond the last one means all opponents of `root`.
    """
    at = seats.PLIES + ply * seats.moves_capacity(rules)
    end = at
    if seat < rules[ru.PLAYERS]:
        end = seats.list_moves(rules, w, seat, at)
    else:
        for other in range(np.int64(rules[ru.PLAYERS])):
            if other != root:
                end = seats.list_moves(rules, w, other, end)
    sort(w, at, end)
    return at, min(end, at + width)


@jit
def _last_progress(rules: Rules, w: MenWork, seat: int, ply: int) -> int:
    """The most steps that one more move of the seat gains; WIN_VALUE if it wins, -WIN_VALUE if it has no move."""
    at = seats.PLIES + ply * seats.moves_capacity(rules)
    end = seats.list_moves(rules, w, seat, at)
    if end == at:
        return np.int64(-seats.WIN_VALUE)
    goal = rc.IN_GOAL + seat * rc.CELLS_MAX
    least = w[at]
    for i in range(at + 1, end):
        least = min(least, w[i])
    if w[seats.OWN_HOME + seat] == rules[ru.MEN] - 1:
        for i in range(at, end):
            if w[goal + seats.target_of(w[i])] > w[goal + seats.origin_of(w[i])]:
                return np.int64(seats.WIN_VALUE)
    return seats.progress_of(least)


@jit
def _maxn(rules: Rules, w: MenWork, values: SeatValues, seat: int, plies_left: int, ply: int, width: int) -> None:
    """Set values[ply] to the values for all seats, with `seat` to move and `plies_left` plies to search."""
    if cancelled():
        return
    players = rules[ru.PLAYERS]
    if plies_left == 1 and not rules[ru.ANTI_SPOILING]:
        progress = _last_progress(rules, w, seat, ply)
        for other in range(players):
            if progress == seats.WIN_VALUE:
                values[ply, other] = _win_value(rules, other, seat, ply + 1)
            else:
                values[ply, other] = _value(rules, w, other)
                if progress > -seats.WIN_VALUE:
                    values[ply, other] += progress * (players - 1 if other == seat else -1)
        return
    at, end = _ordered_moves(rules, w, seat, seat, ply, width)
    if end == at and plies_left == 1:
        for other in range(players):
            values[ply, other] = _value(rules, w, other)
        return
    if end == at:
        _maxn(rules, w, values, (seat + 1) % players, plies_left - 1, ply + 1, width)
        overwrite(values[ply], values[ply + 1])
        return
    best = np.int64(-seats.WIN_VALUE * rc.SEATS_MAX)
    for i in range(at, end):
        origin, to = seats.origin_of(w[i]), seats.target_of(w[i])
        winner = seats.move_man(rules, w, origin, to)
        if winner != st.NOBODY:
            for other in range(players):
                values[ply + 1, other] = _win_value(rules, other, winner, ply + 1)
        elif plies_left == 1:
            for other in range(players):
                values[ply + 1, other] = _value(rules, w, other)
        else:
            _maxn(rules, w, values, (seat + 1) % players, plies_left - 1, ply + 1, width)
        seats.move_man(rules, w, to, origin)
        if values[ply + 1, seat] > best:
            best = values[ply + 1, seat]
            overwrite(values[ply], values[ply + 1])
            if winner == seat:
                break


@jit
def _paranoid(
    rules: Rules,
    w: MenWork,
    seat: int,
    plies_left: int,
    ply: int,
    alpha: int,
    beta: int,
    root: int,
    one_reply: bool,
    width: int,
) -> int:
    """The value of the position for `root` if all others play against it, by alpha-beta."""
    players = np.int64(rules[ru.PLAYERS])
    if cancelled():
        return np.int64(0)
    if plies_left == 1 and not rules[ru.ANTI_SPOILING]:
        progress = np.int64(-seats.WIN_VALUE)
        for mover in range(players):
            if mover == seat or (seat == players and mover != root):
                progress = max(progress, _last_progress(rules, w, mover, ply))
        if progress == seats.WIN_VALUE:
            return _win_value(rules, root, root if seat == root else players, ply + 1)
        return _value(rules, w, root) + (
            0 if progress == -seats.WIN_VALUE else progress * (players - 1) if seat == root else -progress
        )
    at, end = _ordered_moves(rules, w, seat, root, ply, width)
    if one_reply:
        next_seat = players if seat == root else root
    else:
        next_seat = (seat + 1) % players
    if end == at:
        if plies_left == 1:
            return _value(rules, w, root)
        return _paranoid(rules, w, next_seat, plies_left - 1, ply + 1, alpha, beta, root, one_reply, width)
    sign = 1 if seat == root else -1
    best = np.int64(-sign * seats.WIN_VALUE * rc.SEATS_MAX)
    for i in range(at, end):
        origin, to = seats.origin_of(w[i]), seats.target_of(w[i])
        winner = seats.move_man(rules, w, origin, to)
        if winner != st.NOBODY:
            value = _win_value(rules, root, winner, ply + 1)
        elif plies_left == 1:
            value = _value(rules, w, root)
        else:
            value = _paranoid(rules, w, next_seat, plies_left - 1, ply + 1, alpha, beta, root, one_reply, width)
        seats.move_man(rules, w, to, origin)
        if sign > 0:
            best = max(best, value)
            alpha = max(alpha, best)
        else:
            best = min(best, value)
            beta = min(beta, best)
        if alpha >= beta:
            break
    return best


@jit
def best_moves(
    rules: Rules, s: State, w: MenWork, values: SeatValues, kind: int, depth: int, width: int, out: NDArray[np.int32]
) -> tuple[int, int]:
    """Write all best moves of a search to `out` (as actions); return their number and their value.

    The work row must be loaded with the position.
    """
    root, players = np.int64(s[st.TO_MOVE]), np.int64(rules[ru.PLAYERS])
    zero = np.int64(0)
    at, end = _ordered_moves(rules, w, root, root, zero, width)
    best = np.int64(-seats.WIN_VALUE * rc.SEATS_MAX)
    next_seat = players if kind == BEST_REPLY else (root + 1) % players
    count = 0
    for i in range(at, end):
        origin, to = seats.origin_of(w[i]), seats.target_of(w[i])
        winner = seats.move_man(rules, w, origin, to)
        if winner != st.NOBODY:
            value = _win_value(rules, root, winner, zero + 1)
        elif depth == 1:
            value = _value(rules, w, root)
        elif kind == MAXN:
            _maxn(rules, w, values, next_seat, depth - 1, zero + 1, width)
            value = values[1, root]
        else:  # alpha is one less than the best so far, so that an equal move gets its exact value
            most = np.int64(seats.WIN_VALUE * rc.SEATS_MAX)
            one_reply = kind == BEST_REPLY
            value = _paranoid(rules, w, next_seat, depth - 1, zero + 1, best - 1, most, root, one_reply, width)
        seats.move_man(rules, w, to, origin)
        if value > best:
            best = value
            count = 0
        if value == best:
            out[count] = origin * rules[ru.N_CELLS] + to
            count += 1
    return count, best
