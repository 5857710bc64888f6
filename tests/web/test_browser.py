"""The page in a real browser: every way to move, two windows in one room, what a screen reader is told."""

from __future__ import annotations

import pytest
from browser import Chromium
from rooms_page import PHONE, TOO_LONG, begin, cell, click, drag, enter, join, middle, moves, press, resign, state


def test_clicks_keys_drags_and_touches(chromium: Chromium, url: str) -> None:
    """Men and stones; what is illegal slides back, and the core says why."""
    with chromium.tab(reduced_motion="no-preference") as page:
        enter(page, url, "halma", "me", "me", "me")
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
        assert sorted(page.locator(".players .far").all_inner_texts())[:2] == ["30 steps", "31 steps"]
        seen = page.locator(".above text").first.bounding_box()
        assert seen is not None
        assert seen["height"] > 10  # the steps of a man can be read
        page.get_by_role("button", name="Undo").click()
        moves(page, "e3-d4 l6-j4")
    with chromium.tab(**PHONE) as page:
        enter(page, url, "tictactoe", "me", "me")
        page.touchscreen.tap(*middle(page, "b2"))
        page.get_by_role("button", name="Confirm move").tap()
        moves(page, "b2")
        page.touchscreen.tap(*middle(page, "a1"))
        page.touchscreen.tap(*middle(page, "a1"))
        moves(page, "b2 a1")
        assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_a_machine_hints_and_the_game_is_stepped_through(chromium: Chromium, url: str) -> None:
    with chromium.tab() as page:
        enter(page, url, "tictactoe", "me", "random")
        page.get_by_role("button", name="Hint").click()
        page.locator(".why", has_text="level 10 would play").wait_for(timeout=TOO_LONG)
        page.get_by_role("button", name="Machine move").click()
        page.locator(".moves", has_text="2. ").wait_for(timeout=TOO_LONG)
        page.get_by_role("button", name="first position").click()
        page.locator(".board .piece").first.wait_for(state="detached")
        page.get_by_role("button", name="last position").click()
        page.locator(".board .piece").nth(1).wait_for()


def test_two_windows_in_one_room_see_the_same_states(chromium: Chromium, url: str) -> None:
    """From the forms of the host and the guest; that the states are right is tested without a browser."""
    with chromium.tab() as ann:
        begin(ann, url, "tictactoe", "me", "guest")
        ann.locator(".turn", has_text="Waiting for a player").wait_for()
        state(ann, "B may start")
        (ben,) = join(ann, url, "Ben")

        def both(text: str) -> None:
            state(ann, text)
            state(ben, text)

        both("A may start")
        for page, name, then in ((ann, "a1", "B to move"), (ben, "a3", "A to move")):
            click(page, name)
            both(then)
        press(ben, "Pause")
        both("B pause")
        press(ben, "Resume")
        both("A to move")
        for page, name, then in ((ann, "b1", "B to move"), (ben, "b3", "A to move"), (ann, "c1", "A won")):
            click(page, name)
            both(then)
        assert "Ann (X) has won" in ben.locator(".turn").inner_text()
        press(ann, "New game")
        both("A new game")
        press(ben, "Accept")
        both("B may start")
        resign(ann)
        both("A quit")
        press(ben, "New game")
        both("B new game")
        press(ann, "Accept")
        both("A may start")
        click(ann, "b2")
        both("B to move")
        press(ann, "Offer a draw")
        press(ben, "Accept")
        both("draw")
        ben.context.close()


def test_a_board_stands_straight_and_nothing_is_printed(chromium: Chromium, url: str) -> None:
    """A browser prints what breaks the policy on content."""
    with chromium.tab() as page:
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        begin(page, url, "renju", "me", "me")
        wood = page.locator("rect.board").bounding_box()
        assert wood is not None
        assert wood["height"] == pytest.approx(wood["width"], rel=0.01)  # rules for the drawing are not for its parts
        row = page.locator(".coordinates text", has_text="15").bounding_box()
        assert row is not None
        assert row["x"] + row["width"] < wood["x"]  # names of rows stand beside the wood
        click(page, "h8")
        moves(page, "h8")
        page.get_by_role("button", name="Offer a draw").click()
        state(page, "draw")
        assert [text for text in said if "was preloaded" not in text] == []  # that is said if the machine is slow
