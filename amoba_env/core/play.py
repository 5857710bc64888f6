"""The entry to the rules: every function here works for every game.

A number in the rules row names the family of the game (placing, renju, halma). Functions are not passed as arguments,
because Numba cannot cache such code on disk. `apply()` does not check the action, `is_legal()` does; `step()` does
both.
"""

import numpy as np

from amoba_env.core import endings as en
from amoba_env.core import halma, phases, place, renju
from amoba_env.core import planes as pl
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.interrupt import cancelled
from amoba_env.core.jit import jit
from amoba_env.core.later import jit_later
from amoba_env.core.lookup import goal
from amoba_env.core.overwrite import overwrite
from amoba_env.core.rng import Stream, below
from amoba_env.core.rules import Rules
from amoba_env.core.state import State

# Global names, not attributes of modules: families.py replaces functions by their global names.
_place_moves, _place_apply, _place_cells = place.moves, place.apply, place.winning_cells
_halma_moves, _halma_apply, _halma_legal, _halma_mask = halma.moves, halma.apply, halma.is_legal, halma.mask
_renju_moves, _renju_apply, _renju_legal, _renju_settle = renju.moves, renju.apply, renju.is_legal, renju.settle
_renju_mask = renju.mask
_opening_moves, _opening_apply, _opening_legal = phases.moves, phases.apply, phases.is_legal
_place_settle, _halma_settle = place.settle, halma.settle
_distance = halma.distance


@jit_later(nogil=False)
def moves(rules: Rules, s: State, out: np.ndarray) -> int:
    """Write the legal actions to `out` (any integer array, [N_ACTIONS]), ascending; return their number (0: over)."""
    if s[st.STATUS] != st.RUNNING:
        return 0
    if s[st.PHASE]:
        return _opening_moves(rules, s, out)
    if rules[ru.FAMILY] == ru.PLACE:
        return _place_moves(rules, s, out)
    if rules[ru.FAMILY] == ru.RENJU:
        return _renju_moves(rules, s, out)
    return _halma_moves(rules, s, out)


@jit_later(nogil=False)
def is_legal(rules: Rules, s: State, action: int) -> bool:
    """May the player to move play `action` (any integer)?"""
    if s[st.STATUS] != st.RUNNING or action < 0 or action >= rules[ru.N_ACTIONS]:
        return False
    if s[st.PHASE]:
        return _opening_legal(rules, s, action)
    if rules[ru.FAMILY] == ru.HALMA:
        return _halma_legal(rules, s, action)
    if action >= rules[ru.N_CELLS]:
        return False
    if rules[ru.FAMILY] == ru.RENJU:
        return _renju_legal(rules, s, action)
    return s[st.CELLS + action] == st.EMPTY


@jit_later(nogil=False)
def apply(rules: Rules, s: State, action: int) -> None:
    """Play a legal action in place. It is not checked: ask is_legal() first if it may be illegal."""
    if s[st.PHASE]:
        _opening_apply(rules, s, action)
    elif rules[ru.FAMILY] == ru.PLACE:
        _place_apply(rules, s, action)
    elif rules[ru.FAMILY] == ru.RENJU:
        _renju_apply(rules, s, action)
    else:
        _halma_apply(rules, s, action)


@jit_later(nogil=False)
def step(rules: Rules, s: State, action: int) -> bool:
    """Play `action` in place if it is legal; return whether it was."""
    legal = is_legal(rules, s, action)
    if legal:
        apply(rules, s, action)
    return legal


@jit_later(nogil=False)
def forfeit(rules: Rules, s: State, ending: int) -> None:
    """End the game as lost by the player to move (ILLEGAL, RESIGNED); all others share the win."""
    s[st.STATUS] = 1 - s[st.TO_MOVE] if rules[ru.PLAYERS] == 2 else st.NOBODY
    s[st.ENDING] = ending


@jit_later(nogil=False)
def settle(rules: Rules, s: State) -> None:
    """Set STATUS and ENDING of a position that was not reached by play (STATUS is RUNNING)."""
    if rules[ru.FAMILY] == ru.HALMA:
        _halma_settle(rules, s)
    elif rules[ru.FAMILY] == ru.RENJU:
        _renju_settle(rules, s)
    else:
        _place_settle(rules, s)


@jit_later(nogil=False)
def rewards(rules: Rules, s: State, zero_sum: bool, out: np.ndarray) -> None:
    """Write the reward of each seat to `out` (float[players]).

    The winner gets +1 and each loser -1 / (players - 1). All get 0 in a draw and while the game goes on.

    After a resignation the player who resigned gets -1 and each other player 1 / (players - 1). After an illegal action
    it is the same with `zero_sum`; without it the player gets -1 and the others 0.
    """
    players = rules[ru.PLAYERS]
    share = 1.0 / (players - 1)
    out[:players] = 0.0
    if s[st.ENDING] in en.FORFEITS:
        if zero_sum or s[st.ENDING] == en.RESIGNED:
            out[:players] = share
        out[s[st.TO_MOVE]] = -1.0
    elif s[st.STATUS] >= 0:
        out[:players] = -share
        out[s[st.STATUS]] = 1.0


@jit_later(nogil=False)
def places(rules: Rules, s: State, out: np.ndarray) -> None:
    """Write the place of each seat to `out`: 1 for the winner, and so on.

    Seats that share a place have the same number. In halma the losers are ordered by step distance. A player who
    forfeits is last. In other draws and in truncated games all share the first place; after a tie at the limit of moves
    those with the least distance share it.
    """
    players = rules[ru.PLAYERS]
    worth = np.zeros(players, np.int64)  # less is better
    if s[st.ENDING] in en.FORFEITS:
        worth[s[st.TO_MOVE]] = 1
    elif s[st.ENDING] == en.GOAL or s[st.ENDING] == en.DISTANCE:
        for seat in range(players):
            worth[seat] = _distance(rules, s, seat)
        if s[st.STATUS] >= 0:
            worth[s[st.STATUS]] = -1
    elif s[st.STATUS] >= 0:
        worth[:] = 1
        worth[s[st.STATUS]] = 0
    for seat in range(players):
        out[seat] = 1
        for other in range(players):
            if worth[other] < worth[seat]:
                out[seat] += 1


@jit_later(nogil=False)
def winning_cells(rules: Rules, s: State, out: np.ndarray) -> None:
    """Set out[cell] = 1 for the cells that won (winning sets through the last stone, or the goal), else 0."""
    out[:] = 0
    if s[st.ENDING] == en.LINE:
        _place_cells(rules, s, out)
    elif s[st.ENDING] == en.GOAL:
        for i in range(rules[ru.MEN]):
            out[goal(rules, s[st.STATUS], i)] = 1


@jit_later(nogil=False)
def mask(rules: Rules, s: State, seat: int, out: np.ndarray) -> None:
    """Set out[action] = 1 for the legal actions, relative to `seat`, else 0; all are 0 if it is not its turn."""
    out[:] = 0
    if s[st.STATUS] != st.RUNNING or s[st.TO_MOVE] != seat:
        return
    if s[st.PHASE]:
        legal = np.empty(rules[ru.N_ACTIONS], np.int32)
        for i in range(_opening_moves(rules, s, legal)):
            out[legal[i]] = 1  # every seat sees these boards alike
    elif rules[ru.FAMILY] == ru.RENJU:
        _renju_mask(rules, s, out)
    elif rules[ru.FAMILY] == ru.PLACE:
        for cell in range(rules[ru.N_CELLS]):  # every seat sees these boards alike
            out[cell] = s[st.CELLS + cell] == st.EMPTY
    else:
        _halma_mask(rules, s, rules[ru.VIEW] + seat * rules[ru.N_CELLS], out)


@jit_later(nogil=False)
def observe(rules: Rules, s: State, seat: int, planes: np.ndarray, legal: np.ndarray) -> None:
    """Write the observation of `seat` to `planes`, int8[PLANES, H, W] (contiguous), and the mask to `legal`.

    `legal` is int8[N_ACTIONS]. Plane 0 has the seat's own stones or men, plane i those of the i-th player after it, all
    from the seat's side. The planes of planes.py follow.
    """
    flat = planes.reshape(planes.size)
    if rules[ru.FAMILY] != ru.HALMA and rules[ru.N_CELLS] == rules[ru.HEIGHT] * rules[ru.WIDTH]:
        _observe_rectangle(rules, s, seat, flat)
    else:
        _observe_points(rules, s, seat, flat)
    if rules[ru.COLORED]:
        _observe_colors(rules, s, seat, flat)
    mask(rules, s, seat, legal)


@jit
def _observe_rectangle(rules: Rules, s: State, seat: int, flat: np.ndarray) -> None:
    """Write these planes on a full rectangle, where cell i is point i for every seat.

    The compiler vectorises these loops only in a separate function.
    """
    players, n = rules[ru.PLAYERS], rules[ru.N_CELLS]
    for i in range(players):
        owner = np.int16((seat + i) % players)
        for cell in range(n):
            flat[i * n + cell] = s[st.CELLS + cell] == owner
    flat[players * n : (players + 1) * n] = 1


@jit
def _observe_points(rules: Rules, s: State, seat: int, flat: np.ndarray) -> None:
    """Write the planes of stones, men and cells on any board, cell by cell."""
    players, n = rules[ru.PLAYERS], rules[ru.N_CELLS]
    points = rules[ru.HEIGHT] * rules[ru.WIDTH]
    flat[: (players + 1) * points] = 0
    site = rules[ru.SITE] + seat * n
    for cell in range(n):
        point = rules[site + cell]
        flat[players * points + point] = 1
        owner = s[st.CELLS + cell]
        if owner >= 0:
            plane = owner - seat if owner >= seat else owner - seat + players
            flat[plane * points + point] = 1


@jit
def _observe_colors(rules: Rules, s: State, seat: int, flat: np.ndarray) -> None:
    """Write the planes of colours and openings."""
    players, points = rules[ru.PLAYERS], rules[ru.HEIGHT] * rules[ru.WIDTH]
    at = (players + pl.BLACK) * points
    flat[at : at + points] = seat == s[st.BLACK]
    if rules[ru.OPENING_RULE]:
        at = (players + pl.OFFERED) * points
        flat[at : at + points] = 0
        for cell in range(rules[ru.N_CELLS]):
            if s[st.CELLS + cell] == st.OFFERED:
                flat[at + rules[rules[ru.SITE] + cell]] = 1
        at = (players + pl.PHASE) * points
        flat[at : at + points] = s[st.PHASE]
        at = (players + pl.LEFT) * points
        flat[at : at + points] = s[st.LEFT]


@jit_later(nogil=False)
def renumber(rules: Rules, seat: int, action: int, slot: int) -> int:
    """Renumber an action: board action -> relative to the seat (slot VIEW), or back (slot BACK)."""
    if rules[ru.FAMILY] != ru.HALMA:
        return action  # every seat sees these boards alike
    n = rules[ru.N_CELLS]
    at = rules[slot] + seat * n
    return rules[at + action // n] * n + rules[at + action % n]


@jit_later(nogil=False)
def step_relative(rules: Rules, s: State, action: int) -> bool:
    """step() with an action (0..N_ACTIONS - 1) relative to the player to move."""
    return step(rules, s, renumber(rules, s[st.TO_MOVE], action, ru.BACK))


@jit
def perft(rules: Rules, s: State, depth: int) -> int:
    """The number of move sequences of length `depth` (1 for depth 0): the standard test of a move generator."""
    if depth <= 0 or cancelled():
        return 1
    legal = np.empty(rules[ru.N_ACTIONS], np.int32)
    n = moves(rules, s, legal)
    if depth == 1:
        return n
    total = 0
    child = np.empty_like(s)
    for i in range(n):
        overwrite(child, s)
        apply(rules, child, np.int64(legal[i]))
        total += perft(rules, child, depth - 1)
    return total


@jit
def random_plies(rules: Rules, s: State, stream: Stream, plies: int) -> int:
    """Play at most `plies` uniformly random moves in place; return the number played."""
    legal = np.empty(rules[ru.N_ACTIONS], np.int32)
    placing = rules[ru.FAMILY] == ru.PLACE
    n = 0
    for played in range(plies):
        if n == 0 or not placing or s[st.PHASE]:
            n = moves(rules, s, legal)
            if n == 0:
                return played
        chosen = below(stream, n)
        action = np.int64(legal[chosen])
        opening = s[st.PHASE]
        apply(rules, s, action)
        if s[st.STATUS] != st.RUNNING:
            return played + 1
        n = 0 if opening else n - 1  # placing: all other cells are still free
        legal[chosen] = legal[n]
    return plies


@jit_later(nogil=False)
def random_opening(rules: Rules, s: State, stream: Stream, plies: int) -> bool:
    """Play `plies` random moves after which the game is not over; return whether a hundred tries were enough."""
    start = s.copy()
    for _ in range(100):
        if random_plies(rules, s, stream, plies) == plies and s[st.STATUS] == st.RUNNING:
            return True
        overwrite(s, start)
    return False
