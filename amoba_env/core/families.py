"""`@by_family`: each family of games compiles its own version of a function, without the rules of the other families.

Most of the time goes into compiling the rules of renju and of openings. Other games never call these functions; their
versions have an empty one in place of each.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar, cast

from numba.core.dispatcher import Dispatcher

from amoba_env.core import rules as ru
from amoba_env.core.content import parts
from amoba_env.core.jit import config, jit
from amoba_env.core.later import is_small, jit_later

Function = TypeVar("Function", bound=Callable[..., Any])

# The modules of rules that a version has, by 2 * FAMILY + (1 with an opening).
VERSIONS = ("place", "place_phases", "place_renju", "place_renju_phases", "halma")
RULES = ("place", "phases", "renju", "halma")


@jit
def never(rules: Any, state: Any, last: Any) -> bool:
    """What stands in place of a function that is never called."""
    return False


def by_family(small: Callable[..., bool] = is_small) -> Callable[[Function], Function]:
    """A decorator like jit_later(), for a function whose first argument is the rules row.

    Args:
        small: takes the arguments; returns whether the call can run as plain Python while another process compiles.
    """

    def decorate(function: Function) -> Function:
        made: Any = function if config.DISABLE_JIT else Versions(cast(FunctionType, function), small)
        return cast(Function, made)

    return decorate


class Versions:
    """The versions of a function, as attributes; each is made when it is first needed."""

    def __init__(self, function: FunctionType, small: Callable[..., bool]) -> None:
        self.py_func, self._small = function, small

    def __call__(self, rules: ru.Rules, *arguments: Any) -> Any:
        """Call the version of the game with these rules."""
        version = VERSIONS[2 * rules.item(ru.FAMILY) + (rules.item(ru.OPENING_RULE) > 0)]  # quicker than rules[...]
        return getattr(self, version)(rules, *arguments)

    def __getattr__(self, version: str) -> Any:
        if version not in VERSIONS:
            raise AttributeError(version)
        others = {f"amoba_env.core.{each}" for each in RULES if each not in version.split("_")}
        made = _copy(self.py_func, version, others, {}, jit_later(self._small))
        setattr(self, version, made)
        return made


def _copy(
    function: FunctionType,
    version: str,
    others: set[str],
    copies: dict[FunctionType, Any],
    compiled: Callable[[FunctionType], Any] = jit,
) -> Any:
    """A compiled copy of the function that calls never(), directly or indirectly, in place of functions of `others`."""
    names = dict(function.__globals__)
    copy = FunctionType(function.__code__, names, f"{function.__name__}.{version}")
    copy.__qualname__ = copy.__name__  # of machine code too, where a name means one function
    copies[function] = compiled(copy)
    for name in function.__code__.co_names:
        called = names[name].py_func if isinstance(names.get(name), Dispatcher) else None
        if called is not None and called.__module__ in others:
            names[name] = never
        elif called is not None and any(each.__module__ in others for each in parts(called)):
            names[name] = copies.get(called) or _copy(called, version, others, copies)
    return copies[function]
