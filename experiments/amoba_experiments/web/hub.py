"""The rooms of a server: who may do what, machines that think, clocks that run out, all of it kept as it happens."""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from amoba_env import notation
from amoba_env.explain import explain
from amoba_env.games import Game
from amoba_env.position import Position
from amoba_experiments.rooms import clocks, session
from amoba_experiments.rooms.commands import apply, opened
from amoba_experiments.rooms.room import MACHINE, SERVER, Command, Finished, Refusal, Room, Stale
from amoba_experiments.rooms.settings import GUEST, ME, Settings
from amoba_experiments.web import archive, view
from amoba_experiments.web.journal import (
    INVITED,
    Journal,
    command_row,
    gone_rows,
    kept_row,
    key_row,
    room_row,
    used_row,
)
from amoba_experiments.web.players import Players
from amoba_experiments.web.review import Review, Reviewer, seen_after

THINKERS = 2  # machines that think at a time
MOST_ROOMS = 10_000
IDLE = 7 * 24 * 3600 * 1000  # milliseconds without a move, after which a room may make place for a new one
MOST_ANSWERS = 64  # remembered, of a room
MOST_SHOWN = 64  # rooms as they are sent, kept until the last screen has been sent them


class Listener(Protocol):
    """A screen that is told when its room changes."""

    holder: int | None  # who looks; None: somebody who watches

    def changed(self) -> None:
        """The room has changed."""

    def end(self, why: str) -> None:
        """Say why, and close."""


@dataclass
class Table:
    """A room that is alive."""

    id: str
    room: Room
    n: int = 0  # changes so far
    keys: dict[str, int] = field(default_factory=dict)  # hash -> holder, or INVITED
    listeners: list[Listener] = field(default_factory=list)  # in the order in which they came
    answers: OrderedDict[tuple[int, str], dict[str, Any]] = field(default_factory=OrderedDict)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    thinking: asyncio.Task[None] | None = None
    timer: asyncio.TimerHandle | None = None
    review: Review | None = None  # of the game that is over
    kept: tuple[int, archive.Place] | None = None  # how many games were over before the last one, and where it is


def digest(key: str) -> str:
    """What is kept of a key."""
    return hashlib.sha256(key.encode()).hexdigest()


def now_ms() -> int:
    """The time of the day, in milliseconds: rooms go on after a restart."""
    return time.time_ns() // 1_000_000


class Hub:
    """All rooms; one asyncio loop holds them."""

    def __init__(self, data: Path, players: Players | None = None, most_rooms: int = MOST_ROOMS) -> None:
        """Open the folder of the data. Raises ValueError if it cannot be read or another server has it, OSError."""
        self.data, self.players, self.most_rooms = data, players or Players(), most_rooms
        self.journal = Journal(data / "rooms.sqlite")
        self.tables: dict[str, Table] = {}
        self._pool = ThreadPoolExecutor(THINKERS, thread_name_prefix="thinker")
        self._first = ThreadPoolExecutor(1, thread_name_prefix="first")  # who may have to be compiled or loaded
        self._known: set[tuple[str, str]] = set()  # player and game: need neither
        self._disk = ThreadPoolExecutor(1, thread_name_prefix="archive")
        self._reviewer = Reviewer()
        self._tasks: set[asyncio.Task[None]] = set()
        self._shown: dict[str, tuple[Room, dict[str, Any]]] = {}  # by id: a room, and what everybody is sent of it

    def restore(self) -> int:
        """Take up the rooms on the disk, and say which cannot be; returns how many. Call inside the loop."""
        for stored in self.journal.stored():
            table = Table(stored.id, stored.room, stored.commands, stored.keys)
            if stored.kept is not None:
                number, folder, index = stored.kept
                table.kept = number, (self.data / archive.FOLDER / folder, index)
            self.tables[stored.id] = table
            self._go_on(table)
        for id, why in self.journal.aside.items():
            _tell(f"room {id} cannot be played again and is set aside: {why}")
        return len(self.tables)

    async def close(self) -> None:
        """Stop the machines; all that was acknowledged is on the disk."""
        for table in self.tables.values():
            if table.timer is not None:
                table.timer.cancel()
            if table.thinking is not None:
                table.thinking.cancel()
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)
        self._reviewer.close()
        for pool in (self._pool, self._first):
            pool.shutdown(wait=False, cancel_futures=True)
        self._disk.shutdown()
        self.journal.close()

    def table(self, id: object) -> Table:
        """The room of this id. Raises Refusal if there is none."""
        table = self.tables.get(id) if isinstance(id, str) else None
        if table is None:
            aside = id in self.journal.aside
            raise Refusal("this room cannot be played again on this server" if aside else "there is no such room")
        return table

    def holder(self, table: Table, key: object) -> int | None:
        """Who has this key; None without one. Raises Refusal for a wrong one."""
        if key is None or key == "":
            return None
        holder = table.keys.get(digest(key)) if isinstance(key, str) else None
        if holder is None or holder == INVITED:
            raise Refusal("this key opens no seat here")
        return holder

    async def open(self, settings: Settings, name: str) -> tuple[Table, str | None, list[str]]:
        """A new room: its table, the key of who opened it (if they sit), one invitation a guest. Raises Refusal."""
        if len(self.tables) >= self.most_rooms:
            await self._make_place()
        game = settings.make()
        for seat in settings.seats:
            if seat not in (ME, GUEST):
                await asyncio.to_thread(self.players.check, game, seat)
        now, id = now_ms(), secrets.token_urlsafe(9)
        table = Table(id, opened(settings, name, now))
        key = secrets.token_urlsafe(16) if ME in settings.seats else None
        invites = [secrets.token_urlsafe(16) for seat in settings.seats if seat == GUEST]
        held = [(invite, INVITED) for invite in invites] + ([] if key is None else [(key, 0)])
        table.keys = {digest(text): holder for text, holder in held}
        rows = [key_row(id, hash, holder) for hash, holder in table.keys.items()]
        await self.journal.write(room_row(id, settings, name, now), *rows)
        self.tables[id] = table
        self._go_on(table)
        return table, key, invites

    async def _make_place(self) -> None:
        """Forget the room at which nobody looks and nobody has moved for longest. Raises Refusal: all are in use."""
        left = [table for table in self.tables.values() if not table.listeners]
        oldest = min(left, key=lambda table: table.room.since, default=None)
        if oldest is None or now_ms() - oldest.room.since < IDLE:
            raise Refusal("there are too many rooms now: try later")
        del self.tables[oldest.id]
        self._shown.pop(oldest.id, None)
        if oldest.timer is not None:
            oldest.timer.cancel()
        await self.journal.write(*gone_rows(oldest.id))

    async def join(self, table: Table, invite: str, name: str) -> str:
        """Take the seat of an invitation; returns the person's key. Raises Refusal."""
        async with table.lock:
            hash = digest(invite)
            if table.keys.get(hash) != INVITED:
                raise Refusal("this invitation has been used, or there is none")
            now, command = now_ms(), Command("sit", name=name)
            room = apply(table.room, command, now)
            key, holder = secrets.token_urlsafe(16), max(room.holders)
            await self.journal.write(
                command_row(table.id, table.n, now, command), used_row(hash), key_row(table.id, digest(key), holder)
            )
            del table.keys[hash]
            table.keys[digest(key)] = holder
            self._changed(table, room)
        return key

    async def command(self, table: Table, command: Command, id: str | None = None) -> dict[str, Any]:
        """Do what is wanted, keep it, tell everybody; returns the answer. The same id of a holder gets the same one."""
        async with table.lock:
            known = None if id is None else table.answers.get((command.who, id))
            if known is not None:
                return known
            if command.do == "level":
                await asyncio.to_thread(self.players.check, table.room.game, command.move)
            now = now_ms()
            try:
                room = apply(table.room, command, now)
            except Stale as refusal:
                return {"type": "refused", "id": id, "why": str(refusal), "stale": True}
            except Refusal as refusal:
                return {"type": "refused", "id": id, "why": str(refusal)}
            await self.journal.write(command_row(table.id, table.n, now, command))
            self._changed(table, room)
            answer = {"type": "ok", "id": id, "n": table.n}
            if id is not None:
                table.answers[command.who, id] = answer
                while len(table.answers) > MOST_ANSWERS:
                    table.answers.popitem(last=False)
            return answer

    def _changed(self, table: Table, room: Room) -> None:
        before, table.room, table.n = table.room, room, table.n + 1
        if room.last is not None and room.last is not before.last and room.last.moves:
            self._keep(table, room, room.last)
        self._go_on(table)
        self.tell(table)

    def tell(self, table: Table) -> None:
        """Everybody who looks gets the room."""
        for listener in list(table.listeners):
            listener.changed()

    def _keep(self, table: Table, room: Room, game: Finished) -> None:
        """Write a finished game; the game that follows an undo after the end takes its place."""
        number, loop = game.before.games, asyncio.get_running_loop()

        def write() -> archive.Place:
            place = table.kept[1] if table.kept is not None and table.kept[0] == number else None
            place = archive.keep(self.data, room, game, place, self.players.texts)
            table.kept = number, place
            return place

        async def keep() -> None:
            folder, index = await loop.run_in_executor(self._disk, write)
            await self.journal.write(kept_row(table.id, number, folder.name, index))

        task = loop.create_task(keep())
        task.add_done_callback(_tell_error)
        self._hold(task)

    def _go_on(self, table: Table) -> None:
        """Let a machine think if it is its turn, and set the alarm of the clock."""
        room, loop = table.room, asyncio.get_running_loop()
        if table.timer is not None:
            table.timer.cancel()
            table.timer = None
        if room.phase == "playing" and room.left:
            left = clocks.remaining(room.left, room.position.to_move, now_ms() - room.since)
            table.timer = loop.call_later(max(0, left + 20) / 1000, self._flag, table, room.at)
        if self._machine_acts(room) and (table.thinking is None or table.thinking.done()):
            table.thinking = loop.create_task(self._think(table))
            self._hold(table.thinking)

    def _machine_acts(self, room: Room) -> bool:
        if room.mover is not None and room.holders[room.mover] == MACHINE:
            return True
        return room.phase == "over" and not room.people and room.number + 1 < room.settings.series

    def _hold(self, task: asyncio.Task[None]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _think(self, table: Table) -> None:
        """Machines move, one after the other, until a person is to move."""
        while self._machine_acts(table.room):
            room, begun = table.room, now_ms()
            if room.phase == "over":
                await asyncio.sleep(max(room.settings.delay, 200) / 1000)
                await self.command(table, Command("new", SERVER, room.at))
                continue
            assert room.mover is not None
            name = room.names[room.mover]
            command = await self._move_of(room, name)
            if command.do == "illegal":
                _tell(f"{name} has no legal move: {command.move}")
            rest = room.settings.delay - (now_ms() - begun)
            if rest > 0 and room.moves:
                await asyncio.sleep(rest / 1000)
            await self.command(table, command)  # refused as stale where the position is past

    async def _move_of(self, room: Room, name: str) -> Command:
        try:
            command: Command = await self.asked(room.game, name, lambda agent: session.machine_move(room, agent))
        except (ValueError, OSError, ImportError) as error:  # an engine that cannot be started loses
            return Command("illegal", SERVER, room.at, str(error)[:200])
        return command

    def _flag(self, table: Table, at: tuple[int, int]) -> None:
        task = asyncio.get_running_loop().create_task(self._flagged(table, at))
        self._hold(task)

    async def _flagged(self, table: Table, at: tuple[int, int]) -> None:
        await self.command(table, Command("flag", SERVER, at))

    async def asked(self, game: Game, name: str, ask: Callable[[Any], Any]) -> Any:
        """The answer of a player, who thinks in another thread.

        The first answer of each player in each game comes from a thread for these, as it may wait for the compiler.
        """
        players = self.players

        def answer() -> Any:
            agent, lock = players.agent(name)
            with lock or nullcontext():
                return ask(agent)

        known = (name, game.name) in self._known
        answered = await asyncio.get_running_loop().run_in_executor(self._pool if known else self._first, answer)
        self._known.add((name, game.name))
        return answered

    async def hint(self, table: Table, look: bool) -> dict[str, Any]:
        """The move that the strongest player would make, who that is, and, if asked, what a search sees after it."""
        room = table.room
        if room.mover is None:
            raise Refusal("nobody is to move")
        name = await asyncio.to_thread(session.adviser, room.game)

        def ask(agent: Any) -> dict[str, Any]:
            move = session.hint(room.position, agent, room.settings.seed)
            return {"move": move, "player": name, "sees": seen_after(room.position, move) if look else None}

        found: dict[str, Any] = await self.asked(room.game, name, ask)
        return found

    def review(self, table: Table, holder: int | None, wish: str) -> None:
        """Look at the finished game in the background ("start"), or end that ("stop"). Raises Refusal."""
        room, review = table.room, self.reviewed(table)
        if holder is None and room.people:
            raise Refusal("who watches cannot do this")
        if wish == "stop" and review is not None:
            review.stopped = True
        if wish == "start":
            if room.phase != "over":
                raise Refusal("the game is not over")
            if review is None or (review.over and review.stopped):
                table.review = self._reviewer.begin(session.record(room), room.at)

    def reviewed(self, table: Table) -> Review | None:
        """What has been found about the finished game; nothing if moves were taken back or another game has begun."""
        if table.review is not None and table.review.at != table.room.at:
            table.review.stopped, table.review = True, None
        return table.review

    def seen(self, table: Table, holder: int | None) -> dict[str, Any]:
        """The room as one person, or who watches, sees it."""
        room, shown = self._shown.get(table.id, (None, {}))
        if room is not table.room:
            shown = view.room(table.room, table.n)
            self._shown[table.id] = table.room, shown
            if len(self._shown) > MOST_SHOWN:
                del self._shown[next(iter(self._shown))]
        thinking = table.thinking is not None and not table.thinking.done()
        now = {"clock": view.clock(table.room, now_ms()), "thinking": thinking}
        return shown | now | view.own(table.room, holder)


def _tell_error(done: asyncio.Task[None]) -> None:
    error = None if done.cancelled() else done.exception()
    if error is not None:
        _tell(f"a finished game was not written: {error}")


def _tell(error: str) -> None:
    """A line for the operator."""
    print(json.dumps({"error": error}), flush=True)


def warm(game: Game, players: Players, names: list[str]) -> None:
    """Look at a game and let these players make a move in it, so that nobody waits for a compiler."""
    from amoba_agents import Seat

    start = Position.start(game)
    view.room(opened(Settings(game.name, (ME,) * game.players, game.options), "A", 0, game), 0)
    session.targets(start.play(start.legal_moves()[0]))
    with suppress(ValueError):  # no renju
        explain(start, notation.cell_name(game, 0))
    for name in names:
        Seat(players.agent(name)[0], start).act(start)
    if names:
        seen_after(start, start.legal_moves()[0])
