"""Errors that tests tell apart by their fields, not by their words."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from amoba_env.checks import BadValue


def error(call: Callable[..., object], *args: Any, **more: Any) -> str:
    """The text of the ValueError that a call raises."""
    with pytest.raises(ValueError, match=r".") as raised:
        call(*args, **more)
    return str(raised.value)


@contextmanager
def bad_value(name: str, possible: str = "") -> Iterator[None]:
    """Assert that the argument of this name is refused, and that the error says what is possible."""
    with pytest.raises(BadValue) as raised:
        yield
    assert raised.value.name == name
    assert possible in str(raised.value)
