"""The legal actions in each phase of an opening, and their effects. opening_rules.py explains the phases."""

import numpy as np

from amoba_env.core import opening_rules as op
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.jit import jit
from amoba_env.core.rules import Rules
from amoba_env.core.state import State

PARTS = np.array([[phase in script for phase in range(len(op.PHASES))] for script in op.SCRIPTS])


@jit
def is_part(rules: Rules, phase: int) -> bool:
    """Does the opening of the game have this phase?"""
    return PARTS[rules[ru.OPENING_RULE], phase]


@jit
def mover(phase: int, black: int) -> int:
    """Whose turn it is in a phase of an opening."""
    return black if phase in (op.PUT_THREE, op.CHOOSE_AGAIN, op.OFFER) else 1 - black


@jit
def fits(rules: Rules, s: State, stones: int, offered: int) -> bool:
    """Do the stones, the offered cells and LEFT fit the phase?"""
    phase, left = s[st.PHASE], s[st.LEFT]
    if phase == op.PLAYING:
        return left == 0 and offered == 0
    least, most = (2, 2) if rules[ru.OPENING_RULE] == op.RIF26 else (1, op.MOST_OFFERS)
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
    if phase == op.CHOOSE_AGAIN:
        if rules[ru.OPENING_RULE] == op.SWAP2:
            return stones == 5 and left == 1
        return stones == 4 and least <= left <= most
    return stones == (4 if phase == op.DECLARE else 3) and left == 1


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
        if phase == op.CHOOSE and rules[ru.OPENING_RULE] == op.SWAP2:
            return True
        return phase in (op.CHOOSE, op.CHOOSE_AGAIN) and choice <= op.SWAP_ACTION
    if phase == op.PICK:
        return s[st.CELLS + action] == st.OFFERED
    if phase in (op.CHOOSE, op.CHOOSE_AGAIN, op.DECLARE) or s[st.CELLS + action] != st.EMPTY:
        return False
    if phase == op.OFFER:
        return not _is_image_of_offer(rules, s, action)
    if phase == op.PUT_THREE and rules[ru.OPENING_RULE] >= op.RIF26:
        size = rules[ru.WIDTH]
        away = max(abs(action % size - size // 2), abs(action // size - size // 2))
        return away <= 3 - s[st.LEFT] and (s[st.LEFT] < 3 or away == 0)
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
    if action >= rules[ru.N_CELLS]:
        _decide(rules, s, action - rules[ru.N_CELLS])
        return
    phase, opening, black, white = s[st.PHASE], rules[ru.OPENING_RULE], s[st.BLACK], 1 - s[st.BLACK]
    if phase == op.OFFER:
        s[st.CHOICES] += 1
        s[st.CELLS + action] = st.OFFERED
        s[st.LEFT] -= 1
        if s[st.LEFT] == 0:  # eight offers exclude at most 64 cells, so 9x9 and larger boards always have another
            s[st.PHASE], s[st.LEFT], s[st.TO_MOVE] = op.PICK, 1, white
    elif phase == op.PICK:
        for cell in range(rules[ru.N_CELLS]):
            if s[st.CELLS + cell] == st.OFFERED:
                s[st.CELLS + cell] = st.EMPTY
        s[st.CELLS + action] = black
        s[st.PHASE], s[st.LEFT], s[st.TO_MOVE] = op.PLAYING, 0, white
    else:
        s[st.CELLS + action] = black if (s[st.PLY] - 1 - s[st.CHOICES]) % 2 == 0 else white
        s[st.LEFT] -= 1
        if s[st.LEFT] == 0:
            if phase == op.PUT_THREE:
                s[st.PHASE], s[st.LEFT], s[st.TO_MOVE] = op.CHOOSE, 1, 1 - s[st.TO_MOVE]
            elif phase == op.PUT_TWO:
                s[st.PHASE], s[st.LEFT], s[st.TO_MOVE] = op.CHOOSE_AGAIN, 1, 1 - s[st.TO_MOVE]
            elif opening == op.SOOSYRV8:
                s[st.PHASE], s[st.LEFT], s[st.TO_MOVE] = op.DECLARE, 1, white
            else:
                s[st.PHASE], s[st.LEFT], s[st.TO_MOVE] = op.OFFER, 2, black


@jit
def _decide(rules: Rules, s: State, choice: int) -> None:
    """Play an action without a stone: stay, swap, put two more, declare."""
    s[st.CHOICES] += 1
    phase, opening = s[st.PHASE], rules[ru.OPENING_RULE]
    if phase == op.DECLARE:
        s[st.PHASE], s[st.LEFT], s[st.TO_MOVE] = op.CHOOSE_AGAIN, choice - op.SWAP_ACTION, s[st.BLACK]
        return
    if choice == op.MORE_ACTION:
        s[st.PHASE], s[st.LEFT], s[st.TO_MOVE] = op.PUT_TWO, 2, s[st.TO_MOVE]
        return
    if choice == op.SWAP_ACTION:
        s[st.BLACK] = 1 - s[st.BLACK]
        for cell in range(rules[ru.N_CELLS]):
            if s[st.CELLS + cell] >= 0:
                s[st.CELLS + cell] = 1 - s[st.CELLS + cell]
    if opening < op.RIF26:
        s[st.PHASE], s[st.LEFT], s[st.TO_MOVE] = op.PLAYING, 0, 1 - s[st.BLACK]
    elif phase == op.CHOOSE:
        s[st.PHASE], s[st.LEFT], s[st.TO_MOVE] = op.FOURTH, 1, 1 - s[st.BLACK]
    else:
        s[st.PHASE], s[st.LEFT], s[st.TO_MOVE] = op.OFFER, s[st.LEFT], s[st.BLACK]
