"""Time in the hub: alarms of clocks, and time that is charged to nobody because nobody could move.

While a clock runs, a sign of life is written every BEAT. During a longer gap the server was down, its computer slept,
or the disk accepted no commands: the clocks stood still. They also stand still while a machine waits for a thread or
gets ready.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from amoba_experiments.rooms import clocks
from amoba_experiments.rooms.room import SERVER, Command
from amoba_experiments.web.journal import Journal, alive_row

if TYPE_CHECKING:
    from amoba_experiments.web.hub import LiveRoom

BEAT = 1000  # milliseconds from one sign of life to the next


class Alarm(Protocol):
    """A scheduled call."""

    def cancel(self) -> None:
        """Cancel it."""


class DayTime:
    """Wall-clock time in milliseconds, so that rooms continue after a restart. It never goes back.

    If the computer's clock is set back, time goes on from its last moment; otherwise the player to move would gain
    that time.
    """

    def __init__(self) -> None:
        self._last, self._ahead = 0, 0

    def wall(self) -> int:
        """The time on the computer's clock."""
        return time.time_ns() // 1_000_000

    def now(self) -> int:
        """The time."""
        wall = self.wall()
        self._ahead = max(self._ahead, self._last - wall)
        self._last = wall + self._ahead
        return self._last

    def at_least(self, then: int) -> None:
        """It is this time or later."""
        self._last = max(self._last, then)

    def call_at(self, when: int, act: Callable[..., object], *given: object) -> Alarm:
        """Call a function at a time, in the running loop."""
        return asyncio.get_running_loop().call_later(max(0, when - self.now()) / 1000, act, *given)

    async def sleep(self, ms: int) -> None:
        """Wait."""
        done = asyncio.Event()
        alarm = self.call_at(self.now() + ms, done.set)
        try:
            await done.wait()
        finally:
            alarm.cancel()


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


class Timers:
    """The alarms of all rooms, and the signs of life."""

    def __init__(
        self,
        clock: DayTime,
        journal: Journal,
        do: Callable[[LiveRoom, Command], Awaitable[object]],
        hold: Callable[[Coroutine[Any, Any, None]], object],
        tell: Callable[[str], None],
    ) -> None:
        """`do` applies a command to a room, `hold` runs a task, `tell` prints to the operator."""
        self.clock, self._journal, self._do, self._hold, self._tell = clock, journal, do, hold, tell
        self._timed: dict[str, LiveRoom] = {}  # whose clocks run, or are stopped by a pause
        self._alive = clock.now()  # the last sign of life
        self._next: Alarm | None = None  # for the next sign of life; stays while it is written
        self._broken = False

    async def close(self) -> None:
        """Cancel all alarms and write the last sign of life."""
        timed = bool(self._timed)
        for live in self._timed.values():
            _cancel(live)
        self._timed.clear()
        if self._next is not None:
            self._next.cancel()
        if timed:
            with suppress(OSError):
                await self.beat()

    def _plays(self) -> bool:
        return any(live.room.phase == "playing" for live in self._timed.values())

    def set(self, live: LiveRoom) -> None:
        """Set the alarm for the clock that runs in a room now, if one does."""
        _cancel(live)
        room = live.room
        if not room.left or room.phase not in ("playing", "paused"):
            self._timed.pop(live.id, None)
            return
        self._timed[live.id] = live
        if self._next is None:
            self._alive = self.clock.now()
            self._schedule()
        if room.phase == "playing" and live.still.since is None:
            now = self.clock.now()
            over = now + clocks.until_over(room, now - live.still.ms)
            live.timer = self.clock.call_at(over, self._rings, live)

    def stand(self, live: LiveRoom, thought: int = 0) -> None:
        """Nobody can move from now on; `thought`: milliseconds before in which somebody could move after all."""
        live.still.stand(self.clock.now())
        live.still.ms -= thought
        self.set(live)

    def go(self, live: LiveRoom, now: int) -> None:
        """Somebody can move again, from then on."""
        live.still.go(now)
        self.set(live)

    def drop(self, live: LiveRoom) -> None:
        """Forget a removed room."""
        _cancel(live)
        self._timed.pop(live.id, None)

    def woke(self, alive: int) -> None:
        """The server has started; `alive`: its last sign of life, 0: none."""
        self.clock.at_least(alive)
        self._alive = alive or self.clock.now()
        self.notice()

    def notice(self) -> None:
        """Stop the clocks for the time since the last sign of life, if that was too long ago."""
        now = self.clock.now()
        gap = now - self._alive
        if gap <= 2 * BEAT:
            return
        self._alive = now
        for live in self._timed.values():
            if live.still.since is None:
                live.still.ms += gap
            self._hold(self._note(live))

    async def _note(self, live: LiveRoom) -> None:
        """Record how long the clocks of a room stood; if the disk fails, a later command records it."""
        if live.still.so_far(self.clock.now()):
            with suppress(OSError):
                await self._do(live, Command("stand", SERVER))

    async def beat(self) -> None:
        """Write a sign of life. Raises OSError if it cannot be written."""
        self.notice()
        now = self.clock.now()
        await self._journal.write(alive_row(now))
        self._alive = max(self._alive, now)

    def _beats(self) -> None:
        """Write a sign of life if a clock runs."""
        if self._plays():
            self._hold(self._beaten())  # meanwhile _next stays, so that set() schedules no other beat
        else:
            self._alive = self.clock.now()
            self._schedule()

    async def _beaten(self) -> None:
        try:
            await self.beat()
            self._broken = False
        except OSError as error:
            if not self._broken:
                self._tell(f"the clocks stand still until this is fixed: {error}")
            self._broken = True
        self._schedule()

    def _schedule(self) -> None:
        """Set the alarm for the next sign of life, if a room has a clock."""
        self._next = self.clock.call_at(self.clock.now() + BEAT, self._beats) if self._timed else None

    def _rings(self, live: LiveRoom) -> None:
        live.timer = None
        self._hold(self._rung(live, live.room.at))

    async def _rung(self, live: LiveRoom, at: tuple[int, int]) -> None:
        """The alarm of a player's clock; there is time left if the clocks stood."""
        try:
            await self.beat()
            await self._do(live, Command("flag", SERVER, at))
        except OSError:
            if live.timer is None and live.id in self._timed:
                live.timer = self.clock.call_at(self.clock.now() + BEAT, self._rings, live)
            return
        if live.timer is None and live.id in self._timed:  # refused: there is time left
            self.set(live)


def _cancel(live: LiveRoom) -> None:
    if live.timer is not None:
        live.timer.cancel()
        live.timer = None
