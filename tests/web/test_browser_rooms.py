"""Rooms in a real browser: drawn boards, clocks, who watches, who leaves, series, files, sounds, looking back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from browser import Chromium, check_accessible
from rooms_page import (
    PHONE,
    PLAYS,
    TOO_LONG,
    begin,
    cell,
    click,
    drag,
    elsewhere,
    enter,
    meet,
    middle,
    moves,
    press,
    resign,
    state,
)

from amoba_env import Position, games, records
from amoba_experiments.rooms import clocks

GAMES = ("chinese_checkers", "square_halma", "renju")  # each kind of board; other tests use the other games
AT_ONCE = "localStorage.setItem('amoba.confirm', 'false')"  # moves are not to be confirmed


@pytest.mark.parametrize("name", GAMES)
def test_every_game_by_clicks_keys_drags_and_touches(chromium: Chromium, url: str, name: str) -> None:
    position = Position.start(games.make(name))
    with chromium.tab(**PHONE) as page:
        page.add_init_script(AT_ONCE)
        enter(page, url, name, *["me"] * position.game.players)
        played: list[str] = []
        for way in ("click", "touch", "keys", "drag"):
            move = position.legal_moves()[0]
            cells = move.split("-")
            if way == "touch":
                for each in cells:
                    page.touchscreen.tap(*middle(page, each))
            elif way == "keys":
                for each in cells:
                    cell(page, each).focus()
                    page.keyboard.press("Enter")
            elif way == "drag" and len(cells) == 2:
                drag(page, *cells)
            else:
                click(page, *cells)
            position = position.play(move)
            played.append(move)
            moves(page, " ".join(played))


def test_a_board_and_its_patterns_are_drawn(chromium: Chromium, url: str) -> None:
    """With the mouse and with keys; parts that are cut off have letters; the drawn shape wins."""
    with chromium.tab(**PHONE) as page:
        page.add_init_script(AT_ONCE)
        page.set_default_timeout(TOO_LONG)
        page.goto(url)
        page.locator("input[value=amoba]").check()
        page.locator("summary", has_text="Rules and board").click()
        press(page, "6 x 6")
        board, shape = (page.get_by_role("grid", name=f"cells of the {what}") for what in ("board", "shape"))
        for row in range(6, 0, -1):
            board.get_by_label(f"column 3, row {row}").click()
        page.locator(".settings .why", has_text="one part is cut off").wait_for()
        assert board.locator(".island").all_inner_texts() == ["a"] * 12
        for key in ("Enter", "ArrowUp", "Enter"):  # the lowest two cells of the column again
            page.keyboard.press(key)
        page.locator(".settings .why").wait_for(state="hidden")
        assert board.locator(".island").count() == 0
        press(page, "remove pattern 5")
        for name in ("column 1, row 6", "column 2, row 5"):
            shape.get_by_label(name).click()
        press(page, "Add shape")
        assert page.locator("#option-patterns").input_value() == "x./.x"
        page.locator("#option-orientations").select_option("fixed")
        page.locator("#seat-1").select_option("me")
        check_accessible(page)
        press(page, "Start")
        page.locator(".turn").wait_for()
        for number, name in enumerate(["a6", "f1", "b5"]):
            click(page, name)
            page.locator(".moves li").nth(number).wait_for()
        state(page, "A won")


def test_clocks_undo_by_consent_and_who_watches(chromium: Chromium, url: str) -> None:
    with chromium.tab() as ann:
        (ben,) = meet(ann, url, enter(ann, url, "gomoku", "me", "guest", clock=5), "Ben")
        eve = elsewhere(ann)
        eve.goto(url + ann.evaluate("location.hash"))
        eve.locator(".clock").first.wait_for()
        assert ben.locator(".clock").all_inner_texts() == ["5:00", "5:00"]
        state(ann, "A may start")
        for page, name, then in ((ann, "e5", "B to move"), (ben, "f6", "A to move")):
            click(page, name)
            state(ann, then)
            state(ben, then)
        ran, stood = (ann.locator(f".seat{whose} .clock") for whose in (".now", ":not(.now)"))
        before, other = ran.inner_text(), stood.inner_text()
        ann.locator(".seat.now .clock", has_not_text=before).wait_for()
        assert stood.inner_text() == other
        press(ann, "Undo")
        ben.locator(".offer", has_text="Ann asks to take back").wait_for()
        press(ben, "Accept")
        for page in (ann, eve):
            state(page, "A may start")
        assert eve.locator(".buttons button:visible").count() == 0
        click(eve, "e5")
        click(ann, "a1")
        moves(eve, "a1")
        for page in (ben, eve):
            page.context.close()


def test_the_first_reaction_runs_from_when_the_guest_sits(chromium: Chromium, url: str) -> None:
    """Also after a page was opened, and after a pause."""
    with chromium.tab() as ann:
        took: list[Any] = []

        def note(text: str | bytes) -> None:
            message = json.loads(text)
            if message.get("do") == "move":
                took.append(message.get("took"))

        ann.on("websocket", lambda line: line.on("framesent", note))
        (ben,) = meet(ann, url, enter(ann, url, "gomoku", "me", "guest"), "Ben")
        ann.locator(".turn.yours").wait_for()
        ann.wait_for_timeout(50)
        click(ann, "e5")
        state(ben, "B to move")
        for _ in range(6000):
            if not took:
                ann.wait_for_timeout(10)
        assert took[0] >= 50
        ben.context.close()


def test_a_third_player_leaves_and_a_machine_sits_down(chromium: Chromium, url: str) -> None:
    with chromium.tab() as ann:
        ben, cleo = meet(ann, url, enter(ann, url, "halma", "me", "guest", "guest"), "Ben", "Cleo")
        resign(ben)
        for page in (ben, cleo):
            state(page, "B quit")
        assert ben.locator(".offer").is_hidden()
        press(ann, "Continue with a machine")
        cleo.locator(".offer", has_text="Ann wants a machine").wait_for()
        press(cleo, "Accept")
        state(ann, "A to move")
        ann.locator(".players", has_text="level 5 white, machine").wait_for()
        for page in (ben, cleo):
            page.context.close()


def test_a_series_of_machines_has_summed_results(chromium: Chromium, url: str) -> None:
    with chromium.tab() as page:
        begin(page, url, "tictactoe", "random", "random", series="3")
        page.locator(".counts", has_text="3 games").wait_for(timeout=TOO_LONG)
        page.locator(".counts tbody td").first.wait_for()
        wins = [int(page.locator(f".counts tbody tr:nth-child({row}) td").first.inner_text()) for row in (1, 2)]
        without = int(page.locator(".counts p").inner_text().split(", ")[1].split()[0])
        assert sum(wins) + without == 3


def test_a_link_with_a_wrong_key_takes_no_seat_away(chromium: Chromium, url: str) -> None:
    with chromium.tab() as page:
        enter(page, url, "tictactoe", "me", "me")
        room = page.url
        page.goto(room + "&key=wrong")
        page.locator("h1", has_text="This page cannot be shown").wait_for()
        page.goto(room)
        page.locator(".turn.yours").wait_for()


def test_a_question_about_a_point_can_be_dropped(chromium: Chromium, url: str) -> None:
    with chromium.tab() as page:
        page.add_init_script(AT_ONCE)
        enter(page, url, "renju", "me", "me")
        press(page, "Why?")
        cell(page, "h8").focus()
        page.keyboard.press("Escape")
        page.keyboard.press("Enter")
        moves(page, "h8")


def test_why_sounds_files_and_looking_back(chromium: Chromium, url: str, tmp_path: Path) -> None:
    with chromium.tab(accept_downloads=True) as page:
        page.add_init_script(PLAYS)
        enter(page, url, "renju", "me", "me")
        press(page, "Why?")
        click(page, "h8")
        page.locator(".why.info", has_text="h8 is legal for black").wait_for()
        page.locator("summary", has_text="Show").click()
        click(page, "h8")
        moves(page, "h8")
        assert not page.evaluate("window.played")
        page.get_by_label("Sounds").check()
        click(page, "a1")
        moves(page, "h8 a1")
        assert page.evaluate("window.played")
        page.locator("summary", has_text="Link, save").click()
        for kind in ("sgf", "psq", "jsonl", "html"):
            with page.expect_download() as download:
                page.get_by_role("link", name=f"Save .{kind}").click()
            file = tmp_path / f"game.{kind}"
            download.value.save_as(file)
            if kind != "html":
                assert records.read(file, game="renju")[0].text == "h8 a1"
        resign(page)
        press(page, "Analyse")
        page.locator(".better", has_text="black").wait_for(state="hidden")
        page.locator(".moves button").first.click()
        page.locator(".better", has_text="1. black h8").wait_for(timeout=TOO_LONG)
        check_accessible(page)


def test_a_pause_with_a_clock_ends(chromium: Chromium, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its time stands on the button; when it is over, the other player resumes."""
    with chromium.tab() as ann:
        (ben,) = meet(ann, url, enter(ann, url, "tictactoe", "me", "guest", clock=30), "Ben")
        state(ann, "A may start")
        click(ann, "b2")
        for page in (ann, ben):
            state(page, "B to move")
        press(ann, "Pause")
        button = ben.get_by_role("button", name="Resume (")
        button.wait_for()
        assert button.is_disabled()
        assert ann.get_by_role("button", name="Resume (").is_enabled()
        ann.get_by_role("button", name="Resume (").click()
        state(ben, "B to move")
        monkeypatch.setattr(clocks, "MOST_PAUSED", 10**9)
        press(ben, "Pause")
        monkeypatch.setattr(clocks, "MOST_PAUSED", 1)
        state(ann, "B pause")
        ann.reload()
        press(ann, "Resume")
        state(ben, "B to move")
        ben.context.close()
