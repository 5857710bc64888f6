"""The entry to the rules: every function here works for every game.

An integer in the rules row says which family of rules (placing, renju, halma) a game belongs to. Functions are not
passed as arguments, because Numba cannot keep such code in its disk cache. `apply()` does not check the action,
`is_legal()` does; `step()` does both.
"""

import numpy as np

from amoba_env.core import halma, phases, place, renju
from amoba_env.core.interrupt import cancelled
from amoba_env.core.jit import jit
from amoba_env.core.lookup import goal
from amoba_env.core.overwrite import overwrite
from amoba_env.core.rng import Stream, below
from amoba_env.core.rules import (
    BACK,
    COLORED,
    FAMILY,
    HALMA,
    HEIGHT,
    MEN,
    N_ACTIONS,
    N_CELLS,
    OPENING,
    PLACE,
    PLAYERS,
    RENJU,
    SITE,
    VIEW,
    WIDTH,
    Rules,
)
from amoba_env.core.state import (
    BLACK,
    CELLS,
    DISTANCE,
    EMPTY,
    ENDING,
    GOAL,
    ILLEGAL,
    LEFT,
    LINE,
    NOBODY,
    OFFERED,
    PHASE,
    RESIGNED,
    RUNNING,
    STATUS,
    TO_MOVE,
    State,
)

# Numba resolves global functions, not attributes of modules, in its cache keys.
_place_moves, _place_apply, _place_cells = place.moves, place.apply, place.winning_cells
_halma_moves, _halma_apply, _halma_legal, _halma_mask = halma.moves, halma.apply, halma.is_legal, halma.mask
_renju_moves, _renju_apply, _renju_legal, _renju_settle = renju.moves, renju.apply, renju.is_legal, renju.settle
_renju_mask = renju.mask
_opening_moves, _opening_apply, _opening_legal = phases.moves, phases.apply, phases.is_legal
_place_settle, _halma_settle = place.settle, halma.settle
_distance = halma.distance


@jit
def moves(rules: Rules, s: State, out: np.ndarray) -> int:
    """Write the legal actions to `out` (any integer array, [N_ACTIONS]), ascending; return how many (0: over)."""
    if s[STATUS] != RUNNING:
        return 0
    if s[PHASE]:
        return _opening_moves(rules, s, out)
    if rules[FAMILY] == PLACE:
        return _place_moves(rules, s, out)
    if rules[FAMILY] == RENJU:
        return _renju_moves(rules, s, out)
    return _halma_moves(rules, s, out)


@jit
def is_legal(rules: Rules, s: State, action: int) -> bool:
    """May the player to move play `action` (any integer)?"""
    if s[STATUS] != RUNNING or action < 0 or action >= rules[N_ACTIONS]:
        return False
    if s[PHASE]:
        return _opening_legal(rules, s, action)
    if rules[FAMILY] == HALMA:
        return _halma_legal(rules, s, action)
    if action >= rules[N_CELLS]:
        return False
    if rules[FAMILY] == RENJU:
        return _renju_legal(rules, s, action)
    return s[CELLS + action] == EMPTY


@jit
def apply(rules: Rules, s: State, action: int) -> None:
    """Play a legal action in place. Not checked: ask is_legal() first where input is not trusted."""
    if s[PHASE]:
        _opening_apply(rules, s, action)
    elif rules[FAMILY] == PLACE:
        _place_apply(rules, s, action)
    elif rules[FAMILY] == RENJU:
        _renju_apply(rules, s, action)
    else:
        _halma_apply(rules, s, action)


@jit
def step(rules: Rules, s: State, action: int) -> bool:
    """Play `action` in place if it is legal; return whether it was."""
    legal = is_legal(rules, s, action)
    if legal:
        apply(rules, s, action)
    return legal


@jit
def forfeit(rules: Rules, s: State, ending: int) -> None:
    """End the game as lost by the player to move (ILLEGAL, RESIGNED); all others share the win."""
    s[STATUS] = 1 - s[TO_MOVE] if rules[PLAYERS] == 2 else NOBODY
    s[ENDING] = ending


@jit
def settle(rules: Rules, s: State) -> None:
    """Work out whether a position that was set up by hand (STATUS is RUNNING) is over."""
    if rules[FAMILY] == HALMA:
        _halma_settle(rules, s)
    elif rules[FAMILY] == RENJU:
        _renju_settle(rules, s)
    else:
        _place_settle(rules, s)


@jit
def rewards(rules: Rules, s: State, zero_sum: bool, out: np.ndarray) -> None:
    """Write the reward of each seat to `out` (float[players]).

    The winner gets +1 and each loser -1 / (players - 1). All get 0 in a draw and while the game goes on.

    After a resignation the player who resigned gets -1 and each other one 1 / (players - 1). An illegal action gives
    the same with `zero_sum`; without it, its player gets -1 and the others 0.
    """
    players = rules[PLAYERS]
    share = 1.0 / (players - 1)
    out[:players] = 0.0
    if s[ENDING] == ILLEGAL or s[ENDING] == RESIGNED:
        if zero_sum or s[ENDING] == RESIGNED:
            out[:players] = share
        out[s[TO_MOVE]] = -1.0
    elif s[STATUS] >= 0:
        out[:players] = -share
        out[s[STATUS]] = 1.0


@jit
def places(rules: Rules, s: State, out: np.ndarray) -> None:
    """Write the place of each seat to `out`: 1 for the winner, and so on.

    Seats that share a place have the same number. In halma the others are ordered by the step distance that they had
    left. A player who forfeits is last. In a draw and in a truncated game all share the first place.
    """
    players = rules[PLAYERS]
    worth = np.zeros(players, np.int64)  # less is better
    if s[ENDING] == ILLEGAL or s[ENDING] == RESIGNED:
        worth[s[TO_MOVE]] = 1
    elif s[ENDING] == GOAL or s[ENDING] == DISTANCE:
        for seat in range(players):
            worth[seat] = _distance(rules, s, seat)
        if s[STATUS] >= 0:
            worth[s[STATUS]] = -1
    elif s[STATUS] >= 0:
        worth[:] = 1
        worth[s[STATUS]] = 0
    for seat in range(players):
        out[seat] = 1
        for other in range(players):
            if worth[other] < worth[seat]:
                out[seat] += 1


@jit
def winning_cells(rules: Rules, s: State, out: np.ndarray) -> None:
    """Set out[cell] = 1 for the cells that won (winning sets through the last stone, or the goal), else 0."""
    out[:] = 0
    if s[ENDING] == LINE:
        _place_cells(rules, s, out)
    elif s[ENDING] == GOAL:
        for i in range(rules[MEN]):
            out[goal(rules, s[STATUS], i)] = 1


@jit
def mask(rules: Rules, s: State, seat: int, out: np.ndarray) -> None:
    """Set out[action] = 1 for the legal actions, relative to `seat`, else 0; all are 0 if it is not its turn."""
    out[:] = 0
    if s[STATUS] != RUNNING or s[TO_MOVE] != seat:
        return
    if s[PHASE]:
        legal = np.empty(rules[N_ACTIONS], np.int32)
        for i in range(_opening_moves(rules, s, legal)):
            out[legal[i]] = 1  # every seat sees these boards alike
    elif rules[FAMILY] == RENJU:
        _renju_mask(rules, s, out)
    elif rules[FAMILY] == PLACE:
        for cell in range(rules[N_CELLS]):  # every seat sees these boards alike
            out[cell] = s[CELLS + cell] == EMPTY
    else:
        _halma_mask(rules, s, rules[VIEW] + seat * rules[N_CELLS], out)


@jit
def observe(rules: Rules, s: State, seat: int, planes: np.ndarray, legal: np.ndarray) -> None:
    """Write what `seat` sees to `planes`, int8[PLANES, H, W] (contiguous), and the mask to `legal`, int8[N_ACTIONS].

    Plane 0 has the seat's own stones or men, plane i those of the i-th player after it, the next plane the cells of the
    board. All are from the seat's side. In games where colours matter another plane is 1 if the seat has the black
    stones. Openings add three: offered cells, the phase, and the number of actions left in it.
    """
    flat = planes.reshape(planes.size)
    if rules[FAMILY] != HALMA and rules[N_CELLS] == rules[HEIGHT] * rules[WIDTH]:
        _observe_rectangle(rules, s, seat, flat)
    else:
        _observe_points(rules, s, seat, flat)
    if rules[COLORED]:
        _observe_colors(rules, s, seat, flat)
    mask(rules, s, seat, legal)


@jit
def _observe_rectangle(rules: Rules, s: State, seat: int, flat: np.ndarray) -> None:
    """The same on a full rectangle, where cell i is point i for every seat.

    The compiler vectorises these loops only if they stand in a function of their own.
    """
    players, n = rules[PLAYERS], rules[N_CELLS]
    for i in range(players):
        owner = np.int16((seat + i) % players)
        for cell in range(n):
            flat[i * n + cell] = s[CELLS + cell] == owner
    flat[players * n : (players + 1) * n] = 1


@jit
def _observe_points(rules: Rules, s: State, seat: int, flat: np.ndarray) -> None:
    """Write the planes of stones, men and cells of any board, cell by cell."""
    players, n = rules[PLAYERS], rules[N_CELLS]
    points = rules[HEIGHT] * rules[WIDTH]
    flat[: (players + 1) * points] = 0
    site = rules[SITE] + seat * n
    for cell in range(n):
        point = rules[site + cell]
        flat[players * points + point] = 1
        owner = s[CELLS + cell]
        if owner >= 0:
            plane = owner - seat if owner >= seat else owner - seat + players
            flat[plane * points + point] = 1


@jit
def _observe_colors(rules: Rules, s: State, seat: int, flat: np.ndarray) -> None:
    """Write the planes of colours and openings, which follow the plane of the board's cells."""
    points = rules[HEIGHT] * rules[WIDTH]
    at = (rules[PLAYERS] + 1) * points
    flat[at : at + points] = seat == s[BLACK]
    if rules[OPENING]:
        at += points
        flat[at : at + points] = 0
        for cell in range(rules[N_CELLS]):
            if s[CELLS + cell] == OFFERED:
                flat[at + rules[rules[SITE] + cell]] = 1
        at += points
        flat[at : at + points] = s[PHASE]
        flat[at + points : at + 2 * points] = s[LEFT]


@jit
def renumber(rules: Rules, seat: int, action: int, slot: int) -> int:
    """Renumber an action: board action -> relative to the seat (slot VIEW), or back (slot BACK)."""
    if rules[FAMILY] != HALMA:
        return action  # every seat sees these boards alike
    n = rules[N_CELLS]
    at = rules[slot] + seat * n
    return rules[at + action // n] * n + rules[at + action % n]


@jit
def step_relative(rules: Rules, s: State, action: int) -> bool:
    """step() with an action (0..N_ACTIONS - 1) relative to the player to move."""
    return step(rules, s, renumber(rules, s[TO_MOVE], action, BACK))


@jit
def perft(rules: Rules, s: State, depth: int) -> int:
    """The number of move sequences of length `depth` (1 for depth 0): the usual check of a move generator."""
    if depth <= 0 or cancelled():
        return 1
    legal = np.empty(rules[N_ACTIONS], np.int32)
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
    """Play at most `plies` uniformly random moves in place; return how many were played."""
    legal = np.empty(rules[N_ACTIONS], np.int32)
    placing = rules[FAMILY] == PLACE
    n = 0
    for played in range(plies):
        if n == 0 or not placing or s[PHASE]:
            n = moves(rules, s, legal)
            if n == 0:
                return played
        chosen = below(stream, n)
        action = np.int64(legal[chosen])
        opening = s[PHASE]
        apply(rules, s, action)
        if s[STATUS] != RUNNING:
            return played + 1
        n = 0 if opening else n - 1  # placing: all other cells are still free
        legal[chosen] = legal[n]
    return plies


@jit
def random_opening(rules: Rules, s: State, stream: Stream, plies: int) -> bool:
    """Play `plies` random moves after which the game goes on; return whether this was found in a hundred tries."""
    start = s.copy()
    for _ in range(100):
        if random_plies(rules, s, stream, plies) == plies and s[STATUS] == RUNNING:
            return True
        overwrite(s, start)
    return False
