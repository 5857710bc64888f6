"""Limits of a server: floods wait or are refused, and nobody takes a player's place."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from rooms_http import LINE, look, opened, play, two, until
from starlette.requests import Request
from starlette.testclient import TestClient

from amoba_env.record import Record
from amoba_experiments.rooms.room import Refusal
from amoba_experiments.rooms.settings import Settings
from amoba_experiments.web import guard, screens, server
from amoba_experiments.web.guard import Rate, Rates
from amoba_experiments.web.hub import Hub
from amoba_experiments.web.serve import address, listen
from amoba_experiments.web.server import app

ELSEWHERE = ("10.0.0.1", 50_000)  # this machine's own may send what it likes
TOO_MANY = "too many requests: try later"


@pytest.fixture
def strange(tmp_path: Path) -> Iterator[TestClient]:
    """A client at another address."""
    with TestClient(app(Hub(tmp_path), ("testserver",), connections=2), client=ELSEWHERE) as found:
        yield found


class Time:
    """A clock that a test moves, by sleeping. Connections that another test left open see no jump."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.waits = guard.monotonic(), list[float]()
        monkeypatch.setattr(guard, "monotonic", lambda: self.now)

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.waits.append(seconds)


def test_messages_that_come_too_fast_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    time = Time(monkeypatch)
    rate = Rate(100, 20.0)
    assert [rate.turn() for _ in range(100)] == [0] * 100
    assert [round(rate.turn(), 3) for _ in range(3)] == [0.2, 0.4, 0.6]
    with pytest.raises(Refusal, match=TOO_MANY):
        rate.turn(patience=0.5)
    time.now += 0.8
    assert rate.turn(patience=0.5) == pytest.approx(0, abs=1e-6)  # the refused one was not counted
    rates = Rates(1)
    assert rates.turn("10.0.0.1") == rates.turn("10.0.0.2") == 0
    with pytest.raises(Refusal, match=TOO_MANY):
        rates.turn("10.0.0.1")


def test_a_network_of_ipv6_is_one_sender() -> None:
    """Whoever has one address of it has all of them."""
    found = {guard.sender_of(f"2001:db8:1:2::{number}") for number in range(9)}
    assert found == {"2001:db8:1:2::/64"} != {guard.sender_of("2001:db8:1:3::1")}
    for other in ("10.0.0.1", "::1", "testclient", ""):
        assert guard.sender_of(other) == other
    assert guard.sender_of("::ffff:10.0.0.1") == "10.0.0.1"


def test_refusals_of_the_guard_have_their_status(client: TestClient) -> None:
    post = partial(client.post, "/api/board")
    assert post(content=b"x" * (guard.MOST_BYTES + 1)).status_code == 413
    assert post(headers={"content-length": "9" * 5000}, content=b"{}").status_code == 413
    assert post(content=(b"x" for _ in range(guard.MOST_BYTES + 1))).status_code == 413
    assert post(json={}, headers={"origin": "http://[x"}).status_code == 403


def test_a_fast_player_is_slowed_down_and_not_cut_off(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five games of an honest program: more messages than the rate allows, each answered."""
    time = Time(monkeypatch)
    monkeypatch.setattr(screens, "pause", time.sleep)
    room = opened(client, "me", "me")
    id, sent = room["room"], 0
    with client.websocket_connect(f"/api/rooms/{id}/live") as line:
        line.send_json({"key": room["key"]})
        for _ in range(40):
            for what in ({"do": "move", "move": "b2"}, {"do": "move", "move": "a1"}, {"do": "undo"}, {"do": "new"}):
                line.send_json({**what, "at": look(client, id)["at"], "id": str(sent)})
                assert until(line, "ok")["id"] == str(sent)
                sent += 1
    assert sent > guard.PLAYER_RATE
    assert sum(time.waits) == pytest.approx((sent - guard.PLAYER_RATE) * guard.WINDOW / guard.PLAYER_RATE, abs=1)


def test_spectators_take_no_players_place(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screens, "MOST_WATCHERS", 2)
    id, keys = two(client)

    def sit(key: str | None) -> str:
        line = lines.enter_context(client.websocket_connect(f"/api/rooms/{id}/live"))
        line.send_json({"key": key})
        return str(line.receive_json()["type"])

    with ExitStack() as lines:
        assert [sit(None), sit(None), sit(None)] == ["board", "board", "refused"]
        assert [sit(key) for key in keys] == ["board", "board"]
    play(client, id, keys, ["b2"])


def test_a_player_has_so_many_screens(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new one takes the place of the oldest, which is told."""
    monkeypatch.setattr(screens, "MOST_SCREENS", 1)
    id, keys = two(client)
    path = f"/api/rooms/{id}/live"
    with client.websocket_connect(path) as old, client.websocket_connect(path) as new:
        for line in (old, new):
            line.send_json({"key": keys[0]})
            until(line, "room")
        assert until(old, "refused")["final"]
        new.send_json({"do": "move", "move": "b2", "at": [0, 0]})
        assert until(new, "ok")


def test_one_address_has_so_many_connections(strange: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """One more is refused, until one of them is closed; spectators leave players their places."""
    monkeypatch.setattr(screens, "HELLO_SECONDS", 600)
    room = opened(strange, "me", "random")
    path = f"/api/rooms/{room['room']}"

    def greeted(key: str | None = None) -> str:
        with strange.websocket_connect(f"{path}/live") as line:
            line.send_json({"key": key})
            return str(line.receive_json()["type"])

    with ExitStack() as lines:
        for _ in range(2):
            line = lines.enter_context(strange.websocket_connect(f"{path}/live"))
            line.send_json({})
            until(line, "board")
        assert greeted() == "refused"
        assert strange.get(f"{path}/events").status_code == 429
        assert greeted(room["key"]) == "board"
    assert greeted() == "board"
    with ExitStack() as silent:
        for _ in range(2):
            silent.enter_context(strange.websocket_connect(f"{path}/live"))
        assert greeted() == "refused"
    assert greeted() == "board"


def test_floods_of_posts_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From one address. Other addresses go on, and so does a player at the same one."""
    Time(monkeypatch)  # none passes
    monkeypatch.setattr(server, "POSTS", 3)
    hub_app = app(Hub(tmp_path), ("testserver",))
    with TestClient(hub_app, client=ELSEWHERE) as client:
        id, keys = two(client)
        answers = [client.post("/api/board", content="{}").json()["why"] for _ in range(20)]
        assert answers[-1] == TOO_MANY
        other = TestClient(hub_app, client=("10.0.0.2", 1))
        assert "game: expected one of" in other.post("/api/board", content="{}").json()["why"]
        play(client, id, keys, ["b2"])


@pytest.mark.parametrize(
    ("limit", "path"),
    [("LOOKS", ""), ("LOOKS", "/board"), ("LOOKS", "/review"), ("DRAWINGS", "/record"), ("DRAWINGS", "/positions")],
)
def test_floods_of_gets_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, path: str) -> None:
    Time(monkeypatch)  # none passes
    monkeypatch.setattr(server, limit, 2)
    with TestClient(app(Hub(tmp_path), ("testserver",)), client=ELSEWHERE) as client:
        room = opened(client, "me", "me")
        url = f"/api/rooms/{room['room']}{path}"
        assert [client.get(url).status_code for _ in range(4)][1:] == [200, 429, 429]
        assert client.get(url, headers={"authorization": f"Bearer {room['key']}"}).status_code == 200


def test_files_are_drawn_beside_the_event_loop(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody else moves while a page is drawn."""
    begun, go_on = threading.Event(), threading.Event()

    def slow(record: Record, **given: Any) -> str:
        begun.set()
        assert go_on.wait(30)
        return "<!DOCTYPE html>"

    monkeypatch.setattr(Record, "html", slow)
    id, keys = two(client)
    play(client, id, keys, LINE[:2])
    pages: list[str] = []
    drawing = threading.Thread(
        target=lambda: pages.append(client.get(f"/api/rooms/{id}/record?format=html").text), daemon=True
    )
    drawing.start()
    assert begun.wait(30)
    play(client, id, keys, LINE[2:3])
    go_on.set()
    drawing.join(30)
    assert pages == ["<!DOCTYPE html>"]


def test_a_server_for_everybody_has_the_addresses_of_its_machine(tmp_path: Path) -> None:
    """The one at which a request arrives, and no other."""
    with closing(listen("0.0.0.0", 0)) as listening:
        found = address(listening)
    with TestClient(app(Hub(tmp_path)), f"http://{found}:8000", client=ELSEWHERE) as client:
        assert client.get("/").status_code == 200
        for foreign in ("10.9.8.7:8000", "evil.example", f"{found}.evil.example"):
            assert client.get("/", headers={"host": foreign}).status_code == 403
    with TestClient(app(Hub(tmp_path)), "http://[2001:db8::7]:8000", client=ELSEWHERE) as client:
        assert client.get("/").status_code == 200


def test_a_stream_beats_where_nothing_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screens, "BEAT_SECONDS", 0.01)

    async def listen_to_it() -> list[str]:
        hub = Hub(tmp_path)
        live, _, _ = await hub.open(Settings("tictactoe", ("me", "guest")), "Ann")
        lines = screens.ScreenQueue(hub, live, None).lines()
        found = [json.loads(await anext(lines))["type"] for _ in range(3)]
        await hub.close()
        return found

    assert asyncio.run(listen_to_it()) == ["room", "beat", "beat"]


def test_a_screen_that_ends_during_a_send_is_told_why(tmp_path: Path) -> None:
    async def end() -> list[str]:
        hub = Hub(tmp_path)
        live, _, _ = await hub.open(Settings("tictactoe", ("me", "guest")), "Ann")
        queue = screens.ScreenQueue(hub, live, None)
        found = []
        async for each in queue.all():
            found.append(json.loads(each)["type"])
            if len(found) == 1:
                queue.end("this seat is open elsewhere")
        await hub.close()
        return found

    assert asyncio.run(end()) == ["room", "refused"]


def test_slow_bodies_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "BODY_SECONDS", 0.01)
    sent: list[bytes] = []

    async def receive() -> dict[str, Any]:
        if sent:
            await asyncio.Event().wait()
        sent.append(b"{")
        return {"type": "http.request", "body": b"{", "more_body": True}

    with pytest.raises(Refusal, match="within"):
        asyncio.run(server._body(Request({"type": "http", "headers": []}, receive)))


def test_refusals_are_json(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server.view, "board", lambda game: 1 / 0)
    id, _ = two(client)
    quiet = TestClient(client.app, "http://127.0.0.1", raise_server_exceptions=False)
    for status, method, path, headers in (
        (403, "GET", "/", {"host": "evil.example"}),
        (404, "GET", "/api/nothing", {}),
        (404, "GET", "/page/nothing.js", {}),
        (405, "DELETE", "/api/rooms", {}),
        (404, "GET", "/api/rooms/none", {}),
        (404, "GET", f"/api/rooms/{id}", {"authorization": "Bearer none"}),
        (500, "GET", f"/api/rooms/{id}/board", {}),
    ):
        answer = quiet.request(method, path, headers=headers)
        assert (answer.status_code, answer.json()["type"]) == (status, "refused")
        assert answer.json()["why"]


@pytest.mark.parametrize("first", [0, 1, "1"])
def test_the_seat_that_begins_may_be_a_number(client: TestClient, first: object) -> None:
    room = opened(client, "me", "me", first=first)
    assert look(client, room["room"])["starter"] == int(str(first))
    for wrong in (2, -1, True, 0.0, None):
        given = {"name": "Ann", "game": "tictactoe", "seats": ["me", "me"], "first": wrong}
        assert client.post("/api/rooms", json=given).status_code == 400


def test_answers_leave_at_once() -> None:
    """Not with the acknowledgement of the one before them, 40 milliseconds later."""

    async def delay() -> int:
        listening = listen("127.0.0.1", 0)
        taken: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        def take(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            line = writer.get_extra_info("socket")
            taken.set_result(line.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        async with await asyncio.start_server(take, sock=listening) as serving:
            _, writer = await asyncio.open_connection(*serving.sockets[0].getsockname())
            try:
                return await taken
            finally:
                writer.close()

    assert asyncio.run(delay())
