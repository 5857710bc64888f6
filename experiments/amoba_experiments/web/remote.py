"""A player of this package in a room of a server: `amoba join URL --agent NAME`."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import parse_qs, quote, urlsplit
from urllib.request import Request, urlopen

from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import ClientConnection, connect

from amoba_agents import Agent, Seat, make_agent
from amoba_env import games, notation
from amoba_env.position import Position, played
from amoba_experiments.rooms.seats import MOST_NAME

AGAIN = 30  # seconds of trying to reconnect
Say = Callable[[str], None]


class Guest:
    """A seat in a room of a server."""

    def __init__(self, url: str) -> None:
        """Ask for the game. ValueError for a bad link, or with the server's refusal; OSError without a server."""
        split = urlsplit(url)
        said = {key: values[0] for key, values in parse_qs(split.fragment).items()}
        if split.scheme not in ("http", "https") or not split.netloc or "room" not in said:
            raise ValueError(f"expected a link http://HOST:PORT/#room=ID&invite=SECRET, got {url!r}")
        self.room = f"{split.netloc}/api/rooms/{quote(said['room'], safe='')}"
        self.secure = "s" if split.scheme == "https" else ""
        self.key, self.invitation = said.get("key", ""), said.get("invite", "")
        board = self._ask("/board", "options")
        self.game = games.make_from(board["game"], board["options"])

    def sit(self, name: str) -> None:
        """Take the seat, unless the link has its key. Raises as __init__()."""
        self.key = self.key or self._ask("/join", "key", invite=self.invitation, name=name, program=True)["key"]

    def _ask(self, path: str, expected: str, **body: Any) -> dict[str, Any]:
        """The answer of the server, which has the key `expected`."""
        data = json.dumps(body).encode() if body else None
        try:
            with urlopen(Request(f"http{self.secure}://{self.room}{path}", data), timeout=AGAIN) as answer:
                found = json.load(answer)
        except HTTPError as error:
            raise ValueError(f"the server refuses: {error.read(2000).decode(errors='replace')}") from None
        except URLError as error:
            raise OSError(f"no server answers at {self.room}: {error.reason}") from None
        except (HTTPException, ValueError) as error:  # a bad address, or no JSON
            raise OSError(f"no server of amoba answers at {self.room}: {error}") from None
        if not isinstance(found, dict) or expected not in found:
            raise OSError(f"no server of amoba answers at {self.room}")
        return found

    def connect(self) -> ClientConnection:
        """A connection, as a context manager. Its first message must be the key of the seat."""
        return connect(f"ws{self.secure}://{self.room}/live", compression=None, open_timeout=AGAIN)


def play(url: str, agent: str, name: str | None, seed: int, count: int, say: Say) -> None:
    """Play this many games in a room. Raises ValueError, OSError."""
    player = make_agent(agent)
    guest = Guest(url)
    player.memory(guest.game)
    guest.sit(name or re.sub(r"[^\w .'-]", " ", agent)[:MOST_NAME])
    say(f"sits at {guest.game.name}")
    table, left = RemotePlayer(player, guest, seed, count, say), AGAIN
    while True:
        try:
            with guest.connect() as line:
                line.send(json.dumps({"key": guest.key}))
                for text in line:
                    left = AGAIN
                    table.take(line, json.loads(text))
                    if table.done:
                        return
        except (ConnectionClosed, InvalidHandshake, OSError):
            left -= 1
            if left <= 0:
                raise OSError(f"no server answers at {guest.room}") from None
            time.sleep(1)


class RemotePlayer:
    """The agent, and its view of the room."""

    def __init__(self, player: Agent, guest: Guest, seed: int, count: int, say: Say) -> None:
        self.player, self.guest, self.seed, self.count, self.say = player, guest, seed, count, say
        self.seats: dict[tuple[int, int], Seat] = {}
        self.sent: dict[str, Any] = {}  # the newest move
        self.told: set[int] = set()
        self.done = False

    def take(self, line: ClientConnection, message: dict[str, Any]) -> None:
        """React to a message of the server. Raises ValueError if the server refuses for good."""
        if message.get("final"):
            raise ValueError(f"the server refuses: {message['why']}")
        if message["type"] != "room":
            return
        if message["phase"] == "over":
            self._over(line, message)
        elif message["offer"] is not None and not message["agreed"]:
            what = "accept" if message["offer"]["what"] in ("undo", "new", "machine") else "decline"
            line.send(json.dumps({"do": what}))
        elif message["phase"] == "left" and message["offer"] is None and message["by"] not in message["mine"]:
            line.send('{"do": "machine"}')
        elif message["mover"] in message["mine"]:
            if self.sent.get("at") != message["at"]:
                self.sent = {"do": "move", "move": self._move(message), "at": message["at"]}
            line.send(json.dumps(self.sent))  # also when the room comes again: perhaps the move was lost

    def _move(self, message: dict[str, Any]) -> str:
        start = Position.start(self.guest.game, message["starter"])
        position = played(start, message["moves"])[-1]
        which = message["game"], message["mover"]
        if which not in self.seats:
            self.seats = {which: Seat(self.player, start, self.seed, 1 + message["game"])}
        return notation.move_text(self.guest.game, self.seats[which].act(position))

    def _over(self, line: ClientConnection, message: dict[str, Any]) -> None:
        if message["game"] not in self.told:
            self.told.add(message["game"])
            self.say(f"game {message['game'] + 1}: {message['state']} after {len(message['moves'])} moves")
        if len(self.told) >= self.count:
            self.done = True
        elif not message["agreed"]:
            line.send(json.dumps({"do": "accept" if message["offer"] else "new"}))
