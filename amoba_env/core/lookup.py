"""Reading the tables of rules.py in compiled code."""

import numpy as np

from amoba_env.core.jit import jit
from amoba_env.core.rules import (
    DIRECTIONS,
    GOAL,
    GUARDS,
    MEN,
    N_CELLS,
    NEIGHBOR,
    SET_SIZE,
    SETS,
    STEPS,
    THROUGH,
    THROUGH_INDEX,
    Rules,
)


@jit
def neighbor(rules: Rules, cell: int, direction: int) -> int:
    """The next cell in a direction, or NOWHERE."""
    return rules[rules[NEIGHBOR] + cell * rules[DIRECTIONS] + direction]


@jit
def through(rules: Rules, cell: int) -> np.ndarray:
    """The winning sets through a cell."""
    index = rules[THROUGH_INDEX] + cell
    return rules[rules[THROUGH] + rules[index] : rules[THROUGH] + rules[index + 1]]


@jit
def members(rules: Rules, line: int) -> np.ndarray:
    """The cells of a winning set; NOWHERE where it is smaller than the largest."""
    at = rules[SETS] + line * rules[SET_SIZE]
    return rules[at : at + rules[SET_SIZE]]


@jit
def guards(rules: Rules, line: int) -> np.ndarray:
    """The two cells that make a winning set too long, or NOWHERE."""
    at = rules[GUARDS] + line * 2
    return rules[at : at + 2]


@jit
def steps(rules: Rules, seat: int, cell: int) -> int:
    """Step distance of a man of `seat` on `cell`."""
    return rules[rules[STEPS] + seat * rules[N_CELLS] + cell]


@jit
def goal(rules: Rules, seat: int, i: int) -> int:
    """The i-th cell of a seat's goal."""
    return rules[rules[GOAL] + seat * rules[MEN] + i]
