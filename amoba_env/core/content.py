"""A digest of everything that the machine code of a function depends on.

This is the function, the functions that it calls directly or indirectly, and the values of their constants, in any
module or package. Comments, folder names and the place in a file do not count. After an edit only the functions that
depend on it are compiled again.
"""

from __future__ import annotations

import functools
import hashlib
from dis import EXTENDED_ARG, opmap
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
from numba import types
from numba.core.dispatcher import Dispatcher
from numba.extending import _Intrinsic

LOAD_GLOBAL = opmap["LOAD_GLOBAL"]
LOAD_SHIFT = 1  # the lowest bit has another meaning
PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), np.generic, np.dtype, types.Type)
KNOWN = ("builtins", "cmath", "math", "numba", "numpy", "operator")  # packages whose versions are part of the digest


class Unknown(Exception):
    """A function refers to an object that digest() cannot handle."""


def digest(function: FunctionType) -> str:
    """The digest of a function, see above. Raises Unknown."""
    found = parts(function)
    first = found.pop(function)
    return hashlib.sha256(b"".join([first, *sorted(found.values())])).hexdigest()


def parts(function: FunctionType) -> dict[FunctionType, bytes]:
    """The function and all that it calls, directly or indirectly, each with its own digest. Raises Unknown."""
    found: dict[FunctionType, bytes] = {}
    waiting = [function]
    while waiting:
        each = waiting.pop()
        if each not in found:
            found[each], others = _part(each)
            waiting += others
    return found


def describe(kind: types.Type) -> str:
    """A type as text. Numba's own text has neither the names of fields nor the alignment of arrays."""
    more: list[object] = []
    if isinstance(kind, types.Array):
        more = [kind.aligned, describe(kind.dtype)]
    elif isinstance(kind, types.BaseTuple):
        more = [getattr(kind, "fields", ()), *map(describe, kind)]
    return f"{type(kind).__name__} {kind} {more}"


@functools.cache
def _part(function: FunctionType) -> tuple[bytes, list[FunctionType]]:
    """A digest of the function without those that it refers to, and these functions."""
    others: list[FunctionType] = []
    named = [function.__module__, function.__qualname__, repr(_code(function.__code__, function.__doc__))]
    for value in (function.__defaults__, function.__kwdefaults__, function.__dict__.get("nogil")):
        named.append(_value(value, others, ()))
    for cell in function.__closure__ or ():
        named.append(_value(cell.cell_contents, others, ()))
    names = _names(function.__code__)
    for name in sorted(_globals(function.__code__)):
        if name in function.__globals__:
            named.append(f"{name} {_value(function.__globals__[name], others, names)}")
    return hashlib.sha256("\0".join(named).encode()).digest(), others


def _code(code: CodeType, doc: str | None) -> list[object]:
    """The instructions, with nested functions; without the docstring."""
    constants = [_code(each, None) if isinstance(each, CodeType) else each for each in code.co_consts]
    constants = [type(each).__name__ + repr(each) for each in constants if doc is None or each != doc]
    return [code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars, code.co_flags]


def _names(code: CodeType) -> tuple[str, ...]:
    """All names, also those of attributes."""
    inside = (_names(each) for each in code.co_consts if isinstance(each, CodeType))
    return tuple(sorted({*code.co_names}.union(*inside)))


def _globals(code: CodeType) -> set[str]:
    """The global names that the instructions read."""
    found, more = set(), 0
    instructions = code.co_code
    for i in range(0, len(instructions), 2):
        argument = more << 8 | instructions[i + 1]
        more = argument if instructions[i] == EXTENDED_ARG else 0
        if instructions[i] == LOAD_GLOBAL:
            found.add(code.co_names[argument >> LOAD_SHIFT])
    return found.union(*(_globals(each) for each in code.co_consts if isinstance(each, CodeType)))


def _value(value: Any, others: list[FunctionType], names: tuple[str, ...]) -> str:
    """A value as text. Functions are added to `others`. Of a module only the attributes in `names` count."""
    if isinstance(value, Dispatcher):
        value = value.py_func
    elif isinstance(value, _Intrinsic):
        value = value._defn
    kind, home = type(value).__name__, str(getattr(value, "__module__", None) or "")
    if isinstance(value, PLAIN):
        return f"{kind} {value!r}"
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, tuple | list | range | set | frozenset):
        return f"{kind} {[_value(each, others, names) for each in value]}"
    if isinstance(value, dict):
        return f"{kind} {[_value(each, others, names) for item in value.items() for each in item]}"
    if isinstance(value, types.ExternalFunction):
        return f"{kind} {value.symbol} {value.sig}"
    if isinstance(value, ModuleType):
        if value.__name__.partition(".")[0] in KNOWN:
            return value.__name__
        used = [(each, vars(value)[each]) for each in names if each in vars(value)]
        return f"{value.__name__} {[f'{each} {_value(found, others, names)}' for each, found in used]}"
    if home.partition(".")[0] in KNOWN or isinstance(value, BuiltinFunctionType):
        return f"{kind} {home} {getattr(value, '__qualname__', value)}"
    if isinstance(value, FunctionType):
        others.append(value)
        return f"{value.__module__}.{value.__qualname__}"
    if isinstance(value, type):
        return f"{home}.{value.__qualname__} {getattr(value, '_fields', ())}"
    raise Unknown(f"{kind} {value!r}")
