"""Access to the tables of a rules row (rules.py), in compiled code."""

import numpy as np

from amoba_env.core import rules as ru
from amoba_env.core.jit import jit
from amoba_env.core.rules import Rules


@jit
def through(rules: Rules, cell: int) -> np.ndarray:
    """The winning sets through a cell."""
    index = rules[ru.THROUGH_INDEX] + cell
    return rules[rules[ru.THROUGH] + rules[index] : rules[ru.THROUGH] + rules[index + 1]]


@jit
def members(rules: Rules, line: int) -> np.ndarray:
    """The cells of a winning set, padded with NOWHERE."""
    at = rules[ru.SETS] + line * rules[ru.SET_SIZE]
    return rules[at : at + rules[ru.SET_SIZE]]


@jit
def guards(rules: Rules, line: int) -> np.ndarray:
    """The two cells whose stones can keep a winning set from winning, or NOWHERE; see patterns.py."""
    at = rules[ru.GUARDS] + line * 2
    return rules[at : at + 2]


@jit
def steps(rules: Rules, seat: int, cell: int) -> int:
    """The step distance of a man of `seat` on `cell`."""
    return rules[rules[ru.STEPS] + seat * rules[ru.N_CELLS] + cell]


@jit
def goal(rules: Rules, seat: int, i: int) -> int:
    """The i-th cell of a seat's goal."""
    return rules[rules[ru.GOALS] + seat * rules[ru.MEN] + i]
