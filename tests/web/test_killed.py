"""Servers that are killed while two pages play: no acknowledged move is lost, and all go on by themselves."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import statistics
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.error import URLError
from urllib.request import Request, urlopen

import msgspec
from browser import Chromium
from scale import LARGE, tries

from amoba_experiments.rooms import questions
from amoba_experiments.rooms.commands import apply, opened
from amoba_experiments.rooms.room import Command, Room
from amoba_experiments.web.journal import Journal
from amoba_experiments.web.server_players import ServerPlayers

if TYPE_CHECKING:
    from playwright.sync_api import Page, WebSocket

SERVER = """
import sys, uvicorn
from pathlib import Path
from amoba_env import games
from amoba_experiments.web.hub import Hub, warm
from amoba_experiments.web.server_players import ServerPlayers
from amoba_experiments.web.server import app
warm(games.make("gomoku"), ServerPlayers(), ["random", "greedy"])
uvicorn.run(app(Hub(Path(sys.argv[1]))), port=int(sys.argv[2]), log_level="error", ws="websockets-sansio")
"""
COMMAND = "from amoba_experiments.cli import main; main()"
TOO_LONG = 60  # seconds, where nothing is timed
SOON = 10  # seconds from a kill until both pages have gone on, in `make scale`


class Screen:
    """A page at a room, and which of its moves were acknowledged to it."""

    def __init__(self, page: Page, link: str) -> None:
        self.page, self.sent, self.acknowledged = page, dict[str, Any](), list[tuple[list[int], str]]()
        page.on("websocket", self.listen)
        page.set_default_timeout(60_000)
        page.goto(link)

    def listen(self, line: WebSocket) -> None:
        line.on("framesent", self.note_sent)
        line.on("framereceived", self.note_received)

    def note_sent(self, text: str | bytes) -> None:
        message = json.loads(text)
        if message.get("do") == "move":
            self.sent[message["id"]] = message

    def note_received(self, text: str | bytes) -> None:
        message = json.loads(text)
        if message["type"] == "ok" and message["id"] in self.sent:
            move = self.sent.pop(message["id"])
            self.acknowledged.append((move["at"], move["move"]))

    def shows(self, room: dict[str, Any]) -> bool:
        """Whether the page is connected and shows this state of the room."""
        there = self.page.locator(f".room[data-state='{room['state']}']").count() == 1
        moves = self.page.locator(".moves li").count()
        return there and moves == len(room["moves"]) and self.page.locator("#net").inner_text() == ""


def started(folder: Path, port: int) -> subprocess.Popen[bytes]:
    """A server; in `make scale` the one that people start, which prepares more before it answers."""
    if not LARGE:
        return subprocess.Popen([sys.executable, "-c", SERVER, str(folder), str(port)])
    serve = ["serve", "--no-open", "--port", str(port), "--data", str(folder)]
    return subprocess.Popen([sys.executable, "-c", COMMAND, *serve], stderr=subprocess.DEVNULL)


def ask(url: str, body: dict[str, Any] | None = None, key: str = "") -> Any:
    """The server's answer, as soon as there is a server."""
    headers = {"authorization": f"Bearer {key}"} if key else {}
    for _ in range(12_000):  # it may compile first
        try:
            with urlopen(Request(url, None if body is None else json.dumps(body).encode(), headers)) as answer:
                return json.load(answer)
        except (URLError, ConnectionError) as error:
            if not isinstance(getattr(error, "reason", error), ConnectionError):
                raise
            time.sleep(0.05)
    raise AssertionError("no server")


def together(url: str, screens: tuple[Screen, Screen], n: int = -1) -> dict[str, Any]:
    """The room as soon as both pages show it, later than change `n`; pages repeat what was not acknowledged."""
    ask(url)  # there is a server again
    begun = time.monotonic()
    while (room := ask(url))["n"] <= n or not all(screen.shows(room) for screen in screens):
        assert time.monotonic() - begun < TOO_LONG, room
        screens[0].page.wait_for_timeout(50)
    return room


def begin(url: str, ann: Page, ben: Page) -> tuple[tuple[Screen, Screen], str]:
    """Two pages in a room of gomoku: their screens, and the room."""
    made = ask(f"{url}api/rooms", {"name": "Ann", "game": "gomoku", "seats": ["me", "guest"]})
    room = made["room"]
    key = ask(f"{url}api/rooms/{room}/join", {"invite": made["invites"][0], "name": "Ben"})["key"]
    return (Screen(ann, f"{url}#room={room}&key={made['key']}"), Screen(ben, f"{url}#room={room}&key={key}")), room


def move(screens: tuple[Screen, Screen], room: dict[str, Any], names: list[str], drawn: random.Random) -> None:
    """Whoever is to move clicks a free cell; after the end both agree to a new game."""
    if room["phase"] == "over":
        for screen, name in zip(screens, ("New game", "Accept"), strict=True):
            screen.page.get_by_role("button", name=name, exact=True).click()
        return
    name = names[drawn.choice([cell for cell, seat in enumerate(room["position"]["cells"]) if seat < 0])]
    page = screens[room["mover"]].page
    page.locator(".mine").wait_for()
    page.locator(f'[role=gridcell][aria-label^="{name} "] .hit').click()


def stored(folder: Path, id: str) -> list[tuple[int, Command]]:
    """The commands of a room on the disk, and when they came."""
    with closing(sqlite3.connect(folder / "rooms.sqlite")) as db:
        rows = db.execute("SELECT now, command FROM commands WHERE room = ? ORDER BY n", (id,)).fetchall()
    return [(now, msgspec.json.decode(text, type=Command)) for now, text in rows]


def kept(acknowledged: list[tuple[list[int], str]], commands: list[tuple[int, Command]]) -> None:
    """Every acknowledged move is on the disk, once."""
    found = [(command.at, command.move) for _, command in commands if command.do == "move"]
    for (epoch, ply), move in acknowledged:
        assert found.count(((epoch, ply), move)) == 1


def machines_went_on(room: Room, commands: list[tuple[int, Command]]) -> None:
    """The machines of a room played what they would have played without a kill."""
    players, again = ServerPlayers(), opened(room.settings, "", 0)
    for now, command in commands:
        if command.do == "move":
            assert questions.machine_move(again, players.agent(again.names[again.position.to_move])[0]) == command
        again = apply(again, command, now)
    assert again.position == room.position
    assert again.moves or again.number


def test_kill_9_loses_nothing_and_all_go_on(chromium: Chromium, tmp_path: Path, free_port: int) -> None:
    again: list[float] = []  # seconds from a kill until both pages went on
    url, drawn = f"http://127.0.0.1:{free_port}/", random.Random(1)
    server = started(tmp_path, free_port)
    try:
        watched = ask(
            f"{url}api/rooms", {"game": "gomoku", "seats": ["random", "greedy"], "series": 1000, "delay": 100}
        )
        with chromium.tab() as ann:
            assert ann.context.browser is not None
            ben = ann.context.browser.new_context().new_page()
            screens, id = begin(url, ann, ben)
            names = ask(f"{url}api/rooms/{id}/board")["names"]
            room = together(f"{url}api/rooms/{id}", screens)
            for _ in range(tries(1, 100)):
                for _ in range(drawn.randrange(1, 4)):
                    move(screens, room, names, drawn)
                    room = together(f"{url}api/rooms/{id}", screens, room["n"] + (room["phase"] == "over"))
                move(screens, room, names, drawn)
                time.sleep(drawn.random() * 0.1)  # before the move arrives, while it is stored, or after
                os.kill(server.pid, signal.SIGKILL)
                killed = time.monotonic()
                server.wait()
                server = started(tmp_path, free_port)
                room = together(f"{url}api/rooms/{id}", screens)
                again.append(time.monotonic() - killed)
                assert not LARGE or again[-1] <= SOON, f"after kill {len(again)} the pages went on after {again[-1]} s"
            ben.context.close()
            assert ask(f"{url}api/rooms/{watched['room']}")["names"] == ["random", "greedy"]
    finally:
        os.kill(server.pid, signal.SIGKILL)
        server.wait()
    journal = Journal(tmp_path / "rooms.sqlite")
    rooms = {each.id: each.room for each in journal.stored()}
    journal.close()
    for screen in screens:
        kept(screen.acknowledged, stored(tmp_path, id))
    assert screens[0].acknowledged
    machines_went_on(rooms[watched["room"]], stored(tmp_path, watched["room"]))
    if LARGE:
        counts = [len(screen.acknowledged) for screen in screens]
        late = f"{statistics.median(again):.1f} s (median), {max(again):.1f} s (at most)"
        print(f"{counts} moves were acknowledged to the two pages; {len(again)} kills, both pages went on after {late}")
