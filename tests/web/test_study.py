"""Studies with people: their settings, links, consent, rooms, export and withdrawal."""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pyarrow.parquet as pq
import pytest
from commands import Run
from rooms_http import do, look
from starlette.testclient import TestClient

from amoba_experiments.web import journal, serve, study_tables
from amoba_experiments.web.hub import Hub
from amoba_experiments.web.journal import Journal
from amoba_experiments.web.participants import Participants, withdraw
from amoba_experiments.web.server import app
from amoba_experiments.web.server_players import ServerPlayers
from amoba_experiments.web.study import balanced_orders, load, plan, study_of

GIVEN: dict[str, Any] = {
    "title": "Two machines",
    "consent": "You play two games.",
    "participants": 3,
    "games": [
        {"game": "tictactoe", "opponent": "random", "condition": "easy"},
        {"game": "tictactoe", "opponent": "greedy", "condition": "hard", "seat": 1},
    ],
}


class Served:
    """A server with a study, and what its participants do."""

    def __init__(self, data: Path, players: ServerPlayers | None = None, **more: Any) -> None:
        self.data = data
        self.participants = Participants.begin(data, study_of(GIVEN | more))
        self.client = TestClient(
            app(Hub(data, players), ("testserver",), participants=self.participants), base_url="http://127.0.0.1"
        )

    def __enter__(self) -> Served:
        self.client.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.client.__exit__()

    def say(self, id: str, do: str = "look", number: int = 0, key: str | None = None) -> dict[str, Any]:
        key = self.participants.key(id) if key is None else key
        message = {"participant": id, "key": key, "do": do, "number": number}
        return dict(self.client.post("/api/study", json=message).json())

    def play(self, id: str) -> dict[str, Any]:
        """Begin the next game and play it to its end; return where the participant is then."""
        at = self.say(id)
        room = self.say(id, "start", at["done"])
        while (now := look(self.client, room["room"], room["key"]))["phase"] != "over":
            if now["targets"]:
                names = self.client.get(f"/api/rooms/{room['room']}/board").json()["names"]
                move = names[now["targets"]["cells"][0]]
                do(self.client, room["room"], room["key"], do="move", move=move, at=now["at"], took=5)
        return self.say(id)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with Served(tmp_path / "data") as found:
        yield found


def named(folder: Path, text: str) -> list[str]:
    """The files of a folder whose bytes have a text."""
    return [file.name for file in folder.rglob("*") if file.is_file() and text.encode() in file.read_bytes()]


def test_nothing_is_stored_before_consent(served: Served) -> None:
    """A look leaves no trace, a declined link its answer, and nobody starts a game without consent."""
    before = (served.data / "study.json").read_bytes()
    assert served.say("p1") == served.say("p1", "start") == {**served.say("p1"), "answer": None}
    assert (served.data / "study.json").read_bytes() == before
    assert served.say("p1", "decline")["answer"] == "declined"
    assert served.say("p1", "start")["answer"] == "declined"
    assert json.loads((served.data / "study.json").read_text())["answers"] == {"p1": {"answer": "declined"}}
    assert served.say("p1", "agree")["done"] == 0
    assert served.say("p1", "decline")["answer"] == "agreed"  # what is stored then is removed by --withdraw alone
    assert (served.data / "study.json").stat().st_mode & 0o77 == 0


@pytest.mark.parametrize("wrong", [("p1", ""), ("p1", "x"), ("p9", None), ("p2", "of p1"), ("p1", "\u00e9")])
def test_links_cannot_be_guessed(served: Served, wrong: tuple[str, str | None]) -> None:
    id, key = wrong
    key = served.participants.key("p1") if key == "of p1" else key
    assert served.say(id, key=key)["type"] == "refused"
    assert served.client.post("/api/study", json={"participant": 5, "key": "x"}).status_code == 400
    assert len({served.participants.key(id) for id in ("p1", "p2", "p3")}) == 3


def test_games_one_after_another_and_after_a_restart(tmp_path: Path) -> None:
    with Served(tmp_path) as served:
        at = served.say("p1", "agree")
        assert (at["done"], at["games"], at["next"]["color"], at["next"]["begins"]) == (0, 2, "black", True)
        room = served.say("p1", "start", 0)
        assert served.say("p1") == served.say("p1", "start", 0) == room  # another tab, another browser
        at = served.play("p1")
        assert (at["done"], at["next"]["color"], at["next"]["begins"]) == (1, "white", False)
        assert "room" not in at
        assert "room" not in served.say("p1", "start", 0)  # a stale tab
        room = served.say("p1", "start", 1)
    with Served(tmp_path) as served:
        assert served.say("p1") == room
        assert served.play("p1")["thanks"]
        assert served.say("p1", "start", 2)["thanks"]


def test_a_game_that_a_machine_lost_before_its_first_move_is_in_the_tables(tmp_path: Path) -> None:
    players = ServerPlayers({"Broken": f'{sys.executable} -c "exit(3)"'})
    game = {"game": "gomoku", "opponent": "Broken", "seat": 1, "options": {"size": 9}}
    with Served(tmp_path, players, games=[game]) as served:
        served.say("p1", "agree")
        assert served.play("p1")["thanks"]
    (row,) = study_tables.rows_of(tmp_path)["games"]
    assert (row["ending"], row["plies"], row["failure"]) == ("illegal", 0, "crash")


def test_what_participants_may_not_do(tmp_path: Path) -> None:
    for allow, refused in (([], 9), (["undo", "pause", "hint"], 5)):
        with Served(tmp_path / str(refused), allow=allow) as served:
            served.say("p1", "agree")
            at = served.say("p1", "start")
            id, key = at["room"], at["key"]
            assert do(served.client, id, key, do="resign")["type"] == "refused"  # before the first move
            now = look(served.client, id, key)
            assert do(served.client, id, key, do="move", move="b2", at=now["at"])["type"] == "ok"
            while look(served.client, id, key)["mover"] != 0:
                pass
            asked = [{"ask": each} for each in ("hint", "play", "why")] + [
                {"do": each, "move": "greedy"} for each in ("undo", "pause", "resume", "new", "draw", "level")
            ]
            answers = [do(served.client, id, key, **each) for each in asked]
            assert sum(each.get("why") == "this study does not allow that" for each in answers) == refused
            for strange in ([], {}, 5, None):
                assert do(served.client, id, key, do=strange, ask=strange)["type"] == "refused"
            do(served.client, id, key, do="resign")
            assert do(served.client, id, key, do="undo")["type"] == "refused"  # the game is in the data


def test_a_study_is_alone_on_its_server(served: Served) -> None:
    client = served.client
    assert client.post("/api/rooms", json={"name": "A", "game": "tictactoe", "seats": ["me", "me"]}).status_code == 404
    assert client.get("/api/catalogue").status_code == 404
    assert "study.js" in client.get("/").text
    with pytest.raises(ValueError, match="study"):
        serve.serve("127.0.0.1", 0, served.data, False, {}, (), 1, 1, None, print)


def test_the_order_is_drawn_balanced_and_the_same_again() -> None:
    study = study_of(
        GIVEN
        | {
            "participants": 24,
            "order": "drawn",
            "games": [
                *GIVEN["games"],
                {"game": "gomoku", "opponent": ["random", "greedy"], "seat": [0, 1], "first": "drawn"},
            ],
        }
    )
    plans = [plan(study, id) for id in study.participants]
    assert plans == [plan(study, id) for id in study.participants]
    assert set(Counter(tuple(each.entry for each in games) for games in plans).values()) == {4}  # of each of the 6
    drawn = [next((each.opponent, each.seat) for each in games if each.entry == 2) for games in plans]
    assert set(Counter(drawn).values()) == {6}
    assert len({each.settings.seed for games in plans for each in games}) == 72
    more = study_of(GIVEN | {"participants": [*study.participants, "x"], "order": "drawn", "games": study_games(study)})
    assert [plan(more, id) for id in study.participants] == plans
    other = study_of(GIVEN | {"participants": 24, "order": "drawn", "games": study_games(study), "seed": 1})
    assert [plan(other, id) for id in study.participants] != plans


def study_games(study: Any) -> list[dict[str, Any]]:
    return list(msgspec.to_builtins(study)["games"])


@pytest.mark.parametrize("count", range(1, 8))
def test_orders_are_balanced(count: int) -> None:
    """Each game stands equally often at each place, and after each other game."""
    rows = balanced_orders(count)
    places = Counter(pair for row in rows for pair in enumerate(row))
    after = Counter(pair for row in rows for pair in pairwise(row))
    assert (len(places), len(set(places.values()))) == (count**2, 1)
    assert len(after) == count * (count - 1)
    assert len(set(after.values())) <= 1


def test_the_tables(tmp_path: Path, run: Run) -> None:
    with Served(tmp_path / "data") as served:
        for id in ("p1", "p3"):
            served.say(id, "agree")
            served.play(id)
        served.say("p2", "decline")
        served.play("p1")
        served.say("p3", "start", 1)  # a game that is not finished is not in the tables
    code, out, _ = run(f"study {served.data}")
    assert (code, [line.split()[:2] for line in out.splitlines()[1:]]) == (
        0,
        [["p1", "agreed"], ["p2", "declined"], ["p3", "agreed"]],
    )
    code, out, _ = run(f"study {served.data} --links https://play.example.org")
    assert f"p1,https://play.example.org/#participant=p1&key={served.participants.key('p1')}\n" in out
    assert run(f"study {served.data} --out {tmp_path / 'results'}")[0] == 0
    tables = {name: pq.read_table(tmp_path / "results" / f"{name}.parquet") for name in study_tables.TABLES}
    people, played, moves = (tables[name].to_pylist() for name in ("participants", "games", "moves"))
    assert [(row["participant"], row["finished"], row["consented"] is None) for row in people] == [
        ("p1", 2, False),
        ("p2", 0, True),
        ("p3", 1, False),
    ]
    assert [(row["participant"], row["place"], row["condition"], row["opponent"]) for row in played] == [
        ("p1", 1, "easy", "random"),
        ("p1", 2, "hard", "greedy"),
        ("p3", 1, "easy", "random"),
    ]
    assert all(people[0]["consented"] <= row["begun"] <= row["ended"] for row in played[:2])
    assert all(row["result"] in ("won", "drawn", "lost") for row in played)
    assert [row["move"] for row in moves] == " ".join(row["moves"] for row in played).split()
    assert all((row["own"], row["chosen"]) in ((True, "person"), (False, "agent")) for row in moves)
    for row in moves:  # a screen says 5 ms, and no reaction is longer than the time between the server's messages
        assert row["reaction"] == (min(5, row["thinking"]) if row["own"] else None)
    for name, table in tables.items():
        assert all(field.metadata for field in table.schema)
        text = (tmp_path / "results" / f"{name}.csv").read_text()
        assert text.splitlines()[0] == ",".join(study_tables.TABLES[name])
        assert len(text.splitlines()) == len(table) + 1


ID = "participant-one"


@pytest.fixture
def played(tmp_path: Path) -> Path:
    """The data of two participants of whom one has played everything."""
    with Served(tmp_path / "data", participants=[ID, "other"]) as served:
        for id in (ID, "other"):
            served.say(id, "agree")
            served.play(id)
        served.say(ID, "start", 1)
    return served.data


def test_who_withdraws_is_gone(played: Path, tmp_path: Path, run: Run) -> None:
    """From the rooms and the finished games; of them only the id and that they withdrew stays. Again: the same."""
    others = study_tables.rows_of(played)
    for removed in ("2 rooms and 1 finished", "0 rooms and 0 finished"):
        code, out, _ = run(f"study {played} --withdraw {ID}")
        assert (code, removed in out) == (0, True)
        assert named(played, ID) == ["study.json"]
        assert json.loads((played / "study.json").read_text())["answers"][ID] == {"answer": "withdrew"}
    assert study_tables.rows_of(played) == {
        name: [row for row in rows if row["participant"] == "other"] for name, rows in others.items()
    }
    study_tables.export(played, tmp_path / "results")
    assert named(tmp_path / "results", ID) == []
    assert f"{ID} has withdrawn\n" in run(f"study {played}")[1]
    assert [line.partition(",")[0] for line in run(f"study {played} --links x")[1].splitlines()] == ["other"]
    with Served(played, participants=[ID, "other"]) as served:
        assert served.say(ID) == served.say(ID, "agree") == {"title": GIVEN["title"], "answer": "withdrew"}
        assert served.say("other")["done"] == 1
        with pytest.raises(ValueError, match="in use"):
            withdraw(played, "other")


def test_withdrawals_take_exact_ids(tmp_path: Path) -> None:
    """Also ids that are words of the data."""
    with Served(tmp_path, participants=["id", "random", "You", "You2"]) as served:
        for id in served.participants.study.participants:
            served.say(id, "agree")
            served.play(id)
    for left, id in enumerate(("id", "random", "You"), start=1):
        assert "1 rooms and 1 finished" in withdraw(tmp_path, id)
        assert len(study_tables.rows_of(tmp_path)["games"]) == 4 - left


def test_killed_withdrawals_are_finished(played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the next call, or when the server starts. Until then the link is closed and exports are without them."""
    rows, remove = journal.gone_rows, shutil.rmtree
    for step in range(11):  # four tables of two rooms, three folders of a run
        steps, data = iter(range(100)), tmp_path / str(step)
        shutil.copytree(played, data)

        def or_killed(each: Any, step: int = step, steps: Iterator[int] = steps) -> Any:
            if next(steps) == step:
                raise KeyboardInterrupt
            return each

        with monkeypatch.context() as patched:
            patched.setattr(journal, "gone_rows", lambda id, kill=or_killed: map(kill, rows(id)))
            patched.setattr(shutil, "rmtree", lambda folder, kill=or_killed: remove(kill(folder)))
            with pytest.raises(KeyboardInterrupt):
                withdraw(data, ID)
        assert all(row["participant"] == "other" for table in study_tables.rows_of(data).values() for row in table)
        Participants.begin(data, study_of(GIVEN | {"participants": [ID, "other"]}))  # the server starts
        assert named(data, ID) == ["study.json"]
        assert [each["finished"] for each in study_tables.rows_of(data)["participants"]] == [1]
        with closing(sqlite3.connect(data / "rooms.sqlite")) as db:
            assert db.execute("SELECT count(*) FROM rooms").fetchone() == (1,)
            orphans = "SELECT count(*) FROM {} WHERE room NOT IN (SELECT id FROM rooms)"
            assert [db.execute(orphans.format(each)).fetchone() for each in journal.OF_ROOMS] == [(0,)] * 3


def test_a_game_that_a_killed_server_wrote_in_part_goes_too(played: Path) -> None:
    for folder in (played / "games").iterdir():
        if ID in (folder / "run.json").read_text():
            (folder / "run.json").unlink()
    assert "2 rooms and 1 finished" in withdraw(played, ID)
    assert named(played, ID) == ["study.json"]


def test_a_folder_has_one_study(played: Path, tmp_path: Path) -> None:
    given = GIVEN | {"participants": [ID, "other"]}
    more = given | {"participants": [ID, "other", "new"]}
    assert Participants.begin(played, study_of(more)).answer(ID) == "agreed"
    for other in ({"participants": ["new", ID]}, {"title": "Another"}, {"seed": 1}):
        with pytest.raises(ValueError, match=f"{next(iter(other))}: expected the same"):
            Participants.begin(played, study_of(more | other))
    Journal(tmp_path / "rooms" / "rooms.sqlite").close()
    with pytest.raises(ValueError, match="new folder"):
        Participants.begin(tmp_path / "rooms", study_of(given))
    early = Participants.begin(tmp_path / "early", study_of(given))
    assert Participants.begin(tmp_path / "early", study_of(given | {"title": "Another"})).secret == early.secret


@pytest.mark.parametrize(
    ("wrong", "where"),
    [
        ({"titel": 1}, "titel"),
        ({"title": ""}, "title"),
        ({"consent": None}, "consent"),
        ({"participants": 0}, "participants"),
        ({"participants": ["a", "a"]}, "participants"),
        ({"participants": ["a#b"]}, "participants"),
        ({"order": "random"}, "order"),
        ({"seed": -1}, "seed"),
        ({"allow": ["cheat"]}, "allow"),
        ({"allow": ["level"]}, "allow"),
        ({"games": []}, "games"),
        ({"games": {"game": "tictactoe"}}, "games"),
        ({"games": [GIVEN["games"][0], 5]}, r"games\[2\]"),
        ({"games": [{"game": "tictactoe"}]}, r"games\[1\]: .*opponent"),
        ({"games": [{"game": "tictactoe", "opponent": []}]}, r"games\[1\]: opponent"),
        ({"games": [{"game": "chess", "opponent": "random"}]}, r"games\[1\]: game"),
        ({"games": [{"game": "tictactoe", "opponent": "random", "seat": 2}]}, r"games\[1\]: seat"),
        ({"games": [{"game": "tictactoe", "opponent": "random", "first": "in turn"}]}, r"games\[1\]: first"),
        ({"games": [{"game": "tictactoe", "opponent": "random", "clock": {"main": 1}}]}, r"games\[1\]: clock: main"),
        ({"games": [{"game": "gomoku", "opponent": "random", "options": {"size": 99}}]}, r"games\[1\]: size"),
    ],
)
def test_impossible_studies(tmp_path: Path, wrong: dict[str, Any], where: str) -> None:
    file = tmp_path / "study.yaml"
    file.write_text(json.dumps({key: value for key, value in (GIVEN | wrong).items() if value is not None}))
    with pytest.raises(ValueError, match=f"study.yaml: .*{where}"):
        load(file)


def test_impossible_players_and_texts(tmp_path: Path) -> None:
    study = study_of(GIVEN | {"games": [*GIVEN["games"], {"game": "halma", "opponent": ["random", "alphabeta"]}]})
    with pytest.raises(ValueError, match=r"games\[3\]: opponent"):
        study.check_players(ServerPlayers())
    given = "title: A\nconsent: B\nparticipants: 1\n"
    for text, where in (("title: [", "line 1"), (f"{given}games:", "games: expected a list, got None")):
        (tmp_path / "study.yaml").write_text(text)
        with pytest.raises(ValueError, match=where):
            load(tmp_path / "study.yaml")
