"""`@by_family`: a function over batches that compiles only the rules of the game that is played.

Compiled, play.apply() has the rules of every family, and most of them are those of renju and of openings. So of such a
function there is a version for each family. In it a function of other rules, which is never called there, is replaced
by one without content.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar, cast

from numba.core.dispatcher import Dispatcher

from amoba_env.core import rules as ru
from amoba_env.core.content import read_globals
from amoba_env.core.jit import config, jit
from amoba_env.core.later import jit_later

Function = TypeVar("Function", bound=Callable[..., Any])

# The modules of rules in a version, by 2 * FAMILY + (1 with an opening).
USED = (("place",), ("place", "phases"), ("renju",), ("renju", "phases"), ("halma",))
RULES = {f"amoba_env.core.{each}" for used in USED for each in used}


@jit
def never(rules: Any, state: Any, last: Any) -> bool:
    """In place of a function that is never called."""
    return False


def by_family(function: Function) -> Function:
    """A decorator like jit_later() for a function of the rules row and more, which calls functions of play.py."""
    if config.DISABLE_JIT:
        return function
    versions = []
    for used in USED:
        version = _narrowed(cast(FunctionType, function), used)
        versions.append(jit_later()(version))
        function.__globals__[version.__name__] = versions[-1]  # where another process finds it

    @functools.wraps(function)
    def call(rules: ru.Rules, *arguments: Any) -> Any:
        return versions[2 * rules[ru.FAMILY] + (rules[ru.OPENING_RULE] != 0)](rules, *arguments)

    return cast(Function, call)


def _narrowed(function: FunctionType, used: tuple[str, ...]) -> FunctionType:
    """A copy of the function, with a name of its own, which calls copies and never()."""
    names = dict(function.__globals__)
    for name in read_globals(function.__code__):
        if isinstance(names.get(name), Dispatcher):
            called = names[name].py_func
            if called.__module__ == "amoba_env.core.play":
                names[name] = jit(_narrowed(called, used))
            elif called.__module__ in RULES and called.__module__.rpartition(".")[2] not in used:
                names[name] = never
    copy = FunctionType(function.__code__, names, "_".join((function.__name__, *used)))
    copy.__qualname__ = copy.__name__  # also of machine code, where each name is one function
    return copy
