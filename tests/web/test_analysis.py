"""The analysis board: what people paste, searches in turns, and the page with its tree of variations."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import Chromium, check_accessible
from rooms_http import LINE
from rooms_page import cell, click, drag, enter, now, paste, press, press_twice, resign
from starlette.testclient import TestClient

from amoba_env import records
from amoba_env.games import make
from amoba_experiments.rooms.room import Refusal
from amoba_experiments.web import analysis, guard, server, turns
from amoba_experiments.web.hub import Hub
from amoba_experiments.web.server import app
from amoba_experiments.web.turns import Turns

TREE = "(;GM[4]SZ[15]RU[renju]PB[Ann]PW[Ben]RE[B+R];B[hh](;W[hg]C[direct](;B[ig])(;B[jf]))(;W[ig];B[jf]))"
GOMOKU = {"game": "gomoku", "options": {"size": 15}}
RENJU = {"game": "renju", "options": {"size": 15}}
HALMA = {"game": "halma", "options": {"players": 3}}


def ask(client: TestClient, what: str, **message: Any) -> dict[str, Any]:
    return dict(client.post(f"/api/analysis{what}", json=message).json())


def found(client: TestClient, **at: Any) -> list[dict[str, Any]]:
    text = client.post("/api/analysis/search", json=at).text
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize(
    ("text", "given", "game", "lines"),
    [
        ("h8 i9", GOMOKU, ("gomoku", 15), ["h8 i9"]),
        ("h8g6f6g5", GOMOKU, ("gomoku", 15), ["h8 g6 f6 g5"]),
        ("", RENJU, ("renju", 15), [""]),
        ("15/15/15/15/15/15/15/7x7/15/15/15/15/15/15/15 o", RENJU, ("renju", 15), [""]),
        (TREE, HALMA, ("renju", 15), ["h8 h9 i9", "h8 h9 j10", "h8 i9 j10"]),
        (f"Dear Ben,\n{TREE}", {}, ("renju", 15), ["h8 h9 i9", "h8 h9 j10", "h8 i9 j10"]),
        (f"Played on Sunday:\n{TREE}", {}, ("renju", 15), ["h8 h9 i9", "h8 h9 j10", "h8 i9 j10"]),
        ("(;GM[4]SZ[19];B[aa])", RENJU, ("renju", 19), ["a19"]),
        ("(;GM[4]SZ[19];B[aa])", {}, ("gomoku", 19), ["a19"]),
        ("Piskvorky 15x15, 11:11, 0\n8,8,0\n9,7,0\n", RENJU, ("renju", 15), ["h8 i9"]),
        ("Piskvorky 15x15, 11:11, 0\n8,8,0\n9,7,0\na\nb\n-1\n1,Freestyle15_1\n", RENJU, ("gomoku", 15), ["h8 i9"]),
        ("e3-d4 l6-j4", HALMA, ("halma", None), ["e3-d4 l6-j4"]),
        (
            '{"game": "halma", "options": {"players": 3}, "moves": ["e3-d4"]}\n{"game": "halma", "moves": ["e3-f4"]}\n'
            '{"game": "tictactoe", "moves": ["b2"]}\n',
            GOMOKU,
            ("halma", None),
            ["e3-d4", "e3-f4"],
        ),
        (
            '{"game": "gomoku", "moves": ["e5", "f6"], "comments": {"1": "as in (;GM[4]SZ[15];B[aa])"}}',
            RENJU,
            ("gomoku", 10),
            ["e5 f6"],
        ),
    ],
)
def test_texts_that_people_paste(
    client: TestClient, text: str, given: dict[str, Any], game: tuple[str, int | None], lines: list[str]
) -> None:
    opened = ask(client, "", text=text, **given)
    assert (opened["game"], opened["options"].get("size")) == game
    assert [" ".join(line["moves"]) for line in opened["lines"]] == lines
    for line in opened["lines"]:
        at = {key: opened[key] for key in ("game", "options", "start", "first")} | {"moves": line["moves"]}
        now = ask(client, "/position", **at)
        assert now["moves"] == len(line["moves"])
        assert any(now["targets"].values())


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("h8 h8", "move 2: illegal move h8"),
        ("h8 zz9", "move 2: the board has no cell 'zz9'"),
        ("15/15", "board '15/15' has 2 rows"),
        ("(;GM[4]SZ[15];B[hh];W[hh])", "move 2: illegal move h8"),
        ("(;GM[4]SZ[15];B[hh](;W[aa])(;W[hh]))", "variation 2: move 2: illegal move h8"),
        ("(;GM[4]SZ[15];B[hh]\n;W[h", "line 2: expected a property"),
        ("(;GM[11]RU[hex]SZ[19];B[hh])", "GM[11] (Hex)"),
        ("Piskvorky 15x15, 11:11, 0\n8,8,0\nhello", "line 3: expected a move"),
        ('{"game": "gomoku"}\n{"game": "chess"}', "line 2: game: expected one of"),
        ('{"a":' * 9000, "line 1: "),
        # files and boards of any size stay out of reach
        ("/etc/passwd", "board '/etc/passwd' has 3 rows"),
        ('{"game": "amoba", "options": {"board": "/etc/passwd"}}', "line 1: board: expected a rectangle"),
        ("(;GM[4]SZ[9999];B[hh])", "at most 20"),
        ("(;GM[4]SZ[15]RU[gomoku size=9999];B[hh])", "at most 20"),
        ("(;GM[4]SZ[40:10];B[aa])", "at most"),
        ("Piskvorky 9999x9999, 11:11, 0\n1,1,0", "at most 20"),
        ('{"game": "gomoku", "options": {"size": 9999}}', "at most 20"),
        ("(;GM[4]SZ[15];B[hh]" + "(;W[aa])" * 501 + ")", "at most 500 variations"),
        ("h8 " * 30_000, "at most 65536 bytes"),
    ],
)
def test_bad_texts_are_refused_in_a_sentence(client: TestClient, text: str, why: str) -> None:
    answer = client.post("/api/analysis", json={"text": text, **GOMOKU})
    assert answer.status_code in (400, 413)
    assert why in answer.json()["why"]


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("", {"text": 3}),
        ("", {"text": "h8", "game": "chess"}),
        ("", {"text": "h8", "board": "x"}),
        ("/position", {**GOMOKU, "moves": ["h8", "h8"]}),
        ("/position", {**GOMOKU, "moves": "h8"}),
        ("/position", {**GOMOKU, "moves": ["h" * 50]}),
        ("/position", {"game": "gomoku", "options": {"size": 25}, "moves": []}),
        ("/search", {**GOMOKU, "moves": [], "start": "/etc/passwd"}),
        ("/search", {**GOMOKU, "moves": [], "first": 7}),
        ("/file", {**GOMOKU, "lines": []}),
        ("/file", {**GOMOKU, "lines": [{"moves": ["h8"], "comments": {"x": "y"}}]}),
        ("/file", {**GOMOKU, "lines": [{"moves": ["h8"], "comments": {"9": "y"}}]}),
        ("/file", {**GOMOKU, "lines": [{"moves": ["h8"]}], "players": ["one"]}),
    ],
)
def test_bad_requests_are_refused(client: TestClient, what: str, message: dict[str, Any]) -> None:
    answer = client.post(f"/api/analysis{what}", json=message)
    assert (answer.status_code, answer.json()["type"]) == (400, "refused")


@pytest.mark.parametrize(
    ("text", "more"),
    [
        (TREE, "(;GM[4]SZ[9];B[aa])"),
        ('{"game": "halma", "moves": ["e3-d4", "l6-j4"]}\n{"game": "halma"}', '{"game": "tictactoe"}'),
    ],
)
def test_a_tree_is_saved_and_opened_again(client: TestClient, text: str, more: str) -> None:
    """With names and comments; other games are left out; a game that SGF cannot hold is saved as lines of JSON."""
    opened = ask(client, "", text=f"{text}\n{more}")
    assert opened.pop("others") == 1
    saved = client.post("/api/analysis/file", json=opened)
    kind = saved.headers["content-disposition"].rsplit(".", 1)[1].strip('"')
    assert ask(client, "", text=saved.text) == {**opened, "others": 0}
    main = records.from_text(saved.text, kind)[0]
    assert main.text.split() == opened["lines"][0]["moves"]
    assert list(main.about.players) == opened["players"]


def test_a_search_sees_candidates_and_a_win_by_fours(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "EFFORTS", (20, 40))
    three = ["h8", "a1", "i8", "a3", "j8", "a5", "h9", "a7", "i10", "n14", "j11", "n12"]
    waiting, seen = found(client, **GOMOKU, moves=three)
    assert (waiting["type"], waiting["before"]) == ("waiting", 0)
    assert (seen["values"], seen["best"][0]["plies"]) == ([1, -1], len(seen["fours"]))  # proven: no second search
    assert len(seen["best"]) == analysis.BEST
    assert records.Record(make("gomoku", size=15), [*three, *seen["fours"]]).result is not None
    *_, halma = found(client, **HALMA, moves=[])
    assert (len(halma["values"]), len(halma["best"]), halma["fours"]) == (3, analysis.BEST, [])
    *_, opening = found(client, game="gomoku", options={"opening": "swap2"}, moves=[])
    assert (opening["values"], opening["best"]) == (None, [])
    *_, over = found(client, game="tictactoe", moves=LINE)
    assert (over["values"], over["best"]) == ([1, -1], [])


def test_a_search_that_fails_says_so(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> dict[str, Any]:
        raise RuntimeError("a defect")

    monkeypatch.setattr(analysis, "seen", broken)
    assert [each.get("why") for each in found(client, **GOMOKU, moves=[])] == [None, "a defect"]
    monkeypatch.undo()
    monkeypatch.setattr(analysis, "EFFORTS", (20,))
    assert found(client, **GOMOKU, moves=[])[-1]["type"] == "found"


class Work:
    """Searches that note their steps, behind one that waits until go()."""

    def __init__(self) -> None:
        self.turns, self.steps, self._go, self._left = Turns(), list[str](), threading.Event(), threading.Event()
        self.turns.add("somebody", self._first())

    def _first(self) -> Iterator[None]:
        assert self._go.wait(30)
        return
        yield

    def add(self, asker: str, name: str, steps: int) -> int:
        return self.turns.add(asker, self._noted(name, steps))

    def _noted(self, name: str, steps: int) -> Iterator[None]:
        for _ in range(steps):
            self.steps.append(name)
            yield

    def go(self) -> list[str]:
        """All steps, in their order."""
        done = threading.Event()

        def last() -> Iterator[None]:
            yield from [None] * 20
            done.set()

        self.turns.add("the last", last())
        self._go.set()
        assert done.wait(30)
        return self.steps


def test_askers_take_turns() -> None:
    """A step of each in turn, whoever has more searches; a defect ends only its own search."""
    work = Work()
    assert [work.add("Ann", "a", 3), work.add("Ann", "b", 1), work.add("Ben", "c", 2)] == [1, 2, 3]

    def broken() -> Iterator[None]:
        work.steps.append("broken")
        raise RuntimeError
        yield

    work.turns.add("Eve", broken())
    assert "".join(work.go()) == "acbrokenbcaa"
    work.turns.close()


def test_too_many_searches_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "MOST_OF_ONE", 2)
    monkeypatch.setattr(turns, "MOST_WAITING", 4)
    work = Work()
    work.add("Ann", "a", 1)
    work.add("Ann", "b", 1)
    with pytest.raises(Refusal):
        work.add("Ann", "c", 1)
    work.add("Ben", "d", 1)
    with pytest.raises(Refusal):
        work.add("Eve", "e", 1)
    work.turns.close()


def test_a_search_whose_asker_leaves_is_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While it waits, and the server does other things."""
    searched: list[object] = []
    monkeypatch.setattr(analysis, "seen", lambda *given: searched.append(given))
    work = Work()
    body = json.dumps({**GOMOKU, "moves": []}).encode()

    async def leave() -> None:
        hub = Hub(tmp_path)
        hub.turns = work.turns
        begun = asyncio.Event()
        scope = {"type": "http", "method": "POST", "path": "/api/analysis/search", "query_string": b""}
        scope |= {"headers": [(b"host", b"127.0.0.1")], "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80)}
        messages = iter([{"type": "http.request", "body": body}])

        async def receive() -> dict[str, Any]:
            if (message := next(messages, None)) is not None:
                return message
            await begun.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            if message["type"] == "http.response.body":
                assert json.loads(message["body"]) == {"type": "waiting", "before": 1}
                begun.set()

        await asyncio.wait_for(app(hub)(scope, receive, send), 30)
        await asyncio.to_thread(work.go)
        await hub.close()

    asyncio.run(leave())
    assert not searched


def test_floods_of_searches_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = guard.monotonic()
    monkeypatch.setattr(guard, "monotonic", lambda: now)
    monkeypatch.setattr(server, "READS", 1)
    monkeypatch.setattr(analysis, "EFFORTS", (5,))
    with TestClient(app(Hub(tmp_path), ("testserver",)), client=("10.0.0.1", 50_000)) as client:
        answers = [
            client.post(f"/api/analysis/{what}", json={**GOMOKU, "moves": []}) for what in ("search", "position")
        ]
        assert [answer.status_code for answer in answers] == [200, 429]


def test_variations_are_tried_and_saved(chromium: Chromium, url: str, tmp_path: Path) -> None:
    with chromium.tab() as page:
        paste(page, url, "gomoku", "h8 h8", size="15")
        page.locator(".paste .why", has_text="taken").wait_for()
        page.locator("#pasted").fill("h8a1i8a3j8a5h9a7i10n14j11n12")
        press(page, "Analyse")
        now(page, "Start")
        page.get_by_role("button", name="last position").click()
        now(page, "12. n12")
        fours = page.get_by_role("button", name="Win by fours")
        fours.wait_for()
        page.locator(".candidates li").nth(analysis.BEST).wait_for()
        fours.focus()
        page.locator(".marked .piece").nth(2).wait_for()  # the line on the board
        fours.click()
        page.locator(".variations button", has_text="15. ").wait_for()
        now(page, "13. ")
        page.keyboard.press("Tab")
        page.locator(".variations button.now").focus()
        for key, shown in (("Home", "Start"), ("ArrowRight", "1. h8"), ("ArrowRight", "2. a1")):
            page.keyboard.press(key)
            now(page, shown)
        page.get_by_role("button", name="one move back").click()
        now(page, "1. h8")
        click(page, "g7")
        now(page, "2. g7")
        assert page.locator(".variations .aside").count() == 1
        page.locator(".variations button.now").focus()
        page.keyboard.press("ArrowUp")
        now(page, "2. a1")
        page.keyboard.press("ArrowDown")
        now(page, "2. g7")
        page.reload()
        now(page, "2. g7")
        press(page, "Make main line")
        with page.expect_download() as download:
            press(page, "Save")
        file = tmp_path / "saved.sgf"
        download.value.save_as(file)
        assert records.read(file)[0].text == "h8 g7"
        given = analysis.opened(analysis.Pasted(file.read_text()))
        assert [len(line["moves"]) for line in given["lines"]] == [2, 15]
        press_twice(page, "Delete from here")
        page.locator(".variations .aside").wait_for(state="detached")
        now(page, "1. h8")


def test_a_file_and_a_finished_game_are_analysed(chromium: Chromium, url: str, tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    file.write_text(TREE)
    with chromium.tab(viewport={"width": 360, "height": 740}) as page:
        paste(page, url, "halma", "")
        now(page, "Start")
        page.locator(".worth").nth(1).wait_for()
        drag(page, "e3", "d4")
        now(page, "1. e3-d4")
        page.go_back()
        page.locator("summary", has_text="Analyse a position").click()
        page.locator("#file").set_input_files(file)
        now(page, "Start")
        assert page.locator(".variations .aside").count() == 2
        page.locator(".variations button", has_text="2. h9").click()
        page.locator(".comment", has_text="direct").wait_for()
        page.locator(".candidates li").nth(4).wait_for()
        assert cell(page, "h9").get_attribute("aria-label") == "h9 white, last move"
        check_accessible(page)
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        enter(page, url, "tictactoe", "me", "me")
        click(page, "b2")
        page.locator(".moves", has_text="1. b2").wait_for()
        resign(page)
        page.get_by_role("link", name="Analysis board").click()
        now(page, "Start")
        page.get_by_role("button", name="one move on").click()
        now(page, "1. b2")
