"""What a position is worth without a network: played on to the end, or for some moves and then guessed; compiled.

In halma random men hardly ever arrive, so playouts stop after `cut` moves and the distances that are left decide:
a seat's chance to win is taken to be proportional to exp(-distance / SOFT). Where stones are placed a game that was
cut off counts as a draw.
"""

import math

import numpy as np
from numpy.typing import NDArray

from amoba_agents.halma import seats
from amoba_agents.halma.reach import Work
from amoba_agents.halma.seats import LEFT, PLIES, gain_of, list_moves, origin_of, shift, target_of
from amoba_agents.values.line_scores import greedy_moves, put, workspace
from amoba_agents.values.line_scores import load as load_sets
from amoba_env.core.jit import jit
from amoba_env.core.play import apply, random_plies, rewards
from amoba_env.core.rng import Stream, below
from amoba_env.core.rules import FAMILY, HALMA, MAX_PLIES, PLAYERS, Rules
from amoba_env.core.state import NOBODY, PHASE, PLY, RUNNING, STATUS, TO_MOVE, State

RANDOM, GREEDY = range(2)

SOFT = 2.0  # steps
AHEAD = 1.0  # steps that the turn to move is worth

Floats = NDArray[np.float32]
Sets = NDArray[np.int64]

_load_men, _seats_row = seats.load, seats.seats_row


@jit
def men_row(rules: Rules) -> Work:
    """A work row for playouts with men; nothing where stones are placed."""
    return _seats_row(rules, np.int64(1)) if rules[FAMILY] == HALMA else np.zeros(1, np.int32)


@jit
def sets_row(rules: Rules, s: State, greedy: bool) -> Sets:
    """The work row of score.py with the position in it, for greedy playouts with stones; else nothing."""
    if rules[FAMILY] == HALMA or not greedy or s[PHASE]:
        return np.zeros(1, np.int64)
    w = workspace(rules, np.int64(1))
    load_sets(rules, w, s, np.int64(1))
    return w


@jit
def guess(rules: Rules, w: Work, to_move: int, worth: Floats) -> None:
    """What distances say: worth[seat], -1 / (players - 1) .. 1."""
    players = rules[PLAYERS]
    least = math.inf
    total = 0.0
    for seat in range(players):
        worth[seat] = w[LEFT + seat] - (AHEAD if seat == to_move else 0.0)
        least = min(least, worth[seat])
    for seat in range(players):
        worth[seat] = math.exp((least - worth[seat]) / SOFT)
        total += worth[seat]
    for seat in range(players):
        chance = worth[seat] / total
        worth[seat] = chance - (1.0 - chance) / (players - 1)


@jit
def walk(rules: Rules, s: State, w: Work, greedy: bool, cut: int, rng: Stream, worth: Floats) -> None:
    """Men: each moves to gain the most (or, not greedy, anywhere), for `cut` moves."""
    players = np.int64(rules[PLAYERS])
    seat = np.int64(s[TO_MOVE])
    _load_men(rules, s, w)
    for _ in range(min(cut, rules[MAX_PLIES] - s[PLY])):
        end = list_moves(rules, w, seat, np.int64(PLIES))
        if end > PLIES:
            key = w[PLIES + below(rng, end - PLIES)]
            if greedy:
                alike = 0
                for i in range(PLIES, end):
                    if gain_of(w[i]) > gain_of(key):
                        key, alike = w[i], 1
                    elif gain_of(w[i]) == gain_of(key):
                        alike += 1
                        if below(rng, alike) == 0:
                            key = w[i]
            winner = shift(rules, w, origin_of(key), target_of(key))
            if winner != NOBODY:
                worth[:players] = -1.0 / (players - 1)
                worth[winner] = 1.0
                return
        seat = (seat + 1) % players
    guess(rules, w, seat, worth)


@jit
def place(rules: Rules, s: State, w: Sets, best: NDArray[np.int32], cut: int, rng: Stream, worth: Floats) -> None:
    """Stones: each player as greedy plays."""
    for _ in range(cut):
        cell = np.int64(best[below(rng, greedy_moves(rules, s, w, best))])
        put(rules, s, w, np.int64(s[TO_MOVE]), cell, np.int64(1))
        apply(rules, s, cell)
        if s[STATUS] != RUNNING:
            break
    rewards(rules, s, True, worth)


@jit
def play_on(
    rules: Rules,
    s: State,
    men: Work,
    sets: Sets,
    best: NDArray[np.int32],
    kind: int,
    cut: int,
    rng: Stream,
    worth: Floats,
) -> None:
    """worth[seat]: what came out of one playout. `s` and `sets` are played on."""
    if s[STATUS] != RUNNING:
        rewards(rules, s, True, worth)
    elif rules[FAMILY] == HALMA:
        walk(rules, s, men, kind == GREEDY, cut, rng, worth)
    elif kind == GREEDY and len(sets) > 1:
        place(rules, s, sets, best, cut, rng, worth)
    else:
        random_plies(rules, s, rng, cut)
        rewards(rules, s, True, worth)
