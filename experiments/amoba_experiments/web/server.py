"""The server: pages and rooms over HTTP and WebSocket; docs/network.md describes what is said."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from amoba_env import records
from amoba_env.draw import palette
from amoba_env.explain import explain
from amoba_experiments.rooms import session
from amoba_experiments.rooms.room import Command, Refusal
from amoba_experiments.web import messages, view
from amoba_experiments.web.guard import (
    MOST_BYTES,
    MOST_OPEN,
    PLAYER_RATE,
    WATCHER_RATE,
    Connections,
    Guard,
    Rate,
    Rates,
)
from amoba_experiments.web.hub import MOST_WATCHERS, Hub, Table
from amoba_experiments.web.players import catalogue, cut_off, make_game

PAGE = Path(__file__).with_name("page")
HELLO_SECONDS = 10
MOST_WAITING = 50  # answers that a slow client has not taken
ROOMS_AN_HOUR = 100  # that one address may open, but for this machine
POSTS = 300  # in 20 seconds from one address, but for this machine


def app(hub: Hub, hosts: tuple[str, ...] = (), connections: int = MOST_OPEN) -> Guard:
    """The server of a hub's rooms.

    Args:
        hub: the rooms.
        hosts: names of the server besides this machine's own.
        connections: at most so many that one address, but for this machine, has open at a time.
    """
    server = Server(hub, connections)
    routes = [
        Route("/", server.page),
        Route("/api/catalogue", server.catalogue),
        Route("/api/board", server.preview, methods=["POST"]),
        Route("/api/rooms", server.open, methods=["POST"]),
        Route("/api/rooms/{id}", server.look),
        Route("/api/rooms/{id}/board", server.board),
        Route("/api/rooms/{id}/join", server.join, methods=["POST"]),
        Route("/api/rooms/{id}/commands", server.post, methods=["POST"]),
        Route("/api/rooms/{id}/events", server.events),
        Route("/api/rooms/{id}/record", server.record),
        Route("/api/rooms/{id}/positions", server.positions),
        Route("/api/rooms/{id}/review", server.review, methods=["GET", "POST"]),
        WebSocketRoute("/api/rooms/{id}/live", server.live),
        Route("/page/colors.css", server.colors),
        Mount("/page", StaticFiles(directory=PAGE)),
    ]

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        hub.restore()
        yield
        await hub.close()

    errors: dict[Any, Any] = {ValueError: _refused, OSError: _refused}
    return Guard(Starlette(routes=routes, lifespan=lifespan, exception_handlers=errors), hosts)


async def _refused(_: Request, error: Exception) -> Response:
    return JSONResponse({"type": "refused", "why": str(error)}, 400)


async def _body(request: Request) -> dict[str, Any]:
    """What was posted. Raises Refusal if it is too large or no JSON object."""
    found = b""
    async for part in request.stream():
        found += part
        if len(found) > MOST_BYTES:
            raise Refusal(f"messages have up to {MOST_BYTES} bytes")
    return messages.read(found)


def _address(request: HTTPConnection) -> str:
    return request.client.host if request.client else ""


class Server:
    """What each address of the server does."""

    def __init__(self, hub: Hub, connections: int) -> None:
        self.hub, self.connections = hub, Connections(connections)
        self.opened, self.posted = Rates(ROOMS_AN_HOUR, 3600), Rates(POSTS)
        self.making = asyncio.Semaphore(2)  # boards of strangers: large ones take seconds

    async def page(self, request: Request) -> Response:
        """The page; what it shows stands after the # of its address, which no server sees."""
        return Response((PAGE / "index.html").read_bytes(), media_type="text/html")

    async def colors(self, request: Request) -> Response:
        """The colours of drawings, as variables of the page."""
        light, dark = (f":root{{{palette.variables(theme)}}}" for theme in ("light", "dark"))
        return Response(f"{light}@media(prefers-color-scheme:dark){{{dark}}}", media_type="text/css")

    async def catalogue(self, request: Request) -> Response:
        """The games, their options, and the players of a game with its options as they are by default."""
        games = catalogue()
        return JSONResponse({"games": games, "players": list(self.hub.players.texts)})

    async def preview(self, request: Request) -> Response:
        """A board before it is played on, or why it cannot be, and who plays there."""
        message = await self._posted(request)
        options = message.get("options", {})
        try:
            async with self.making:
                game = await asyncio.to_thread(make_game, message.get("game"), options)
        except ValueError as error:
            return JSONResponse({"type": "refused", "why": str(error), "parts": cut_off(options)}, 400)
        players = await asyncio.to_thread(self.hub.players.of, game)
        return JSONResponse({**view.board(game), "machines": players})

    async def open(self, request: Request) -> Response:
        """A new room."""
        message = await self._posted(request)
        if not self.opened.allows(_address(request)):
            raise Refusal("too many rooms were opened from there: try later")
        name = messages.text(message, "name", 40, "")
        async with self.making:
            settings = await asyncio.to_thread(messages.settings, message, secrets.randbits(32))
        table, key, invites = await self.hub.open(settings, name)
        return JSONResponse({"room": table.id, "key": key, "invites": invites}, 201)

    async def join(self, request: Request) -> Response:
        """Take the seat of an invitation."""
        message = await self._posted(request)
        table = self.hub.table(request.path_params["id"])
        key = await self.hub.join(table, messages.text(message, "invite"), messages.text(message, "name", 40))
        return JSONResponse({"room": table.id, "key": key})

    async def look(self, request: Request) -> Response:
        """The room now."""
        table, holder = self._who(request)
        return JSONResponse(self.hub.seen(table, holder))

    async def board(self, request: Request) -> Response:
        """The board of a room."""
        return JSONResponse(view.board(self.hub.table(request.path_params["id"]).room.game))

    async def post(self, request: Request) -> Response:
        """A command or a question of a script."""
        table, holder = self._who(request)
        answer = await self.answer(table, holder, await self._posted(request))
        if answer["type"] == "refused":
            answer["room"] = self.hub.seen(table, holder)
        return JSONResponse(answer, 409 if answer["type"] == "refused" else 200)

    async def events(self, request: Request) -> Response:
        """The room after every change, a line each."""
        table, holder = self._who(request)
        self.connections.check(_address(request))
        line = Line(self.hub, table, holder)

        async def lines() -> AsyncIterator[str]:
            with self.connections.held(_address(request)):
                async for each in line.lines():
                    yield each

        return StreamingResponse(lines(), media_type="application/x-ndjson")

    async def record(self, request: Request) -> Response:
        """The game so far as a file: sgf, psq, jsonl or html."""
        room, kind = self.hub.table(request.path_params["id"]).room, request.query_params.get("format", "jsonl")
        found = session.record(room)
        if kind == "html":
            return _file(found.html(title=" - ".join(filter(None, room.names))), "html", room.game.name)
        return _file(records.to_text([found], kind), kind, room.game.name)

    async def positions(self, request: Request) -> Response:
        """All positions of the game, to step through."""
        room = self.hub.table(request.path_params["id"]).room
        found = await asyncio.to_thread(lambda: [view.position(each) for each in session.record(room).positions])
        return JSONResponse(found)

    async def review(self, request: Request) -> Response:
        """What has been found about the finished game so far; `{"do": "start"}` begins, `{"do": "stop"}` ends it."""
        table, holder = self._who(request)
        if request.method == "POST":
            self.hub.review(table, holder, messages.one_of(await self._posted(request), "do", "start", "stop"))
        found = self.hub.reviewed(table)
        return JSONResponse({"done": 0, "total": 0, "running": False} if found is None else found.json())

    async def live(self, socket: WebSocket) -> None:
        """A screen: it is sent the room after every change, and commands and asks."""
        await socket.accept()
        try:
            self.connections.check(_address(socket))
        except Refusal as refusal:
            await _refuse(socket, refusal, 4429)
            return
        with self.connections.held(_address(socket)):
            await self._screen(socket)

    async def _screen(self, socket: WebSocket) -> None:
        try:
            table = self.hub.table(socket.path_params["id"])
            hello = messages.read(await asyncio.wait_for(_text(socket), HELLO_SECONDS))
            line = Line(self.hub, table, self.hub.holder(table, hello.get("key")))
        except Refusal as refusal:
            await _refuse(socket, refusal, 4404)
            return
        except (TimeoutError, WebSocketDisconnect):
            return
        sender = asyncio.create_task(_send(socket, line))
        try:
            await self._listen(socket, line)
        except (WebSocketDisconnect, RuntimeError):  # a RuntimeError: it was closed while something was sent
            pass
        finally:
            line.close()
            sender.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await sender

    async def _listen(self, socket: WebSocket, line: Line) -> None:
        rate = Rate(WATCHER_RATE if line.holder is None else PLAYER_RATE)
        while not line.closed:
            text = await _text(socket)
            if not rate.allows():
                await socket.close(4429, "too many messages")
                return
            line.put(await self._answered(line, text))

    async def _answered(self, line: Line, text: str | bytes) -> dict[str, Any]:
        try:
            message = messages.read(text)
            if message.get("do") == "ping":
                return {"type": "pong"}
            answer = await self.answer(line.table, line.holder, message)
        except (ValueError, OSError, ImportError) as error:
            answer = {"type": "refused", "why": str(error)}
        if answer["type"] == "refused":
            line.changed()  # never silence: the full state follows
        return answer

    async def answer(self, table: Table, holder: int | None, message: dict[str, Any]) -> dict[str, Any]:
        """The answer to a command or a question. Raises ValueError for a message that is none."""
        id = message.get("id")
        if id is not None and not (isinstance(id, str) and len(id) <= 40):
            raise Refusal("'id': a text of up to 40 letters is wanted")
        ask = message.get("ask")
        if ask is not None:
            return {"type": "answer", "id": id, **await self._asked(table, holder, message, ask)}
        if holder is None:
            return {"type": "refused", "id": id, "why": "who watches cannot do this"}
        try:
            command = messages.command(message, holder)
        except Refusal as refusal:
            return {"type": "refused", "id": id, "why": str(refusal)}
        return await self.hub.command(table, command, id)

    async def _asked(self, table: Table, holder: int | None, message: dict[str, Any], ask: object) -> dict[str, Any]:
        room = table.room
        if ask == "why":
            found = await asyncio.to_thread(explain, room.position, messages.text(message, "cell", 10))
            return {"text": str(found)}
        if ask not in ("hint", "play"):
            raise Refusal("'ask': one of hint, why, play is wanted")
        if holder is None or room.people != {holder}:
            raise Refusal("hints are for who plays alone")
        hint = await self.hub.hint(table, ask == "hint")
        if ask == "hint":
            return hint
        answer = await self.hub.command(table, Command("move", holder, room.at, hint["move"]))
        return {**hint, "done": answer["type"] == "ok"}

    async def _posted(self, request: Request) -> dict[str, Any]:
        """What was posted. Raises Refusal if it is none, or one too many from there."""
        if not self.posted.allows(_address(request)):
            raise Refusal("too many messages come from there: try later")
        return await _body(request)

    def _who(self, request: Request) -> tuple[Table, int | None]:
        """The room of a request, and who asks: `Authorization: Bearer KEY`. Raises Refusal."""
        table = self.hub.table(request.path_params["id"])
        scheme, _, key = request.headers.get("authorization", "").partition(" ")
        return table, self.hub.holder(table, key if scheme.lower() == "bearer" else None)


class Line:
    """What waits for one screen: answers, and whether the room has changed; only the newest room is sent."""

    def __init__(self, hub: Hub, table: Table, holder: int | None) -> None:
        """Raises Refusal where too many watch."""
        if len(table.listeners) >= MOST_WATCHERS:
            raise Refusal("too many people watch this room")
        self.hub, self.table, self.holder = hub, table, holder
        self.answers: deque[dict[str, Any]] = deque()
        self.news, self.fresh, self.closed = asyncio.Event(), True, False
        self.news.set()
        table.listeners.add(self.changed)

    def changed(self) -> None:
        """The room has changed."""
        self.fresh = True
        self.news.set()

    def put(self, answer: dict[str, Any]) -> None:
        """An answer; who does not take them is cut off."""
        self.answers.append(answer)
        self.closed |= len(self.answers) > MOST_WAITING
        self.news.set()

    def close(self) -> None:
        """Nobody is there any more."""
        self.closed = True
        self.table.listeners.discard(self.changed)

    async def next(self) -> list[dict[str, Any]]:
        """What is to be sent, as soon as there is something."""
        await self.news.wait()
        self.news.clear()
        found = list(self.answers)
        self.answers.clear()
        if self.fresh:
            self.fresh = False
            found.append(self.hub.seen(self.table, self.holder))
        return found

    async def lines(self) -> AsyncIterator[str]:
        """The same as lines of JSON."""
        try:
            while True:
                for each in await self.next():
                    yield json.dumps(each) + "\n"
        finally:
            self.close()


async def _text(socket: WebSocket) -> str | bytes:
    """The next message, text or bytes. Raises WebSocketDisconnect."""
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1000))
    return message.get("text") or message.get("bytes") or ""


async def _refuse(socket: WebSocket, refusal: Refusal, code: int) -> None:
    await socket.send_json({"type": "refused", "why": str(refusal), "final": True})
    await socket.close(code)


async def _send(socket: WebSocket, line: Line) -> None:
    await socket.send_json({"type": "board", **view.board(line.table.room.game)})
    while not line.closed:
        for each in await line.next():
            await socket.send_json(each)


def _file(text: str, kind: str, name: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}.{kind}"'}
    return PlainTextResponse(text, headers=headers)
