"""Plain-Python twins of compiled functions: the same results, but slower.

A function and its twin share their code. In the twin's globals each compiled function is replaced by its twin.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher
from numba.extending import _Intrinsic, intrinsic


def in_place_of(plain: Callable[..., Any]) -> Callable[[Callable[..., Any]], Any]:
    """A decorator like Numba's `intrinsic`. Plain Python calls `plain` instead."""

    def decorate(function: Callable[..., Any]) -> Any:
        made: Any = intrinsic(function)
        made.plain = plain
        return made

    return decorate


@functools.cache
def twin(function: FunctionType) -> Callable[..., Any]:
    """The twin of a compiled function; `function` is its Python source function."""
    plain = _twin(function)

    def call(*arguments: Any) -> Any:
        with np.errstate(all="ignore"):  # as in compiled code: integers wrap around, division by zero gives inf
            return plain(*arguments)

    return call


def _twin(function: FunctionType) -> FunctionType:
    twin = FunctionType(
        function.__code__,
        _namespace(function.__globals__["__name__"], function.__globals__),
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    twin.__kwdefaults__ = function.__kwdefaults__
    return twin


_namespaces: dict[str, dict[str, Any]] = {}


def _namespace(module: str, names: dict[str, Any]) -> dict[str, Any]:
    """The globals of a module, with twins in place of compiled functions, also in the modules that it imports."""
    if module not in _namespaces:
        copy = _namespaces[module] = dict(names)  # stored before it is complete: modules refer to each other
        for name, value in names.items():
            copy[name] = _plain(value)
    return _namespaces[module]


def _plain(value: Any) -> Any:
    if isinstance(value, Dispatcher):
        return _twin(value.py_func)
    if isinstance(value, _Intrinsic):
        return value.plain
    if isinstance(value, ModuleType) and any(isinstance(each, Dispatcher) for each in vars(value).values()):
        module = ModuleType(value.__name__)
        module.__dict__.update(_namespace(value.__name__, vars(value)))
        return module
    return value
