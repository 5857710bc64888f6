"""The legal actions in each phase of an opening, and their effects. opening_rules.py explains the phases."""

import numpy as np

from amoba_env.core import opening_rules as op
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.jit import jit
from amoba_env.core.rules import Rules
from amoba_env.core.state import State

PARTS = np.array([[phase in script for phase in range(len(op.PHASES))] for script in op.SCRIPTS])
OFFERS = np.array(op.OFFERS)
TEN = op.OFFERS[op.TARAGUCHI10][0]


@jit
def is_part(rules: Rules, phase: int) -> bool:
    """Does the opening of the game have this phase?"""
    return PARTS[rules[ru.OPENING_RULE], phase]


@jit
def mover(phase: int, black: int, stones: int) -> int:
    """Whose turn it is in a phase of an opening, with this number of stones on the board."""
    if phase in (op.CHOOSE, op.PUT_ONE):  # Black puts the first stone, and White may take it over
        blacks = stones % 2 == 0
    elif phase == op.DECLARE:
        blacks = stones == 3
    else:
        blacks = phase in (op.PUT_THREE, op.CHOOSE_AGAIN, op.OFFER)
    return black if blacks else 1 - black


@jit
def fits(rules: Rules, s: State, stones: int, offered: int) -> bool:
    """Do the stones, the offered cells and LEFT fit the phase?"""
    phase, left, opening = s[st.PHASE], s[st.LEFT], rules[ru.OPENING_RULE]
    if phase == op.PLAYING:
        return left == 0 and offered == 0
    least, most = OFFERS[opening, 0], OFFERS[opening, 1]
    if phase == op.OFFER:
        return stones == 4 and left >= 1 and least <= offered + left <= most
    if phase == op.PICK:
        return stones == 4 and left == 1 and least <= offered <= most
    if offered:
        return False
    if phase == op.PUT_THREE:
        return 0 <= stones <= 2 and left == 3 - stones
    if phase == op.PUT_TWO:
        return 3 <= stones <= 4 and left == 5 - stones
    if opening == op.TARAGUCHI10:
        return left == 1 and (stones <= 4 if phase == op.PUT_ONE else 1 <= stones <= 5)
    if _has_declared(opening, phase):
        return stones == (4 if phase == op.CHOOSE_AGAIN else 3) and least <= left <= most
    if phase == op.CHOOSE_AGAIN:
        return stones == 5 and left == 1
    return stones == (4 if phase == op.DECLARE and opening == op.SOOSYRV8 else 3) and left == 1


@jit
def _has_declared(opening: int, phase: int) -> bool:
    """Is LEFT the declared number of offers in this phase?"""
    if opening == op.YAMAGUCHI:
        return phase in (op.CHOOSE, op.FOURTH)
    return opening == op.SOOSYRV8 and phase == op.CHOOSE_AGAIN


@jit
def moves(rules: Rules, s: State, out: np.ndarray) -> int:
    """Write the legal actions to `out` (any integer array, [N_ACTIONS]), ascending; return their number."""
    count = 0
    for action in range(rules[ru.N_ACTIONS]):
        if is_legal(rules, s, np.int64(action)):
            out[count] = action
            count += 1
    return count


@jit
def is_legal(rules: Rules, s: State, action: int) -> bool:
    """Is the action legal in this phase?"""
    phase, n = s[st.PHASE], rules[ru.N_CELLS]
    if action >= n:
        choice = action - n
        if phase == op.DECLARE:
            return choice > op.SWAP_ACTION
        if phase == op.CHOOSE and choice == op.MORE_ACTION:
            stones = s[st.PLY] - s[st.CHOICES]
            return stones == (3 if rules[ru.OPENING_RULE] == op.SWAP2 else 4)
        return phase in (op.CHOOSE, op.CHOOSE_AGAIN) and choice <= op.SWAP_ACTION
    if phase == op.PICK:
        return s[st.CELLS + action] == st.OFFERED
    if phase in (op.CHOOSE, op.CHOOSE_AGAIN, op.DECLARE) or s[st.CELLS + action] != st.EMPTY:
        return False
    if phase == op.OFFER:
        return not _is_image_of_offer(rules, s, action)
    if phase in (op.PUT_THREE, op.PUT_ONE) and rules[ru.OPENING_RULE] >= op.RIF26:
        size = rules[ru.WIDTH]
        away = max(abs(action % size - size // 2), abs(action // size - size // 2))
        return away <= s[st.PLY] - s[st.CHOICES]
    return True


@jit
def _image(size: int, cell: int, symmetry: int) -> int:
    """The cell under one of the eight symmetries of a square."""
    x, y = cell % size, cell // size
    if symmetry & 1:
        x = size - 1 - x
    if symmetry & 2:
        y = size - 1 - y
    return x * size + y if symmetry & 4 else y * size + x


@jit
def _is_image_of_offer(rules: Rules, s: State, cell: int) -> bool:
    """Is the cell the mirror image of an offered cell, under a symmetry of the stones on the board?"""
    size = rules[ru.WIDTH]
    for symmetry in range(1, 8):
        if s[st.CELLS + _image(size, cell, symmetry)] == st.OFFERED:
            same = True
            for other in range(rules[ru.N_CELLS]):
                owner = s[st.CELLS + other]
                if owner >= 0 and s[st.CELLS + _image(size, other, symmetry)] != owner:
                    same = False
                    break
            if same:
                return True
    return False


@jit
def apply(rules: Rules, s: State, action: int) -> None:
    """Play a legal action. Nobody can win in an opening: no colour has more than three stones."""
    s[st.PLY] += 1
    s[st.TO] = action
    phase, left, opening = np.int64(s[st.PHASE]), np.int64(s[st.LEFT]), rules[ru.OPENING_RULE]
    if action >= rules[ru.N_CELLS]:
        phase, left = _decide(rules, s, action - rules[ru.N_CELLS])
    elif phase == op.OFFER:
        s[st.CHOICES] += 1
        s[st.CELLS + action] = st.OFFERED
        left -= 1
        # There is always another cell: two black stones leave at most four symmetries on boards of even size, two on
        # others, so ten offers exclude at most 40 of 100 cells or 20 of 81.
        if left == 0:
            phase, left = op.PICK, 1
    elif phase == op.PICK:
        for cell in range(rules[ru.N_CELLS]):
            if s[st.CELLS + cell] == st.OFFERED:
                s[st.CELLS + cell] = st.EMPTY
        s[st.CELLS + action] = s[st.BLACK]
        phase, left = op.PLAYING, 0
    else:
        s[st.CELLS + action] = s[st.BLACK] if (s[st.PLY] - s[st.CHOICES]) % 2 == 1 else 1 - s[st.BLACK]
        left -= 1
        if phase == op.FOURTH and opening != op.SOOSYRV8:
            phase, left = op.OFFER, left + 1 if opening == op.YAMAGUCHI else 2
        elif left == 0:
            if phase == op.PUT_TWO:
                phase = op.CHOOSE_AGAIN
            elif phase == op.FOURTH or (phase == op.PUT_THREE and opening == op.YAMAGUCHI):
                phase = op.DECLARE
            else:
                phase = op.CHOOSE
            left = 1
    s[st.PHASE], s[st.LEFT] = phase, left
    s[st.TO_MOVE] = mover(phase, s[st.BLACK], s[st.PLY] - s[st.CHOICES])


@jit
def _decide(rules: Rules, s: State, choice: int) -> tuple[int, int]:
    """Play an action without a stone: stay, swap, put two more, offer, declare. Returns the next phase and its LEFT."""
    s[st.CHOICES] += 1
    phase, left, opening = s[st.PHASE], np.int64(s[st.LEFT]), rules[ru.OPENING_RULE]
    if phase == op.DECLARE:
        return op.CHOOSE if opening == op.YAMAGUCHI else op.CHOOSE_AGAIN, choice - op.SWAP_ACTION
    if choice == op.MORE_ACTION:
        return (op.PUT_TWO, 2) if opening == op.SWAP2 else (op.OFFER, TEN)
    if choice == op.SWAP_ACTION:
        s[st.BLACK] = 1 - s[st.BLACK]
        for cell in range(rules[ru.N_CELLS]):
            if s[st.CELLS + cell] >= 0:
                s[st.CELLS + cell] = 1 - s[st.CELLS + cell]
    if opening < op.RIF26 or (opening == op.TARAGUCHI10 and s[st.PLY] - s[st.CHOICES] == 5):
        return op.PLAYING, 0
    if opening == op.TARAGUCHI10:
        return op.PUT_ONE, 1
    return op.FOURTH if phase == op.CHOOSE else op.OFFER, left
