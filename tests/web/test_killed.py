"""Servers that are killed while two pages play: no acknowledged move is lost, and all go on by themselves."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.error import URLError
from urllib.request import Request, urlopen

import pytest
from scale import LARGE

if TYPE_CHECKING:
    from playwright.sync_api import Page, WebSocket

pytestmark = pytest.mark.compiled

SERVER = """
import sys, uvicorn
from pathlib import Path
from amoba_experiments.web.hub import Hub
from amoba_experiments.web.server import app
uvicorn.run(app(Hub(Path(sys.argv[1]))), port=int(sys.argv[2]), log_level="error", ws="websockets-sansio")
"""
AGAIN = 10_000 if LARGE else 60_000  # milliseconds in which a page goes on when there is a server again


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

    def goes_on(self, count: int) -> None:
        """Wait until the page is connected and has this many moves."""
        self.page.locator(".state", has_text=f" {count} moves played.").wait_for(timeout=AGAIN)
        self.page.locator("#net", has_text="connecting").wait_for(state="detached", timeout=AGAIN)


def started(folder: Path, port: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", SERVER, str(folder), str(port)])


def ask(url: str, body: dict[str, Any] | None = None, key: str = "") -> Any:
    """The server's answer, as soon as there is a server."""
    headers = {"authorization": f"Bearer {key}"} if key else {}
    for _ in range(1200):
        try:
            with urlopen(Request(url, None if body is None else json.dumps(body).encode(), headers)) as answer:
                return json.load(answer)
        except (URLError, ConnectionError) as error:
            if not isinstance(getattr(error, "reason", error), ConnectionError):
                raise
            time.sleep(0.05)
    raise AssertionError("no server")
