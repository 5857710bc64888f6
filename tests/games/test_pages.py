"""Pages of games in a real browser: by mouse, by keyboard, and for people who do not see the board."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browser import Chromium, check_accessible
from pictures import played

from amoba_env import Record, draw, games
from amoba_env.draw.page import fragment, script, style
from amoba_env.draw.palette import PAGE
from amoba_env.draw.picture import Sheet

if TYPE_CHECKING:
    from playwright.sync_api import Page

CAPTION = "Black (x) to move, 4 moves played"


def tictactoe() -> Record:
    """Five moves, of which CAPTION is said after four."""
    return Record(games.make("tictactoe"), "b2 a3 c1 a1 a2")


@pytest.fixture
def address(tmp_path: Path) -> str:
    """Of a page of five moves."""
    file = tmp_path / "game.html"
    file.write_text(tictactoe().html(), encoding="utf-8")
    return file.as_uri()


def caption(page: Page) -> str:
    return page.inner_text(".caption")


def test_pages_are_accessible(chromium: Chromium, tmp_path: Path) -> None:
    for name, plies in (("gomoku", 20), ("halma", 6)):
        record, file = played(games.make(name), plies), tmp_path / f"{name}.html"
        file.write_text(record.html(marks="letters"), encoding="utf-8")
        with chromium.tab(color_scheme="light") as page:
            page.goto(file.as_uri())
            check_accessible(page)


def test_a_page_follows_its_reader(chromium: Chromium, address: str) -> None:
    seen = {}
    for theme in ("light", "dark"):
        with chromium.tab(color_scheme=theme) as page:
            page.goto(address)
            script = "([name, part]) => getComputedStyle(document.querySelector(name))[part]"
            seen[theme] = [page.evaluate(script, pair) for pair in (["body", "backgroundColor"], [".board", "fill"])]
    wanted = {name: [colors.page, colors.board] for name, colors in draw.THEMES.items()}
    assert {name: [as_hex(color) for color in pair] for name, pair in seen.items()} == wanted


def as_hex(color: str) -> str:
    return "#" + "".join(f"{int(part):02x}" for part in color.removeprefix("rgb(").removesuffix(")").split(","))


def test_buttons_have_names_and_act(page: Page, address: str) -> None:
    page.goto(address)
    assert "5 moves" in caption(page)
    for name, played_moves in [
        ("first position", "0 moves"),
        ("one move on", "1 move"),
        ("last position", "5 moves"),
        ("one move back", "4 moves"),
    ]:
        page.get_by_role("button", name=name).click()
        assert played_moves in caption(page)
    assert page.get_by_role("slider", name="moves played").get_attribute("aria-valuetext") == "4 of 5, a1"
    assert page.get_by_role("img").get_attribute("aria-label") == f"board: move 4, a1: {CAPTION}"
    assert page.get_attribute(".caption", "aria-live") == "polite"


def test_moves_are_reached_by_the_tab_key(page: Page, address: str) -> None:
    page.goto(address)
    names = []
    for _ in range(11):
        page.keyboard.press("Tab")
        names.append(page.evaluate("document.activeElement.ariaLabel || document.activeElement.textContent"))
    assert names == [
        *("first position", "one move back", "moves played", "one move on", "last position", "play the moves"),
        *("1. b2", "2. a3", "3. c1", "4. a1", "5. a2"),
    ]
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    assert caption(page) == CAPTION
    assert page.inner_text("[aria-current]") == "4. a1"


def test_a_link_leads_to_a_position(page: Page, address: str) -> None:
    page.goto(f"{address}#move-4")
    assert caption(page) == CAPTION
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(f"{address}#move-3")  # the address follows the page a moment later
    page.evaluate("location.hash = '#move-4'")
    page.wait_for_function("document.querySelector('.caption').textContent.includes('4 moves')")
    page.evaluate("location.hash = '#elsewhere'")
    assert caption(page) == CAPTION


def test_keys(page: Page, address: str) -> None:
    page.goto(address)
    for key, count in [("Home", "0 moves"), ("ArrowRight", "1 move"), ("End", "5 moves"), ("ArrowLeft", "4 moves")]:
        page.keyboard.press(key)
        assert count in caption(page), key
    page.focus("button.last")
    page.keyboard.press("Space")  # presses the button, and does not play
    assert "5 moves" in caption(page)
    page.focus("input")
    page.keyboard.press("ArrowLeft")
    assert "4 moves" in caption(page)


def test_it_plays_and_says_nothing_meanwhile(page: Page, address: str) -> None:
    page.clock.install(time=0)
    page.clock.pause_at(1000)  # no time passes but what the test lets pass
    page.goto(f"{address}#move-0")
    page.keyboard.press("Space")
    assert page.get_attribute(".caption", "aria-live") == "off"
    for count in ("0 moves", "1 move", "2 moves", "3 moves", "4 moves"):
        assert count in caption(page)
        assert page.get_by_role("button", name="stop").is_visible()
        page.clock.run_for(600)
    assert "5 moves" in caption(page)
    assert page.get_by_role("button", name="play the moves").is_visible()
    assert page.get_attribute(".caption", "aria-live") == "polite"


def test_several_games_have_addresses_of_their_own(page: Page, tmp_path: Path) -> None:
    record = tictactoe()
    sheet, states = Sheet(record.game, PAGE), [position.state for position in record.positions]
    both = 2 * fragment(sheet, states, record.moves)
    file = tmp_path / "two.html"
    file.write_text(f"<style>{style(PAGE)}</style><main>{both}</main><script>{script()}</script>", encoding="utf-8")
    page.goto(f"{file.as_uri()}#game-2-move-4")
    assert page.locator(".caption").all_inner_texts()[1] == CAPTION
    assert "5 moves" in page.locator(".caption").all_inner_texts()[0]


def test_themes_of_pages() -> None:
    record = tictactoe()
    assert "prefers-color-scheme" not in record.html(theme="dark")
    assert draw.THEMES["dark"].page in record.html(theme="dark")
    with pytest.raises(ValueError, match=r"^unknown theme 'blue'; the themes: auto, light, dark$"):
        record.html(theme="blue")
