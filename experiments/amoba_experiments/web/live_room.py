"""A room in memory: the room itself, and what the server knows of it while it runs."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from amoba_experiments.rooms.room import Room
from amoba_experiments.web.archive import Place
from amoba_experiments.web.review import Review

if TYPE_CHECKING:
    from amoba_experiments.web.screens import ScreenQueue


class Alarm(Protocol):
    """A scheduled call."""

    def cancel(self) -> None:
        """Cancel it."""


@dataclass
class Still:
    """The time of a turn in which nobody could move, and which no command has recorded yet."""

    ms: int = 0
    since: int | None = None  # since when nobody can move; None: somebody can

    def stand(self, now: int) -> None:
        """Nobody can move from now on."""
        self.since = now if self.since is None else self.since

    def go(self, now: int) -> None:
        """Somebody can move again."""
        self.ms, self.since = self.so_far(now), None

    def so_far(self, now: int) -> int:
        """The milliseconds until now."""
        return self.ms + (0 if self.since is None else max(0, now - self.since))

    def taken(self, now: int) -> int:
        """The milliseconds until now, for a command that records them."""
        found, self.ms = self.so_far(now), 0
        self.since = None if self.since is None else now
        return found


@dataclass
class Stay:
    """A person's time in a room: when it began, when they were last seen, and their open screens."""

    begun: int
    last: int
    screens: int = 0


@dataclass
class LiveRoom:
    """A room in memory."""

    id: str
    room: Room
    n: int = 0  # changes so far
    keys: dict[str, int] = field(default_factory=dict)  # hash -> holder, or INVITED
    listeners: list[ScreenQueue] = field(default_factory=list)  # oldest first
    stays: dict[int, Stay] = field(default_factory=dict)  # of people, since the server started
    bell: Alarm | None = None  # for the next person who is away
    answers: OrderedDict[tuple[int, str], dict[str, Any]] = field(default_factory=OrderedDict)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    seen: tuple[Room, dict[str, Any]] | None = None  # a room, and the part of it that everybody sees
    thinking: asyncio.Task[None] | None = None
    writing: asyncio.Task[None] | None = None  # the last game that is over
    still: Still = field(default_factory=Still)  # of a turn with a clock
    timer: Alarm | None = None
    review: Review | None = None  # of the game that is over
    kept: tuple[int, Place] | None = None  # the number of games before the last one, and its place

    @property
    def thinks(self) -> bool:
        """Whether a machine thinks, be it about a position that was taken back."""
        return self.thinking is not None and not self.thinking.done()
