"""The page in a real browser: every way to move, two windows in one room, what a screen reader is told, both themes."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
import uvicorn
from browser import Chromium, check_accessible

from amoba_experiments.web.hub import Hub
from amoba_experiments.web.server import app

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.compiled

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
TOO_LONG = 30_000  # milliseconds; machines may be compiled first


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server on a port of its own."""
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(
        uvicorn.Config(app(Hub(tmp_path_factory.mktemp("rooms"))), log_level="error", ws="websockets-sansio")
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
    server.should_exit = True
    thread.join(30)


def begin(page: Page, url: str, game: str, *seats: str, name: str = "Ann", **options: str) -> None:
    """Settings, and Start."""
    page.set_default_timeout(TOO_LONG)
    page.goto(url)
    page.locator(f"input[value={game}]").check()
    page.locator(f"#seat-{len(seats) - 1}").wait_for()
    page.locator("summary", has_text="Rules and board").click()
    for key, value in options.items():
        page.locator(f"#option-{key}").select_option(value)
    for number, seat in enumerate(seats):
        page.locator(f"#seat-{number}").select_option(seat)
    page.locator("#name").fill(name)
    page.get_by_role("button", name="Start").click()
    page.locator(".turn").wait_for()


def state(page: Page, text: str) -> None:
    """Wait for a state of the room."""
    page.locator(".state").get_by_text(f"State: {text}.").wait_for(timeout=TOO_LONG)


def cell(page: Page, name: str) -> Any:
    """A cell of the board."""
    return page.locator(f'[role=gridcell][aria-label^="{name} "]')


def middle(page: Page, name: str) -> tuple[float, float]:
    box = cell(page, name).locator(".hit").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def click(page: Page, *names: str) -> None:
    for name in names:
        page.mouse.click(*middle(page, name))


def drag(page: Page, one: str, other: str) -> None:
    page.mouse.move(*middle(page, one))
    page.mouse.down()
    page.mouse.move(*middle(page, other), steps=4)
    page.mouse.up()


def moves(page: Page, text: str) -> None:
    """Wait for the list of moves."""
    wanted = "".join(f"{number}. {move}" for number, move in enumerate(text.split(), start=1))
    page.locator(".moves", has_text=wanted).wait_for(timeout=TOO_LONG)


def test_clicks_keys_drags_and_touches(chromium: Chromium, url: str) -> None:
    """Men and stones; what is illegal slides back, and the core says why."""
    with chromium.tab() as page:
        begin(page, url, "halma", "me", "me", "me")
        click(page, "e3")
        assert "held" in (cell(page, "e3").get_attribute("aria-label") or "")
        assert cell(page, "d4").get_attribute("aria-label") == "d4 empty, may go there"
        click(page, "d4")
        moves(page, "e3-d4")
        drag(page, "l6", "a3")  # too far
        page.locator(".why", has_text="l6").first.wait_for()
        drag(page, "l6", "j4")
        moves(page, "e3-d4 l6-j4")
        cell(page, "d6").focus()
        for key in ("Enter", "Escape", "Enter", "ArrowRight", "Enter"):
            page.keyboard.press(key)
        moves(page, "e3-d4 l6-j4 d6-f6")
        page.get_by_role("button", name="Distances").click()
        assert page.locator(".players .far").all_inner_texts()[:2] == ["31 steps", "30 steps"]
        page.get_by_role("button", name="Undo").click()
        moves(page, "e3-d4 l6-j4")
    with chromium.tab(**PHONE) as page:
        begin(page, url, "tictactoe", "me", "me")
        page.touchscreen.tap(*middle(page, "b2"))
        page.get_by_role("button", name="Confirm move").tap()
        moves(page, "b2")
        page.touchscreen.tap(*middle(page, "a1"))
        page.touchscreen.tap(*middle(page, "a1"))
        moves(page, "b2 a1")
        assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_openings_are_chosen_with_buttons(chromium: Chromium, url: str) -> None:
    with chromium.tab() as page:
        begin(page, url, "gomoku", "me", "me", opening="swap2")
        for name, so_far in (("e5", "e5"), ("f6", "e5 f6"), ("g7", "e5 f6 g7")):
            click(page, name)
            moves(page, so_far)
        page.get_by_role("button", name="Swap", exact=True).click()
        moves(page, "e5 f6 g7 swap")
        click(page, "e5")
        page.locator(".why", has_text="taken").wait_for()


def test_a_machine_hints_and_the_game_is_stepped_through(chromium: Chromium, url: str) -> None:
    with chromium.tab() as page:
        begin(page, url, "tictactoe", "me", "random")
        page.get_by_role("button", name="Hint").click()
        page.locator(".why", has_text="level 10 would play").wait_for(timeout=TOO_LONG)
        page.get_by_role("button", name="Machine move").click()
        page.locator(".moves", has_text="2. ").wait_for(timeout=TOO_LONG)
        page.get_by_role("button", name="first position").click()
        page.locator(".piece").first.wait_for(state="detached")
        page.get_by_role("button", name="last position").click()
        page.locator(".piece").nth(1).wait_for()


def test_two_windows_in_one_room_see_all_states(chromium: Chromium, url: str) -> None:
    with chromium.tab() as ann:
        assert ann.context.browser is not None
        ben = ann.context.browser.new_context().new_page()
        ben.set_default_timeout(TOO_LONG)
        begin(ann, url, "tictactoe", "me", "guest")
        ann.locator(".turn", has_text="Waiting for a player").wait_for()
        id = ann.evaluate("location.hash").removeprefix("#room=")
        invite = ann.evaluate(f"JSON.parse(localStorage.getItem('amoba.invites.{id}'))[0]")
        state(ann, "B may start")
        ben.goto(f"{url}#room={id}&invite={invite}")
        ben.locator("#name").fill("Ben")
        ben.get_by_role("button", name="Sit down").click()

        def both(text: str) -> None:
            state(ann, text)
            state(ben, text)

        def press(page: Page, name: str) -> None:
            page.get_by_role("button", name=name, exact=True).click()

        both("A may start")
        for page, name, then in ((ann, "a1", "B to move"), (ben, "a3", "A to move")):
            click(page, name)
            both(then)
        for page, letter in ((ann, "A"), (ben, "B")):
            press(page, "Pause")
            both(f"{letter} pause")
            press(page, "Resume")
            both("A to move")
        for page, name, then in ((ann, "b1", "B to move"), (ben, "b3", "A to move"), (ann, "c1", "A won")):
            click(page, name)
            both(then)
        assert "Ann (black) has won" in ben.locator(".turn").inner_text()
        press(ann, "New game")
        both("A new game")
        press(ben, "Accept")
        both("B may start")
        for page, name, then in ((ben, "a1", "A to move"), (ann, "a3", "B to move"), (ben, "b1", "A to move")):
            click(page, name)
            both(then)
        click(ann, "b3")
        both("B to move")
        click(ben, "c1")
        both("B won")
        press(ben, "New game")
        both("B new game")
        press(ann, "Accept")
        both("A may start")
        press(ann, "Resign")
        both("A quit")
        press(ann, "New game")
        press(ben, "Accept")
        both("B may start")
        press(ben, "Resign")
        both("B quit")
        press(ben, "New game")
        press(ann, "Accept")
        both("A may start")
        click(ann, "b2")
        both("B to move")
        press(ann, "Offer a draw")
        press(ben, "Accept")
        both("draw")
        ben.context.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_both_themes_are_accessible(chromium: Chromium, url: str, theme: str) -> None:
    """And nothing breaks the policy on content, which the browser would print."""
    with chromium.tab(color_scheme=theme) as page:
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.set_default_timeout(TOO_LONG)
        page.goto(url)
        page.locator("#seat-1").wait_for()
        check_accessible(page)
        begin(page, url, "renju", "me", "me")
        wood = page.locator("rect.board").bounding_box()
        assert wood is not None
        assert wood["height"] == pytest.approx(wood["width"], rel=0.01)  # rules for the drawing are not for its parts
        click(page, "h8")
        moves(page, "h8")
        page.get_by_role("button", name="Offer a draw").click()
        state(page, "draw")
        check_accessible(page)
        assert said == []
