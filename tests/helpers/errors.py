"""Errors that tests tell apart by their fields, not by their words."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from amoba_env.checks import BadValue


@contextmanager
def bad_value(name: str, possible: str = "") -> Iterator[None]:
    """Assert that the argument of this name is refused, and that the error says what is possible."""
    with pytest.raises(BadValue) as raised:
        yield
    assert raised.value.name == name
    assert possible in str(raised.value)
