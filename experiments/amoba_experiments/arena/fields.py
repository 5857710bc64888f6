"""Check and convert the values of dataclasses: each field gets a value of its declared type."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING, fields
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin, get_type_hints

from amoba_env import checks

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Limits = Mapping[str, tuple[float, float]]  # the least and the greatest value of a number, by the name of its field


def convert_fields(what: DataclassInstance, limits: Limits) -> None:
    """Convert each field's value to its declared type: NumPy numbers to Python's, lists of texts to tuples.

    Possible types are int, float, bool, str, tuple[str, ...], a Literal of texts, a mapping, and each of these or None.

    Raises:
        ValueError: a value of another type, or a number that is not finite or outside its limits. The message says
            what is possible.
    """
    for name, kind in _kinds(type(what)).items():
        object.__setattr__(what, name, _converted(name, kind, getattr(what, name), limits.get(name)))


def typed(kind: type[DataclassInstance], values: object) -> dict[str, Any]:
    """Check values that were read from a file, by the names of a dataclass's fields, and convert each to its type.

    Raises:
        ValueError: the values are no mapping, a name is unknown or missing, or a value has another type.
    """
    known, given = {each.name: each for each in fields(kind)}, checks.mapping(kind.__name__, values)
    for name in given:
        if name not in known:
            raise ValueError(f"{kind.__name__} has no {checks.brief(name)}")
    for name, each in known.items():
        if name not in given and each.default is MISSING and each.default_factory is MISSING:
            raise ValueError(f"{kind.__name__} has no value of {name!r}")
    kinds = _kinds(kind)
    return {name: _converted(name, kinds[name], value, None) for name, value in given.items()}


@cache
def _kinds(kind: type[DataclassInstance]) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {each.name: hints[each.name] for each in fields(kind)}


def _converted(name: str, kind: Any, value: Any, limits: tuple[float, float] | None) -> Any:
    if get_origin(kind) in (Union, types.UnionType):
        (other,) = (each for each in get_args(kind) if each is not types.NoneType)
        return None if value is None else _converted(name, other, value, limits)
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
