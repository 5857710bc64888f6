"""Checks of arguments. Each raises a ValueError that says what is possible, most of them BadValue."""

from __future__ import annotations

import functools
import logging
import math
import operator
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")

SEED_BITS = 128  # of a seed, so that streams of different purposes are independent, see core/rng.py
MOST_COUNT = 1 << 20  # games in lockstep
MOST_THREADS = 1024
LONG_SEARCH = 1e9  # positions: a quarter of an hour at POSITIONS_PER_HOUR
POSITIONS_PER_HOUR = 3.6e9
MOST_CHARACTERS = 60  # of a value in an error message


class BadValue(ValueError):
    """A value that the argument `name` cannot have."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(name, problem)
        self.name = name

    def __str__(self) -> str:
        return ": ".join(self.args)


def brief(value: object) -> str:
    """A value as text for an error message: one line, at most MOST_CHARACTERS characters."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # Python refuses to write integers of thousands of digits
        return "a number of thousands of digits"
    return text if len(text) <= MOST_CHARACTERS else f"{text[: MOST_CHARACTERS - 3]}..."


def whole(name: str, value: object, least: int | None = None, most: int | None = None) -> int:
    """An integer (of NumPy too) as an int. BadValue for other types, bools, and numbers out of range."""
    if least is None:
        span = "" if most is None else f"{most} or less"
    else:
        span = f"{least} or more" if most is None else f"{least}..{most}"
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise BadValue(name, f"expected a whole number{span and f', {span}'}, got {brief(value)}") from None
    if (least is not None and number < least) or (most is not None and number > most):
        raise BadValue(name, f"expected {span}, got {brief(number)}")
    return number


def action(value: object, count: int, who: str = "") -> int:
    """An action of the space Discrete(count), also in an array of one integer, as an int. ValueError for others."""
    try:
        one = value.item() if isinstance(value, np.ndarray) and value.size == 1 else value
        number = -1 if isinstance(one, bool) else operator.index(one)  # type: ignore[arg-type]
    except TypeError:
        number = -1
    if not 0 <= number < count:
        raise ValueError(f"{who and who + ': '}expected an action, an integer 0..{count - 1}, got {brief(value)}")
    return number


def real(name: str, value: object, least: float = -math.inf, most: float = math.inf) -> float:
    """A finite number (of NumPy too) as a float. BadValue for other types, bools, and numbers out of range."""
    if math.isinf(least):
        span = "" if math.isinf(most) else f"{most:g} or less"
    else:
        span = f"{least:g} or more" if math.isinf(most) else f"{least:g}..{most:g}"
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise BadValue(name, f"expected a number{span and f', {span}'}, got {brief(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not (math.isfinite(number) and least <= number <= most):
        raise BadValue(name, f"expected {span or 'a finite number'}, got {brief(value)}")
    return number


def seed(value: object, name: str = "seed") -> int:
    """A seed as an int. BadValue for anything else."""
    number = whole(name, value)
    if not 0 <= number < 1 << SEED_BITS:
        raise BadValue(name, f"expected 0 or more and less than 2 ** {SEED_BITS}, got {brief(number)}")
    return number


def seeds(given: Any, count: int) -> Sequence[int | None]:
    """The seeds of `count` games: seed, seed + 1, ... for one seed; else a list with a seed or None for each game.

    ValueError for anything else; the seeds of a list are not checked.
    """
    if given is None:
        return [None] * count
    if not (isinstance(given, (list, tuple, range)) or (isinstance(given, np.ndarray) and given.ndim == 1)):
        one = seed(given)
        return range(one, one + count)
    if len(given) != count:
        raise ValueError(f"seed: expected one, or a list of {count}, got {len(given)}")
    return given  # type: ignore[return-value]


def flag(name: str, value: object) -> bool:
    """True or False (of NumPy too) as a bool. BadValue for anything else."""
    if not isinstance(value, (bool, np.bool_)):
        raise BadValue(name, f"expected true or false, got {brief(value)}")
    return bool(value)


def text(name: str, value: object) -> str:
    """A text. BadValue for anything else."""
    if not isinstance(value, str):
        raise BadValue(name, f"expected a text, got {brief(value)}")
    return value


def one_of(name: str, value: T, known: Sequence[str]) -> T:
    """One of the `known` texts. BadValue for anything else."""
    if not isinstance(value, str) or value not in known:
        raise BadValue(name, f"expected one of {', '.join(known)}, got {brief(value)}")
    return value


def mapping(name: str, value: object) -> Mapping[Any, Any]:
    """A mapping such as a dict; None counts as empty. BadValue for anything else."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise BadValue(name, f"expected a mapping such as {{'name': value}}, got {brief(value)}")
    return value


def listed(name: str, value: object) -> list[Any]:
    """The elements as a list. BadValue for anything that is not iterable."""
    try:
        return list(value)  # type: ignore[call-overload, no-any-return]
    except TypeError:
        raise BadValue(name, f"expected a list, got {brief(value)}") from None


def array(name: str, value: object) -> NDArray[Any]:
    """The value as an array of any dtype. BadValue for nested lists of unequal lengths."""
    try:
        return np.asarray(value)
    except ValueError:
        raise BadValue(name, f"expected lists of equal lengths, got {brief(value)}") from None


def rows(value: object, count: int) -> NDArray[np.intp]:
    """Row numbers, intp[k]. BadValue unless all are in 0 .. count - 1."""
    given = array("rows", value)
    if given.ndim == 1 and (given.dtype.kind in "iu" or not given.size):
        chosen = given.astype(np.intp, copy=False)
        if not given.size or (given.min() >= 0 and given.max() < count):
            return chosen
    raise BadValue("rows", f"expected a list of whole numbers, each 0..{count - 1}, got {brief(value)}")


@functools.cache
def warn_of_depth(name: str, game: str, positions: float) -> None:
    """Log a warning, once, if a move may take a quarter of an hour or longer. `positions`: searched for each move."""
    if positions > LONG_SEARCH:
        hours = positions / POSITIONS_PER_HOUR
        time = "days" if hours > 48 else "hours" if hours > 2 else "an hour"
        logging.getLogger("amoba_env").warning(f"amoba: a move of {name} in {game} may take {time}; Ctrl-C ends it")
