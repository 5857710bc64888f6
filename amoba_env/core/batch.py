"""Many games at once, played with the same apply() as single games.

Each row of a batch is a game with its own random stream, so rows do not depend on each other.
"""

import numpy as np

from amoba_env.core import endings as en
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.families import by_family
from amoba_env.core.jit import jit
from amoba_env.core.later import jit_later
from amoba_env.core.overwrite import overwrite
from amoba_env.core.play import (
    apply,
    forfeit,
    is_legal,
    observe,
    places,
    random_plies,
    renumber,
    rewards,
    step_relative,
)
from amoba_env.core.refcount import uncounted
from amoba_env.core.rng import below, mix
from amoba_env.core.rules import Rules
from amoba_env.core.state import States

TRIES = 16  # random guesses at a legal action before the mask is counted
FOREVER = 1 << 40  # plies
PARTS = 1 << 31  # with below_all(), a uniform random number is a multiple of 1 / PARTS


@by_family()
def step_rows(rules: Rules, states: States, rows: np.ndarray, actions: np.ndarray) -> None:
    """Play the board action actions[i] in states[rows[i]], a running game; an illegal action loses."""
    rules, states = uncounted(rules), uncounted(states)
    for i in range(len(rows)):
        s = states[rows[i]]
        action = np.int64(actions[i])  # always int64: one compiled version of what is called
        if is_legal(rules, s, action):
            apply(rules, s, action)
        else:
            forfeit(rules, s, en.ILLEGAL)


@jit
def update_digests(digests: np.ndarray, rows: np.ndarray, actions: np.ndarray) -> None:
    """Mix actions[i] into digests[rows[i]] (uint64). The digest of a game is a hash of its moves."""
    for i in range(len(rows)):
        digests[rows[i]] = mix(digests[rows[i]] ^ np.uint64(actions[i]))


@jit_later()
def step_all(rules: Rules, states: States, actions: np.ndarray) -> None:
    """Play actions[i], relative to the player to move, in every states[i] that is not over; an illegal action loses."""
    rules, states = uncounted(rules), uncounted(states)
    for i in range(len(states)):
        s = states[i]
        if s[st.STATUS] == st.RUNNING:
            action = np.int64(actions[i])
            if action < 0 or action >= rules[ru.N_ACTIONS] or not step_relative(rules, s, action):
                forfeit(rules, s, en.ILLEGAL)


@jit_later()
def observe_all(rules: Rules, states: States, seats: np.ndarray, planes: np.ndarray, masks: np.ndarray) -> None:
    """Write what seats[i] sees of states[i]: planes int8[B, PLANES, H, W], masks int8[B, N_ACTIONS]. See observe()."""
    rules, states, planes, masks = uncounted(rules), uncounted(states), uncounted(planes), uncounted(masks)
    for i in range(len(states)):
        observe(rules, states[i], np.int64(seats[i]), planes[i], masks[i])


@jit_later()
def rewards_all(rules: Rules, states: States, zero_sum: bool, out: np.ndarray) -> None:
    """Write the reward of each seat in each game to `out`, float[B, PLAYERS]; 0 while a game goes on. See rewards()."""
    rules, states, out = uncounted(rules), uncounted(states), uncounted(out)
    players = out.shape[1]
    for i in range(len(states)):
        if states[i, st.STATUS] == st.RUNNING:  # most games run; a call for each would take time
            for seat in range(players):
                out[i, seat] = 0.0
        else:
            rewards(rules, states[i], zero_sum, out[i])


@jit_later()
def places_all(rules: Rules, states: States, out: np.ndarray) -> None:
    """Write the place of each seat in each game to `out`, int64[B, PLAYERS]. See places()."""
    for i in range(len(states)):
        places(rules, states[i], out[i])


@jit
def board_actions(rules: Rules, states: States, actions: np.ndarray, out: np.ndarray) -> None:
    """Write to out[i] the board action of actions[i], which is relative to the player to move in states[i]."""
    rules, states = uncounted(rules), uncounted(states)
    for i in range(len(states)):
        out[i] = renumber(rules, np.int64(states[i, st.TO_MOVE]), np.int64(actions[i]), ru.BACK)


@jit_later()
def below_all(streams: np.ndarray, n: int, out: np.ndarray) -> None:
    """Write a uniform integer of 0..n-1 from each stream to `out`."""
    streams = uncounted(streams)
    for i in range(len(streams)):
        out[i] = below(streams[i : i + 1], n)


@jit
def random_actions(masks: np.ndarray, streams: np.ndarray, out: np.ndarray) -> None:
    """Write to out[i] an action that masks[i] allows (all equally likely), or 0 if it allows none."""
    masks, streams = uncounted(masks), uncounted(streams)
    n = masks.shape[1]
    for i in range(len(masks)):
        out[i] = -1
        for _ in range(TRIES):
            action = below(streams[i : i + 1], n)
            if masks[i, action]:
                out[i] = action
                break
        if out[i] < 0:
            out[i] = _one_of(masks[i], streams[i : i + 1])


@jit
def _one_of(mask: np.ndarray, stream: np.ndarray) -> int:
    """An action that the mask allows (all equally likely), or 0 if it allows none."""
    count = 0
    for action in range(len(mask)):
        count += mask[action] != 0
    if count == 0:
        return 0
    left = below(stream, count)
    for action in range(len(mask)):
        if mask[action]:
            if left == 0:
                return action
            left -= 1
    return 0


@jit
def random_games(rules: Rules, streams: np.ndarray) -> int:
    """Play a uniformly random game from the start with each stream (uint64[games]); return the number of moves."""
    rules, streams = uncounted(rules), uncounted(streams)
    begin = rules[ru.START]
    first = np.empty(rules[ru.NEIGHBOR] - begin, np.int16)
    for i in range(len(first)):
        first[i] = rules[begin + i]
    row = first.copy()
    s = uncounted(row)
    plies = 0
    for i in range(len(streams)):
        overwrite(s, first)
        plies += random_plies(rules, s, streams[i : i + 1], np.int64(FOREVER))
    return plies + 0 * row[0]  # this use of the row keeps it alive until here
