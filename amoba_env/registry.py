"""Functions by name: the catalogue of games and the catalogue of players.

A script adds a function with `register(name, function)`. An installed package adds one with an entry point of the
registry's group; it is imported when the name is first used:

    [project.entry-points."amoba.games"]
    cylinder = "its_module:cylinder"
"""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from contextlib import suppress
from typing import TYPE_CHECKING, Generic, TypeVar

from amoba_env import checks, options

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")
NAME = re.compile(r"[\w-]+")


@functools.cache
def installed(group: str) -> tuple[EntryPoint, ...]:
    """The entry points of a group; looked up once, as that takes some hundredths of a second."""
    from importlib.metadata import entry_points  # the fastest commands need none

    return tuple(entry_points(group=group))


class Registry(MutableMapping[str, Callable[..., T]], Generic[T]):
    """Functions by name: built-in ones, those that scripts register, and those of installed packages.

    Attributes:
        kind: what the functions make, for messages: "game".
        own: the functions that are not from entry points. A text "module:function" is imported when it is first used.
        ids: the ids that follow from a name. No two names may share one.
        defaults: whether each option must have a default value.
        reserved: names that no option may have.
        followers: functions that are called with each name that register() adds.
    """

    def __init__(
        self,
        kind: str,
        own: Mapping[str, str | Callable[..., T]],
        ids: Callable[[str], set[str]] = lambda name: {name},
        defaults: bool = False,
        reserved: frozenset[str] = frozenset(),
    ) -> None:
        """`own`, and the entry points of the group "amoba.<kind>s"."""
        self.kind, self.one = kind, f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
        self.own, self.ids, self.defaults, self.reserved = dict(own), ids, defaults, reserved
        self.followers: list[Callable[[str], None]] = []

    @functools.cached_property
    def _installed(self) -> tuple[Mapping[str, EntryPoint], tuple[str, ...]]:
        """The entry points of installed packages, and a message for each refused one."""
        found: dict[str, EntryPoint] = {}
        refused = []
        ours = installed(f"amoba.{self.kind}s")
        for entry in sorted(ours, key=lambda entry: (entry.name, _package(entry))):
            said = f"{self.kind} {entry.name!r} of package {_package(entry)} is refused"
            if entry.name in self.own:
                refused.append(f"{said}: the name is taken")
            elif entry.name in found:
                refused.append(f"{said}: {_package(found[entry.name])} has one")
            elif not NAME.fullmatch(entry.name):
                refused.append(f"{said}: expected letters, digits, _ and - in the name")
            elif shared := self._shared_id(entry.name, [*self.own, *found]):
                refused.append(f"{said}: {shared}")
            else:
                found[entry.name] = entry
        return found, tuple(refused)

    @property
    def refused(self) -> tuple[str, ...]:
        """A message for each entry point that is refused, because its name is taken or invalid."""
        return self._installed[1]

    def _shared_id(self, name: str, others: Iterable[str]) -> str:
        """Which of the other names has an id that follows from this name too; "" if none has."""
        for other in others:
            for shared in sorted(self.ids(name) & self.ids(other)):
                return f"its id {shared} is that of {self.kind} {other!r}"
        return ""

    def register(self, name: str, function: Callable[..., T]) -> None:
        """Add a function. ValueError if the name or its ids are taken, if it is invalid, or if it is not a function."""
        if not NAME.fullmatch(checks.text(f"the name of {self.one}", name)):
            raise ValueError(f"the name of {self.one}: expected letters, digits, _ and -, got {name!r}")
        if name in self:
            raise ValueError(f"{self.kind}: the name {name!r} is taken")
        if shared := self._shared_id(name, self):
            raise ValueError(f"{self.kind} {name!r}: {shared}")
        if not callable(function):
            raise ValueError(
                f"{self.kind} {name!r}: expected a function that returns {self.one}, got {checks.brief(function)}"
            )
        self._check_options(name, function)
        self[name] = function
        for follower in self.followers:
            follower(name)

    def _check_options(self, name: str, function: Callable[..., T]) -> None:
        for each in options.parameters(function).values():
            if self.defaults and each.default is each.empty:
                raise ValueError(f"{self.kind} {name!r}: expected a default value of option {each.name!r}, got none")
            if each.name in self.reserved:
                raise ValueError(f"{self.kind} {name!r}: expected another name of option {each.name!r}, which is taken")

    def function(self, name: str) -> Callable[..., T]:
        """The function of this name. ValueError if the name is unknown or its package cannot be imported."""
        if checks.text(f"the name of {self.one}", name) not in self:
            from difflib import get_close_matches  # no other call needs it

            near = "".join(f" (did you mean {each!r}?)" for each in get_close_matches(name, self, 1))
            raise ValueError(f"unknown {self.kind} {checks.brief(name)}{near}; the {self.kind}s: {', '.join(self)}")
        return self[name]

    def working(self) -> list[str]:
        """The names whose functions can be imported."""
        found = []
        for name in self:
            with suppress(ValueError):
                self.function(name)
                found.append(name)
        return found

    def module(self, name: str) -> str:
        """The module of an entry point; "" for a function that is not from an entry point."""
        return "" if name in self.own else self._installed[0][name].module

    def __getitem__(self, name: str) -> Callable[..., T]:
        if name in self.own:
            own = self.own[name]
            if not isinstance(own, str):
                return own
            module, _, attribute = own.partition(":")
            ours: Callable[..., T] = getattr(importlib.import_module(module), attribute)
            return ours
        entry = self._installed[0][name]
        try:
            function: Callable[..., T] = entry.load()
            self._check_options(name, function)
        except Exception as error:  # whatever the import of a package may raise
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            said = f"{self.kind} {name!r} of package {_package(entry)} cannot be loaded: {reason}"
            raise ValueError(said) from error
        return function

    def __setitem__(self, name: str, function: Callable[..., T]) -> None:
        self.own[name] = function

    def __delitem__(self, name: str) -> None:
        del self.own[name]

    def __contains__(self, name: object) -> bool:
        return name in self.own or name in self._installed[0]

    def __iter__(self) -> Iterator[str]:
        yield from self.own
        yield from (name for name in self._installed[0] if name not in self.own)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _package(entry: EntryPoint) -> str:
    return "?" if entry.dist is None else entry.dist.name
