"""Halma: searches over the moves of all players, compiled.

A position `plies` moves ahead is worth to a seat the steps that the others have left, less (players - 1) times its own:
these values sum to zero. A win is worth far more, an early one more than a late one, and costs all others alike.

- maxn: each player takes the move that is worth most to itself (Luckhardt and Irani, "An algorithmic solution of
  n-person games", AAAI 1986); of equal ones the first in the order of seats.py.
- paranoid: all others play against the one that moves now, so alpha-beta can prune (Sturtevant and Korf, "On pruning
  techniques for multi-player games", AAAI 2000).
- best reply: the same, but of all others only the one with the strongest reply moves (Schadd and Winands, "Best reply
  search for multiplayer games", IEEE TCIAIG 2011).

With two players all three are minimax. The limit of plies is not looked at; who cannot move passes.
"""

import numpy as np
from numpy.typing import NDArray

from amoba_agents.halma.home import MOVES, best_ways
from amoba_agents.halma.reach import CELLS_MAX, IN_GOAL, SEATS_MAX, Work
from amoba_agents.halma.seats import (
    LEFT,
    OWN_HOME,
    PLIES,
    WON,
    gain_of,
    list_moves,
    load,
    origin_of,
    room,
    seats_row,
    shift,
    sort,
    target_of,
)
from amoba_agents.values.ties import break_tie
from amoba_env.core.jit import jit
from amoba_env.core.rules import ANTI_SPOILING, MEN, N_CELLS, PLAYERS, Rules
from amoba_env.core.state import NOBODY, TO_MOVE, State, States

MAXN, PARANOID, BEST_REPLY = range(3)

Values = NDArray[np.int64]  # [plies, SEATS_MAX] what the position at each ply is worth to each seat


@jit
def _worth(rules: Rules, w: Work, seat: int) -> int:
    """What the position is worth to the seat."""
    total = 0
    for other in range(rules[PLAYERS]):
        total += w[LEFT + other]
    return total - rules[PLAYERS] * w[LEFT + seat]


@jit
def _won(rules: Rules, seat: int, winner: int, ply: int) -> int:
    """What it is worth to the seat that somebody wins at this ply."""
    return (WON - ply) * (rules[PLAYERS] - 1 if winner == seat else -1)


@jit
def _ordered(rules: Rules, w: Work, seat: int, root: int, ply: int, width: int) -> tuple[int, int]:
    """Where the best `width` moves of the seat (or, beyond the last seat, of all but `root`) begin and end."""
    at = PLIES + ply * room(rules)
    end = at
    if seat < rules[PLAYERS]:
        end = list_moves(rules, w, seat, at)
    else:
        for other in range(np.int64(rules[PLAYERS])):
            if other != root:
                end = list_moves(rules, w, other, end)
    sort(w, at, end)
    return at, min(end, at + width)


@jit
def _last_gain(rules: Rules, w: Work, seat: int, ply: int) -> int:
    """The most steps that one more move of the seat gains; WON if it wins, -WON if there is none. None is made."""
    at = PLIES + ply * room(rules)
    end = list_moves(rules, w, seat, at)
    if end == at:
        return np.int64(-WON)
    goal = IN_GOAL + seat * CELLS_MAX
    least = w[at]
    for i in range(at + 1, end):
        least = min(least, w[i])
    if w[OWN_HOME + seat] == rules[MEN] - 1:
        for i in range(at, end):
            if w[goal + target_of(w[i])] > w[goal + origin_of(w[i])]:
                return np.int64(WON)
    return gain_of(least)


@jit
def _maxn(rules: Rules, w: Work, values: Values, seat: int, left: int, ply: int, width: int) -> None:
    """Set values[ply]: what the position is worth to each seat, if `seat` is to move and `left` plies are looked at."""
    players = rules[PLAYERS]
    if left == 1 and not rules[ANTI_SPOILING]:
        gain = _last_gain(rules, w, seat, ply)
        for other in range(players):
            if gain == WON:
                values[ply, other] = _won(rules, other, seat, ply + 1)
            else:
                values[ply, other] = _worth(rules, w, other)
                if gain > -WON:
                    values[ply, other] += gain * (players - 1 if other == seat else -1)
        return
    at, end = _ordered(rules, w, seat, seat, ply, width)
    if left == 0 or end == at:
        for other in range(players):
            values[ply, other] = _worth(rules, w, other)
        if left == 0 or (end == at and left == 1):
            return
    if end == at:
        _maxn(rules, w, values, (seat + 1) % players, left - 1, ply + 1, width)
        values[ply] = values[ply + 1]
        return
    best = np.int64(-WON * SEATS_MAX)
    for i in range(at, end):
        origin, to = origin_of(w[i]), target_of(w[i])
        winner = shift(rules, w, origin, to)
        if winner != NOBODY:
            for other in range(players):
                values[ply + 1, other] = _won(rules, other, winner, ply + 1)
        elif left == 1:
            for other in range(players):
                values[ply + 1, other] = _worth(rules, w, other)
        else:
            _maxn(rules, w, values, (seat + 1) % players, left - 1, ply + 1, width)
        shift(rules, w, to, origin)
        if values[ply + 1, seat] > best:
            best = values[ply + 1, seat]
            values[ply] = values[ply + 1]
            if winner == seat:
                break


@jit
def _against(
    rules: Rules,
    w: Work,
    seat: int,
    left: int,
    ply: int,
    alpha: int,
    beta: int,
    root: int,
    one_reply: bool,
    width: int,
) -> int:
    """What the position is worth to `root` if all others play against it: alpha-beta."""
    players = np.int64(rules[PLAYERS])
    if left == 1 and not rules[ANTI_SPOILING]:
        gain = np.int64(-WON)
        for mover in range(players):
            if mover == seat or (seat == players and mover != root):
                gain = max(gain, _last_gain(rules, w, mover, ply))
        if gain == WON:
            return _won(rules, root, root if seat == root else players, ply + 1)
        return _worth(rules, w, root) + (0 if gain == -WON else gain * (players - 1) if seat == root else -gain)
    at, end = _ordered(rules, w, seat, root, ply, width)
    if one_reply:
        following = players if seat == root else root
    else:
        following = (seat + 1) % players
    if end == at:
        if left == 1:
            return _worth(rules, w, root)
        return _against(rules, w, following, left - 1, ply + 1, alpha, beta, root, one_reply, width)
    sign = 1 if seat == root else -1
    best = np.int64(-sign * WON * SEATS_MAX)
    for i in range(at, end):
        origin, to = origin_of(w[i]), target_of(w[i])
        winner = shift(rules, w, origin, to)
        if winner != NOBODY:
            value = _won(rules, root, winner, ply + 1)
        elif left == 1:
            value = _worth(rules, w, root)
        else:
            value = _against(rules, w, following, left - 1, ply + 1, alpha, beta, root, one_reply, width)
        shift(rules, w, to, origin)
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
    rules: Rules, s: State, w: Work, values: Values, kind: int, depth: int, width: int, out: NDArray[np.int32]
) -> tuple[int, int]:
    """Write all best moves of a search to `out` (as actions); return how many, and what they are worth.

    The work row must be loaded with the position.
    """
    root, players = np.int64(s[TO_MOVE]), np.int64(rules[PLAYERS])
    zero = np.int64(0)
    at, end = _ordered(rules, w, root, root, zero, width)
    best = np.int64(-WON * SEATS_MAX)
    following = players if kind == BEST_REPLY else (root + 1) % players
    count = 0
    for i in range(at, end):
        origin, to = origin_of(w[i]), target_of(w[i])
        winner = shift(rules, w, origin, to)
        if winner != NOBODY:
            value = _won(rules, root, winner, zero + 1)
        elif depth == 1:
            value = _worth(rules, w, root)
        elif kind == MAXN:
            _maxn(rules, w, values, following, depth - 1, zero + 1, width)
            value = values[1, root]
        else:  # one less than the best so far: an equal move comes out with its exact value
            most = np.int64(WON * SEATS_MAX)
            one_reply = kind == BEST_REPLY
            value = _against(rules, w, following, depth - 1, zero + 1, best - 1, most, root, one_reply, width)
        shift(rules, w, to, origin)
        if value > best:
            best = value
            count = 0
        if value == best:
            out[count] = origin * rules[N_CELLS] + to
            count += 1
    return count, best


@jit
def choose(
    rules: Rules,
    states: States,
    streams: NDArray[np.uint64],
    kind: int,
    depth: int,
    width: int,
    actions: NDArray[np.int32],
) -> None:
    """actions[b], int32[B]: a best move of each position; equal ones are equally likely."""
    looks = np.zeros(1, np.int64)
    w = seats_row(rules, max(depth, MOVES))
    values = np.zeros((depth + 1, SEATS_MAX), np.int64)
    best = np.empty(rules[MEN] * rules[N_CELLS], np.int32)
    for b in range(len(states)):
        load(rules, states[b], w)
        count = best_ways(rules, w, looks, np.int64(states[b, TO_MOVE]), best)
        if count == 0:
            count, _ = best_moves(rules, states[b], w, values, kind, depth, width, best)
        best[:count].sort()
        actions[b] = break_tie(best, count, False, streams[b : b + 1])
