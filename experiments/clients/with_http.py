"""A program that opens a room of `amoba serve` and plays both seats over plain HTTP: docs/protocol.md.

python -m clients.with_http http://127.0.0.1:8000 halma
"""

from __future__ import annotations

import json
import sys
from http.client import HTTPResponse
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen


def send(url: str, body: dict[str, Any] | None = None, key: str = "") -> HTTPResponse:
    """The server's answer. Raises ValueError with a refusal."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        answer: HTTPResponse = urlopen(Request(url, data, headers))
    except HTTPError as error:
        raise ValueError(json.load(error)["why"]) from None
    return answer


def first_move(names: list[str], targets: dict[str, Any]) -> str:
    """The first of the legal moves, in notation."""
    for man, cells in targets.get("men", {}).items():
        return f"{names[int(man)]}-{names[cells[0]]}"
    return str([*targets.get("choices", []), *(names[cell] for cell in targets.get("cells", []))][0])


def play(server: str, game: str, options: dict[str, Any] | None = None) -> dict[str, Any]:
    """Play a game, both seats with the first legal moves; return the room at its end."""
    new = {"game": game, "options": options or {}, "seats": ["me", "guest"], "name": "A", "program": True}
    made = json.load(send(f"{server}/api/rooms", new))
    room = f"{server}/api/rooms/{made['room']}"
    joining = {"invite": made["invites"][0], "name": "B", "program": True}
    keys = [made["key"], json.load(send(f"{room}/join", joining))["key"]]
    names = json.load(send(f"{room}/board"))["names"]
    with send(f"{room}/events") as lines:  # of a spectator: without targets
        for line in lines:
            now: dict[str, Any] = json.loads(line)
            if now["type"] != "room":  # a beat
                continue
            if now["phase"] == "over":
                return now
            key = keys[now["mover"]]
            now = json.load(send(room, key=key))
            if now["targets"]:
                move = {"do": "move", "move": first_move(names, now["targets"]), "at": now["at"]}
                send(f"{room}/commands", move, key)
    raise ConnectionError("the server has gone")


if __name__ == "__main__":
    print(play(sys.argv[1].rstrip("/"), sys.argv[2])["state"])
