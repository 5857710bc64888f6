"""How the page feels: moves are drawn before the server answers, swipes scroll, focus stays, few round trips."""

from __future__ import annotations

import json
import re
from pathlib import Path

from browser import Chromium
from playwright.sync_api import Page, Route, WebSocketRoute
from rooms_page import (
    PHONE,
    TOO_LONG,
    begin,
    cell,
    click,
    drag,
    enter,
    meet,
    middle,
    moves,
    press,
    press_twice,
    room_id,
    state,
    until,
)

AT_ONCE = "localStorage.setItem('amoba.confirm', 'false')"
WATCHED = """() => {
  const old = Element.prototype.animate;
  window.slid = [];
  Element.prototype.animate = function (frames, timing) {
    window.slid.push([this.getAttribute("class"), JSON.stringify(frames)]);
    return old.call(this, frames, timing);
  };
}"""


class SlowServer:
    """The messages between a page and the server, which the test holds back or answers itself."""

    def __init__(self, page: Page) -> None:
        self.held: list[str | bytes] = []
        self.holding, self.refusing = False, False
        page.route_web_socket("**/live", self._connect)

    def _connect(self, line: WebSocketRoute) -> None:
        server = line.connect_to_server()
        self.line = line

        def up(text: str | bytes) -> None:
            message = json.loads(text)
            if self.refusing and message.get("do") == "move":
                self.held.append(json.dumps({"type": "refused", "id": message["id"], "why": "not now"}))
            else:
                server.send(text)

        def down(text: str | bytes) -> None:
            if self.holding:
                self.held.append(text)
            else:
                line.send(text)

        line.on_message(up)
        server.on_message(down)

    def release(self) -> None:
        """Let everything through."""
        self.holding = False
        for text in self.held:
            self.line.send(text)
        self.held.clear()


def test_a_move_is_drawn_before_the_server_answers(chromium: Chromium, url: str) -> None:
    """Also a man's, and a choice of the opening's stones; what is refused goes back."""
    with chromium.tab() as page:
        server = SlowServer(page)
        enter(page, url, "gomoku", "me", "me", opening="swap2")
        sent = page.locator(".board .piece.sent")
        for name, color in (("e5", "black"), ("f6", "white"), ("g7", "black")):
            server.holding = True
            click(page, name)
            sent.wait_for()
            assert (cell(page, name).get_attribute("aria-label") or "").startswith(f"{name} {color}")
            server.release()
            sent.wait_for(state="detached")
        moves(page, "e5 f6 g7")
        press(page, "Swap")
        moves(page, "e5 f6 g7 swap")
        click(page, "e5")
        page.locator(".why", has_text="taken").wait_for()
        server.refusing = True
        click(page, "a1")
        sent.wait_for()
        server.release()
        sent.wait_for(state="detached")
        page.locator(".why", has_text="not now").wait_for()
        assert cell(page, "a1").get_attribute("aria-label") == "a1 empty"
        server.refusing = False
        click(page, "a1")
        moves(page, "e5 f6 g7 swap a1")
    with chromium.tab() as page:
        server = SlowServer(page)
        enter(page, url, "halma", "me", "me", "me")
        server.holding = True
        click(page, "e3", "d4")
        page.locator(".board .piece.sent").wait_for()
        assert cell(page, "e3").get_attribute("aria-label") == "e3 empty"
        server.release()
        moves(page, "e3-d4")


def test_a_ghost_is_under_the_mouse_where_a_click_plays(chromium: Chromium, url: str) -> None:
    with chromium.tab() as page:
        invites = enter(page, url, "gomoku", "me", "guest")
        page.mouse.move(*middle(page, "e5"))
        assert page.locator(".ghosts .piece").count() == 0  # Ben is not there yet
        (ben,) = meet(page, url, invites, "Ben")
        state(page, "A may start")
        page.mouse.move(*middle(page, "f6"))
        page.locator(".ghosts .piece").wait_for()
        names = page.locator(".players").last
        place = names.bounding_box()
        click(page, "f6")
        for each in (page, ben):
            state(each, "B to move")
        assert names.bounding_box() == place  # nothing moves when the turn changes
        page.mouse.move(*middle(page, "e5"))
        assert page.locator(".ghosts .piece").count() == 0
        ben.context.close()


def test_the_mark_of_a_move_comes_with_the_man(chromium: Chromium, url: str) -> None:
    """Mine, which I dragged, is there already."""
    with chromium.tab(reduced_motion="no-preference") as ann:
        invites = enter(ann, url, "square_halma", "me", "guest", players=2)
        (ben,) = meet(ann, url, invites, "Ben", reduced_motion="no-preference")
        state(ann, "A may start")
        for page in (ann, ben):
            page.evaluate(WATCHED)
        board = json.loads(ann.evaluate(f"fetch('/api/rooms/{room_id(ann)}/board').then(answer => answer.text())"))
        key = ann.evaluate(f"JSON.parse(localStorage.getItem('amoba.key.{room_id(ann)}'))")
        headers = {"authorization": f"Bearer {key}"}
        now = ann.request.get(f"{url}api/rooms/{room_id(ann)}", headers=headers).json()
        man, to = next(iter(now["targets"]["men"].items()))
        drag(ann, *(board["names"][int(cell)] for cell in (man, to[0])))
        for page in (ann, ben):
            state(page, "B to move")
        slid = dict(ben.evaluate("window.slid"))
        assert slid["last"] == slid["piece"]
        assert "last" not in dict(ann.evaluate("window.slid"))
        ben.context.close()


def test_settings_come_in_two_round_trips(chromium: Chromium, url: str) -> None:
    """The page, and then all it needs at the same time: as many requests as a browser makes at once."""
    needed = {"style.css", "main.js", "dom.js", "words.js", "home.js", "catalogue"}
    waiting: dict[str, Route] = {}
    with chromium.tab() as page:
        page.set_default_timeout(TOO_LONG)
        later: list[str] = []

        def hold(route: Route) -> None:
            name = route.request.url.rsplit("/", 1)[1]
            if name == "":
                route.continue_()
            elif waiting.keys() >= needed:
                later.append(name)  # a third round trip: it never ends
            elif name in needed:
                waiting[name] = route
                if waiting.keys() == needed:
                    for each in waiting.values():
                        each.continue_()

        page.route("**/*", hold)
        page.goto(url, wait_until="commit")
        page.locator("#seat-1").wait_for()
        assert page.get_by_role("button", name="Start").is_enabled()


def test_a_first_load_is_small() -> None:
    """The page, the settings and a room, without what is loaded when it is opened."""
    from amoba_experiments.web.server import PAGE

    waiting, loaded = {"index.html", "style.css", "icon.svg", "main.js", "home.js", "room.js"}, set[str]()
    while waiting:
        loaded.add(name := waiting.pop())
        waiting |= set(re.findall(r'from "\./(.+?)"', (PAGE / name).read_text())) - loaded
    assert sum((PAGE / name).stat().st_size for name in loaded) < 100_000


def swipe(page: Page, name: str, by: int) -> None:
    """A finger goes up the screen from a cell."""
    x, y = middle(page, name)
    line = page.context.new_cdp_session(page)

    def touch(kind: str, *points: dict[str, float]) -> None:
        line.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

    touch("touchStart", {"x": x, "y": y})
    for part in range(1, 11):
        touch("touchMove", {"x": x, "y": y - by * part / 10})
    touch("touchEnd")


def test_a_swipe_scrolls_and_never_plays(chromium: Chromium, url: str) -> None:
    """A finger on a man drags it; a tap is confirmed."""
    with chromium.tab(**PHONE) as page:
        enter(page, url, "gomoku", "me", "me")
        page.evaluate("addEventListener('scrollend', () => { window.rests = true; })")
        swipe(page, "e5", 200)
        until(page, "scrollY > 50 && window.rests")
        swipe(page, "e5", 4)  # a finger that trembles taps
        page.get_by_role("button", name="Confirm move").wait_for()
        assert page.locator(".moves li").count() == 0
        page.get_by_role("button", name="Confirm move").tap()
        moves(page, "e5")
    with chromium.tab(**PHONE) as page:
        page.add_init_script(AT_ONCE)
        enter(page, url, "halma", "me", "me", "me")
        page.evaluate("scrollTo(0, 0)")
        (x, y), (to_x, to_y) = middle(page, "e3"), middle(page, "d4")
        line = page.context.new_cdp_session(page)
        spots = [(x + (to_x - x) * part / 5, y + (to_y - y) * part / 5) for part in range(6)]
        for number, (x, y) in enumerate(spots):
            kind = "touchMove" if number else "touchStart"
            line.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
        line.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        moves(page, "e3-d4")
        assert page.evaluate("scrollY") == 0


def board_of(page: Page) -> dict[str, float]:
    """The box of the board, where nothing is too wide."""
    box = page.locator("svg.board").bounding_box()
    assert box is not None
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    return dict(box)


def test_zoom_enlarges_the_board_and_a_phone_on_its_side_uses_its_height(chromium: Chromium, url: str) -> None:
    with chromium.tab(viewport={"width": 1280, "height": 720}) as page:
        enter(page, url, "gomoku", "me", "me")
        usual = board_of(page)
        page.set_viewport_size({"width": 640, "height": 360})  # a zoom by 2 leaves half of it, twice as large
        assert 2 * board_of(page)["width"] > 1.5 * usual["width"]
    with chromium.tab(viewport={"width": 740, "height": 360}, has_touch=True, is_mobile=True) as page:
        enter(page, url, "gomoku", "me", "me")
        assert 0.8 * 360 < board_of(page)["height"] < 360


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.getAttribute('aria-label') || document.activeElement.textContent"))


def test_the_focus_stays_with_the_person(chromium: Chromium, url: str) -> None:
    """After moves, choices, confirmations and taken back moves; the list of moves is one tab stop."""
    with chromium.tab() as page:
        enter(page, url, "gomoku", "me", "me", opening="swap2")
        for name, so_far in (("e5", "e5"), ("f6", "e5 f6"), ("g7", "e5 f6 g7")):
            cell(page, name).focus()
            page.keyboard.press("Enter")
            moves(page, so_far)
        assert focused(page).startswith("g7")
        page.get_by_role("button", name="Swap", exact=True).focus()
        page.keyboard.press("Enter")
        moves(page, "e5 f6 g7 swap")
        assert focused(page).startswith("g7")
        page.get_by_role("button", name="Undo").focus()
        page.keyboard.press("Enter")
        moves(page, "e5 f6 g7")
        assert focused(page) == "Undo"
        assert page.locator(".moves button[tabindex='0']").count() == 1
        page.locator(".moves .now").focus()
        page.keyboard.press("ArrowLeft")
        page.locator(".turn", has_text="You look back at move 2 of 3.").wait_for()
        assert focused(page) == "2. f6"
        key = "new KeyboardEvent('keydown', {key: 'ArrowLeft', altKey: true, bubbles: true, cancelable: true})"
        assert page.locator(".moves .now").evaluate(f"button => button.dispatchEvent({key})"), "it is the browser's"
        assert focused(page) == "2. f6"
        page.get_by_role("button", name="Back to the game").focus()
        page.keyboard.press("Enter")
        page.locator(".turn", has_text="choose").wait_for()
        assert focused(page).startswith("g7")
        page.locator("summary", has_text="Show").click()
        page.get_by_label("Confirm each move").check()
        press(page, "Stay")
        moves(page, "e5 f6 g7 stay")
        cell(page, "a1").focus()
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Confirm move").focus()
        page.keyboard.press("Enter")
        moves(page, "e5 f6 g7 stay a1")
        assert focused(page).startswith("a1")


def test_system_colours_show_whose_turn_it_is(chromium: Chromium, url: str) -> None:
    with chromium.tab(forced_colors="active") as page:
        enter(page, url, "tictactoe", "me", "me")
        mine, other = (
            page.locator(kind).evaluate("element => getComputedStyle(element).borderTopColor")
            for kind in (".seat.now", ".seat:not(.now)")
        )
        assert mine != other
        assert page.locator(".seat.now .says").inner_text() == "to move"


def test_quick_navigation_builds_one_form_and_a_slow_answer_seats_nobody_wrong(chromium: Chromium, url: str) -> None:
    with chromium.tab() as page:
        page.set_default_timeout(TOO_LONG)
        page.goto(url)
        page.locator("#seat-1").wait_for()
        late: list[Route] = []
        page.route("**/api/catalogue", lambda route: late.append(route))
        page.evaluate("for (const hash of ['#a', '#b', '#']) location.hash = hash")
        while len(late) < 3:
            page.wait_for_timeout(10)
        late.pop().continue_()  # what was asked for last is answered first
        page.locator("#seat-1").wait_for()
        page.locator("form").evaluate("form => { form.dataset.first = ''; }")
        for route in late:
            with page.expect_request_finished(lambda request: request.url.endswith("catalogue")):
                route.continue_()
        page.unroute("**/api/catalogue")
        page.evaluate("fetch('/api/catalogue').then(answer => answer.json())")  # after the page has read the others
        assert page.locator("form").count() == page.locator("form[data-first]").count() == 1
        slow: list[Route] = []
        page.route("**/api/board", lambda route: slow.append(route))
        page.locator("input[value=chinese_checkers]").check()
        page.locator("summary", has_text="Rules and board").click()
        page.locator("#option-players").fill("3")
        press(page, "Start")  # with the seats of two players
        while not slow:
            page.wait_for_timeout(10)
        assert page.evaluate("location.hash") == ""
        slow[0].continue_()
        page.locator(".seat").nth(2).wait_for()  # the room has three


def test_no_word_of_the_protocol_is_on_the_screen(chromium: Chromium, url: str) -> None:
    with chromium.tab() as page:
        page.set_default_timeout(TOO_LONG)
        page.goto(url)
        page.locator("#seat-1").wait_for()
        for summary in page.locator("summary").all():
            summary.click()
        seen = ""
        for game in page.locator("input[name=game]").all():
            game.check()
            seen += page.locator("main").inner_text()
        page.locator("#option-max_plies").fill("-1")
        page.locator("#option-max_plies").blur()
        page.locator(".why", has_text="Longest game").wait_for()
        seen += page.locator("main").inner_text()
        begin(page, url, "halma", "level:3", "me", "me")
        seen += page.locator("main").inner_text()
        assert not [
            word
            for word in ("level:", "square_halma", "max_plies", "anti_spoiling", "State:", "may start")
            if word in seen
        ]


def test_a_move_to_confirm_is_the_one_that_was_chosen(chromium: Chromium, url: str) -> None:
    with chromium.tab() as page:
        page.add_init_script("localStorage.setItem('amoba.confirm', 'true')")
        enter(page, url, "halma", "me", "me", "me")
        sure = page.get_by_role("button", name="Confirm move")
        click(page, "e3", "d4")
        sure.wait_for()
        click(page, "f2")
        sure.wait_for(state="hidden")
        click(page, "h4")
        sure.click()
        moves(page, "f2-h4")


def test_without_a_clipboard_a_link_is_shown(chromium: Chromium, url: str) -> None:
    """A page of another machine in the network has none, because it has no certificate."""
    with chromium.tab() as page:
        page.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
        enter(page, url, "tictactoe", "me", "me")
        page.locator("button", has_text="Copy link to watch").evaluate("button => button.click()")
        page.locator(".why", has_text=f"{url}#room=").wait_for()


def test_resigning_is_confirmed(chromium: Chromium, url: str, tmp_path: Path) -> None:
    with chromium.tab() as page:
        enter(page, url, "tictactoe", "me", "me")
        press(page, "Resign")
        assert page.get_by_role("button", name="Really resign").is_visible()
        cell(page, "b2").focus()  # no
        click(page, "b2")
        moves(page, "b2")
        press_twice(page, "New game")
        page.locator(".moves li").wait_for(state="detached")
