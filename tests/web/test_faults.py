"""Networks that lose, double, delay and reorder, and servers that start again: no acknowledged move is lost."""

from __future__ import annotations

import asyncio
import json
import random
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rooms_http import look, opened, until
from scale import tries
from starlette.testclient import TestClient

from amoba_env import Position
from amoba_env.position import played
from amoba_experiments.reading import converted
from amoba_experiments.rooms.room import Command, Refusal
from amoba_experiments.web import messages
from amoba_experiments.web.hub import Hub


class Client:
    """A screen: it knows what reached it, repeats what was not acknowledged, and holds one seat."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.room: dict[str, Any] = {"n": -1, "targets": None}
        self.waiting: dict[str, dict[str, Any]] = {}
        self.acknowledged: list[tuple[list[int], str]] = []

    def wants(self, drawn: random.Random, count: int) -> dict[str, Any]:
        """A command: mostly a move, if it is this one's turn as far as it knows; sometimes one that is wrong."""
        targets, id = self.room["targets"], f"{self.key[:6]}{count}"
        if targets and drawn.random() < 0.8:
            move = drawn.choice(targets["cells"])
            name = f"{'abc'[move % 3]}{3 - move // 3}"
            return {"do": "move", "move": name, "at": self.room["at"], "id": id}
        what = drawn.choice(["undo", "accept", "decline", "pause", "resume", "draw", "new"])
        return {"do": what, "at": self.room.get("at", [0, 0]), "id": id}

    def take(self, message: dict[str, Any]) -> None:
        if message["type"] == "room":
            if message["n"] >= self.room["n"]:
                self.room = message
            return
        sent = self.waiting.pop(message["id"], None)
        if sent is not None and message["type"] == "ok" and sent["do"] == "move":
            self.acknowledged.append((sent["at"], sent["move"]))


async def simulate(folder: Path, drawn: random.Random, people: int) -> None:
    """A game over a bad network, with restarts."""
    hub = Hub(folder)
    given = {"name": "P0", "game": "tictactoe" if people == 2 else "amoba", "seats": ["me", *["guest"] * (people - 1)]}
    if people == 3:
        given["options"] = {"board": "3x3", "patterns": "3", "players": 3}
    table, key, invites = await hub.open(messages.settings(converted(given, messages.NewRoom), 1), "P0")
    assert key is not None
    keys = [key] + [await hub.join(table, invite, f"P{number}") for number, invite in enumerate(invites, start=1)]
    clients = [Client(each) for each in keys]
    air: list[tuple[str, int, dict[str, Any]]] = [("down", i, _seen(hub, table.id, keys[i])) for i in range(people)]
    log: list[tuple[int, str, list[int]]] = []
    for count in range(60):
        who = drawn.randrange(people)
        if drawn.random() < 0.04:
            await hub.close()
            hub = Hub(folder)
            hub.restore()
        elif drawn.random() < 0.4:
            message = clients[who].wants(drawn, count)
            clients[who].waiting[message["id"]] = message
            air.append(("up", who, message))
        elif clients[who].waiting and drawn.random() < 0.3:
            air.append(("up", who, drawn.choice(list(clients[who].waiting.values()))))
        elif air:
            await deliver(hub, table.id, clients, air, drawn, log)
    for which in range(people):  # the network is mended
        clients[which].take(_seen(hub, table.id, keys[which]))
    room = hub.room(table.id).room
    for client in clients:
        assert client.room["position"]["cells"] == room.position.cells.tolist()
        assert client.room["at"] == list(room.at)
        for at, move in client.acknowledged:  # each is in the journal, once
            assert [entry[1:] for entry in log].count((move, at)) == 1
    start = Position.start(room.game, room.starter)
    assert played(start, [each.action for each in room.moves])[-1] == room.position
    await hub.close()
    again = Hub(folder)
    again.restore()
    assert again.room(table.id).room == room
    await again.close()


def _seen(hub: Hub, id: str, key: str) -> dict[str, Any]:
    table = hub.room(id)
    return json.loads(json.dumps(hub.seen(table, hub.holder(table, key))))  # type: ignore[no-any-return]


async def deliver(
    hub: Hub,
    id: str,
    clients: list[Client],
    air: list[tuple[str, int, dict[str, Any]]],
    drawn: random.Random,
    log: list[tuple[int, str, list[int]]],
) -> None:
    """One of the messages in the air arrives, is lost, or arrives and stays in the air."""
    number = drawn.randrange(len(air))
    way, who, message = air[number] if drawn.random() < 0.2 else air.pop(number)
    if drawn.random() < 0.2:
        return
    client = clients[who]
    if way == "down":
        client.take(message)
        return
    table = hub.room(id)
    before = table.n
    try:
        command: Command = messages.command(message, hub.holder(table, client.key) or 0)
    except Refusal:
        return
    mover = table.room.position.to_move
    answer = await hub.command(table, command, message["id"])
    if table.n > before and message["do"] == "move":
        assert table.room.moves[-1].seat == mover == clients.index(client)  # nobody moves for another
        log.append((who, message["move"], message["at"]))
    air.append(("down", who, answer))
    air += [("down", other, _seen(hub, id, each.key)) for other, each in enumerate(clients)]


@given(drawn=st.randoms(use_true_random=True), people=st.sampled_from([2, 3]))
@settings(max_examples=tries(20, 10_000), deadline=None)
def test_bad_networks(drawn: random.Random, people: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(simulate(Path(folder), drawn, people))


@pytest.mark.parametrize("ask", ["play", "hint"])
def test_a_question_that_is_sent_again_is_answered_once(client: TestClient, ask: str) -> None:
    """The connection is lost before the answer arrives; one person has both seats, so any position is their turn."""
    room = opened(client, "me", "me")
    answers = []
    for _ in range(2):
        with client.websocket_connect(f"/api/rooms/{room['room']}/live") as socket:
            socket.send_json({"key": room["key"]})
            socket.send_json({"ask": ask, "id": "first"})
            answers.append(until(socket, "answer"))
            seen = look(client, room["room"])
    assert answers[0] == answers[1]
    assert answers[0]["id"] == "first"
    assert (len(seen["moves"]), seen["n"]) == (int(ask == "play"), 1)
