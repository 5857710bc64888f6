"""What scripts do with a server of rooms over HTTP and WebSocket."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from starlette.testclient import TestClient, WebSocketTestSession

LINE = ["a1", "a3", "b1", "b3", "c1"]


@contextmanager
def serving(app: Any) -> Iterator[str]:
    """A server on a port of its own, in a thread; its address."""
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", log_config=None, ws="websockets-sansio"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
    finally:
        server.should_exit = True
        thread.join(30)


def opened(client: TestClient, *seats: str, game: str = "tictactoe", **more: Any) -> dict[str, Any]:
    answer = client.post("/api/rooms", json={"name": "Ann", "game": game, "seats": seats, **more})
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def two(client: TestClient, **more: Any) -> tuple[str, list[str]]:
    """A room of Ann and Ben: its id and their keys."""
    room = opened(client, "me", "guest", **more)
    joined = client.post(f"/api/rooms/{room['room']}/join", json={"invite": room["invites"][0], "name": "Ben"})
    return room["room"], [room["key"], joined.json()["key"]]


def do(client: TestClient, id: str, key: str | None, **message: Any) -> dict[str, Any]:
    headers = {} if key is None else {"authorization": f"Bearer {key}"}
    return dict(client.post(f"/api/rooms/{id}/commands", json=message, headers=headers).json())


def look(client: TestClient, id: str, key: str | None = None) -> dict[str, Any]:
    headers = {} if key is None else {"authorization": f"Bearer {key}"}
    return dict(client.get(f"/api/rooms/{id}", headers=headers).json())


def play(client: TestClient, id: str, keys: list[str], moves: list[str]) -> None:
    for number, move in enumerate(moves):
        at = look(client, id)["at"]
        answer = do(client, id, keys[number % 2], do="move", move=move, at=at, took=5)
        assert answer["type"] == "ok", answer


def until(socket: WebSocketTestSession, kind: str) -> dict[str, Any]:
    while (message := socket.receive_json())["type"] != kind:
        pass
    return dict(message)


def answer_of(socket: WebSocketTestSession) -> dict[str, Any]:
    """The next message that is neither a board nor a room."""
    while (found := socket.receive_json())["type"] in ("board", "room"):
        pass
    return dict(found)
