"""The search for exact values of placing games for two: can the attacker force a win?

A position is two words of 64 bits: the stones of the player to move and of the opponent. A winning set is a word
with the bits of its cells, so a few operations tell whether it is open for a player and how many stones it needs.

`wins` tells whether one of the two, the attacker, can force a win; an exact value takes two such answers. It is a
depth-first search with a transposition table. These rules keep it small:

- a player who can win in one move does so; a single threat has to be answered, and two threats win;
- the criterion of Erdős and Selfridge ("On a combinatorial game", J. Combin. Theory A 14, 1973): if the sum of
  2 ** -(stones needed) over the attacker's open sets is less than 1, or less than 1/2 with the attacker to move, the
  defender can stop all of them;
- stones and free cells outside open sets do not matter: positions that differ only there are the same;
- of symmetric positions only one is searched;
- wins with few quiet moves (moves that do not threaten to win at once) are searched first.
"""

import numpy as np
from numpy.typing import NDArray

from amoba_env.core.interrupt import cancelled
from amoba_env.core.jit import jit
from amoba_env.core.rng import GOLDEN, mix

Words = NDArray[np.uint64]

MAX_FREE = 60  # cells in a word; higher bits have other meanings
PLANES = 14  # bits of a cell's score, one word for each

# Answers of wins(). Any other number n means: no win with n quiet moves.
WON, NEVER, GAVE_UP = 100, 99, -1

# Slots of `info`: positions visited; their limit; whether a stone never harms its owner (true without guards).
SEARCHED, LIMIT, MONOTONE = range(3)

ZERO, ONE, U2, U4, U8, U56 = (np.uint64(number) for number in (0, 1, 2, 4, 8, 56))
M1, M2, M4, M8, BYTE = (
    np.uint64(number)
    for number in (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F, 0x0101010101010101, 0xFF)
)
CELLS = np.uint64((1 << MAX_FREE) - 1)
ATTACKING = np.uint64(1 << 63)


@jit
def popcount(x: np.uint64) -> int:
    """The number of ones in a word."""
    x = x - ((x >> ONE) & M1)
    x = (x & M2) + ((x >> U2) & M2)
    x = (x + (x >> U4)) & M4
    return np.int64((x * M8) >> U56)


@jit
def _image(symmetry_tables: Words, at: int, x: np.uint64) -> np.uint64:
    """The image of a word under the symmetry whose table begins at `at`."""
    image = ZERO
    while x != ZERO:
        image |= symmetry_tables[at + np.int64(x & BYTE)]
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
def _best_cell(planes: Words, at: int, cells: np.uint64) -> np.uint64:
    """One of the cells with the highest score."""
    for plane in range(at + PLANES - 1, at - 1, -1):
        if cells & planes[plane] != ZERO:
            cells &= planes[plane]
    return cells & (~cells + ONE)


@jit
def wins(
    sets: Words,
    symmetry_tables: Words,
    table: Words,
    planes: Words,
    info: NDArray[np.int64],
    mine: np.uint64,
    theirs: np.uint64,
    attacking: int,
    quiet: int,
) -> int:
    """Whether the attacker wins with at most `quiet` quiet moves.

    It is one long function because its parts share nearly all local variables.

    Args:
        sets: two words for each winning set: its cells and its guards.
        symmetry_tables: [symmetries * 2048], the image of each value of each byte of a word, without the identity.
        table: three words for each entry: two words of key, then the answer in the low byte and the number of free
            cells.
        planes: [(MAX_FREE + 1) * PLANES], work space.
        info: see SEARCHED, LIMIT and MONOTONE.
        mine: the stones of the player to move. The game is not over.
        theirs: the stones of the opponent.
        attacking: 1 if the attacker is to move, 0 if the defender is.
        quiet: the limit of quiet moves.

    Returns:
        WON, NEVER, GAVE_UP, or the greatest number of quiet moves with which a win is known to be impossible.
    """
    info[SEARCHED] += 1
    if info[SEARCHED] > info[LIMIT] or cancelled():
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
        return wins(sets, symmetry_tables, table, planes, info, theirs, mine | threats, 1 - attacking, quiet)
    free = CELLS & ~(mine | theirs)
    a, b = mine | free, theirs | free
    if info[MONOTONE]:
        free &= live_mine | live_theirs
        a, b = mine & live_mine | free, theirs & live_theirs | free
    key_a, key_b = a, b
    for at in range(0, len(symmetry_tables), 2048):
        image = _image(symmetry_tables, at, a)
        if image <= key_a:
            image_b = _image(symmetry_tables, at, b)
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
        cell = _best_cell(planes, at, free)
        free ^= cell
        quiet_move = np.int64(attacking and cell & pairs == ZERO)
        found = wins(sets, symmetry_tables, table, planes, info, theirs, mine | cell, 1 - attacking, quiet - quiet_move)
        if found == GAVE_UP:
            return found
        if attacking:
            if found == WON:
                level = found
                break
            level = min(level, found + quiet_move if found < NEVER else found)
        elif found != WON:
            level = found
            break
    at = 3 * slot
    if size < np.int64(table[at + 2] >> U8):
        at = 3 * (slot ^ 1)
    table[at], table[at + 1] = key_a, key_b
    table[at + 2] = np.uint64(level) | np.uint64(size) << U8
    return level
