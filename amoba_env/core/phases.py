"""The legal actions in each phase of an opening, and what they do. opening.py explains the phases."""

import numpy as np

from amoba_env.core.jit import jit
from amoba_env.core.opening import (
    CHOOSE,
    CHOOSE_AGAIN,
    DECLARE,
    FOURTH,
    MORE_ACTION,
    MOST_OFFERS,
    OFFER,
    PHASES,
    PICK,
    PLAYING,
    PUT_THREE,
    PUT_TWO,
    RIF26,
    SCRIPTS,
    SOOSYRV8,
    SWAP2,
    SWAP_ACTION,
)
from amoba_env.core.rules import N_ACTIONS, N_CELLS, OPENING, WIDTH, Rules
from amoba_env.core.state import (
    BLACK,
    CELLS,
    CHOICES,
    EMPTY,
    LEFT,
    OFFERED,
    PHASE,
    PLY,
    TO,
    TO_MOVE,
    State,
)

PARTS = np.array([[phase in script for phase in range(len(PHASES))] for script in SCRIPTS])


@jit
def is_part(rules: Rules, phase: int) -> bool:
    """Does the opening of the game have this phase?"""
    return PARTS[rules[OPENING], phase]


@jit
def mover(phase: int, black: int) -> int:
    """Whose turn it is in a phase of an opening."""
    return black if phase in (PUT_THREE, CHOOSE_AGAIN, OFFER) else 1 - black


@jit
def fits(rules: Rules, s: State, stones: int, offered: int) -> bool:
    """Do the numbers of stones, of actions left and of offered cells fit the phase?"""
    phase, left = s[PHASE], s[LEFT]
    if phase == PLAYING:
        return left == 0 and offered == 0
    least, most = (2, 2) if rules[OPENING] == RIF26 else (1, MOST_OFFERS)
    if phase == OFFER:
        return stones == 4 and left >= 1 and least <= offered + left <= most
    if phase == PICK:
        return stones == 4 and left == 1 and least <= offered <= most
    if offered:
        return False
    if phase == PUT_THREE:
        return 0 <= stones <= 2 and left == 3 - stones
    if phase == PUT_TWO:
        return 3 <= stones <= 4 and left == 5 - stones
    if phase == CHOOSE_AGAIN:
        return stones == 5 and left == 1 if rules[OPENING] == SWAP2 else stones == 4 and least <= left <= most
    return stones == (4 if phase == DECLARE else 3) and left == 1


@jit
def moves(rules: Rules, s: State, out: np.ndarray) -> int:
    """Write the legal actions to `out` (any integer array, [N_ACTIONS]), ascending; return how many."""
    count = 0
    for action in range(rules[N_ACTIONS]):
        if is_legal(rules, s, np.int64(action)):
            out[count] = action
            count += 1
    return count


@jit
def is_legal(rules: Rules, s: State, action: int) -> bool:
    """Is the action legal in this phase?"""
    phase, n = s[PHASE], rules[N_CELLS]
    if action >= n:
        choice = action - n
        if phase == DECLARE:
            return choice > SWAP_ACTION
        if phase == CHOOSE and rules[OPENING] == SWAP2:
            return True
        return phase in (CHOOSE, CHOOSE_AGAIN) and choice <= SWAP_ACTION
    if phase == PICK:
        return s[CELLS + action] == OFFERED
    if phase in (CHOOSE, CHOOSE_AGAIN, DECLARE) or s[CELLS + action] != EMPTY:
        return False
    if phase == OFFER:
        return not _is_image_of_offer(rules, s, action)
    if phase == PUT_THREE and rules[OPENING] >= RIF26:
        size = rules[WIDTH]
        away = max(abs(action % size - size // 2), abs(action // size - size // 2))
        return away <= 3 - s[LEFT] and (s[LEFT] < 3 or away == 0)
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
    size = rules[WIDTH]
    for symmetry in range(1, 8):
        if s[CELLS + _image(size, cell, symmetry)] == OFFERED:
            same = True
            for other in range(rules[N_CELLS]):
                owner = s[CELLS + other]
                if owner >= 0 and s[CELLS + _image(size, other, symmetry)] != owner:
                    same = False
                    break
            if same:
                return True
    return False


@jit
def apply(rules: Rules, s: State, action: int) -> None:
    """Play a legal action. Nobody can win in an opening: no colour has more than three stones."""
    s[PLY] += 1
    s[TO] = action
    if action >= rules[N_CELLS]:
        _decide(rules, s, action - rules[N_CELLS])
        return
    phase, opening, black, white = s[PHASE], rules[OPENING], s[BLACK], 1 - s[BLACK]
    if phase == OFFER:
        s[CHOICES] += 1
        s[CELLS + action] = OFFERED
        s[LEFT] -= 1
        if s[LEFT] == 0:  # eight offers rule out 64 cells at most: on 9x9 and larger there is always one more
            s[PHASE], s[LEFT], s[TO_MOVE] = PICK, 1, white
    elif phase == PICK:
        for cell in range(rules[N_CELLS]):
            if s[CELLS + cell] == OFFERED:
                s[CELLS + cell] = EMPTY
        s[CELLS + action] = black
        s[PHASE], s[LEFT], s[TO_MOVE] = PLAYING, 0, white
    else:
        s[CELLS + action] = black if (s[PLY] - 1 - s[CHOICES]) % 2 == 0 else white
        s[LEFT] -= 1
        if s[LEFT] == 0:
            if phase == PUT_THREE:
                s[PHASE], s[LEFT], s[TO_MOVE] = CHOOSE, 1, 1 - s[TO_MOVE]
            elif phase == PUT_TWO:
                s[PHASE], s[LEFT], s[TO_MOVE] = CHOOSE_AGAIN, 1, 1 - s[TO_MOVE]
            elif opening == SOOSYRV8:
                s[PHASE], s[LEFT], s[TO_MOVE] = DECLARE, 1, white
            else:
                s[PHASE], s[LEFT], s[TO_MOVE] = OFFER, 2, black


@jit
def _decide(rules: Rules, s: State, choice: int) -> None:
    """Play an action that puts no stone: stay, swap, put two more, declare."""
    s[CHOICES] += 1
    phase, opening = s[PHASE], rules[OPENING]
    if phase == DECLARE:
        s[PHASE], s[LEFT], s[TO_MOVE] = CHOOSE_AGAIN, choice - SWAP_ACTION, s[BLACK]
        return
    if choice == MORE_ACTION:
        s[PHASE], s[LEFT], s[TO_MOVE] = PUT_TWO, 2, s[TO_MOVE]
        return
    if choice == SWAP_ACTION:
        s[BLACK] = 1 - s[BLACK]
        for cell in range(rules[N_CELLS]):
            if s[CELLS + cell] >= 0:
                s[CELLS + cell] = 1 - s[CELLS + cell]
    if opening < RIF26:
        s[PHASE], s[LEFT], s[TO_MOVE] = PLAYING, 0, 1 - s[BLACK]
    elif phase == CHOOSE:
        s[PHASE], s[LEFT], s[TO_MOVE] = FOURTH, 1, 1 - s[BLACK]
    else:
        s[PHASE], s[LEFT], s[TO_MOVE] = OFFER, s[LEFT], s[BLACK]
