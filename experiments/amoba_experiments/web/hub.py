"""The rooms of a server: rights, machines, clocks, and the journal that stores everything as it happens."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import structs

from amoba_env import notation
from amoba_env.core.interrupt import interrupt
from amoba_env.explain import explain
from amoba_env.games import Game
from amoba_env.position import Position
from amoba_experiments.rooms import questions
from amoba_experiments.rooms.clocks import LAG
from amoba_experiments.rooms.commands import apply, opened
from amoba_experiments.rooms.room import Command, Finished, NotFound, Refusal, Room, Stale
from amoba_experiments.rooms.settings import GUEST, ME, Settings
from amoba_experiments.web import archive, machines, view
from amoba_experiments.web.journal import (
    INVITED,
    ROOMS,
    Journal,
    command_row,
    gone_rows,
    kept_row,
    key_row,
    room_row,
    used_row,
)
from amoba_experiments.web.live_room import LiveRoom, Still
from amoba_experiments.web.machines import tell_operator
from amoba_experiments.web.presence import Presence
from amoba_experiments.web.review import Review, seen_after
from amoba_experiments.web.server_players import ServerPlayers
from amoba_experiments.web.thinkers import Thinkers
from amoba_experiments.web.timers import BEAT, DayTime, Timers
from amoba_experiments.web.turns import Turns

MOST_ROOMS = 10_000
IDLE = 7 * 24 * 3600 * 1000  # milliseconds without a move, after which a new room may replace a room
MOST_ANSWERS = 64  # remembered for a room


class Hub:
    """All rooms; one asyncio loop holds them."""

    def __init__(
        self,
        data: Path,
        players: ServerPlayers | None = None,
        most_rooms: int = MOST_ROOMS,
        clock: DayTime | None = None,
    ) -> None:
        """Open the folder of the data. Raises ValueError if it is damaged or in use by another server; OSError."""
        self.data, self.players, self.most_rooms = data, players or ServerPlayers(), most_rooms
        self.journal = Journal(data / ROOMS)
        self.rooms: dict[str, LiveRoom] = {}
        self.clock = clock or DayTime()
        self.thinkers = Thinkers(self.players)
        self.presence = Presence(self.clock, self.tell)
        self.timers = Timers(self.clock, self.journal, self.command, self._run, tell_operator)
        self._disk = ThreadPoolExecutor(1, thread_name_prefix="archive")
        self.turns = Turns()
        self._tasks: set[asyncio.Task[None]] = set()
        self._closing = False
        self._waits: set[asyncio.Task[None]] = set()  # sleeps before a write is retried

    def restore(self) -> int:
        """Restore the rooms on the disk, and report those that fail; return the number. Call inside the loop."""
        alive = self.journal.alive()
        for stored in self.journal.stored():
            live = LiveRoom(stored.id, stored.room, stored.commands, stored.keys)
            if stored.kept is not None:
                number, folder, index = stored.kept
                live.kept = number, (self.data / archive.FOLDER / folder, index)
            self.rooms[stored.id] = live
            for end in stored.unwritten:  # the disk was full, or the server was killed
                assert end.last is not None
                self._keep(live, end, end.last)
            self._go_on(live)
        for id, why in self.journal.aside.items():
            tell_operator(f"room {id} cannot be restored and is set aside: {why}")
        self.timers.woke(alive)
        return len(self.rooms)

    async def close(self) -> None:
        """Stop the machines. All acknowledged commands are on the disk."""
        self._closing = True
        for wait in self._waits:
            wait.cancel()
        for live in self.rooms.values():
            if live.thinking is not None:
                live.thinking.cancel()
        await self.timers.close()
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)
        self.turns.close()
        self.thinkers.close()
        self._disk.shutdown()
        self.journal.close()
        interrupt()  # nobody waits for machines that still think

    def room(self, id: object) -> LiveRoom:
        """The room of this id. Raises NotFound if there is none, Refusal if it cannot be restored."""
        live = self.rooms.get(id) if isinstance(id, str) else None
        if live is not None:
            return live
        if id in self.journal.aside:
            raise Refusal("this room cannot be restored on this server")
        raise NotFound("this room does not exist")

    def holder(self, live: LiveRoom, key: object) -> int | None:
        """The holder of this key; None without a key. Raises NotFound for a wrong key."""
        if key is None or key == "":
            return None
        holder = live.keys.get(digest(key)) if isinstance(key, str) else None
        if holder is None or holder == INVITED:
            raise NotFound("this key is not valid in this room")
        self.presence.seen(live, holder)
        return holder

    async def open(
        self,
        settings: Settings,
        name: str,
        screen: str = "",
        program: bool = False,
        ids: tuple[str, str, str] | None = None,
    ) -> tuple[LiveRoom, str | None, list[str]]:
        """A new room, the key of its creator (if they have a seat), and an invitation for each guest. Raises Refusal.

        `screen` and `program`: see join; `ids`: the person's id, the room's id and the key, if they are not drawn.
        """
        if len(self.rooms) >= self.most_rooms:
            await self._make_place()
        game = settings.make()
        for seat in settings.seats:
            if seat not in (ME, GUEST):
                await asyncio.to_thread(self.players.check, game, seat)
        now = self.clock.now()
        person, id, own = ids or (person_id(screen, name), secrets.token_urlsafe(9), secrets.token_urlsafe(16))
        live = LiveRoom(id, opened(settings, name, now, game, person, program))
        key = own if ME in settings.seats else None
        invites = [secrets.token_urlsafe(16) for seat in settings.seats if seat == GUEST]
        held = [(invite, INVITED) for invite in invites] + ([] if key is None else [(key, 0)])
        live.keys = {digest(text): holder for text, holder in held}
        rows = [key_row(id, hash, holder) for hash, holder in live.keys.items()]
        await self.journal.write(room_row(id, settings, name, now, person, program), *rows)
        self.rooms[id] = live
        self.presence.seen(live, None if key is None else 0)
        self._go_on(live)
        return live, key, invites

    async def _make_place(self) -> None:
        """Remove the unwatched room with the oldest last move. Raises Refusal if all rooms are in use."""
        left = [live for live in self.rooms.values() if not live.listeners]
        oldest = min(left, key=lambda live: live.room.since, default=None)
        if oldest is None or self.clock.now() - oldest.room.since < IDLE:
            raise Refusal("too many rooms: try later")
        del self.rooms[oldest.id]
        self.timers.drop(oldest)
        await self.journal.write(*gone_rows(oldest.id))

    async def join(
        self, live: LiveRoom, invite: str, name: str, screen: str = "", program: bool = False, key: str = ""
    ) -> str:
        """Take the seat of an invitation; return the person's key. Raises Refusal.

        A request with a `key` may be repeated, for instance if its answer was lost.

        Args:
            live: the room.
            invite: the invitation.
            name: the person's name.
            screen: a secret of the person's screen, which identifies them later; "" for a new person.
            program: whether a program plays.
            key: the key that the person will have; "" for a new one.
        """
        key = key or secrets.token_urlsafe(16)
        async with live.lock:
            hash = digest(invite)
            if live.keys.get(digest(key), INVITED) != INVITED:
                return key
            if live.keys.get(hash) != INVITED or digest(key) == hash:
                raise Refusal("this invitation does not exist or has been used")
            now, command = self.clock.now(), Command("sit", name=name, person=person_id(screen, name), program=program)
            room = apply(live.room, command, now)
            holder = max(room.holders)
            await self.journal.write(
                command_row(live.id, live.n, now, command), used_row(hash), key_row(live.id, digest(key), holder)
            )
            del live.keys[hash]
            live.keys[digest(key)] = holder
            self._changed(live, room)
            self.presence.seen(live, holder)
        return key

    async def command(
        self, live: LiveRoom, command: Command, id: str | None = None, done: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Apply a command, store it, send the room to everybody; return the answer. A repeated id gets it again.

        `done`: the answer if the command is applied, in place of "ok".
        """
        async with live.lock:
            known = None if id is None else live.answers.get((command.who, id))
            if known is not None:
                return known
            if command.do in ("claim", "resume"):
                command = structs.replace(command, away=self.presence.left(live, command.who))
            if command.do == "level":
                await asyncio.to_thread(self.players.check, live.room.game, command.move)
            self.timers.notice()
            now, before = self.clock.now(), live.room
            stood = live.still.taken(now) if before.left else 0
            command = structs.replace(command, stood=stood)
            try:
                room = apply(before, command, now)
                await self.journal.write(command_row(live.id, live.n, now, command))
            except Refusal as refusal:
                live.still.ms += stood
                stale = {"stale": True} if isinstance(refusal, Stale) else {}
                return {"type": "refused", "id": id, "why": str(refusal), **stale}
            except OSError:
                live.still.ms += stood
                raise
            if (room.at, room.phase) != (before.at, before.phase):
                waits = machines.due(room) and live.thinks  # it still thinks about another position
                live.still = Still(since=now if waits else None)
            if (written := self.clock.now() - now) > LAG:  # until then nobody could see the turn
                live.still.ms += written
            self._changed(live, room)
            answer = done or {"type": "ok", "id": id, "n": live.n}
            if id is not None:
                live.answers[command.who, id] = answer
                while len(live.answers) > MOST_ANSWERS:
                    live.answers.popitem(last=False)
            return answer

    def _changed(self, live: LiveRoom, room: Room) -> None:
        before, live.room, live.n = live.room, room, live.n + 1
        if room.last is not None and room.last is not before.last:
            self._keep(live, room, room.last)
        self._go_on(live)
        self.tell(live)

    def tell(self, live: LiveRoom) -> None:
        """Send the room to everybody who looks at it."""
        for listener in list(live.listeners):
            listener.changed()

    def _keep(self, live: LiveRoom, room: Room, game: Finished) -> None:
        """Write a finished game. After an undo at the end, the continued game replaces it."""
        number, loop = game.before.games, asyncio.get_running_loop()

        def write() -> archive.Place:
            place = live.kept[1] if live.kept is not None and live.kept[0] == number else None
            place = archive.keep(self.data, live.id, room, game, place, self.players.texts)
            if live.kept is None or live.kept[0] <= number:  # else a later game was written before it
                live.kept = number, place
            return place

        async def keep() -> None:
            told = False
            while True:
                try:
                    folder, index = await loop.run_in_executor(self._disk, write)
                    await self.journal.write(kept_row(live.id, number, folder.name, index))
                except OSError as error:  # a full disk; the next start writes it too
                    if self._closing:
                        return
                    if not told:
                        tell_operator(f"a finished game will be written once this is fixed: {error}")
                    told = True
                    self._waits.add(wait := loop.create_task(self.clock.sleep(BEAT)))
                    with suppress(asyncio.CancelledError):  # by close()
                        await wait
                    self._waits.discard(wait)
                else:
                    return

        live.writing = self._run(keep())

    def _go_on(self, live: LiveRoom) -> None:
        """Start a machine if it is to move, and set the alarm of the clock."""
        self.timers.set(live)
        if machines.due(live.room) and not live.thinks:
            live.thinking = self._run(machines.think(self, live))

    def _run(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        """A task has ended; report an unexpected error."""
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            tell_operator(f"{type(error).__name__}: {error}")

    async def hint(self, live: LiveRoom, look: bool) -> dict[str, Any]:
        """The move of the strongest player, its name, and with `look` a search's view of the position after it."""
        room = live.room
        if room.mover is None:
            raise Refusal("no player is to move")
        name = await asyncio.to_thread(questions.adviser, room.game)

        def ask(agent: Any) -> dict[str, Any]:
            move = questions.hint(room.position, agent, room.settings.seed)
            return {"move": move, "player": name, "sees": seen_after(room.position, move) if look else None}

        found: dict[str, Any] = await self.thinkers.ask(room.game, name, ask)
        return found

    def review(self, live: LiveRoom, holder: int | None, wish: str, asker: str) -> None:
        """Analyse the finished game in the background ("start"), in the turns of `asker`, or "stop". Raises Refusal."""
        room, review = live.room, self.reviewed(live)
        if holder is None and room.people:
            raise Refusal("spectators cannot do this")
        if wish == "stop" and review is not None:
            review.stopped = True
        if wish == "start":
            if room.phase != "over":
                raise Refusal("the game is not over")
            if review is None or (review.over and review.stopped):
                begun = Review(questions.record(room), room.at)
                self.turns.add(asker, begun.run())
                live.review = begun

    def reviewed(self, live: LiveRoom) -> Review | None:
        """The analysis of the finished game; None if moves were taken back or another game has begun."""
        if live.review is not None and live.review.at != live.room.at:
            live.review.stopped, live.review = True, None
        return live.review

    def seen(self, live: LiveRoom, holder: int | None) -> dict[str, Any]:
        """The room as a person or a spectator sees it."""
        if live.seen is None or live.seen[0] is not live.room:  # what everybody sees is made once for all screens
            live.seen = live.room, view.room(live.room, live.n)
        now, still = self.clock.now(), live.still
        clock = view.clock(live.room, now - still.so_far(now), still.since is not None)
        there = self.presence.shown(live, holder)
        return {**live.seen[1], "clock": clock, "thinking": live.thinks, **there, **view.own(live.room, holder)}


def warm(game: Game, players: ServerPlayers, names: list[str]) -> None:
    """Compile: draw the board, and let these players make a move."""
    from amoba_agents import Seat

    start = Position.start(game)
    view.room(opened(Settings(game.name, (ME,) * game.players, game.options), "A", 0, game), 0)
    questions.targets(start.play(start.legal_moves()[0]))
    with suppress(ValueError):  # without forbidden points
        explain(start, notation.cell_name(game, 0))
    for name in names:
        Seat(players.agent(name)[0], start).act(start)
    if names:
        seen_after(start, start.legal_moves()[0])


def digest(key: str) -> str:
    """The hash of a key, which is stored in its place."""
    return hashlib.sha256(key.encode()).hexdigest()


def person_id(screen: str, name: str) -> str:
    """The id of a person: the same for the same name on the same screen."""
    return digest(f"{screen or secrets.token_hex()} {' '.join(name.split())}")[:10]
