"""Finished games as data: who chose each move, with which help, when; people apart from their names."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rooms_http import LINE, do, look, opened, play, until
from starlette.testclient import TestClient

from amoba_experiments.analysis.queries import query, stats
from amoba_experiments.reading import converted
from amoba_experiments.rooms.commands import apply
from amoba_experiments.rooms.commands import opened as new_room
from amoba_experiments.rooms.room import SERVER, Command, RoomResult
from amoba_experiments.rooms.settings import Clock, Settings
from amoba_experiments.rooms.story import failure
from amoba_experiments.runs.store import load, runs_in, schema, shards
from amoba_experiments.web import archive, messages
from amoba_experiments.web.serve import forget

DAY = 1_700_000_000_000  # milliseconds


def row_of(folder: Path) -> dict[str, Any]:
    (run,) = runs_in(folder)
    (row,) = load(run).to_pylist()
    return dict(row)


def test_who_chose_each_move(client: TestClient, tmp_path: Path) -> None:
    """Alone, a hint and the button are the player's own commands; what they lead to is not the person's move."""
    room = opened(client, "me", "me", clock={"main": 3_600_000, "increment": 1000})
    id, key = room["room"], room["key"]
    play(client, id, [key] * 2, ["b2"])
    with client.websocket_connect(f"/api/rooms/{id}/live") as line:
        line.send_json({"key": key})
        line.send_json({"ask": "hint"})
        hint = until(line, "answer")
        line.send_json({"ask": "hint"})
        until(line, "answer")
        play(client, id, [key], [hint["move"]])
        line.send_json({"ask": "play"})
        button = until(line, "answer")
        assert button["done"]
    do(client, id, key, do="undo")
    do(client, id, key, do="undo")
    play(client, id, [key], [hint["move"]])  # the hint has been seen
    do(client, id, key, do="resign")
    client.__exit__()
    row = row_of(tmp_path / "data")
    assert row["chosen"] == ["person", "hint"]
    assert row["chosen_with"] == [None, hint["player"]]
    assert (row["hints"], row["hinted"]) == ([1, 1], [row["moves"][1]] * 2)
    assert (row["undone_from"], row["undone_to"]) == ([3, 2], [2, 1])
    assert (row["clock_main"], row["clock_increment"], len(row["clock_left"])) == (3_600_000, 1000, 2)
    assert (row["room"], row["number"], row["failure"]) == (id, 0, None)
    assert row["begun"] <= row["ended"]


def test_the_button_and_machines(client: TestClient, tmp_path: Path) -> None:
    room = opened(client, "me", "random")
    id, key = room["room"], room["key"]
    while look(client, id)["phase"] != "over":
        if look(client, id)["mover"] == 0:
            do(client, id, key, ask="play")
    client.__exit__()
    row = row_of(tmp_path / "data")
    assert row["chosen"] == [("button", "agent")[number % 2] for number in range(row["plies"])]
    assert row["chosen_with"] == [("level:10", "random")[number % 2] for number in range(row["plies"])]
    assert row["people"][1] is None


def test_a_program_on_a_persons_seat(tmp_path: Path) -> None:
    room = new_room(Settings("tictactoe", ("guest", "random")), "", DAY)
    room = apply(room, Command("sit", name="Bot", person="b", program=True), DAY)
    room = apply(room, Command("move", 1, None, "b2"), DAY)
    room = apply(room, Command("illegal", SERVER, None, "(-1): timeout: no answer to TURN"), DAY)
    assert room.last is not None
    archive.keep(tmp_path, "id", room, room.last, None, {})
    row = row_of(tmp_path)
    assert (row["chosen"], row["people"], row["failure"]) == (["program"], ["b", None], "timeout")
    assert row["incident"] == "random: (-1): timeout: no answer to TURN"


@pytest.mark.parametrize(
    ("why", "found"),
    [
        ("(-1): crash: exit status 2 after TURN 1,1", "crash"),
        ("(-1): timeout: no answer to TURN in time", "timeout"),
        ("(7): illegal move: the cell is taken", "illegal move"),
        ("(-1): cannot start: No such file", "cannot start"),
        ("(-1): refused: 'ERROR size' to START 3", "refused"),
        ("ValueError: a defect", "error"),
        ("", "error"),
    ],
)
def test_failures_of_machines_are_told_apart(why: str, found: str) -> None:
    assert failure(RoomResult(0, (1, 2), "illegal", 1, why)) == found
    assert failure(RoomResult(0, (1, 2), "time", 1)) is None


def test_dates_and_reactions(tmp_path: Path) -> None:
    """The first move's times run from when the last guest sat down."""
    room = new_room(Settings("tictactoe", ("me", "guest"), clock=Clock(60_000)), "Ann", DAY, None, "a")
    room = apply(room, Command("sit", name="Ben", person="b"), DAY + 50_000)
    for number, (move, took) in enumerate(zip(LINE, (None, 20, None, 90_000, 0), strict=True)):
        room = apply(room, Command("move", number % 2, None, move, took=took), DAY + 51_000 + 1000 * number)
    assert room.last is not None
    archive.keep(tmp_path, "id", room, room.last, None, {})
    row = row_of(tmp_path)
    assert (row["thinking"], row["reaction"]) == ([1000] * 5, [1000, 20, 1000, 1000, 0])
    begun = datetime.fromtimestamp(DAY / 1000 + 51, UTC).replace(tzinfo=None)
    assert (row["begun"], (row["ended"] - begun).total_seconds()) == (begun, 4)
    assert row["people"] == ["a", "b"]


@pytest.mark.parametrize(
    ("ending", "commands"),
    [
        ("resigned", [Command("resign", 0)]),
        ("agreed", [Command("draw", 0), Command("accept", 1)]),
        ("time", [Command("flag", SERVER)]),
    ],
)
def test_how_people_end_games(tmp_path: Path, ending: str, commands: list[Command]) -> None:
    room = new_room(Settings("tictactoe", ("me", "guest"), clock=Clock(60_000)), "Ann", DAY, None, "a")
    room = apply(room, Command("sit", name="Ben", person="b"), DAY)
    for command in (Command("move", 0, None, "b2"), *commands):
        room = apply(room, command, DAY + 100_000 * (command.do == "flag"))
    assert room.last is not None
    archive.keep(tmp_path, "id", room, room.last, None, {})
    assert row_of(tmp_path)["ending"] == ending
    found = stats(runs_in(tmp_path)[0])["match"]
    assert (found["endings"], found["draws"], found["forfeits"]) == (
        {ending: 1},
        ending == "agreed",
        ending != "agreed",
    )


def test_two_anns_are_two_and_one_is_one(client: TestClient, tmp_path: Path) -> None:
    for screen, name in (("s" * 24, "Ann"), ("s" * 24, "Ann"), ("t" * 24, "Ann"), ("s" * 24, "Eve"), ("", "Ann")):
        room = client.post(
            "/api/rooms", json={"name": name, "game": "tictactoe", "seats": ["me", "me"], "person": screen}
        ).json()
        play(client, room["room"], [room["key"]] * 2, LINE)
    client.__exit__()
    rows = query(tmp_path / "data", "SELECT seats[1] AS text, people[1] AS id, count(*) AS n FROM games GROUP BY ALL")
    assert sorted(row["n"] for row in rows) == [1, 1, 1, 2]
    assert all(re.fullmatch(r"person:(Ann|Eve)#[0-9a-f]{10}", row["text"]) for row in rows)
    assert all(row["text"].endswith(f"#{row['id']}") for row in rows)
    for file in (tmp_path / "data").rglob("*"):
        assert not file.is_file() or b"s" * 24 not in file.read_bytes()  # the screen's secret stays on the screen
    assert forget(tmp_path / "data", "Ann").startswith("Ann: 4 rooms were removed; in 3 runs of games")
    rows = query(tmp_path / "data", "SELECT people FROM games WHERE seats[1] = 'person:somebody'")
    assert [row["people"] for row in rows] == [[None, None]] * 4


@pytest.mark.parametrize("written", ["A\u0301gi Nagy", "\u00c1gi  Nagy "])
def test_a_name_is_forgotten_however_it_is_written(client: TestClient, tmp_path: Path, written: str) -> None:
    settings = {"name": "A\u0301gi  Nagy", "game": "tictactoe", "seats": ["me", "me"]}
    room = client.post("/api/rooms", json=settings).json()
    play(client, room["room"], [room["key"]] * 2, LINE)
    client.__exit__()
    for unknown in ("Agi Nagy", "Nagy"):
        with pytest.raises(ValueError, match="--forget: expected the name of somebody"):
            forget(tmp_path / "data", unknown)
    assert forget(tmp_path / "data", written).startswith("\u00c1gi Nagy: 1 rooms were removed; in 1 runs of games")
    assert row_of(tmp_path / "data")["seats"] == ["person:somebody"] * 2


@pytest.mark.parametrize("wrong", [{"person": 5}, {"person": "x" * 41}, {"program": 1}])
def test_what_a_screen_says_of_its_person(client: TestClient, wrong: dict[str, Any]) -> None:
    given = {"name": "Ann", "game": "tictactoe", "seats": ["me", "me"], **wrong}
    assert client.post("/api/rooms", json=given).status_code == 400
    who = converted({"person": "x", "program": True}, messages.Who)
    assert (who.person, who.program) == ("x", True)


def test_a_longer_name_is_another_one(tmp_path: Path) -> None:
    room = new_room(Settings("tictactoe", ("me", "guest")), "Ann", DAY)
    for command in (Command("sit", name="Mary Ann"), Command("move", 0, None, "b2"), Command("resign", 1)):
        room = apply(room, command, DAY)
    assert room.last is not None
    archive.keep(tmp_path, "id", room, room.last, None, {})
    archive.forget(tmp_path, "Ann")
    assert row_of(tmp_path)["incident"] == "Mary Ann: resigned"


def test_a_file_has_many_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A game that was written before a kill is written once."""
    monkeypatch.setattr(archive, "SHARD", 3)
    room = new_room(Settings("tictactoe", ("me", "random")), "Ann", DAY, None, "a")
    for number, move in enumerate(LINE):
        room = apply(room, Command("move", SERVER if number % 2 else 0, None, move), DAY + 1000 * (number + 1))
    assert room.last is not None
    for id in ("r0", "r1", "r1", "r2", "r3"):
        place = archive.keep(tmp_path, id, room, room.last, None, {})
    run = place[0]
    assert load(run)["room"].to_pylist() == ["r0", "r1", "r2", "r3"]
    assert [[len(pq.read_table(file)) for file in shards(run, kind)] for kind in ("games", "times")] == [[3, 1], [2, 2]]
    times = pq.read_table(shards(run, "times")[0]).to_pylist()
    assert [(row["games"], row["moves"], row["seconds"]) for row in times] == [(3, 9, 9.0), (3, 6, 6.0)]
    assert stats(run)["match"]["games"] == stats(run)["of"] == 4
    archive.keep(tmp_path, "r1", room, room.last._replace(ended=DAY), (run, 1), {})
    assert load(run)["room"].to_pylist() == ["r0", "r1", "r2", "r3"]

    def full_disk(*_: Any) -> None:
        raise OSError("No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(archive, "write_manifest", full_disk)
        with pytest.raises(OSError, match="No space"):
            archive.keep(tmp_path, "r1", room, room.last, (run, 1), {"random": "greedy"})
    assert load(run)["room"].to_pylist() == ["r0", "r1", "r2", "r3"]  # nothing is removed before all is written
    moved, _ = archive.keep(tmp_path, "r1", room, room.last, (run, 1), {"random": "greedy"})
    assert (load(run)["room"].to_pylist(), load(moved)["room"].to_pylist()) == (["r0", "r2", "r3"], ["r1"])


def test_another_machine_after_an_undo_replaces_no_other_game(client: TestClient, tmp_path: Path) -> None:
    """The game that went on is in the run of its players, and only there."""
    for level in ("random", "random", "greedy"):
        room = opened(client, "me", level, person="the same")
        id, key = room["room"], room["key"]
        play(client, id, [key], ["b2"])
        for what in ({"do": "resign"}, {"do": "undo"}, {"do": "level", "move": "greedy"}, {"do": "resign"}):
            assert do(client, id, key, **what)["type"] == "ok"
    client.__exit__()
    assert [row["seats"][1] for run in runs_in(tmp_path / "data") for row in load(run).to_pylist()] == ["greedy"] * 3


def test_files_have_the_meanings_of_columns() -> None:
    assert all(pa.types.is_list(field.type) or field.metadata for field in schema(archive.COLUMNS))
