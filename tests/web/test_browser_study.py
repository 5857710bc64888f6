"""A participant of a study in a real browser: consent, two games over two browsers, thanks; and what is stored then.

All screens on a phone: clean for axe in both themes, and nothing is too wide.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from browser import Chromium, check_accessible
from rooms_http import serving
from rooms_page import TOO_LONG, click, elsewhere, press, resign

from amoba_experiments.web.hub import Hub
from amoba_experiments.web.participants import Participants
from amoba_experiments.web.server import app
from amoba_experiments.web.study import study_of
from amoba_experiments.web.study_tables import rows_of

if TYPE_CHECKING:
    from playwright.sync_api import Page, ViewportSize

GAMES = [{"game": "tictactoe", "opponent": "perfect"}, {"game": "tictactoe", "opponent": "random", "seat": 1}]
SIZE: ViewportSize = {"width": 360, "height": 740}


def in_turn(page: Page, cells: str, played: int) -> None:
    """Click the first free one of these cells when it is the participant's turn; `played`: moves before it."""
    page.locator(".turn.yours").wait_for()
    taken = page.locator(".moves").inner_text()
    click(page, next(each for each in cells.split() if each not in taken))
    page.locator(".moves li").nth(played).wait_for()


def check(page: Page) -> None:
    check_accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth") == SIZE["width"]


def test_a_participant(chromium: Chromium, tmp_path: Path) -> None:
    given = {"title": "A study", "consent": "Games.\n\nAnd more.", "participants": 3, "games": GAMES}
    participants = Participants.begin(tmp_path, study_of(given))
    with serving(app(Hub(tmp_path), participants=participants)) as url, chromium.tab(viewport=SIZE) as page:
        page.set_default_timeout(TOO_LONG)
        link = participants.links(url)["p2"]
        page.goto(link[:-1])
        page.locator(".why", has_text="complete").wait_for()
        check(page)
        page.goto(link)
        press(page, "I do not agree")
        page.get_by_role("status").filter(has_text="You do not take part").wait_for()
        check(page)
        press(page, "I agree")
        page.get_by_text("Game 1 of 2").wait_for()
        page.get_by_text("You play X. You begin.").wait_for()
        check(page)
        press(page, "Start")
        page.locator(".turn.yours").wait_for()
        assert page.locator(".buttons button:visible").all_inner_texts() == ["Resign"]
        assert page.locator(".buttons button:visible").is_disabled()
        page.locator(".players", has_text="Opponent").wait_for()
        assert page.locator(".levels select").count() == 0  # the machine is the study's choice
        assert "perfect" not in page.locator("body").inner_text()
        in_turn(page, "b2", 0)
        page.reload()
        in_turn(page, "a1 a2 a3", 2)
        check(page)
        other = elsewhere(page)  # the same participant on another device
        other.goto(link)
        other.locator(".turn.yours").wait_for()
        resign(other)
        for each in (page, other):
            each.get_by_role("button", name="Continue").wait_for()
        check(page)
        press(other, "Continue")
        other.get_by_text("You play O. Your opponent begins.").wait_for()
        other.context.close()
        press(page, "Continue")
        press(page, "Start")
        in_turn(page, "a1 a2 a3", 1)
        page.locator(".turn.yours").wait_for()
        resign(page)
        press(page, "Continue")
        page.get_by_role("heading", name="The end").wait_for()
        check(page)
    rows = rows_of(tmp_path)
    assert [(row["participant"], row["opponent"], row["ending"], row["result"]) for row in rows["games"]] == [
        ("p2", "perfect", "resigned", "lost"),
        ("p2", "random", "resigned", "lost"),
    ]
    own = [row for row in rows["moves"] if row["own"]]
    assert [(row["chosen"], row["thinking"] >= row["reaction"] > 0) for row in own] == [("person", True)] * 3
