"""Machines in the rooms of a hub. They move one after the other; a machine that fails loses, so nobody waits for it."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

from amoba_experiments.rooms import questions
from amoba_experiments.rooms.room import MACHINE, SERVER, Command, Room
from amoba_experiments.web.live_room import LiveRoom
from amoba_experiments.web.timers import BEAT

if TYPE_CHECKING:
    from amoba_experiments.web.hub import Hub

MOST_WORDS = 200  # characters of an error that are stored
BETWEEN_GAMES = 200  # milliseconds, at least, where only machines play


def due(room: Room) -> bool:
    """Whether a machine moves next, or the next game of a series begins."""
    if room.mover is not None and room.holders[room.mover] == MACHINE:
        return True
    return room.phase == "over" and not room.people and room.number + 1 < room.settings.series


async def think(hub: Hub, live: LiveRoom) -> None:
    """Make the moves of machines until a person is to move."""
    while due(live.room):
        room = live.room
        try:
            if room.phase == "over":
                await hub.clock.sleep(max(room.settings.delay, BETWEEN_GAMES))
                if live.writing is not None:  # a series is not faster than the disk
                    await asyncio.wait({live.writing})
                await _done(hub, live, Command("new", SERVER, room.at))
            else:
                await _done(hub, live, await _move(hub, live))
            why = "" if live.room is not room else "the machine's command is refused"
        except Exception as error:  # an engine that does not start, or a faulty player: it loses
            why = f"{type(error).__name__}: {error}"[:MOST_WORDS]
        if why:
            tell_operator(f"room {live.id}: {why}")
            name = "" if room.mover is None else room.names[room.mover]
            await _done(hub, live, Command("illegal", SERVER, room.at, why, name))
            if live.room is room:
                return


async def _move(hub: Hub, live: LiveRoom) -> Command:
    """The command of the machine to move. Its clock runs only while it thinks."""
    room, begun, loop = live.room, hub.clock.now(), asyncio.get_running_loop()
    assert room.mover is not None
    name = room.names[room.mover]

    def same() -> bool:
        return bool(room.left) and (live.room.at, live.room.phase) == (room.at, room.phase)

    def goes(now: int) -> None:
        if same():
            hub.timers.go(live, now)
            hub.tell(live)

    def begins() -> None:
        loop.call_soon_threadsafe(goes, hub.clock.now())

    hub.timers.stand(live)
    command: Command = await hub.thinkers.ask(
        room.game, name, lambda agent: questions.machine_move(room, agent), begins
    )
    if command.do == "illegal":
        tell_operator(f"{name} has no legal move: {command.move}")
    if same():
        hub.timers.stand(live, command.took or 0)  # engines report their thinking time
    rest = room.settings.delay - (hub.clock.now() - begun)
    if rest > 0 and room.moves:
        await hub.clock.sleep(rest)
    return command


async def _done(hub: Hub, live: LiveRoom, command: Command) -> None:
    """Apply the command of a machine as soon as the disk accepts it. Refused if the position has changed."""
    while True:
        try:
            await hub.command(live, command)
            return
        except OSError:
            await hub.clock.sleep(BEAT)


def tell_operator(error: str) -> None:
    """Print a line for the operator of the server."""
    print(json.dumps({"error": error}), flush=True)
