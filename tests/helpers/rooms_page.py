"""What people do on the page of rooms, in a real browser."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from browser import CALM

if TYPE_CHECKING:
    from playwright.sync_api import Page

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
TOO_LONG = 120_000  # milliseconds; machines may be compiled first


def begin(
    page: Page,
    url: str,
    game: str,
    *seats: str,
    name: str = "Ann",
    clock: str = "none",
    series: str = "1",
    **options: str,
) -> None:
    """Settings, and Start: a room by the home page's form, which most tests do not need, see enter()."""
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
    page.locator("summary", has_text="Who begins").click()
    page.locator("#clock").select_option(label=clock)
    page.locator("#series").fill(series)
    page.locator("#delay").fill("0")
    page.get_by_role("button", name="Start").click()
    page.locator(".turn").wait_for()


def enter(page: Page, url: str, game: str, *seats: str, clock: int = 0, **options: str | int) -> list[str]:
    """A new room of Ann's at its address, with her key: without the form, which takes longer than many a test.

    `clock`: minutes for a game, without a limit by default. Returns the invitations, which only the form's page keeps.
    """
    page.set_default_timeout(TOO_LONG)
    settings = {"name": "Ann", "game": game, "seats": seats, "options": options}
    made = posted(page, f"{url}api/rooms", settings | ({"clock": {"main": clock * 60_000}} if clock else {}))
    follow(page, url, made)
    return list(made["invites"])


def posted(page: Page, path: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = page.request.post(path, data=body)
    assert answer.ok, answer.text()
    return dict(answer.json())


def follow(page: Page, url: str, made: dict[str, Any]) -> None:
    """Open a room with the key to a seat of it. The page hides the key as soon as it has left what it showed before."""
    page.goto(f"{url}#room={made['room']}&key={made['key']}")
    page.wait_for_url(f"{url}#room={made['room']}")
    page.locator(".turn").wait_for()


def meet(host: Page, url: str, invites: list[str], *names: str, **options: Any) -> list[Page]:
    """Pages of the guests with these invitations to the host's room, without the form; `options` as of tab()."""
    path, pages = f"{url}api/rooms/{room_id(host)}/join", []
    for name, invite in zip(names, invites, strict=True):
        page = elsewhere(host, **options)
        follow(page, url, posted(page, path, {"invite": invite, "name": name}))
        pages.append(page)
    return pages


def room_id(page: Page) -> str:
    return str(page.evaluate("location.hash")).removeprefix("#room=")


def elsewhere(page: Page, **options: Any) -> Page:
    """A page in a browser of somebody else, which the test closes; `options` as of chromium.tab()."""
    assert page.context.browser is not None
    other = page.context.browser.new_context(**CALM | options).new_page()
    other.set_default_timeout(TOO_LONG)
    return other


def state(page: Page, text: str) -> None:
    """Wait for a state of the room."""
    page.locator(f'.room[data-state="{text}"]').wait_for(timeout=TOO_LONG)


def until(page: Page, condition: str) -> None:
    """Wait until this is true in the page; wait_for_function() of Playwright uses eval(), which the page forbids."""
    for _ in range(TOO_LONG // 20):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(20)
    raise AssertionError(f"never true: {condition}")


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
    """Wait for the list of moves: these and no more."""
    wanted = "".join(f"{number}. {move}" for number, move in enumerate(text.split(), start=1))
    page.locator(".moves", has_text=re.compile(f"^{re.escape(wanted)}$")).wait_for(timeout=TOO_LONG)


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def press_twice(page: Page, name: str) -> None:
    """Press a button that asks whether one is sure, and waits five seconds for the answer."""
    button = page.get_by_role("button", name=name, exact=True)
    button.click(trial=True)
    button.evaluate("button => (button.click(), button.click())")


def join(host: Page, url: str, *names: str) -> list[Page]:
    """Pages of the guests of a room, by the invitations that the host's page keeps, and the form of who follows one."""
    id = room_id(host)
    invites = host.evaluate(f"JSON.parse(localStorage.getItem('amoba.invites.{id}'))")
    pages = []
    for name, invite in zip(names, invites, strict=True):
        page = elsewhere(host)
        page.goto(f"{url}#room={id}&invite={invite}")
        page.locator("#name").fill(name)
        press(page, "Sit down")
        page.locator(".turn").wait_for()
        pages.append(page)
    return pages


def resign(page: Page) -> None:
    """Resign; the button asks once more."""
    press_twice(page, "Resign")


def paste(page: Any, url: str, game: str, text: str, **options: str) -> None:
    """Analyse a text from the home page."""
    page.set_default_timeout(TOO_LONG)
    page.goto(url)
    page.locator(f"input[value={game}]").check()
    page.locator("summary", has_text="Rules and board").click()
    for key, value in options.items():
        page.locator(f"#option-{key}").fill(value)
        page.locator(f"#option-{key}").blur()
    page.locator("summary", has_text="Analyse a position").click()
    page.locator("#pasted").fill(text)
    press(page, "Analyse")


def now(page: Any, text: str) -> None:
    """Wait until this move is marked and the board shows its position, since a click on another position is ignored."""
    mark = page.locator(".variations button.now", has_text=text)
    mark.wait_for()
    at = re.search(r"\d+\. (?:.*-)?(\w+)", mark.inner_text())
    if at:
        page.locator(f'[role=gridcell][aria-label^="{at[1]} "][aria-label$=", last move"]').wait_for()
    else:
        page.locator(".turn:not(:empty)").wait_for()


PLAYS = """
window.AudioContext = class {
  constructor() { this.currentTime = 0; this.state = "running"; }
  resume() {}
  createOscillator() { return {frequency: {}, connect: next => next, start() { window.played = true; }, stop() {}}; }
  createGain() { return {gain: {setValueAtTime() {}, exponentialRampToValueAtTime() {}}, connect() {}}; }
};
"""
