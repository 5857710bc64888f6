"""The server: pages and rooms over HTTP and WebSocket. docs/protocol.md describes the protocol."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket

from amoba_env import records
from amoba_env.draw import palette
from amoba_env.explain import explain
from amoba_experiments.reading import converted
from amoba_experiments.rooms import questions
from amoba_experiments.rooms.room import Command, Refusal, TooLarge
from amoba_experiments.web import analysis, messages, screens, view
from amoba_experiments.web.guard import (
    FILES,
    HERE,
    MOST_BYTES,
    MOST_FILE,
    MOST_OPEN,
    Connections,
    Guard,
    Rates,
    sender_of,
    status_of,
)
from amoba_experiments.web.hub import Hub
from amoba_experiments.web.live_room import LiveRoom
from amoba_experiments.web.participants import Participants
from amoba_experiments.web.server_players import cut_off, make_game

PAGE = Path(__file__).with_name("page")
ROOMS_AN_HOUR = 100  # new rooms of one address; no limit for this machine
# Requests in 20 seconds, of each address except this machine, and of each player.
POSTS = 300
LOOKS = 2000
READS = 600  # positions to analyse; all pupils of a class may have one address
DRAWINGS = 60  # files and positions
PATIENCE = 10  # seconds that a player's request may wait for its turn
BODY_SECONDS = 10  # in which the body of a request must arrive
ROOM = "/api/rooms/{id}"
OF_STUDIES = (
    "/",
    "/page/style.css",
    "/page",
    ROOM,
    *(f"{ROOM}/{each}" for each in ("board", "commands", "events", "positions", "live")),
)


def app(
    hub: Hub,
    hosts: tuple[str, ...] = (),
    connections: int = MOST_OPEN,
    participants: Participants | None = None,
    ready: Callable[[], None] = lambda: None,
) -> Guard:
    """The server of a hub's rooms.

    Args:
        hub: the rooms.
        hosts: further host names of the server.
        connections: open connections of one address, at most; no limit for this machine.
        participants: those of a study: then the server has their page and rooms alone.
        ready: called when the rooms are restored.
    """
    server = Server(hub, connections, participants)
    routes: list[Route | WebSocketRoute | Mount] = [
        Route("/", server.page),
        Route("/api/catalogue", server.catalogue),
        Route("/api/board", server.preview, methods=["POST"]),
        Route(FILES, server.paste, methods=["POST"]),
        Route(FILES + "/position", server.position, methods=["POST"]),
        Route(FILES + "/search", server.search, methods=["POST"]),
        Route(FILES + "/file", server.file, methods=["POST"]),
        Route("/api/rooms", server.open, methods=["POST"]),
        Route(ROOM, server.look),
        Route(f"{ROOM}/board", server.board),
        Route(f"{ROOM}/join", server.join, methods=["POST"]),
        Route(f"{ROOM}/commands", server.post, methods=["POST"]),
        Route(f"{ROOM}/events", server.events),
        Route(f"{ROOM}/record", server.record),
        Route(f"{ROOM}/positions", server.positions),
        Route(f"{ROOM}/review", server.review, methods=["GET", "POST"]),
        WebSocketRoute(f"{ROOM}/live", server.live),
        Route("/page/style.css", server.style),
        Mount("/page", StaticFiles(directory=PAGE)),
    ]
    if participants is not None:
        routes = [each for each in routes if each.path in OF_STUDIES]
        routes.append(Route("/api/study", server.study, methods=["POST"]))

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        hub.restore()
        ready()
        yield
        await hub.close()

    errors: dict[Any, Any] = {ValueError: _refused, OSError: _refused, HTTPException: _nothing, Exception: _failed}
    return Guard(Starlette(routes=routes, lifespan=lifespan, exception_handlers=errors), hosts)


async def _refused(_: Request, error: Exception) -> Response:
    return JSONResponse({"type": "refused", "why": str(error)}, status_of(error))


async def _nothing(_: Request, error: HTTPException) -> Response:
    """No such address (404), or not with this method (405)."""
    return JSONResponse({"type": "refused", "why": error.detail}, error.status_code, error.headers)


async def _failed(_: Request, error: Exception) -> Response:
    return JSONResponse({"type": "refused", "why": "an error in the server"}, 500)


async def _body(request: Request, most: int = MOST_BYTES) -> dict[str, Any]:
    """The body of a request. Raises Refusal if it is too large, too slow or not a JSON object."""
    found = b""
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for part in request.stream():
                found += part
                if len(found) > most:
                    raise TooLarge(f"expected a message of at most {most} bytes")
    except TimeoutError:
        raise Refusal(f"expected a message within {BODY_SECONDS} seconds") from None
    return messages.read(found)


def _address(request: HTTPConnection) -> str:
    return sender_of(request.client.host) if request.client else ""


class Server:
    """The handlers of the server's addresses."""

    def __init__(self, hub: Hub, connections: int, participants: Participants | None) -> None:
        self.hub, self.connections, self.participants = hub, Connections(connections), participants
        self.opened, self.posted = Rates(ROOMS_AN_HOUR, 3600), Rates(POSTS)
        self.looked, self.drawn, self.read = Rates(LOOKS), Rates(DRAWINGS), Rates(READS)
        self.making = asyncio.Semaphore(2)  # boards from anybody; large ones take seconds
        self.reading = asyncio.Semaphore(1)  # positions of an analysis; those of long games take a tenth of a second
        self.drawing = asyncio.Semaphore(2)  # files and positions; a page of a long game takes seconds

    async def page(self, request: Request) -> Response:
        """The page. The part of its address after # says what it shows; servers do not see it."""
        name = "index.html" if self.participants is None else "study.html"
        return Response((PAGE / name).read_bytes(), media_type="text/html")

    async def study(self, request: Request) -> Response:
        """A participant of a study: what they do, and how far they are."""
        assert self.participants is not None
        return JSONResponse(await self.participants.message(self.hub, await self._posted(request)))

    async def style(self, request: Request) -> Response:
        """The style of the page, with the colours of drawings as variables. Boards are of light wood in both themes."""
        light, dark = (palette.variables(theme) for theme in ("light", "dark"))
        wood = f"svg.board{{{light}}}svg.board .coordinates{{fill:var(--quiet)}}"
        colors = f":root{{{light}}}@media(prefers-color-scheme:dark){{:root{{{dark}}}}}{wood}"
        return Response(colors + (PAGE / "style.css").read_text(), media_type="text/css")

    async def catalogue(self, request: Request) -> Response:
        """The games, their options, and the number of players and the machines with the default options."""
        await self._wait(self.looked, request)
        games = await asyncio.to_thread(self.hub.players.catalogue)
        return JSONResponse({"games": games, "players": list(self.hub.players.texts)})

    async def preview(self, request: Request) -> Response:
        """A board and its players, for the form of a new room, or why the board is impossible."""
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
        """Open a room."""
        message = await self._posted(request)
        await self._wait(self.opened, request)
        given = converted(message, messages.NewRoom)
        async with self.making:
            settings = await asyncio.to_thread(messages.settings, given, secrets.randbits(32))
        live, key, invites = await self.hub.open(settings, given.name, given.person, given.program)
        return JSONResponse({"room": live.id, "key": key, "invites": invites}, 201)

    async def join(self, request: Request) -> Response:
        """Take the seat of an invitation."""
        message = await self._posted(request)
        live = self.hub.room(request.path_params["id"])
        given = converted(message, messages.Joining)
        key = await self.hub.join(live, given.invite, given.name, given.person, given.program, given.key)
        return JSONResponse({"room": live.id, "key": key})

    async def look(self, request: Request) -> Response:
        """The room now."""
        live, holder = await self._looks(request, self.looked)
        return JSONResponse(self.hub.seen(live, holder))

    async def board(self, request: Request) -> Response:
        """The board of a room."""
        live, _ = await self._looks(request, self.looked)
        return JSONResponse(await asyncio.to_thread(view.board, live.room.game))

    async def post(self, request: Request) -> Response:
        """A command or a question of a script."""
        live, holder = self._who(request)
        answer = await self.answer(live, holder, await self._posted(request, holder))
        if answer["type"] == "refused":
            answer["room"] = self.hub.seen(live, holder)
        return JSONResponse(answer, 409 if answer["type"] == "refused" else 200)

    async def events(self, request: Request) -> Response:
        """The room after every change, one line each, and a line now and then if nothing happens."""
        live, holder = await self._looks(request, self.looked)
        with ExitStack() as stack:
            stack.enter_context(self.connections.held(_address(request), "watching" if holder is None else "playing"))
            queue = screens.ScreenQueue(self.hub, live, holder)
            stack.callback(queue.close)
            return _Stream(queue, stack.pop_all())

    async def record(self, request: Request) -> Response:
        """The game so far as a file: sgf, psq, jsonl or html."""
        live, _ = await self._looks(request, self.drawn)
        room, kind = live.room, request.query_params.get("format", "jsonl")

        def draw() -> str:
            found = questions.record(room)
            if kind == "html":
                return found.html(title=" - ".join(filter(None, room.names)))
            return records.to_text([found], kind)

        async with self.drawing:
            return _file(await asyncio.to_thread(draw), kind, room.game.name)

    async def positions(self, request: Request) -> Response:
        """All positions of the game, to step through."""
        live, _ = await self._looks(request, self.drawn)
        room = live.room
        async with self.drawing:
            return await asyncio.to_thread(
                lambda: JSONResponse([view.position(each) for each in questions.record(room).positions])
            )

    async def review(self, request: Request) -> Response:
        """The analysis of the finished game so far; `{"do": "start"}` begins it, `{"do": "stop"}` ends it."""
        live, holder = await self._looks(request, self.looked)
        if request.method == "POST":
            wish = converted(await self._posted(request, holder), messages.Reviewing).do
            self.hub.review(live, holder, wish, _address(request))
        found = self.hub.reviewed(live)
        nothing = {"done": 0, "total": 0, "running": False}
        return JSONResponse(nothing if found is None else await asyncio.to_thread(found.json))

    async def paste(self, request: Request) -> Response:
        """The game and the variations of a text or file, to analyse."""
        given = converted(await self._posted(request, most=MOST_FILE), analysis.Pasted)
        await self._wait(self.drawn, request)
        async with self.drawing:
            return await asyncio.to_thread(lambda: JSONResponse(analysis.opened(given)))

    async def position(self, request: Request) -> Response:
        """The position after some moves, and what is legal there."""
        await self._wait(self.read, request)
        at = converted(await _body(request, MOST_FILE), analysis.At)
        async with self.reading:
            return JSONResponse(await asyncio.to_thread(analysis.position, at))

    async def search(self, request: Request) -> Response:
        """What a search sees in a position, a line for each longer search."""
        await self._wait(self.read, request)
        at = converted(await _body(request, MOST_FILE), analysis.At)
        async with self.reading:
            record = await asyncio.to_thread(at.record, at.moves)
        with ExitStack() as stack:
            stack.enter_context(self.connections.held(_address(request), "watching"))
            search = analysis.PositionSearch(self.hub.turns, _address(request), record.positions[-1])
            stack.callback(search.stop)
            return _Stream(search, stack.pop_all())

    async def file(self, request: Request) -> Response:
        """A game with variations as a file."""
        tree = converted(await self._posted(request, most=MOST_FILE), analysis.Tree)
        await self._wait(self.drawn, request)
        async with self.drawing:
            text, kind = await asyncio.to_thread(analysis.file, tree)
        return _file(text, kind, f"{tree.game}-analysis")

    async def live(self, socket: WebSocket) -> None:
        """A screen: it gets the room after every change, and sends commands and questions."""
        await screens.live(self.hub, self.connections, self.answer, socket)

    async def answer(self, live: LiveRoom, holder: int | None, message: dict[str, Any]) -> dict[str, Any]:
        """The answer to a command or a question. Raises ValueError for other messages."""
        id = converted(message, messages.Named).id
        if self.participants is not None and (why := self.participants.why_not(live.room, message)) is not None:
            return {"type": "refused", "id": id, "why": why}
        if message.get("ask") is not None:
            asking = converted(message, messages.Asking)
            return await self._asked(live, holder, asking, id)
        if holder is None:
            return {"type": "refused", "id": id, "why": "spectators cannot do this"}
        try:
            command = messages.command(message, holder)
        except ValueError as refusal:
            return {"type": "refused", "id": id, "why": str(refusal)}
        return await self.hub.command(live, command, id)

    async def _asked(
        self, live: LiveRoom, holder: int | None, asking: messages.Asking, id: str | None
    ) -> dict[str, Any]:
        """The answer to a question. What it does to the room is done once for an id."""
        room, ask = live.room, asking.ask
        answer = {"type": "answer", "id": id}
        if ask == "why":
            return {**answer, "text": str(await asyncio.to_thread(explain, room.position, asking.cell))}
        if holder is None or room.people != {holder}:
            raise Refusal("hints are only for people who play alone")
        if id is not None and (known := live.answers.get((holder, id))) is not None:
            return known
        hint = await self.hub.hint(live, ask == "hint")
        answer |= hint
        if ask == "hint":
            command = Command("hint", holder, room.at, hint["move"], hint["player"])
            found = await self.hub.command(live, command, id, answer)
            if found["type"] == "refused":
                raise Refusal(found["why"])
            return found
        command = Command("move", holder, room.at, hint["move"], hint["player"])  # recorded: it is not the person's own
        found = await self.hub.command(live, command, id, {**answer, "done": True})
        return {**answer, "done": False} if found["type"] == "refused" else found

    async def _posted(self, request: Request, holder: int | None = None, most: int = MOST_BYTES) -> dict[str, Any]:
        """The body of a request, when it is its turn. Raises Refusal."""
        await self._wait(self.posted, request, holder)
        return await _body(request, most)

    async def _wait(self, rates: Rates, request: Request, holder: int | None = None) -> None:
        """Wait for the turn of a request. Raises Refusal.

        A player's requests are counted separately from those of the same address, and wait. Other requests beyond the
        rate are refused.
        """
        address = _address(request)
        if holder is not None:
            await asyncio.sleep(rates.turn(f"{holder} {request.path_params['id']}", PATIENCE))
        elif address not in HERE:
            rates.turn(address)

    def _who(self, request: Request) -> tuple[LiveRoom, int | None]:
        """The room of a request and the holder of its key, `Authorization: Bearer KEY`. Raises Refusal."""
        live = self.hub.room(request.path_params["id"])
        scheme, _, key = request.headers.get("authorization", "").partition(" ")
        return live, self.hub.holder(live, key if scheme.lower() == "bearer" else None)

    async def _looks(self, request: Request, rates: Rates) -> tuple[LiveRoom, int | None]:
        """The room of a request and the holder, when it is the request's turn. Raises Refusal."""
        live, holder = self._who(request)
        await self._wait(rates, request, holder)
        return live, holder


class _Stream(StreamingResponse):
    """Messages as lines; closes a resource after them."""

    def __init__(self, source: screens.ScreenQueue | analysis.PositionSearch, closing: ExitStack) -> None:
        super().__init__(source.lines(), media_type="application/x-ndjson")
        self.closing = closing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self.closing:  # also if the client leaves before the first line
            await super().__call__(scope, receive, send)


def _file(text: str, kind: str, name: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}.{kind}"'}
    return PlainTextResponse(text, headers=headers)
