"""Checks of all requests: hosts, origins, sizes, rates and numbers of connections."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, MutableMapping
from contextlib import contextmanager
from ipaddress import IPv6Address, ip_network
from time import monotonic
from typing import Any, Literal
from urllib.parse import urlsplit

from amoba_experiments.rooms.room import NotFound, Refusal, TooLarge, TooMany

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Role = Literal["arriving", "watching", "playing"]

MOST_BYTES = 8192  # of a message or the body of a request
MOST_FILE = 65_536  # of a request with a whole game
FILES = "/api/analysis"  # the beginning of the addresses of such requests
PLAYER_RATE, WATCHER_RATE, WINDOW = 100, 50, 20.0  # messages in this many seconds
MOST_ADDRESSES = 10_000  # remembered
MOST_OPEN = 200  # connections of one address at a time, in each role
HERE = ("127.0.0.1", "::1")
LOCAL = ("localhost", "127.0.0.1", "[::1]")

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-cache",
}


class Guard:
    """Refuses unknown hosts and foreign pages, and puts HEADERS on every answer."""

    def __init__(self, app: App, hosts: Iterable[str] = ()) -> None:
        """`hosts`: further host names of the server, without a port."""
        self.app, self.hosts = app, {*LOCAL, *(host.lower() for host in hosts)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        try:
            self._check(scope)
        except Refusal as refusal:
            await _refuse(scope, send, refusal)
            return

        async def with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [
                    *message.get("headers", []),
                    *((name.encode(), value.encode()) for name, value in HEADERS.items()),
                ]
            await send(message)

        await self.app(scope, receive, with_headers)

    def _check(self, scope: Scope) -> None:
        headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        host = headers.get(b"host", "")
        here = (scope.get("server") or ("",))[0]  # the address that was called: no foreign page has it as its name
        if _name(host) not in self.hosts and _name(host).strip("[]") != here:
            raise Refusal("unknown host name of this server; see --name of amoba serve")
        origin = headers.get(b"origin")
        writes = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        if writes and origin is not None and _site(origin) != host.lower():
            raise Refusal("pages of other sites cannot use this server")
        length = headers.get(b"content-length", "0")
        most = MOST_FILE if scope["path"].startswith(FILES) else MOST_BYTES
        if not length.isdecimal() or len(length) > len(str(most)) or int(length) > most:
            raise TooLarge(f"expected a message of at most {most} bytes")


def _site(origin: str) -> str:
    """The host and port of an origin; "" if it is malformed."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


def _name(host: str) -> str:
    """The host without its port."""
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdecimal() else host).lower()


async def _refuse(scope: Scope, send: Send, refusal: Refusal) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 4403, "reason": str(refusal)})
        return
    status, body = status_of(refusal, 403), json.dumps({"type": "refused", "why": str(refusal)}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def status_of(error: Exception, other: int = 400) -> int:
    """The status of HTTP for a refusal; `other`: for those without a status of their own."""
    kinds = {NotFound: 404, TooLarge: 413, TooMany: 429, OSError: 500}  # OSError: a full disk
    return next((status for kind, status in kinds.items() if isinstance(error, kind)), other)


def sender_of(address: str) -> str:
    """The address that limits count: of IPv6 the first 64 bits, since all that begin with them are one network."""
    try:
        found = IPv6Address(address)
    except ValueError:  # of IPv4, or a name
        return address
    return address if address in HERE else str(found.ipv4_mapped or ip_network((found, 64), strict=False))


class Rate:
    """A limit of messages in a window of time."""

    def __init__(self, most: int, window: float = WINDOW) -> None:
        self.most, self.window, self.left, self.last = most, window, float(most), monotonic()

    def turn(self, patience: float = math.inf) -> float:
        """Count a message; return the seconds until its turn.

        Raises:
            Refusal: the wait is longer than `patience`. The message is not counted.
        """
        now = monotonic()
        self.left = min(self.most, self.left + (now - self.last) * self.most / self.window)
        self.last = now
        wait = max(0.0, (1 - self.left) * self.window / self.most)
        if wait > patience:
            raise TooMany("too many requests: try later")
        self.left -= 1
        return wait


class Rates:
    """A limit of messages in a window of time for each sender, an address or the holder of a seat."""

    def __init__(self, most: int, window: float = WINDOW) -> None:
        self.most, self.window = most, window
        self.known: dict[str, Rate] = {}

    def turn(self, sender: str, patience: float = 0.0) -> float:
        """Count a message; return the seconds until its turn. Raises Refusal, see Rate.turn."""
        if len(self.known) >= MOST_ADDRESSES:
            self.known.clear()
        return self.known.setdefault(sender, Rate(self.most, self.window)).turn(patience)


class Connections:
    """A limit of open connections for each address and role; none for this machine."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.open: Counter[tuple[str, str]] = Counter()

    @contextmanager
    def held(self, address: str, role: Role) -> Iterator[None]:
        """Hold a connection. Roles are counted separately, so spectators cannot take the places of players.

        Raises:
            Refusal: the address has too many connections.
        """
        who = (address, role)
        if self.open[who] >= self.most and address not in HERE:
            raise TooMany("your address has too many connections open: close some")
        self.open[who] += 1
        try:
            yield
        finally:
            self.open[who] -= 1
            if not self.open[who]:
                del self.open[who]
