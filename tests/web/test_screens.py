"""Screens: what is answered, in which order, and to which message."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from rooms_http import answer_of, opened, two, until
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from amoba_experiments.web.hub import Hub
from amoba_experiments.web.live_room import LiveRoom


def test_a_ping_does_not_wait_for_an_answer(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """A player that must be compiled first can take longer than a screen waits for a sign of life."""
    go_on = asyncio.Event()

    async def hint(hub: Hub, live: LiveRoom, look: bool) -> dict[str, Any]:
        await go_on.wait()
        return {"move": "b2", "player": "greedy", "sees": None}

    monkeypatch.setattr(Hub, "hint", hint)
    room = opened(client, "me", "random")
    with client.websocket_connect(f"/api/rooms/{room['room']}/live") as socket:
        socket.send_json({"key": room["key"]})
        until(socket, "room")
        socket.send_json({"ask": "hint", "id": "1"})
        socket.send_json({"do": "ping"})
        assert answer_of(socket) == {"type": "pong"}
        assert client.portal is not None
        client.portal.call(go_on.set)
        assert until(socket, "answer")["id"] == "1"


def test_every_refusal_has_the_id_of_its_message(client: TestClient) -> None:
    id, keys = two(client)
    with client.websocket_connect(f"/api/rooms/{id}/live") as socket:
        socket.send_json({"key": keys[0]})
        for number, message in enumerate(({"ask": "hint"}, {"ask": "why", "cell": "z9"}, {"do": "level", "seat": 9})):
            socket.send_json({**message, "id": str(number)})
            assert until(socket, "refused")["id"] == str(number)


def test_an_error_in_the_server_ends_the_connection(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """A screen that got no answer would wait for ever."""
    room = opened(client, "me", "random")

    async def faulty(*_: object) -> dict[str, Any]:
        raise RuntimeError("a fault")

    monkeypatch.setattr(Hub, "hint", faulty)
    with client.websocket_connect(f"/api/rooms/{room['room']}/live") as socket:
        socket.send_json({"key": room["key"]})
        until(socket, "room")
        socket.send_json({"ask": "hint", "id": "1"})
        with pytest.raises(WebSocketDisconnect):
            until(socket, "answer")
