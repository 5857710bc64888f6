"""What strangers send: malformed messages, wrong keys, foreign hosts and pages. Each gets one clear refusal."""

from __future__ import annotations

import json
import random
import string
import sys
from collections.abc import Iterable
from typing import Any

import pytest
from rooms_http import answer_of, do, look, opened
from scale import tries
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from amoba_experiments.web.guard import MOST_BYTES

AT_ONCE = 40  # messages on one connection; many more would wait
JUNK: list[Any] = [None, True, False, -1, 0, 1.5, 10**30, -(10**30), "", "x", "\u0000", "é" * 50, [], [[]], {}]
JUNK += [{"a": 1}, "me", "guest", "level:3", "gomocup:/bin/sh", "trained:x.zip", "../../etc/passwd", [0, 0], [1, 2, 3]]
HALVES = ["\ud800", "b2\udc00"]  # half characters: JSON can say them, but no text can be written that has one
JUNK += ["b2" * 500, *HALVES]
STARTS = {"subprocess.Popen", "os.system", "os.exec", "pickle.find_class"}
KEYS = ["do", "at", "id", "move", "took", "seat", "ask", "cell", "key", "name", "who", "mind", "now", *HALVES]
SETTINGS = ["name", "game", "options", "seats", "first", "clock", "delay", "series", "seed", "start"]

MESSAGES = ["", "[]", "1", "{", "\u0000", "[" * 5000, '{"do":1}', '{"do":NaN}', '{"id":[],"do":"undo"}']
MESSAGES += ['{"do":"sit","name":"x"}', '{"do":"flag"}', '{"ask":"open"}', '{"ask":"why"}']
MESSAGES += ['{"do":"move","move":"b2"}', '{"do":"move","at":[0],"move":"b2"}', '{"do":"move","at":[0,0],"move":7}']
MESSAGES += ['{"do":"move","at":[0,0],"move":"b2","took":-1}', '{"do":"level","move":"\\ud800"}']
MESSAGES += [
    json.dumps({"do": "move", "at": [0, 0], "move": "b2", key: half})
    for half in HALVES
    for key in ("move", "at", "id", "x", half)
]


def junk(drawn: random.Random, deep: int = 0) -> Any:
    """A value of JSON, most of them wrong wherever they stand."""
    kind = drawn.randrange(8)
    if kind == 0 and deep < 4:
        return [junk(drawn, deep + 1) for _ in range(drawn.randrange(4))]
    if kind == 1 and deep < 4:
        return {drawn.choice(KEYS): junk(drawn, deep + 1) for _ in range(drawn.randrange(4))}
    if kind == 2:
        return "".join(drawn.choices(string.printable, k=drawn.randrange(50)))
    return drawn.choice(JUNK)


def malformed(drawn: random.Random) -> str | bytes:
    """No message: broken JSON, no object, an unknown command, a known one with a wrong part."""
    kind = drawn.randrange(7)
    if kind == 0:
        return "".join(chr(drawn.randrange(1, 0x2FF)) for _ in range(drawn.randrange(80)))
    if kind == 1:
        return bytes(drawn.randrange(256) for _ in range(drawn.randrange(80)))
    if kind == 2:
        return drawn.choice("[{") * drawn.randrange(1, 3000)
    if kind == 6:
        return drawn.choice(MESSAGES)
    message = {drawn.choice(KEYS): junk(drawn) for _ in range(drawn.randrange(5))}
    if kind == 3:
        message |= {
            "do": drawn.choice(["move", "level"]),
            "at": [0, 0],
            "move": drawn.choice(["z9", "", "b2 b3", 5, None]),
        }
    elif kind == 4:
        message |= {"ask": drawn.choice(["why", "Hint", "open", 3]), "cell": junk(drawn)}
        message.pop("do", None)
    else:
        message |= {"do": drawn.choice(["sit", "flag", "illegal", "eval", "", 7, None, ["move"]])}
    text = json.dumps(message)
    return text[: drawn.randrange(1, len(text))] if drawn.random() < 0.2 else text


def refused(answer: dict[str, Any]) -> None:
    assert answer["type"] == "refused"
    assert 0 < len(answer["why"]) < 1000, answer
    assert "Traceback" not in answer["why"]


def over_websocket(client: TestClient, id: str, key: str, texts: Iterable[str | bytes]) -> None:
    """A player sends nonsense; each piece is refused."""
    with client.websocket_connect(f"/api/rooms/{id}/live") as socket:
        socket.send_json({"key": key})
        for text in texts:
            socket.send_bytes(text) if isinstance(text, bytes) else socket.send_text(text)
            refused(answer_of(socket))


def with_wrong_keys(client: TestClient, id: str, drawn: random.Random) -> None:
    """Wrong keys open nothing, whether at the start of a connection or in a header."""
    key = drawn.choice([junk(drawn), "x" * 22, id])
    if key is not None and key != "":
        with client.websocket_connect(f"/api/rooms/{id}/live") as socket:
            socket.send_text(json.dumps({"key": key}))
            refused(answer_of(socket))
    headers = {"authorization": drawn.choice(["Bearer x", f"Bearer {id}", "Bearer -1"])}
    answer = client.post(f"/api/rooms/{id}/commands", json={"do": "resign"}, headers=headers)
    assert answer.status_code == 404
    refused(answer.json())
    answer = client.post(f"/api/rooms/{id}/join", content=json.dumps({"invite": junk(drawn), "name": "Eve"}))
    assert answer.status_code == 400
    refused(answer.json())


def over_http(client: TestClient, id: str, drawn: random.Random) -> None:
    """Bodies that are none, rooms that cannot be, addresses that are none."""
    body = malformed(drawn)
    answer = client.post(f"/api/rooms/{id}/commands", content=body)
    assert answer.status_code in (400, 409)
    refused(answer.json())
    given = {"name": "Eve", "game": "tictactoe", "seats": ["me", "random"]} | {"seats": junk(drawn)}
    given |= {drawn.choice(SETTINGS): junk(drawn) for _ in range(drawn.randrange(3))}
    answer = client.post("/api/rooms", content=json.dumps(given))
    assert answer.status_code == 400
    refused(answer.json())
    path = "".join(drawn.choices(string.ascii_letters + "/.%", k=drawn.randrange(1, 20)))
    assert client.get(f"/api/rooms/{path}").status_code in (400, 404, 405)


def from_elsewhere(client: TestClient, id: str, key: str, drawn: random.Random) -> None:
    """Other names of the server, and pages of other sites."""
    foreign = drawn.choice(["evil.example", "127.0.0.1.evil.example", "localhost.", "[::2]", "", "127.0.0.1:80:80"])
    headers = {"authorization": f"Bearer {key}"}
    path = drawn.choice(["/", "/api/catalogue", f"/api/rooms/{id}", "/page/main.js"])
    assert client.get(path, headers=headers | {"host": foreign}).status_code == 403
    origin = drawn.choice(["http://evil.example", "null", "https://127.0.0.1.evil.example", "http://127.0.0.1:81", "x"])
    headers |= {"origin": origin}
    assert client.post(f"/api/rooms/{id}/commands", json={"do": "resign"}, headers=headers).status_code == 403
    with pytest.raises(WebSocketDisconnect), client.websocket_connect(f"/api/rooms/{id}/live", headers=headers):
        pass
    large = b"x" * (MOST_BYTES + 1 + drawn.randrange(5000))
    assert client.post(f"/api/rooms/{id}/commands", content=large).status_code == 413


def table(client: TestClient, game: str) -> tuple[str, str]:
    room = opened(client, "me", "me", game=game)
    return room["key"], room["room"]


def test_nonsense_is_refused_and_nobody_else_notices(client: TestClient) -> None:
    """After each round somebody in another room moves, and both rooms are as they were but for that move."""
    drawn = random.Random(1)
    key, id = table(client, "tictactoe")
    other, elsewhere = table(client, "gomoku")
    quiet = look(client, id, key)
    over_websocket(client, id, key, MESSAGES)
    for number in range(tries(4, 2000)):  # 50 pieces a round
        over_websocket(client, id, key, [malformed(drawn) for _ in range(AT_ONCE)])
        with_wrong_keys(client, id, drawn)
        over_http(client, id, drawn)
        from_elsewhere(client, id, key, drawn)
        assert look(client, id, key) == quiet
        room = look(client, elsewhere, other)
        if room["phase"] == "over":
            message: dict[str, Any] = {"do": "new"}
        else:
            names = client.get(f"/api/rooms/{elsewhere}/board").json()["names"]
            cell = room["targets"]["cells"][number % len(room["targets"]["cells"])]
            message = {"do": "move", "move": names[cell], "at": room["at"]}
        headers = {"authorization": f"Bearer {other}"}
        assert client.post(f"/api/rooms/{elsewhere}/commands", json=message, headers=headers).json()["type"] == "ok"


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"game": "chess"}, "game: expected one of tictactoe"),
        ({"game": "amoba", "options": {"board": "/etc/passwd"}}, "board: expected a rectangle such as"),
        ({"game": "amoba", "options": {"board": "board.txt"}}, "board: expected a rectangle such as"),
        ({"game": "amoba", "options": {"board": "99x99"}}, "at most 400 cells"),
        ({"game": "amoba", "options": {"patterns": "a" * 200}}, "patterns"),
        ({"game": "gomoku", "options": {"size": 60}}, "size: expected at most 20"),
        ({"game": "gomoku", "options": {"wide": 6}}, "gomoku has no option 'wide'"),
        ({"game": "gomoku", "options": []}, "options: expected numbers"),
        ({"seats": ["me", "gomocup:/bin/sh"]}, "unknown player 'gomocup:/bin/sh'"),
        ({"seats": ["me", "trained:PATH.zip"]}, "unknown player 'trained:PATH.zip'"),
        ({"seats": ["me", "mcts:1000000000"]}, "unknown player"),
        ({"seats": ["me", "maxn"]}, "unknown player 'maxn'"),
        ({"seats": ["me"]}, "seats: expected 2"),
        ({"seats": "me"}, "'seats': expected array, got 'me'"),
        ({"clock": {"main": 1}}, "clock: main"),
        ({"clock": 5}, "'clock'"),
        ({"delay": "slow"}, "'delay'"),
        ({"series": 10**9}, "series: expected 1..10000"),
        ({"name": "<script>"}, "expected a name of 1 to 40"),
        ({"colour": "red"}, "unknown: 'colour'; expected some of name, person"),
    ],
)
def test_rooms_that_cannot_be(client: TestClient, wrong: dict[str, Any], says: str) -> None:
    given = {"name": "Ann", "game": "tictactoe", "seats": ["me", "random"], **wrong}
    answer = client.post("/api/rooms", json=given)
    assert answer.status_code == 400
    assert says in answer.json()["why"]


def test_what_a_page_may_load(client: TestClient) -> None:
    policy = client.get("/").headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert client.get("/page/../server.py").status_code == 404


def test_no_message_opens_a_file_or_starts_a_program(client: TestClient) -> None:
    """Every call of this process that would do so is heard while the worst settings come in."""
    heard: list[str] = []
    listening = [False]

    def hear(event: str, given: tuple[Any, ...]) -> None:
        if not listening[0]:
            return
        opens = event == "open" and isinstance(given[0], str) and not given[0].endswith((".py", ".pyc"))
        if (opens and "secret" in given[0]) or event in STARTS:
            heard.append(f"{event} {given}")

    sys.addaudithook(hear)
    names = ["secret.txt", "/etc/secret", "../secret", "secret/..", "./secret"]
    wrong: list[dict[str, Any]] = [{"game": "amoba", "options": {"board": name}} for name in names]
    wrong += [{"game": "amoba", "options": {"patterns": name}} for name in names]
    texts = ["gomocup:secret", "trained:secret.zip", "mcts:5,prior=secret", "alphabeta:nodes=1000000000000", "person:x"]
    wrong += [{"seats": ["me", text]} for text in texts]
    listening[0] = True
    for each in wrong:
        given = {"name": "Ann", "game": "tictactoe", "seats": ["me", "random"], **each}
        assert client.post("/api/rooms", json=given).status_code == 400, each
    room = opened(client, "me", "random")
    for text in texts:
        assert do(client, room["room"], room["key"], do="level", move=text)["type"] == "refused"
    listening[0] = False
    assert heard == []
