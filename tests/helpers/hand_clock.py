"""A clock for the hub that stands until the test moves it, and rooms in such a hub."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from amoba_experiments.rooms.room import Command, Room
from amoba_experiments.rooms.settings import Clock, Settings
from amoba_experiments.web.hub import Hub
from amoba_experiments.web.live_room import Alarm, LiveRoom
from amoba_experiments.web.server_players import ServerPlayers
from amoba_experiments.web.timers import DayTime

SECOND = 1000
BEGIN = 1_700_000_000_000


class _Call:
    """A call that has not been made yet."""

    def __init__(self, clock: HandClock, act: Callable[..., object], given: tuple[object, ...]) -> None:
        self.clock, self.act, self.given, self.open = clock, act, given, True

    def cancel(self) -> None:
        self.open = False


class HandClock(DayTime):
    """Milliseconds pass only by `forward`, which makes all calls that become due, and by `jump`, which makes none."""

    def __init__(self) -> None:
        super().__init__()
        self.time = BEGIN
        self.behind = 0  # how far the computer's clock was set back
        self.calls: list[tuple[int, int, _Call]] = []
        self.numbers = itertools.count()
        self.sleepers = 0
        self.held = 0  # tasks of the hub that the test holds up

    def wall(self) -> int:
        return self.time - self.behind

    def call_at(self, when: int, act: Callable[..., object], *given: object) -> Alarm:
        call = _Call(self, act, given)
        heapq.heappush(self.calls, (when, next(self.numbers), call))
        return call

    async def sleep(self, ms: int) -> None:
        self.sleepers += 1
        try:
            await super().sleep(ms)
        finally:
            self.sleepers -= 1

    def jump(self, ms: int) -> None:
        """The time passes while nothing happens, as if the computer slept."""
        self.time += ms

    def set_back(self, ms: int) -> None:
        """The computer's clock is set back."""
        self.now()
        self.behind += ms
        self.now()  # what passes before the next call of it would be lost

    async def forward(self, hub: Hub, ms: int) -> None:
        """The time passes, and what is due by then happens in its order; what the hub then does is done."""
        end = self.time + ms
        await self.rest(hub)
        while self.calls and self.calls[0][0] <= end:
            when, _, call = heapq.heappop(self.calls)
            self.time = max(self.time, when)
            if call.open:
                call.act(*call.given)
                await self.rest(hub)
        self.time = end

    async def rest(self, hub: Hub) -> None:
        """Wait until all tasks of the hub are done, sleep on this clock, or are held up."""
        for _ in range(5):  # who has just been woken sleeps no more
            await asyncio.sleep(0)
        while len(hub._tasks) > self.sleepers + self.held:
            await asyncio.sleep(0.001)


def at_a_table(
    play: Callable[[Hub, HandClock], Awaitable[None]], data: Path, players: ServerPlayers | None = None
) -> None:
    """Let this happen in a hub that is closed afterwards."""

    async def all_of_it() -> None:
        clock = HandClock()
        hub = Hub(data, players, clock=clock)
        await play(hub, clock)
        await hub.close()

    asyncio.run(all_of_it())


async def a_game(hub: Hub, *seats: str, main: int = 2 * SECOND, increment: int = 0, **more: Any) -> LiveRoom:
    """A room in which the first move has been made."""
    table, _, invites = await hub.open(
        Settings("tictactoe", seats or ("me", "guest"), clock=Clock(main, increment), **more), "Ann"
    )
    for invite in invites:
        await hub.join(table, invite, "Ben")
    if table.room.people:
        await do(hub, table, 0, "move", "b2")
    return table


async def do(hub: Hub, table: LiveRoom, who: int, what: str, move: str = "") -> None:
    answer = await hub.command(table, Command(what, who, None, move))
    assert answer["type"] == "ok", answer


def ending(room: Room) -> tuple[str, int | None]:
    assert room.result is not None, room.phase
    return room.result.ending, room.result.by
