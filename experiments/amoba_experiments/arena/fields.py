"""Dataclasses of settings: every field gets a value of the type that it is declared with."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin, get_type_hints

from amoba_env import checks

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Limits = Mapping[str, tuple[float, float]]  # the least and the greatest value of a number, by the name of its field


def convert_fields(what: DataclassInstance, limits: Limits) -> None:
    """Make each field's value one of its type: NumPy's numbers Python's, lists of texts tuples.

    Types are int, float, bool, str, tuple[str, ...], a Literal of texts, a mapping, and all these or None.

    Raises:
        ValueError: a value of another type, a number that is not finite or out of its limits; and what is possible.
    """
    for name, kind in _kinds(type(what)).items():
        object.__setattr__(what, name, _settled(name, kind, getattr(what, name), limits.get(name)))


def typed(kind: type[DataclassInstance], values: object) -> dict[str, Any]:
    """Values by the names of a dataclass's fields, as read from a file, each of its type.

    Raises:
        ValueError: no mapping, a field that there is not or that is missing, a value of another type.
    """
    known, given = kind.__dataclass_fields__, checks.mapping(kind.__name__, values)
    for name in given:
        if name not in known:
            raise ValueError(f"{kind.__name__} has no {checks.brief(name)}")
    for name, each in known.items():
        if name not in given and each.default is MISSING and each.default_factory is MISSING:
            raise ValueError(f"{kind.__name__} has no value of {name!r}")
    kinds = _kinds(kind)
    return {name: _settled(name, kinds[name], value, None) for name, value in given.items()}


@cache
def _kinds(kind: type[DataclassInstance]) -> dict[str, Any]:
    return {name: hint for name, hint in get_type_hints(kind).items() if name in kind.__dataclass_fields__}


def _settled(name: str, kind: Any, value: Any, limits: tuple[float, float] | None) -> Any:
    if get_origin(kind) in (Union, types.UnionType):
        (other,) = (each for each in get_args(kind) if each is not types.NoneType)
        return None if value is None else _settled(name, other, value, limits)
    if kind is int:
        return checks.whole(name, value, *map(int, limits or ()))
    if kind is float:
        return checks.real(name, value, *(limits or ()))
    if kind is bool:
        return checks.flag(name, value)
    if kind is str:
        return checks.text(name, value)
    if get_origin(kind) is Literal:
        return checks.one_of(name, value, get_args(kind))
    if get_origin(kind) is tuple:
        if not isinstance(value, (tuple, list)):
            raise ValueError(f"{name} must be a list of texts, not {checks.brief(value)}")
        return tuple(checks.text(f"each of {name}", each) for each in value)
    return dict(checks.mapping(name, value))
