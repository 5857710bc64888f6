"""People meet in rooms: who is there, claims against those who left, rematches, other machines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hand_clock import HandClock, at_a_table, do, ending
from rooms_by_hand import WON, Slow, a_room, after, machines, moves, refused, three, two

from amoba_env.agent import Actions
from amoba_experiments.rooms.room import MACHINE, SERVER, Command, Refusal, Room, Stale
from amoba_experiments.rooms.settings import Clock, Settings
from amoba_experiments.rooms.states import state_of
from amoba_experiments.runs.store import load, runs_in
from amoba_experiments.web.hub import Hub
from amoba_experiments.web.live_room import LiveRoom
from amoba_experiments.web.presence import AWAY, CLAIM, PAUSE
from amoba_experiments.web.screens import ScreenQueue


def claim(room: Room, what: str, *away: int, who: int = 0) -> Room:
    return after(room, Command("claim", who, move=what, away=away))


@pytest.mark.parametrize(
    ("what", "state", "winner", "places"), [("win", "A won", 0, (1, 2)), ("draw", "draw", None, (1, 1))]
)
def test_a_claim_ends_a_game_of_two(what: str, state: str, winner: int | None, places: tuple[int, int]) -> None:
    room = claim(after(two(), WON[0]), what, 1)
    assert room.result is not None
    assert (room.result.ending, room.result.winner, room.result.places, room.result.by) == ("left", winner, places, 1)
    assert (state_of(room), room.totals.games, room.phase) == (state, 1, "over")


@pytest.mark.parametrize(
    ("room", "what", "away", "says"),
    [
        (two(), "win", (1,), "not now: the game has not begun"),
        (after(two(), WON[0]), "win", (), "nobody has been away"),
        (after(two(), WON[0]), "loss", (1,), "expected a claim of win or draw, got 'loss'"),
        (after(two(), WON[0], (1, "pause")), "win", (1,), "not now: the game is paused"),
        (after(two(), *WON), "draw", (1,), "not now: the game is over"),
    ],
)
def test_claims_that_are_refused(room: Room, what: str, away: tuple[int, ...], says: str) -> None:
    with pytest.raises(Refusal, match=says):
        claim(room, what, *away)


def test_with_three_seats_the_others_decide() -> None:
    """Who is away leaves as if they gave up; a machine may go on, or the game ends without a winner."""
    room = claim(after(three(), (0, "move", "e3-d4")), "win", 1)
    assert (room.phase, room.by, state_of(room), room.result) == ("left", 1, "B quit", None)
    refused(room, 1, "end", says="the others decide")
    on = after(room, (0, "machine"), (2, "accept"))
    assert (on.phase, on.holders) == ("playing", (0, MACHINE, 2))
    over = after(room, (2, "end"))
    assert over.result is not None
    assert (over.result.ending, over.result.winner, over.result.places) == ("left", None, (1, 3, 1))
    resigned = after(three(), (1, "resign"), (2, "end")).result
    assert resigned is not None
    assert resigned.ending == "resigned"
    drawn = claim(after(three(), (0, "move", "e3-d4")), "draw", 1, 2)
    assert state_of(drawn) == "draw"


@pytest.mark.parametrize(("first", "starters"), [("in turn", (0, 0, 0)), ("1", (1, 1, 1)), ("drawn", (1, 1, 1))])
def test_a_rematch_changes_the_colours(first: str, starters: tuple[int, ...]) -> None:
    """Everybody sits one seat further, and the same seat begins; what was counted stays with the people."""
    room = two(first=first, seed=5)
    begins = [room.starter]
    for names in (("Ben", "Ann"), ("Ann", "Ben")):
        mover = room.holders[room.starter]
        room = after(room, *moves("a1 a3 b1 b3 c1", mover, 1 - mover), (0, "rematch"))
        assert (room.phase, state_of(room)[1:]) == ("over", " new game")
        room = after(room, (1, "accept"))
        assert (room.phase, room.names) == ("ready", names)
        begins.append(room.starter)
    assert tuple(begins) == starters
    assert (room.totals.wins, room.number) == ((1, 1), 2)
    assert [who and who.name for who in room.persons] == ["Ann", "Ben"]


def test_a_rematch_with_a_machine_begins_at_once() -> None:
    room = after(a_room("me", "greedy"), *moves("a1 a3 b1 b3 c1", 0, SERVER))
    again = after(room, (0, "rematch"))
    assert (again.phase, again.holders, again.starter, again.totals.wins) == ("ready", (MACHINE, 0), 0, (0, 1))
    refused(a_room("me", "greedy"), 0, "rematch", says="not now: the game has not begun")
    refused(after(two(), *WON, (0, "rematch"), (1, "decline")), 1, "accept", says="nothing is offered")


def test_an_answer_of_the_machine_before_is_dropped() -> None:
    """A move of the machine that was replaced while it thought, or its failure."""
    room = after(a_room("greedy", "me"), Command("level", 0, move="random"))
    for what in ("move", "illegal"):
        with pytest.raises(Stale):
            after(room, Command(what, SERVER, room.at, "b2", "greedy"))
    assert after(room, Command("move", SERVER, room.at, "b2", "random")).moves[0].player == "random"


class Last(Slow):
    """A player of the last free cell."""

    def act(self, game: Any, states: Any, rng: object, memory: object) -> Actions:
        return np.flatnonzero(states[0][-game.n_cells :] < 0)[-1:].astype(np.int32)


@pytest.mark.parametrize("error", [None, RuntimeError("broken")])
def test_a_level_that_changes_while_a_machine_thinks(tmp_path: Path, error: Exception | None) -> None:
    """The new machine makes the move, under its own name; the failure of the old one is not its own."""
    old = Slow(error=error)
    old.go_on.clear()

    async def play(hub: Hub, clock: HandClock) -> None:
        live, _, _ = await hub.open(Settings("tictactoe", ("old", "me"), delay=0), "Ann")
        while not old.begun.is_set():
            clock.held = 1
            await clock.rest(hub)
        await do(hub, live, 0, "level", "new")
        old.go_on.set()
        clock.held = 0
        await clock.rest(hub)
        assert [(move.player, move.action) for move in live.room.moves] == [("new", 8)]

    at_a_table(play, tmp_path, machines(old=old, new=Last()))


async def a_pair(hub: Hub, *, first: bool = True, **more: Any) -> tuple[LiveRoom, ScreenQueue]:
    """A room of Ann, who has a screen, and Ben, who has none, after the first move."""
    live, _, (invite,) = await hub.open(Settings("tictactoe", ("me", "guest"), **more), "Ann")
    screen = ScreenQueue(hub, live, 0)
    await hub.join(live, invite, "Ben")
    if first:
        await do(hub, live, 0, "move", "b2")
    await screen.next()
    return live, screen


def test_who_is_away_is_told_and_may_be_claimed_against(tmp_path: Path) -> None:
    async def play(hub: Hub, clock: HandClock) -> None:
        live, screen = await a_pair(hub)

        def seen() -> tuple[list[int | None], int | None]:
            return hub.seen(live, 0)["away"], hub.seen(live, 0)["claim"]

        ben = ScreenQueue(hub, live, 1)
        await clock.forward(hub, 2 * CLAIM)
        assert seen() == ([None, None], None)
        assert not screen.news.is_set()
        ben.close()
        await clock.forward(hub, AWAY - 1)
        assert seen() == ([None, None], None)
        await clock.forward(hub, 1)
        assert screen.news.is_set()  # an alarm tells it
        assert seen() == ([None, AWAY], CLAIM - AWAY)
        await clock.forward(hub, CLAIM - AWAY - 1)
        answer = await hub.command(live, Command("claim", 0, None, "win"))
        assert answer["type"] == "refused"
        await screen.next()
        again = ScreenQueue(hub, live, 1)  # just in time
        assert screen.news.is_set()
        assert seen() == ([None, None], None)
        again.close()
        await clock.forward(hub, CLAIM)
        assert hub.seen(live, None)["claim"] is None  # spectators claim nothing
        await do(hub, live, 0, "claim", "win")
        assert ending(live.room) == ("left", 1)
        assert seen() == ([None, CLAIM], None)

    at_a_table(play, tmp_path)
    (run,) = runs_in(tmp_path)
    assert load(run)["ending"].to_pylist() == ["left"]


def test_a_minute_counts_only_while_the_other_is_there(tmp_path: Path) -> None:
    """Nobody wins by coming back first, and a restart is nobody's absence; requests are signs of life too."""

    async def play(hub: Hub, clock: HandClock) -> None:
        live, screen = await a_pair(hub)
        screen.close()
        await clock.forward(hub, 10 * CLAIM)
        screen = ScreenQueue(hub, live, 0)
        assert hub.seen(live, 0)["claim"] == CLAIM
        assert hub.seen(live, 0)["away"] == [None, 10 * CLAIM]
        await screen.next()
        hub.presence.seen(live, 1)
        assert hub.seen(live, 0)["away"] == [None, None]
        await screen.next()
        await clock.forward(hub, AWAY)
        assert screen.news.is_set()  # and it is told when they end

    at_a_table(play, tmp_path)

    async def restored(hub: Hub, clock: HandClock) -> None:
        assert hub.restore() == 1
        (live,) = hub.rooms.values()
        ScreenQueue(hub, live, 0)
        assert hub.seen(live, 0)["away"] == [None, None]
        await clock.forward(hub, AWAY)
        assert hub.seen(live, 0)["away"] == [None, AWAY]

    at_a_table(restored, tmp_path)


def test_who_is_away_for_longest_leaves_first(tmp_path: Path) -> None:
    async def play(hub: Hub, clock: HandClock) -> None:
        live, _, invites = await hub.open(Settings("halma", ("me", "guest", "guest")), "Ann")
        for invite, name in zip(invites, ("Ben", "Cleo"), strict=True):
            await hub.join(live, invite, name)
        ScreenQueue(hub, live, 0)
        await do(hub, live, 0, "move", live.room.position.legal_moves()[0])
        await clock.forward(hub, AWAY)
        hub.presence.seen(live, 1)
        await clock.forward(hub, CLAIM)
        await do(hub, live, 0, "claim", "win")
        assert (live.room.phase, live.room.by) == ("left", 2)

    at_a_table(play, tmp_path)


def test_a_pause_of_somebody_gone_ends(tmp_path: Path) -> None:
    """Without a clock, by who was there for an hour; with one the pause has an end of its own."""

    async def play(hub: Hub, clock: HandClock) -> None:
        live, _ = await a_pair(hub)
        await do(hub, live, 1, "pause")
        await clock.forward(hub, PAUSE - 1)
        assert hub.seen(live, 0)["claim"] == 1
        for what in ("resume", "claim"):
            answer = await hub.command(live, Command(what, 0, move="win"))
            assert answer["type"] == "refused"
        await clock.forward(hub, 1)
        await do(hub, live, 0, "resume")
        assert (live.room.phase, live.room.by) == ("playing", None)

    async def with_a_clock(hub: Hub, clock: HandClock) -> None:
        live, _ = await a_pair(hub, clock=Clock(10 * CLAIM))
        await do(hub, live, 1, "pause")
        await clock.forward(hub, CLAIM)
        assert hub.seen(live, 0)["claim"] is None

    at_a_table(play, tmp_path / "one")
    at_a_table(with_a_clock, tmp_path / "two")


def test_who_paused_ends_it_while_another_one_is_away(tmp_path: Path) -> None:
    async def play(hub: Hub, clock: HandClock) -> None:
        live, _ = await a_pair(hub)
        await do(hub, live, 0, "pause")
        await clock.forward(hub, 2 * PAUSE)
        assert hub.seen(live, 0)["claim"] is None
        await do(hub, live, 0, "resume")

    at_a_table(play, tmp_path)


def test_with_a_clock_too(tmp_path: Path) -> None:
    async def play(hub: Hub, clock: HandClock) -> None:
        live, _ = await a_pair(hub, clock=Clock(10 * CLAIM))
        await clock.forward(hub, CLAIM)
        await do(hub, live, 0, "claim", "draw")
        assert ending(live.room) == ("left", 1)
        assert state_of(live.room) == "draw"

    at_a_table(play, tmp_path)
