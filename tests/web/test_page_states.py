"""All states of the page, one after the other, on a phone: clean for axe in both themes, and nothing is too wide.

Those of a study are in test_browser_study.py.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from browser import Chromium, check_accessible
from playwright.sync_api import Locator, Page, ViewportSize, WebSocketRoute
from rooms_page import TOO_LONG, begin, cell, enter, join, meet, moves, now, paste, press, resign, state

SHOWN: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "the clock is low, and a draw is offered": (
        {"clock": {"left": [9000, 60_000]}, "offer": {"what": "draw", "seat": 1}},
        (".clock.low", ".offer >> text=Accept"),
    ),
    "the other's clock is low, a machine thinks, and my offer stands": (
        {"mover": 1, "targets": None, "clock": {"left": [60_000, 9000]}, "thinking": True, "machines": [False, True]}
        | {"offer": {"what": "undo", "seat": 0}, "agreed": True},
        (".clock.low", ".says >> text=thin", ".offer >> text=Withdraw"),
    ),
    "the opponent is away, and asked for a rematch": (
        {"away": [None, 30_000], "offer": {"what": "rematch", "seat": 1}},
        (".away >> text=away", ".offer >> text=rematch"),
    ),
    "a win can be claimed, and a new game is asked for": (
        {"away": [None, 90_000], "claim": 0, "offer": {"what": "new", "seat": 1}},
        (".offer >> text=Claim the win", ".offer >> text=new game"),
    ),
    "a player has left": (
        {"phase": "left", "mover": None, "by": 1, "targets": None},
        (".offer >> text=End the game",),
    ),
}
SAME_BOARD = {"my turn", "the other's turn", "a pause", "deleting is confirmed"}  # nothing new is on the board
SIZE: ViewportSize = {"width": 360, "height": 740}

Walk = Callable[[Page, str], Iterator[tuple[str, Page]]]


class Connection:
    """The connection of a page to its rooms: messages of the server are changed, or it is cut."""

    def __init__(self, page: Page) -> None:
        self.cut = False
        page.route_web_socket("**/live", self._connect)

    def _connect(self, line: WebSocketRoute) -> None:
        if self.cut:
            line.close()
            return
        self.line, server = line, line.connect_to_server()

        def down(text: str | bytes) -> None:
            message = json.loads(text)
            if message["type"] == "room":
                self.room = message
            line.send(text)

        server.on_message(down)

    def says(self, change: dict[str, Any]) -> None:
        clock = self.room["clock"] | change.get("clock", {})
        self.line.send(json.dumps(self.room | change | {"clock": clock}))

    def says_until(self, change: dict[str, Any], seen: Locator) -> None:
        """Say it again until it is seen: a page that axe kept busy for long connects anew, and gets the true room."""
        for _ in range(600):
            if seen.is_visible():
                return
            self.says(change)
            seen.page.wait_for_timeout(100)
        raise AssertionError(f"never seen: {change}")

    def lose(self) -> None:
        self.cut = True
        self.line.close()


def put(page: Page, name: str) -> None:
    """Act on a cell, wherever the page is scrolled to."""
    cell(page, name).focus()
    page.keyboard.press("Enter")


def forms(page: Page, url: str) -> Iterator[tuple[str, Page]]:
    """The home page."""
    page.goto(url)
    page.locator("#seat-1").wait_for()
    yield "home", page
    for summary in page.locator("summary").all():
        summary.click()
    for name in ("renju", "amoba", "square_halma"):
        page.locator(f"input[value={name}]").check()
        if name == "amoba":
            press(page, "6 x 6")
            page.get_by_role("grid", name="cells of the board").wait_for()
        if name == "renju":
            page.locator("#option-opening").select_option("taraguchi10")
        yield f"form of {name}", page
    page.locator("#option-max_plies").fill("-1")
    page.locator("#option-max_plies").blur()
    page.locator(".why", has_text="Longest game").wait_for()
    yield "form with an error", page


def room_of_two(page: Page, url: str) -> Iterator[tuple[str, Page]]:
    """From the invitation to a game with a clock."""
    begin(page, url, "gomoku", "me", "guest", clock="5 min + 3 s", opening="swap2")
    page.locator("summary", has_text="Show").click()
    yield "a room that waits", page
    (ben,) = join(page, url, "Ben")
    state(page, "A may start")
    yield "my turn", page
    for name, so_far in (("e5", "e5"), ("f6", "e5 f6"), ("g7", "e5 f6 g7")):
        put(page, name)
        moves(page, so_far)
    ben.set_viewport_size(SIZE)
    ben.locator(".choices").wait_for()
    yield "the choices of swap2", ben
    yield "the other's turn", page
    press(ben, "Stay")
    for who, name, so_far in ((ben, "e6", "stay e6"), (page, "f7", "stay e6 f7")):
        moves(who, f"e5 f6 g7 {so_far.rpartition(' ')[0]}")
        put(who, name)
    for who in (page, ben):
        moves(who, "e5 f6 g7 stay e6 f7")
    press(ben, "Pause")
    state(page, "B pause")
    yield "a pause", page
    ben.get_by_role("button", name="Resume (").click()
    state(ben, "B to move")
    put(ben, "a1")
    moves(page, "e5 f6 g7 stay e6 f7 a1")
    page.get_by_label("Confirm each move").check()
    put(page, "d4")
    page.get_by_role("button", name="Confirm move").wait_for()
    yield "a move to be confirmed", page


def end_of_a_room(page: Page, url: str) -> Iterator[tuple[str, Page]]:
    """What the server can say, the end of a game, and a room that is gone; on a small board, where axe is quick."""
    line = Connection(page)
    (ben,) = meet(page, url, enter(page, url, "tictactoe", "me", "guest", clock=5), "Ben")
    ben.set_viewport_size(SIZE)
    state(page, "A may start")
    put(page, "b2")
    moves(ben, "b2")
    put(ben, "a1")
    moves(page, "b2 a1")
    page.reload()  # for a message with the whole room
    page.locator(".turn").wait_for()
    for name, (change, appears) in SHOWN.items():
        line.says(change)
        for each in appears:
            line.says_until(change, page.locator(each).first)
        yield name, page
        line.says({})
    press(page, "Resign")
    yield "resigning is confirmed", page
    resign(ben)
    state(page, "B quit")
    yield "a won game", page
    yield "a lost game", ben
    page.locator(".moves button").first.click()
    page.locator(".turn.past").wait_for()
    yield "looking back", page
    line.lose()
    page.locator("#net", has_text="reconnecting").wait_for()
    yield "reconnecting", page
    ben.context.close()
    line.cut = False
    page.goto(f"{url}#room=gone")
    page.locator(".why", has_text="does not exist").wait_for()
    yield "a room that is gone", page


def other_boards(page: Page, url: str) -> Iterator[tuple[str, Page]]:
    """A drawn game of X and O, the choices of renju on a small board, held men."""
    enter(page, url, "tictactoe", "me", "me")
    for number, name in enumerate(["b2", "a1", "c1", "a3", "a2", "c2", "b1", "b3", "c3"], start=1):
        put(page, name)
        page.locator(".moves li").nth(number - 1).wait_for()
    state(page, "draw")
    yield "a draw", page
    enter(page, url, "renju", "me", "me", opening="taraguchi10", size=9)
    put(page, "e5")
    page.locator(".choices button").first.wait_for()
    yield "the choices of renju", page
    enter(page, url, "chinese_checkers", "me", "level:3")
    man = page.locator('.board [role=gridcell][aria-label*="yours"]').first
    name = str(man.get_attribute("aria-label")).split()[0]
    press(page, "Distances")
    put(page, name)
    yield "a board of men", page


def analysed(page: Page, url: str) -> Iterator[tuple[str, Page]]:
    """Texts with errors, candidates and variations."""
    paste(page, url, "gomoku", "h8 h8", size="15")
    page.locator(".paste .why", has_text="taken").wait_for()
    yield "a text with an error", page
    page.locator("#pasted").fill("h8a1i8a3j8a5h9a7i10n14j11n12")
    press(page, "Analyse")
    page.get_by_role("button", name="last position").click()
    page.get_by_role("button", name="Win by fours").wait_for()
    page.get_by_role("button", name="one move back").click()
    now(page, "11. j11")
    put(page, "g7")
    now(page, "12. g7")
    page.locator(".candidates li").nth(3).wait_for()
    yield "variations and candidates", page
    press(page, "Delete from here")
    yield "deleting is confirmed", page


@pytest.mark.parametrize("walk", [forms, room_of_two, end_of_a_room, other_boards, analysed])
def test_all_states_are_accessible(chromium: Chromium, url: str, walk: Walk) -> None:
    with chromium.tab(viewport=SIZE) as page:
        page.set_default_timeout(TOO_LONG)
        for name, shown in walk(page, url):
            check_accessible(shown, board=name not in SAME_BOARD)
            assert shown.evaluate("document.documentElement.scrollWidth") == SIZE["width"], name
