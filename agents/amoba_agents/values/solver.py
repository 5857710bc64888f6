"""Exact values of placing games for two, compiled: can the attacker win by force?

A position is two words of 64 bits: the stones of the player to move, and of the other. A winning set is a word too,
of the cells that are in it, so that a few operations tell whether it is open to a player, and what it still needs.

`wins` answers one question, whether one of the two, the attacker, can force a win; a value takes two answers. It is
a depth-first search with a table, and what keeps it small is:

- who can win at once does so; one threat of the other is met, two cannot be;
- the test of Erdős and Selfridge ("On a combinatorial game", J. Combin. Theory A 14, 1973): where the sum of
  2 ** -(stones needed) over the attacker's open sets is less than 1, or 1/2 with the attacker to move, the defender
  can stop them all;
- a stone or free cell in no open set counts for nothing, so positions that differ only there are one position;
- of positions that are alike by symmetry only one is searched;
- wins with few quiet moves (that do not threaten to win at once) are looked for first.
"""

import numpy as np
from numpy.typing import NDArray

from amoba_env.core.jit import jit
from amoba_env.core.rng import GOLDEN, mix

Words = NDArray[np.uint64]

MAX_FREE = 60  # cells of a word; the bits above them are kept for other things
PLANES = 14  # bits of a cell's score

# Answers of wins(); others: no win with so many quiet moves.
WON, NEVER, GAVE_UP = 100, 99, -1

# Slots of `info`: positions looked at, and how many may be; whether no stone can harm its owner (no guards).
LOOKED, LIMIT, MONOTONE = range(3)

ZERO, ONE, U2, U4, U8, U56 = (np.uint64(number) for number in (0, 1, 2, 4, 8, 56))
M1, M2, M4, M8, BYTE = (
    np.uint64(number)
    for number in (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F, 0x0101010101010101, 0xFF)
)
CELLS = np.uint64((1 << MAX_FREE) - 1)
ATTACKING = np.uint64(1 << 63)


@jit
def popcount(x: np.uint64) -> int:
    """How many ones a word has."""
    x = x - ((x >> ONE) & M1)
    x = (x & M2) + ((x >> U2) & M2)
    x = (x + (x >> U4)) & M4
    return np.int64((x * M8) >> U56)


@jit
def _image(turns: Words, at: int, x: np.uint64) -> np.uint64:
    """The image of a word under the symmetry whose table begins at `at`."""
    image = ZERO
    while x != ZERO:
        image |= turns[at + np.int64(x & BYTE)]
        x >>= U8
        at += 256
    return image


@jit
def _score(sets: Words, planes: Words, at: int, mine: np.uint64, theirs: np.uint64) -> None:
    """Score all cells at once by the open sets through them: bit i of a cell's score is its bit of planes[at + i]."""
    planes[at : at + PLANES] = ZERO
    for i in range(0, len(sets), 2):
        cells = sets[i]
        for own, other in ((mine, theirs), (theirs, mine)):
            if cells & other == ZERO and sets[i + 1] & own == ZERO:
                carry = cells & ~own
                plane = at + 2 * max(0, 5 - popcount(carry))
                while carry != ZERO and plane < at + PLANES:
                    both = planes[plane] & carry
                    planes[plane] ^= carry
                    carry = both
                    plane += 1


@jit
def _pick(planes: Words, at: int, cells: np.uint64) -> np.uint64:
    """One of the best-scored of these cells."""
    for plane in range(at + PLANES - 1, at - 1, -1):
        if cells & planes[plane] != ZERO:
            cells &= planes[plane]
    return cells & (~cells + ONE)


@jit
def wins(
    sets: Words,
    turns: Words,
    table: Words,
    planes: Words,
    info: NDArray[np.int64],
    mine: np.uint64,
    theirs: np.uint64,
    attacking: int,
    quiet: int,
) -> int:
    """Can the attacker win with at most `quiet` quiet moves: WON, NEVER, GAVE_UP, or more exactly how many do not do.

    Args:
        sets: two words a winning set: its cells, and its guards.
        turns: [symmetries * 2048], the image of each value of each byte of a word. The identity is left out.
        table: three words an entry: the key in two, and the answer in the low byte with the free cells above it.
        planes: [(MAX_FREE + 1) * PLANES], work space.
        info: see above.
        mine: stones of the player to move. The game is not over.
        theirs: stones of the other.
        attacking: 1 if the attacker is to move, 0 if the defender is.
        quiet: the limit.
    """
    info[LOOKED] += 1
    if info[LOOKED] > info[LIMIT]:
        return np.int64(GAVE_UP)
    threats, pairs, live_mine, live_theirs = ZERO, ZERO, ZERO, ZERO
    weight = 0
    for i in range(0, len(sets), 2):
        cells = sets[i]
        if cells & theirs == ZERO and sets[i + 1] & mine == ZERO:
            rest = cells & ~mine
            if rest & (rest - ONE) == ZERO:
                return np.int64(WON) if attacking else np.int64(NEVER)
            live_mine |= cells
            if attacking:
                need = popcount(rest)
                weight += 1 << (40 - min(need, 40))
                if need == 2:
                    pairs |= rest
        if cells & mine == ZERO and sets[i + 1] & theirs == ZERO:
            rest = cells & ~theirs
            if rest & (rest - ONE) == ZERO:
                threats |= rest
            live_theirs |= cells
            if not attacking:
                weight += 1 << (40 - min(popcount(rest), 40))
    if threats != ZERO and threats & (threats - ONE) != ZERO:
        return np.int64(NEVER) if attacking else np.int64(WON)
    if weight < 1 << (40 - attacking):
        return np.int64(NEVER)
    if threats != ZERO:
        return wins(sets, turns, table, planes, info, theirs, mine | threats, 1 - attacking, quiet)
    free = CELLS & ~(mine | theirs)
    a, b = mine | free, theirs | free
    if info[MONOTONE]:
        free &= live_mine | live_theirs
        a, b = mine & live_mine | free, theirs & live_theirs | free
    key_a, key_b = a, b
    for at in range(0, len(turns), 2048):
        image = _image(turns, at, a)
        if image <= key_a:
            image_b = _image(turns, at, b)
            if image < key_a or image_b < key_b:
                key_a, key_b = image, image_b
    if attacking:
        key_b |= ATTACKING
    slot = np.int64(mix(key_a ^ mix(key_b + GOLDEN)) & np.uint64(len(table) // 3 - 1))
    for at in (3 * slot, 3 * (slot ^ 1)):
        if table[at] == key_a and table[at + 1] == key_b:
            level = np.int64(table[at + 2] & BYTE)
            if level == WON or level >= quiet:
                return level
    size = popcount(free)
    at = size * PLANES
    _score(sets, planes, at, mine, theirs)
    level = np.int64(NEVER) if attacking else np.int64(WON)
    if attacking and quiet == 0:
        if free & ~pairs != ZERO:
            level = np.int64(0)
        free &= pairs
    while free != ZERO:
        cell = _pick(planes, at, free)
        free ^= cell
        calm = np.int64(attacking and cell & pairs == ZERO)
        found = wins(sets, turns, table, planes, info, theirs, mine | cell, 1 - attacking, quiet - calm)
        if found == GAVE_UP:
            return found
        if attacking:
            if found == WON:
                level = found
                break
            level = min(level, found + calm if found < NEVER else found)
        elif found != WON:
            level = found
            break
    at = 3 * slot
    if size < np.int64(table[at + 2] >> U8):
        at = 3 * (slot ^ 1)
    table[at], table[at + 1] = key_a, key_b
    table[at + 2] = np.uint64(level) | np.uint64(size) << U8
    return level
