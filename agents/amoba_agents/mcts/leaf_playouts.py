"""The leaf for all games: playouts, and priors from the scores of greedy.

In halma, random moves hardly ever fill a goal, so playouts stop after `cut` moves and the distances decide: the chance
of a seat is proportional to exp(-distance / DISTANCE_TEMPERATURE). In placing games an unfinished playout is a draw.
"""

import math

import numpy as np
from numpy.typing import NDArray

from amoba_agents.halma import seats
from amoba_agents.halma.reach import MenWork
from amoba_agents.mcts.tree import Floats, Integers, normalize
from amoba_agents.values.line_scores import SCORE, greedy_moves, put, workspace
from amoba_agents.values.line_scores import load as load_sets
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.jit import jit
from amoba_env.core.play import apply, moves, random_plies, rewards
from amoba_env.core.rng import Stream, below
from amoba_env.core.rules import Rules
from amoba_env.core.state import State

DISTANCE_TEMPERATURE = 2.0  # steps
TEMPO = 1.0  # value of the turn, in steps
# Priors are proportional to exp(progress / PRIOR_TEMPERATURE) for men, to the square root of greedy's score for stones.
PRIOR_TEMPERATURE = 1.0  # steps
MOST_SCORE = 1 << 20

Sets = NDArray[np.int64]

_load_men, _seats_workspace = seats.load, seats.seats_workspace


@jit
def men_workspace(rules: Rules, plies: int) -> MenWork:
    """A work row for this many plies with men; empty in placing games."""
    return _seats_workspace(rules, plies) if rules[ru.FAMILY] == ru.HALMA else np.zeros(1, np.int32)


@jit
def sets_workspace(rules: Rules, s: State, has_playouts: bool) -> Sets:
    """The work row of line_scores.py, loaded with the position, for playouts with stones; else an empty one."""
    if rules[ru.FAMILY] == ru.HALMA or not has_playouts or s[st.PHASE]:
        return np.zeros(1, np.int64)
    w = workspace(rules, np.int64(1))
    load_sets(rules, w, s, np.int64(1))
    return w


@jit
def evaluate_distances(rules: Rules, w: MenWork, to_move: int, seat_values: Floats) -> None:
    """Set seat_values[seat], -1 / (players - 1) .. 1, from the distances."""
    players = rules[ru.PLAYERS]
    least = math.inf
    total = 0.0
    for seat in range(players):
        seat_values[seat] = w[seats.DISTANCE_LEFT + seat] - (TEMPO if seat == to_move else 0.0)
        least = min(least, seat_values[seat])
    for seat in range(players):
        seat_values[seat] = math.exp((least - seat_values[seat]) / DISTANCE_TEMPERATURE)
        total += seat_values[seat]
    for seat in range(players):
        chance = seat_values[seat] / total
        seat_values[seat] = chance - (1.0 - chance) / (players - 1)


@jit
def playout_men(rules: Rules, s: State, w: MenWork, cut: int, rng: Stream, seat_values: Floats) -> None:
    """Play `cut` moves with men, each with the greatest gain, then evaluate."""
    players = np.int64(rules[ru.PLAYERS])
    seat = np.int64(s[st.TO_MOVE])
    left = rules[ru.PLY_LIMIT] - s[st.PLY]
    _load_men(rules, s, w)
    for _ in range(min(cut, left)):
        end = seats.list_moves(rules, w, seat, np.int64(seats.PLIES))
        if end > seats.PLIES:
            key = w[seats.PLIES + below(rng, end - seats.PLIES)]
            ties = 0
            for i in range(seats.PLIES, end):
                if seats.progress_of(w[i]) > seats.progress_of(key):
                    key, ties = w[i], 1
                elif seats.progress_of(w[i]) == seats.progress_of(key):
                    ties += 1
                    if below(rng, ties) == 0:
                        key = w[i]
            winner = seats.move_man(rules, w, seats.origin_of(key), seats.target_of(key))
            if winner != st.NOBODY:
                seat_values[:players] = -1.0 / (players - 1)
                seat_values[winner] = 1.0
                return
        seat = (seat + 1) % players
    if left <= cut and not rules[ru.ADJUDICATE]:
        seat_values[:players] = 0.0
    else:
        evaluate_distances(rules, w, seat, seat_values)


@jit
def playout_stones(
    rules: Rules, s: State, w: Sets, best: NDArray[np.int32], cut: int, rng: Stream, seat_values: Floats
) -> None:
    """Play `cut` moves with stones: each player plays as greedy does."""
    for _ in range(cut):
        cell = np.int64(best[below(rng, greedy_moves(rules, s, w, best))])
        put(rules, s, w, np.int64(s[st.TO_MOVE]), cell, np.int64(1))
        apply(rules, s, cell)
        if s[st.STATUS] != st.RUNNING:
            break
    rewards(rules, s, True, seat_values)


@jit
def run_playout(
    rules: Rules,
    s: State,
    men: MenWork,
    sets: Sets,
    best: NDArray[np.int32],
    cut: int,
    rng: Stream,
    seat_values: Floats,
) -> None:
    """Set seat_values[seat] to the result of one playout of a game that is not over. `s` and `sets` are changed.

    In phases of an opening the playout is random.
    """
    if rules[ru.FAMILY] == ru.HALMA:
        playout_men(rules, s, men, cut, rng, seat_values)
    elif len(sets) > 1:
        playout_stones(rules, s, sets, best, cut, rng, seat_values)
    else:
        random_plies(rules, s, rng, cut)
        rewards(rules, s, True, seat_values)


@jit
def list_with_priors(rules: Rules, s: State, men: MenWork, sets: Sets, legal: Integers, priors: Floats) -> int:
    """Write the legal actions and their priors; return their number.

    Priors follow greedy's scores. Without them, as in phases of an opening, they are uniform.
    """
    seat = np.int64(s[st.TO_MOVE])
    if rules[ru.FAMILY] == ru.HALMA:
        _load_men(rules, s, men)
        count = seats.list_moves(rules, men, seat, np.int64(seats.PLIES)) - seats.PLIES
        for i in range(count):
            key = men[seats.PLIES + i]
            legal[i] = seats.origin_of(key) * rules[ru.N_CELLS] + seats.target_of(key)
            priors[i] = math.exp(seats.progress_of(key) / PRIOR_TEMPERATURE)
    else:
        count = moves(rules, s, legal)
        for i in range(count):
            priors[i] = 1.0
            if len(sets) > 1:
                priors[i] = math.sqrt(1 + min(MOST_SCORE, sets[sets[SCORE] + seat * rules[ru.N_CELLS] + legal[i]]))
    normalize(priors, count)
    return count
