"""The server: rooms over HTTP and WebSocket, who is let in, and what is kept."""

from __future__ import annotations

import json
import shlex
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from commands import Run, refused
from gomocup_logs import IN_TIME
from hand_clock import HandClock
from rooms_http import LINE, do, look, opened, play, two, until
from starlette.testclient import TestClient

from amoba_env import Position, games, records
from amoba_experiments.analysis.queries import stats
from amoba_experiments.positions.judge import Effort
from amoba_experiments.rooms.room import Person
from amoba_experiments.runs.store import load, read_manifest, runs_in, write_manifest
from amoba_experiments.web import archive, review
from amoba_experiments.web.hub import IDLE, Hub
from amoba_experiments.web.serve import forget
from amoba_experiments.web.server import app
from amoba_experiments.web.server_players import ServerPlayers

gomocup_brain = str(Path(__file__).parents[1] / "helpers" / "gomocup_brain.py")


def test_a_game_over_http(client: TestClient) -> None:
    id, keys = two(client)
    assert look(client, id)["state"] == "A may start"
    assert look(client, id)["targets"] is None
    assert look(client, id, keys[0])["targets"]["cells"] == list(range(9))
    play(client, id, keys, LINE)
    room = look(client, id)
    assert (room["state"], room["result"]["winner"], room["counts"]["games"]) == ("A won", 0, 1)
    record = client.get(f"/api/rooms/{id}/record?format=jsonl").text
    assert records.from_text(record, "jsonl")[0].text == " ".join(LINE)
    assert client.get(f"/api/rooms/{id}/record?format=html").text.startswith("<!DOCTYPE html>")
    assert client.get(f"/api/rooms/{id}/record?format=doc").status_code == 400
    assert len(client.get(f"/api/rooms/{id}/positions").json()) == 6


def test_a_game_over_websocket(client: TestClient) -> None:
    id, keys = two(client)
    with (
        client.websocket_connect(f"/api/rooms/{id}/live") as ann,
        client.websocket_connect(f"/api/rooms/{id}/live") as ben,
    ):
        for socket, key in ((ann, keys[0]), (ben, keys[1])):
            socket.send_json({"key": key})
            assert until(socket, "board")["names"][0] == "a3"
            assert until(socket, "room")["at"] == [0, 0]
        ann.send_json({"do": "move", "move": "b2", "at": [0, 0], "id": "1"})
        assert until(ann, "ok")["id"] == "1"
        seen = until(ben, "room")
        assert (seen["moves"], seen["mine"]) == (["b2"], [1])
        ann.send_json({"do": "move", "move": "b2", "at": [0, 0], "id": "1"})  # the same again
        assert until(ann, "ok")["id"] == "1"
        ben.send_json({"do": "move", "move": "b2", "at": [0, 1], "id": "2"})
        refused = until(ben, "refused")
        assert "taken" in refused["why"]
        assert until(ben, "room")["moves"] == ["b2"]
        ben.send_json({"do": "move", "move": "a1", "at": [0, 0], "id": "3"})
        assert until(ben, "refused")["stale"]
        assert until(ben, "room")["moves"] == ["b2"]  # the full state, never silence
        ben.send_json({"do": "ping"})
        assert until(ben, "pong")


def test_who_watches_cannot_move(client: TestClient) -> None:
    id, keys = two(client)
    assert do(client, id, None, do="move", move="b2", at=[0, 0])["why"] == "spectators cannot do this"
    assert "this key is not valid" in do(client, id, "wrong", do="resign")["why"]
    assert "Ann's turn" in do(client, id, keys[1], do="move", move="b2", at=[0, 0])["why"]
    assert look(client, id)["moves"] == []


def test_an_invitation_is_good_once_and_loading_takes_no_seat(client: TestClient) -> None:
    room = opened(client, "me", "guest")
    id, invite = room["room"], room["invites"][0]
    assert client.get("/").status_code == 200
    assert look(client, id)["free"] == [False, True]
    assert "this key is not valid" in do(client, id, invite, do="resign")["why"]
    joining = {"invite": invite, "name": "Ben"}
    assert client.post(f"/api/rooms/{id}/join", json=joining).status_code == 200
    assert client.post(f"/api/rooms/{id}/join", json=joining).json()["why"].startswith("this invitation")


def test_who_got_no_answer_may_join_again(client: TestClient) -> None:
    """They send their own key again. Another key does not get the seat."""
    room = opened(client, "me", "guest")
    path, key = f"/api/rooms/{room['room']}/join", "k" * 24
    joining = {"invite": room["invites"][0], "name": "Ben", "key": key}
    assert "this invitation" in client.post(path, json={**joining, "key": joining["invite"]}).json()["why"]
    answers = [client.post(path, json=joining).json() for _ in range(2)]
    assert answers == [{"room": room["room"], "key": key}] * 2
    assert look(client, room["room"], key)["mine"] == [1]
    assert client.post(path, json={**joining, "key": "l" * 24}).json()["why"].startswith("this invitation")
    assert "this invitation" in client.post(path, json={**joining, "key": room["invites"][0]}).json()["why"]
    assert client.post(path, json={**joining, "key": "short"}).status_code == 400


def test_a_machine_plays(client: TestClient) -> None:
    room = opened(client, "me", "random")
    with client.websocket_connect(f"/api/rooms/{room['room']}/live") as socket:
        socket.send_json({"key": room["key"]})
        until(socket, "room")
        socket.send_json({"do": "move", "move": "b2", "at": [0, 0], "id": "1"})
        while len(until(socket, "room")["moves"]) < 2:
            pass
        socket.send_json({"ask": "hint", "id": "2"})
        assert until(socket, "answer")["move"] in games_moves(look(client, room["room"])["moves"])
        socket.send_json({"ask": "play", "id": "3"})
        assert until(socket, "answer")["done"]
        socket.send_json({"ask": "why", "cell": "b2", "id": "4"})
        assert "every point is allowed" in until(socket, "refused")["why"]


def games_moves(moves: list[str]) -> list[str]:
    return Position.from_moves(games.make("tictactoe"), moves).legal_moves()


def test_machines_play_a_series_and_it_is_kept(client: TestClient, tmp_path: Path) -> None:
    room = opened(client, "random", "random", series=2)
    with client.websocket_connect(f"/api/rooms/{room['room']}/live") as socket:
        socket.send_json({})
        while (seen := until(socket, "room"))["counts"]["games"] < 2:
            pass
    client.__exit__()
    (run,) = runs_in(tmp_path / "data")
    assert load(run)["winner"].to_pylist().count(0) == seen["counts"]["seats"][0]["wins"]


def test_after_a_restart_every_room_is_there(tmp_path: Path) -> None:
    with TestClient(app(Hub(tmp_path)), base_url="http://127.0.0.1") as client:
        id, keys = two(client, clock={"main": 60_000, "increment": 0})
        play(client, id, keys, LINE[:3])
        before = look(client, id, keys[1])
    with TestClient(app(Hub(tmp_path)), base_url="http://127.0.0.1") as client:
        after = look(client, id, keys[1])
        for room in (before, after):
            room["clock"].pop("elapsed")
            room.pop("n")  # one more if the second server begins late: it records for how long the clocks stood still
        assert after == before
        play(client, id, [keys[1], keys[0]], LINE[3:])
        assert look(client, id)["state"] == "A won"


def test_finished_games_are_a_run(client: TestClient, tmp_path: Path) -> None:
    id, keys = two(client)
    play(client, id, keys, LINE)
    do(client, id, keys[0], do="new")
    do(client, id, keys[1], do="accept")
    play(client, id, [keys[1], keys[0]], ["b2"])
    do(client, id, keys[0], do="resign")
    counts = look(client, id)["counts"]
    client.__exit__()
    (run,) = runs_in(tmp_path / "data")
    table = load(run)
    texts, again = table["seats"].to_pylist()
    assert texts == again
    assert [text.partition("#")[0] for text in texts] == ["person:Ann", "person:Ben"]
    assert table["ending"].to_pylist() == ["line", "resigned"]
    found = stats(run)
    assert [row["wins"] for row in found["match"]["players"]] == [row["wins"] for row in counts["seats"]] == [1, 1]
    assert found["match"]["rounds_mean"] == counts["rounds"] == 1.0
    assert found["of"] == found["match"]["games"] == 2
    import pyarrow.parquet as pq

    rows = pq.read_table(run / "games" / "000000000000.parquet")
    assert len(rows["reaction"].to_pylist()[0]) == len(rows["thinking"].to_pylist()[0]) == 5
    assert (
        forget(tmp_path / "data", "Ann") == "Ann: 1 rooms were removed; in 1 runs of games the name is 'somebody' now"
    )
    assert load(run)["seats"].to_pylist() == [["person:somebody", texts[1]]] * 2
    for file in (tmp_path / "data").rglob("*"):
        assert not file.is_file() or b"Ann" not in file.read_bytes(), file


def test_a_game_that_goes_on_after_its_end_is_kept_once(tmp_path: Path) -> None:
    with TestClient(app(Hub(tmp_path)), base_url="http://127.0.0.1") as client:
        room = opened(client, "me", "me")
        id, key = room["room"], room["key"]
        play(client, id, [key, key], LINE)
        do(client, id, key, do="undo")
        play(client, id, [key], ["c2"])
        do(client, id, key, do="resign")
    (run,) = runs_in(tmp_path)
    assert load(run)["ending"].to_pylist() == ["resigned"]


def test_so_it_is_after_a_restart(tmp_path: Path) -> None:
    with TestClient(app(Hub(tmp_path)), base_url="http://127.0.0.1") as client:
        room = opened(client, "me", "me")
        id, key = room["room"], room["key"]
        play(client, id, [key, key], LINE)
    with TestClient(app(Hub(tmp_path)), base_url="http://127.0.0.1") as client:
        do(client, id, key, do="undo")
        play(client, id, [key], ["c1"])
    (run,) = runs_in(tmp_path)
    assert load(run)["ending"].to_pylist() == ["line"]


def test_a_room_that_nobody_uses_makes_place(tmp_path: Path) -> None:
    clock = HandClock()
    with TestClient(app(Hub(tmp_path, most_rooms=1, clock=clock)), base_url="http://127.0.0.1") as client:
        old = opened(client, "me", "me")["room"]
        settings = {"name": "Ann", "game": "tictactoe", "seats": ["me", "me"]}
        assert "too many rooms" in client.post("/api/rooms", json=settings).text
        clock.jump(IDLE)
        new = opened(client, "me", "me")["room"]
    with TestClient(app(Hub(tmp_path)), base_url="http://127.0.0.1") as client:
        assert look(client, new)["state"] == "A may start"
        assert "does not exist" in client.get(f"/api/rooms/{old}").text


def test_no_game_is_written_over_another_after_a_kill(tmp_path: Path) -> None:
    for _ in range(3):
        with TestClient(app(Hub(tmp_path)), base_url="http://127.0.0.1") as client:
            room = opened(client, "me", "me", person="the same")
            play(client, room["room"], [room["key"]] * 2, LINE)
        (run,) = runs_in(tmp_path)
        manifest = read_manifest(run)
        write_manifest(run, manifest | {"match": manifest["match"] | {"games": 1}})  # as before the second
    assert load(run)["ending"].to_pylist() == ["line"] * 3


def test_a_finished_game_is_looked_at_again(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the background: the move that lost, and the better one; only when it is over, and not for who watches."""
    monkeypatch.setattr(review, "MOST_MS", 20)
    id, keys = two(client)
    path, header = f"/api/rooms/{id}/review", {"authorization": f"Bearer {keys[0]}"}

    def ask(what: str, headers: dict[str, str] = header) -> dict[str, Any]:
        return dict(client.post(path, json={"do": what}, headers=headers).json())

    assert ask("start")["why"] == "the game is not over"
    play(client, id, keys, ["b2", "a3", "a1", "c1", "c3"])
    do(client, id, keys[0], do="resign")
    assert ask("start", {})["why"] == "spectators cannot do this"
    assert "expected one of start, stop" in ask("dance")["why"]
    assert client.get(path).json()["total"] == 0
    found = ask("start")
    while found["running"]:
        found = client.get(path).json()
    assert (found["done"], found["total"], len(found["curve"]["black"])) == (6, 6, 6)
    assert {value for _, value in found["curve"]["black"]} == {0, 1}  # exact: nothing between
    lost = [row for row in found["positions"] if row.get("kind") == "losing"]
    assert [(row["played"], row["value"]) for row in lost] == [("c1", -1.0)]
    assert found["positions"][3]["best"][0]["move"] != "c1"
    do(client, id, keys[0], do="new")
    do(client, id, keys[1], do="accept")
    assert client.get(path).json()["total"] == 0


def test_looking_at_a_game_can_be_stopped(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow(position: Position, effort: Effort) -> None:
        begun.set()
        go_on.wait(30)

    monkeypatch.setattr(review, "judge", slow)
    id, keys = two(client)
    play(client, id, keys, LINE)
    path, header = f"/api/rooms/{id}/review", {"authorization": f"Bearer {keys[0]}"}
    assert client.post(path, json={"do": "start"}, headers=header).json()["running"]
    begun.wait(30)
    client.post(path, json={"do": "stop"}, headers=header)
    go_on.set()
    while (found := client.get(path).json())["running"]:
        pass
    assert (found["done"], found["total"]) == (1, 6)
    assert client.post(path, json={"do": "start"}, headers=header).json()["total"] == 6  # it can be begun again


def test_an_analysis_with_a_defect_ends(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr(review, "judge", broken)
    id, keys = two(client)
    play(client, id, keys, LINE)
    path, header = f"/api/rooms/{id}/review", {"authorization": f"Bearer {keys[0]}"}
    client.post(path, json={"do": "start"}, headers=header)
    while (found := client.get(path).json())["running"]:
        pass
    assert (found["done"], found["why"]) == (0, "a defect")


def test_engines_of_the_operator() -> None:
    players = ServerPlayers({"Yixin": "/opt/yixin --quiet"})
    assert players.texts["Yixin"] == "gomocup:/opt/yixin --quiet"
    for name in ("me", "greedy", "a,b", ""):
        with pytest.raises(ValueError, match="engine"):
            ServerPlayers({name: "x"})
    assert "maxn" not in players.of(games.make("tictactoe"))


def test_an_engine_that_ends_at_once_is_refused_at_start(run: Run) -> None:
    brain = shlex.join([sys.executable, "-I", "-S", "none.py"])
    refused(run, f"serve --no-open --engine 'House={brain}'", "--engine House: crash: exit status 2 after START 15: ")


def test_an_engine_of_the_operator_plays_a_game(tmp_path: Path) -> None:
    brain = shlex.join([sys.executable, "-I", "-S", gomocup_brain, "about", str(tmp_path / "log")]) + f",{IN_TIME}"
    hub = Hub(tmp_path / "data", ServerPlayers({"House": brain}))
    with TestClient(app(hub), base_url="http://127.0.0.1") as client:
        id = opened(client, "House", "greedy", game="gomoku")["room"]
        while (seen := look(client, id))["phase"] != "over":
            pass
    assert (seen["result"]["ending"], seen["result"]["winner"], seen["moves"][0]) == ("line", 1, "a10")
    (run,) = runs_in(tmp_path / "data")
    (row,) = load(run).to_pylist()
    assert row["seats"] == [f"gomocup:{brain}", "greedy"]
    assert row["chosen"] == [("engine", "agent")[number % 2] for number in range(row["plies"])]
    assert row["chosen_with"] == [row["seats"][number % 2] for number in range(row["plies"])]


def test_people_play_no_matches() -> None:
    from amoba_agents import Seat, make_agent

    agent = make_agent(archive.person(Person("Ann B.", "3f2a")))
    assert agent.name == "person:Ann B.#3f2a"
    start = Position.start(games.make("tictactoe"))
    with pytest.raises(ValueError, match="people play in"):
        Seat(agent, start).act(start)


def test_the_page_is_small_and_has_no_rules() -> None:
    from amoba_experiments.web.server import PAGE

    assert sum(file.stat().st_size for file in PAGE.iterdir()) < 150_000
    assert json.dumps([file.suffix for file in PAGE.iterdir()]).count(".html") == 2


@pytest.mark.parametrize(
    ("game", "options"),
    [("tictactoe", {}), ("halma", {"players": 2, "max_plies": 60}), ("gomoku", {"size": 6, "opening": "swap2"})],
)
def test_a_program_over_plain_http(url: str, game: str, options: dict[str, Any]) -> None:
    """It knows what docs/protocol.md says: men, choices, cells."""
    from clients import with_http

    room = with_http.play(url.rstrip("/"), game, options)
    assert (room["phase"], room["offer"]) == ("over", None)
    assert Position.from_moves(games.make(game, **options), room["moves"]).over
    with pytest.raises(ValueError, match="game: expected one of"):
        with_http.play(url.rstrip("/"), "chess")


def test_the_protocol_names_every_key(client: TestClient) -> None:
    page = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text()
    id, keys = two(client, clock={"main": 60_000, "increment": 0})
    room, board = look(client, id, keys[0]), client.get(f"/api/rooms/{id}/board").json()
    for key in {*room, *room["position"], *room["clock"], *board} - {"type"}:
        assert f"`{key}`" in page, key
