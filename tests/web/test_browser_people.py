"""People meet, in real browsers: invitations, claims, rematches, other machines, my games, settings kept."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from browser import Chromium, check_accessible
from playwright.sync_api import Page
from rooms_page import (
    PLAYS,
    TOO_LONG,
    begin,
    click,
    elsewhere,
    enter,
    join,
    meet,
    moves,
    press,
    resign,
    room_id,
    state,
    until,
)

from amoba_experiments.web import presence


@contextmanager
def pair(chromium: Chromium, url: str, game: str = "tictactoe") -> Iterator[tuple[Page, Page]]:
    """Ann and Ben in a room, after Ann's first move."""
    with chromium.tab() as ann:
        (ben,) = meet(ann, url, enter(ann, url, game, "me", "guest"), "Ben")
        state(ann, "A may start")
        click(ann, "b2")
        state(ben, "B to move")
        yield ann, ben
        ben.context.close()


def test_a_claim_against_who_left(chromium: Chromium, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The name says for how long they are away; who comes back ends the claim."""
    monkeypatch.setattr(presence, "AWAY", 1000)  # the alarm is set for later than now
    monkeypatch.setattr(presence, "CLAIM", 10**9)
    with pair(chromium, url) as (ann, ben):
        claims = ann.locator(".offer", has_text="Ben has been away for a minute.")
        ben.goto("about:blank")
        ann.locator(".away", has_text="away for").wait_for()
        assert claims.count() == 0
        ben.go_back()
        ann.locator(".away", has_text="away for").wait_for(state="detached")
        monkeypatch.setattr(presence, "CLAIM", 1)
        ben.goto("about:blank")
        claims.wait_for()
        press(ann, "Claim the win")
        state(ann, "A won")
        ann.locator(".turn", has_text="Ben has left: Ann (X) has won.").wait_for()


def test_the_pause_of_who_left_ends(chromium: Chromium, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presence, "AWAY", 1000)
    monkeypatch.setattr(presence, "PAUSE", 1200)
    monkeypatch.setattr(presence, "CLAIM", 1)
    with pair(chromium, url) as (ann, ben):
        press(ben, "Pause")
        state(ann, "B pause")
        ben.goto("about:blank")
        ann.locator(".offer", has_text="Ben asked for the pause, and is away.").wait_for()
        ann.locator(".offer").get_by_role("button", name="Resume").click()
        state(ann, "B to move")
        press(ann, "Claim a draw")
        state(ann, "draw")
        ann.locator(".turn", has_text="Ben has left: a draw.").wait_for()


def test_a_rematch_is_asked_for_and_changes_the_colours(chromium: Chromium, url: str) -> None:
    with pair(chromium, url) as (ann, ben):
        resign(ben)
        press(ann, "Rematch")
        ben.locator(".offer", has_text="Ann asks for a rematch with other colours.").wait_for()
        press(ben, "Accept")
        ann.locator(".seat", has_text="Ann O, you").wait_for()
        ben.locator(".seat.now", has_text="Ben X, you").wait_for()
        ben.locator(".counts tbody tr", has_text="Ann (O)").locator("td", has_text="1").first.wait_for()
        click(ben, "a1")
        moves(ann, "a1")


def test_a_rematch_with_another_machine(chromium: Chromium, url: str) -> None:
    """It begins at once; the machine's level stands beside the board."""
    with chromium.tab() as page:
        enter(page, url, "tictactoe", "me", "level:3")
        level = page.get_by_label("Machine (O)")
        level.select_option("random")
        page.locator(".seat", has_text="random moves O, machine").wait_for()
        check_accessible(page)
        resign(page)
        press(page, "Rematch")
        page.locator(".seat", has_text="random moves X, machine").wait_for()
        page.locator(".moves li").first.wait_for(timeout=TOO_LONG)
        assert page.get_by_label("Machine (X)").input_value() == "random"


def test_an_invitation_says_what_it_is_for_and_takes_no_seat(chromium: Chromium, url: str) -> None:
    with chromium.tab() as ann:
        begin(ann, url, "gomoku", "me", "guest", clock="5 min + 3 s", opening="swap2")
        id = room_id(ann)
        invite = ann.evaluate(f"JSON.parse(localStorage.getItem('amoba.invites.{id}'))[0]")
        ben = elsewhere(ann)
        for _ in range(2):
            ben.goto(f"{url}#room={id}&invite={invite}")
            ben.get_by_role("heading", name="Ann invited you").wait_for()
        said = ben.locator(".terms").inner_text()
        for part in ("Gomoku", "Opening: swap2", "You white", "Ann black", "5 min each, and 3 s more a move"):
            assert part in said
        assert ben.locator(".invited [role=gridcell]").count() > 80
        check_accessible(ben)
        assert ann.locator(".room").get_attribute("data-state") == "B may start"
        join(ann, url, "Ben")[0].context.close()
        ben.reload()
        ben.locator(".terms", has_text="All seats are taken.").wait_for()
        ben.context.close()


def test_the_tab_and_a_sound_call(chromium: Chromium, url: str) -> None:
    with chromium.tab() as ann:
        ann.add_init_script(PLAYS)
        invites = enter(ann, url, "tictactoe", "me", "guest")
        ann.locator("summary", has_text="Show").click()
        ann.get_by_label("Sounds").check()
        assert ann.title() == "Tic-tac-toe - amoba"
        (ben,) = meet(ann, url, invites, "Ben")
        state(ann, "A may start")
        assert ann.title() == "Your turn - Tic-tac-toe - amoba"
        assert ann.evaluate("window.played")
        assert ben.title() == "Tic-tac-toe - amoba"
        ben.context.close()


def test_my_games_and_my_settings_are_kept(chromium: Chromium, url: str) -> None:
    with chromium.tab() as ann:
        begin(ann, url, "gomoku", "me", "guest", clock="5 min + 3 s", opening="swap2")
        room = ann.url
        ann.goto(url + "#")
        mine = ann.locator(".mine a")
        mine.filter(has_text="Gomoku").filter(has_text="waiting for a player").wait_for()
        check_accessible(ann)
        assert ann.locator("input[value=gomoku]").is_checked()
        values = {each: ann.locator(f"#{each}").input_value() for each in ("option-opening", "seat-1", "clock", "name")}
        assert values == {"option-opening": "swap2", "seat-1": "guest", "clock": "3", "name": "Ann"}
        mine.click()
        ann.locator(".turn").wait_for()
        assert ann.url == room
        (ben,) = join(ann, url, "Ben")
        state(ann, "A may start")
        ann.goto(url + "#")
        ann.locator(".mine .yours", has_text="Gomoku with Ben your turn").wait_for()
        ann.evaluate("localStorage.setItem('amoba.rooms', JSON.stringify([{id: 'gone', game: 'renju', people: ''}]))")
        ann.route("**/api/rooms/gone", lambda route: route.fulfill(status=502, body="Bad gateway"))
        ann.reload()
        mine.filter(has_text="no answer from the server").wait_for()
        ann.unroute("**/api/rooms/gone")
        ann.reload()
        until(ann, "localStorage.getItem('amoba.rooms') === '[]'")  # the server knows no such room
        mine.wait_for(state="detached")
        ben.context.close()


def test_a_page_that_may_store_nothing_has_its_seats(chromium: Chromium, url: str) -> None:
    """Those that it opens, takes, and gets with a key."""
    with chromium.tab() as page:
        page.add_init_script("Object.defineProperty(window, 'localStorage', {get() { throw Error('blocked'); }})")
        begin(page, url, "tictactoe", "me", "me")
        page.locator(".turn", has_text="X to move").wait_for()
        assert page.get_by_role("button", name="Resign").is_visible()
        settings = {"name": "Ann", "game": "tictactoe", "seats": ["me", "guest"]}
        made = page.request.post(f"{url}api/rooms", data=settings).json()
        page.goto(f"{url}#room={made['room']}&invite={made['invites'][0]}")
        page.locator("#name").fill("Ben")
        press(page, "Sit down")
        page.locator(".turn", has_text="Ann is to move").wait_for()
        assert page.get_by_role("button", name="Resign").is_visible()
        page.goto(f"{url}#room={made['room']}&key={made['key']}")
        page.locator(".turn", has_text="Your turn").wait_for()
