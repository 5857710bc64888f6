"""A screen that takes changes has the same room as one that gets it whole, in a fraction of the bytes."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from rooms_http import two
from starlette.testclient import TestClient, WebSocketTestSession


def merged(room: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    """The room after a change, as docs/network.md says."""
    new = {**room, **change, "type": "room"}
    if "moves" in change:
        new["moves"] = room["moves"][: new.pop("kept")] + change["moves"]
    if "position" in change:
        cells = list(room["position"]["cells"])
        for cell, owner in change["position"].get("cells", {}).items():
            cells[int(cell)] = owner
        new["position"] = {**room["position"], **change["position"], "cells": cells}
    if "closed" in (new["targets"] or {}):
        closed = new["targets"].pop("closed")
        free = [cell for cell, owner in enumerate(new["position"]["cells"]) if owner < 0 and cell not in closed]
        new["targets"]["cells"] = free
    return new


def news(socket: WebSocketTestSession) -> tuple[dict[str, Any], int]:
    """The next room or change, and its bytes."""
    while (message := json.loads(text := socket.receive_text()))["type"] not in ("room", "change"):
        pass
    return message, len(text)


@pytest.mark.parametrize(
    ("game", "options"),
    [("gomoku", {"opening": "swap2"}), ("gomoku", {"size": 15}), ("renju", {}), ("halma", {"players": 2})],
)
def test_changes_add_up_to_the_room(client: TestClient, game: str, options: dict[str, Any]) -> None:
    id, keys = two(client, game=game, options=options)
    drawn, path = random.Random(5), f"/api/rooms/{id}/live"
    with (
        client.websocket_connect(path) as whole,
        client.websocket_connect(path) as part,
        client.websocket_connect(path) as ben,
    ):
        ben.send_json({"key": keys[1]})  # he is there, so nothing is told about that
        ben.receive_json()
        whole.send_json({"key": keys[0]})
        part.send_json({"key": keys[0], "changes": True})
        board = whole.receive_json()
        (room, _), (seen, _) = news(whole), news(part)
        assert seen == room
        sizes = []
        for count in range(40):
            mover, at = room["mover"], room["at"]
            head = {"authorization": f"Bearer {keys[mover]}"}
            if count % 9 == 8:
                undo = [(mover, {"do": "undo"}), (1 - mover, {"do": "accept"})]
            else:
                targets = client.get(f"/api/rooms/{id}", headers=head).json()["targets"]
                names = board["names"]
                moves = [f"{names[int(man)]}-{names[to]}" for man, to_ in targets.get("men", {}).items() for to in to_]
                moves += [names[cell] for cell in targets.get("cells", [])] + targets.get("choices", [])
                undo = [(mover, {"do": "move", "move": drawn.choice(moves), "at": at})]
            for seat, command in undo:
                head = {"authorization": f"Bearer {keys[seat]}"}
                answer = client.post(f"/api/rooms/{id}/commands", json=command, headers=head).json()
                assert answer["type"] == "ok", answer
                (room, many), (change, few) = news(whole), news(part)
                assert change["type"] == "change"
                seen = merged(seen, change)
                assert seen == room
                sizes.append((many, few))
            if room["phase"] == "over":
                break
    if game != "halma":
        assert sum(few for _, few in sizes) < sum(many for many, _ in sizes) / 2


def test_after_a_refusal_the_whole_room_follows(client: TestClient) -> None:
    id, keys = two(client)
    with client.websocket_connect(f"/api/rooms/{id}/live") as socket:
        socket.send_json({"key": keys[0], "changes": True})
        assert news(socket)[0]["type"] == "room"
        socket.send_json({"do": "move", "move": "b2", "at": [0, 0], "id": "1"})
        assert news(socket)[0]["type"] == "change"
        socket.send_json({"do": "move", "move": "b2", "at": [0, 0], "id": "2"})
        assert news(socket)[0]["type"] == "room"
