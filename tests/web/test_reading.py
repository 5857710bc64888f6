"""Values of JSON that are not of the declared type: one line says which part, what is expected, and what it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
from msgspec import Meta, Struct

from amoba_experiments.reading import converted


class Part(Struct):
    size: Annotated[int, Meta(ge=1, le=9)] = 1
    at: tuple[int, int] | None = None


@dataclass
class Whole:
    kind: Literal["small", "large"]
    parts: tuple[Part, ...] = ()
    more: Mapping[str, int | bool] | None = None

    def __post_init__(self) -> None:
        if len(self.parts) > 2:
            raise ValueError("expected up to 2 parts")


class Strict(Struct, forbid_unknown_fields=True):
    name: Annotated[str, Meta(max_length=3)] = ""


def test_values_of_the_type() -> None:
    assert converted({"kind": "small", "parts": [{"size": 3, "at": [1, 2]}, {}], "more": {"a": True}}, Whole) == Whole(
        "small", (Part(3, (1, 2)), Part()), {"a": True}
    )


@pytest.mark.parametrize(
    ("value", "kind", "parts"),
    [
        ({}, Whole, ("'kind'", "a value")),
        ({"kind": "huge"}, Whole, ("'kind'", "one of small, large", "'huge'")),
        ({"kind": 7}, Whole, ("'kind'", "one of small, large", "7")),
        ({"kind": "small", "parts": [{}, {"size": 0}]}, Whole, ("'parts[1].size'", "a whole number >= 1", "got 0")),
        ({"kind": "small", "parts": [{"size": True}]}, Whole, ("'parts[0].size'", "a whole number", "got True")),
        ({"kind": "small", "parts": [{"at": [1]}]}, Whole, ("'parts[0].at'", "length 2", "got [1]")),
        ({"kind": "small", "parts": 5}, Whole, ("'parts'", "a list", "got 5")),
        ({"kind": "small", "more": {"a": []}}, Whole, ("more", "a whole number", "{'a': []}")),
        ({"kind": "small", "parts": [{}, {}, {}]}, Whole, ("up to 2 parts",)),
        ({"nome": "x"}, Strict, ("'nome'", "name")),
        ({"name": "long"}, Strict, ("'name'", "length <= 3", "'long'")),
        ([], Strict, ("an object", "got []")),
    ],
)
def test_what_is_wrong(value: object, kind: type[Any], parts: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=r"^[^\n`]*$") as raised:
        converted(value, kind)
    for part in parts:
        assert part in str(raised.value)
