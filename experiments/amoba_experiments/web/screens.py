"""Screens of a room: WebSockets and streams of lines. Each gets the newest room after every change."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import Any

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from amoba_experiments.rooms.room import Refusal
from amoba_experiments.web import messages, view
from amoba_experiments.web.guard import PLAYER_RATE, WATCHER_RATE, Connections, Rate, sender_of
from amoba_experiments.web.hub import Hub
from amoba_experiments.web.live_room import LiveRoom

HELLO_SECONDS = 10
BEAT_SECONDS = 15  # from one line to the next of a stream in which nothing happens
MOST_WAITING = 50  # pending answers of a slow client
MOST_WATCHERS = 200  # of a room
MOST_SCREENS = 8  # of one player in a room: a new one replaces the oldest
pause = asyncio.sleep  # tests use their own clock

Answer = Callable[[LiveRoom, int | None, dict[str, Any]], Awaitable[dict[str, Any]]]


class ScreenQueue:
    """Pending messages of one screen: answers, and whether the room has changed. Only the newest room is sent."""

    def __init__(self, hub: Hub, live: LiveRoom, holder: int | None) -> None:
        """Raises Refusal if the room has too many spectators. Players do not count."""
        self.holder = holder
        same = [each for each in live.listeners if each.holder == holder]
        if holder is None and len(same) >= MOST_WATCHERS:
            raise Refusal("this room has too many spectators")
        if holder is not None and len(same) >= MOST_SCREENS:
            same[0].end(f"this seat is open on {MOST_SCREENS} newer screens")
        self.hub, self.live = hub, live
        self.answers: deque[dict[str, Any]] = deque()
        self.news, self.fresh, self.closed = asyncio.Event(), True, False
        self.news.set()
        hub.presence.enter(live, self)

    def changed(self) -> None:
        """The room has changed."""
        self.fresh = True
        self.news.set()

    def put(self, answer: dict[str, Any]) -> None:
        """Queue an answer. A client with too many pending answers is disconnected."""
        self.answers.append(answer)
        self.news.set()
        if len(self.answers) > MOST_WAITING:
            self.close()

    def end(self, why: str) -> None:
        """Send the reason and close."""
        self.answers.append({"type": "refused", "why": why, "final": True})
        self.close()

    def close(self) -> None:
        """Close after the pending messages."""
        self.closed = True
        self.hub.presence.leave(self.live, self)
        self.news.set()

    async def next(self) -> list[str]:
        """Wait for messages and return them, in JSON."""
        await self.news.wait()
        self.news.clear()
        found = [msgspec.json.encode(answer).decode() for answer in self.answers]
        self.answers.clear()
        if self.fresh:
            self.fresh = False
            found.append(msgspec.json.encode(self.hub.seen(self.live, self.holder)).decode())
        return found

    async def all(self, silence: float | None = None) -> AsyncIterator[str]:
        """All messages until the queue is closed, with those that wait then.

        After each `silence` seconds without one comes a beat.
        """
        try:
            while not self.closed or self.answers:
                try:
                    found = await asyncio.wait_for(self.next(), silence)
                except TimeoutError:
                    found = ['{"type": "beat"}']
                for each in found:
                    yield each
        finally:
            self.close()

    async def lines(self) -> AsyncIterator[str]:
        """All messages as lines of JSON. The beats tell a client that the server is there, and find dead clients."""
        async for each in self.all(BEAT_SECONDS):
            yield each + "\n"


async def live(hub: Hub, connections: Connections, answer: Answer, socket: WebSocket) -> None:
    """Serve a screen on a WebSocket, from its first message to its end."""
    address = sender_of(socket.client.host) if socket.client else ""
    await socket.accept()
    try:
        with connections.held(address, "arriving"):
            live = hub.room(socket.path_params["id"])
            hello = messages.read(await asyncio.wait_for(_text(socket), HELLO_SECONDS))
            holder = hub.holder(live, hello.get("key"))
        with connections.held(address, "watching" if holder is None else "playing"):
            await _screen(ScreenQueue(hub, live, holder), answer, socket)
    except Refusal as refusal:
        with suppress(WebSocketDisconnect, RuntimeError):
            await socket.send_json({"type": "refused", "why": str(refusal), "final": True})
            await socket.close(4404)
    except (TimeoutError, WebSocketDisconnect):
        return


async def _screen(queue: ScreenQueue, answer: Answer, socket: WebSocket) -> None:
    sender = asyncio.create_task(_send(queue, socket))
    try:
        await _listen(queue, answer, socket)
    except (WebSocketDisconnect, RuntimeError):  # RuntimeError: closed during a send
        pass
    finally:
        queue.close()
        sender.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await sender


async def _send(queue: ScreenQueue, socket: WebSocket) -> None:
    board = await asyncio.to_thread(view.board, queue.live.room.game)
    await socket.send_json({"type": "board", **board})
    code = 1011  # a server error, so that the screen does not wait
    try:
        async for each in queue.all():
            await socket.send_text(each)
        code = 4429
    finally:
        with suppress(RuntimeError, WebSocketDisconnect):  # it is closed already
            await socket.close(code)


async def _listen(queue: ScreenQueue, answer: Answer, socket: WebSocket) -> None:
    """Read messages. Those beyond the rate wait in the network; a ping does not wait for answers."""
    rate = Rate(WATCHER_RATE if queue.holder is None else PLAYER_RATE)
    read: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue(MOST_WAITING)
    answering = asyncio.create_task(_answer(queue, answer, read))
    answering.add_done_callback(lambda _: queue.close())  # after an error in the server
    try:
        while not queue.closed:
            text = await _text(socket)
            await pause(rate.turn())
            try:
                message = messages.read(text)
            except Refusal as refusal:
                queue.put({"type": "refused", "why": str(refusal)})
                continue
            if message.get("do") == "ping":
                queue.put({"type": "pong"})
            else:
                await read.put(message)
    finally:
        if not answering.done():
            await read.put(None)
        await answering  # what was read is done, even if the client has left


async def _answer(queue: ScreenQueue, answer: Answer, read: asyncio.Queue[dict[str, Any] | None]) -> None:
    """Answer messages, one after the other, until None."""
    while (message := await read.get()) is not None:
        try:
            found = await answer(queue.live, queue.holder, message)
        except OSError as error:  # a command is sent again
            found = {"type": "refused", "why": str(error)}
        except (ValueError, ImportError) as error:
            found = {"type": "refused", "id": message.get("id"), "why": str(error)}
        queue.put(found)
        if found["type"] == "refused":
            queue.changed()  # the room follows


async def _text(socket: WebSocket) -> str | bytes:
    """The next message, text or bytes. Raises WebSocketDisconnect."""
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1000))
    return message.get("text") or message.get("bytes") or ""
