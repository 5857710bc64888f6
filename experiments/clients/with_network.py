"""A program that sits down at a room of `amoba serve` and plays any legal move. It knows no rules: docs/protocol.md.

python -m clients.with_network 'http://127.0.0.1:8000/#room=...&invite=...'
"""

from __future__ import annotations

import json
import random
import sys
from typing import Any
from urllib.parse import parse_qs, urlsplit
from urllib.request import Request, urlopen

from websockets.sync.client import connect


def ask(url: str, body: dict[str, object] | None = None) -> Any:
    """The server's answer, as JSON."""
    with urlopen(Request(url, None if body is None else json.dumps(body).encode())) as answer:
        return json.load(answer)


def choose(board: dict[str, Any], targets: dict[str, Any]) -> str:
    """Any of the legal moves that the server sent, in notation."""
    names: list[str] = board["names"]
    moves = [f"{names[int(man)]}-{names[to]}" for man, cells in targets.get("men", {}).items() for to in cells]
    moves += [names[cell] for cell in targets.get("cells", [])] + targets.get("choices", [])
    return random.choice(moves)


def play(link: str, name: str = "client") -> str:
    """Play a game; returns its last state, such as "A won"."""
    split = urlsplit(link)
    said = {key: values[0] for key, values in parse_qs(split.fragment).items()}
    room = f"{split.netloc}/api/rooms/{said['room']}"
    key = ask(f"http://{room}/join", {"invite": said["invite"], "name": name, "program": True})["key"]
    board = ask(f"http://{room}/board")
    with connect(f"ws://{room}/live") as line:
        line.send(json.dumps({"key": key}))
        for text in line:
            message = json.loads(text)
            if message["type"] != "room":
                continue
            if message["phase"] == "over":
                return str(message["state"])
            if message["targets"]:
                move = choose(board, message["targets"])
                line.send(json.dumps({"do": "move", "move": move, "at": message["at"]}))
    return "the server has gone"


if __name__ == "__main__":
    print(play(sys.argv[1]))
