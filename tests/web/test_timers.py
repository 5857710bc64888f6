"""Time in the hub, on a clock that only the test moves: flags fall, and clocks stand while nobody can move."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hand_clock import SECOND, HandClock, a_game, at_a_table, do, ending
from rooms_by_hand import Slow, machines

from amoba_env.agent import Actions
from amoba_experiments.rooms.clocks import LAG
from amoba_experiments.rooms.room import Room
from amoba_experiments.web.hub import Hub
from amoba_experiments.web.journal import Statement
from amoba_experiments.web.timers import BEAT


class Engine(Slow):
    """One that has 300 ms of each answer on its own clock: the rest is getting ready."""

    def memory(self, game: object) -> int:
        return 1

    def used_ms(self, game: object, memory: Any) -> int:
        return int(memory[0])

    def act(self, game: Any, states: Any, rng: object, memory: Any) -> Actions:
        memory[:, 0] += 300
        return super().act(game, states, rng, memory)


def test_the_flag_falls_while_the_player_to_move_waits(tmp_path: Path) -> None:
    async def play(hub: Hub, clock: HandClock) -> None:
        table = await a_game(hub)
        await clock.forward(hub, 2 * SECOND + LAG - 1)
        assert table.room.phase == "playing"
        await clock.forward(hub, 1)
        assert ending(table.room) == ("time", 1)

    at_a_table(play, tmp_path)


def test_an_alarm_that_is_refused_is_set_again(tmp_path: Path) -> None:
    """Timers may be early: nobody rings again if the alarm does not."""

    async def play(hub: Hub, clock: HandClock) -> None:
        table = await a_game(hub)
        assert table.timer is not None
        table.timer.cancel()
        hub.timers._rings(table)
        await clock.rest(hub)
        assert table.room.phase == "playing"
        await clock.forward(hub, 2 * SECOND + LAG)
        assert ending(table.room) == ("time", 1)

    at_a_table(play, tmp_path)


def test_each_move_sets_the_alarm_anew(tmp_path: Path) -> None:
    async def play(hub: Hub, clock: HandClock) -> None:
        table = await a_game(hub, increment=500)
        for seat, move in ((1, "a1"), (0, "a2"), (1, "a3")):
            await clock.forward(hub, SECOND)
            await do(hub, table, seat, "move", move)
        assert table.room.left == (1500, 1000)
        await clock.forward(hub, 1500 + LAG - 1)
        assert table.room.phase == "playing"
        await clock.forward(hub, 1)
        assert ending(table.room) == ("time", 0)

    at_a_table(play, tmp_path)


def test_a_pause_stops_the_alarm(tmp_path: Path) -> None:
    async def play(hub: Hub, clock: HandClock) -> None:
        table = await a_game(hub)
        await clock.forward(hub, SECOND)
        await do(hub, table, 0, "pause")
        await clock.forward(hub, 10 * SECOND)
        assert table.room.phase == "paused"
        await do(hub, table, 0, "resume")
        assert table.room.left == (2 * SECOND, SECOND)
        await clock.forward(hub, SECOND + LAG)
        assert ending(table.room) == ("time", 1)

    at_a_table(play, tmp_path)


@pytest.mark.parametrize("clean", [True, False])
def test_the_clocks_stand_while_there_is_no_server(tmp_path: Path, clean: bool) -> None:
    """After a clean end exactly; after a kill the player gains at most one beat. A second end forgets nothing."""
    clock = HandClock()

    async def first() -> None:
        hub = Hub(tmp_path, clock=clock)
        await a_game(hub)
        await clock.forward(hub, 1500)
        if clean:
            await hub.close()
        else:
            await clock.rest(hub)
            hub.journal.close()

    async def later(rest: int) -> Room:
        clock.jump(60 * SECOND)
        hub = Hub(tmp_path, clock=clock)
        hub.restore()
        (table,) = hub.rooms.values()
        await clock.forward(hub, rest)
        room = table.room
        await hub.close()
        return room

    asyncio.run(first())
    assert asyncio.run(later(100)).phase == "playing"
    gained = 0 if clean else 1500 % BEAT
    assert asyncio.run(later(400 + gained + LAG - 1)).phase == "playing"
    assert ending(asyncio.run(later(1))) == ("time", 1)


def test_the_pause_stands_too_while_there_is_no_server(tmp_path: Path) -> None:
    clock = HandClock()

    async def first() -> int:
        hub = Hub(tmp_path, clock=clock)
        table = await a_game(hub)
        await do(hub, table, 0, "pause")
        await clock.forward(hub, 60 * SECOND)
        left: int = hub.seen(table, 0)["clock"]["pause"]
        await hub.close()
        return left

    async def later() -> int:
        hub = Hub(tmp_path, clock=clock)
        hub.restore()
        await clock.rest(hub)
        left: int = hub.seen(next(iter(hub.rooms.values())), 0)["clock"]["pause"]
        await hub.close()
        return left

    before = asyncio.run(first())
    clock.jump(600 * SECOND)
    assert asyncio.run(later()) == before


def test_the_clocks_stand_while_the_computer_sleeps(tmp_path: Path) -> None:
    async def play(hub: Hub, clock: HandClock) -> None:
        rooms = [await a_game(hub) for _ in range(3)]
        await clock.forward(hub, SECOND)
        clock.jump(600 * SECOND)
        await do(hub, rooms[0], 1, "move", "a1")  # in time, though its alarm is long due
        await clock.forward(hub, LAG)
        assert [table.room.phase for table in rooms] == ["playing"] * 3
        assert hub.seen(rooms[1], None)["clock"]["elapsed"] == SECOND + LAG
        await clock.forward(hub, 2 * SECOND + LAG)
        assert [ending(table.room) for table in rooms] == [("time", 0), ("time", 1), ("time", 1)]

    at_a_table(play, tmp_path)


def test_the_clocks_stand_while_the_disk_takes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async def play(hub: Hub, clock: HandClock) -> None:
        table = await a_game(hub)
        other = sqlite3.connect(tmp_path / "rooms.sqlite", isolation_level=None)
        other.execute("CREATE TRIGGER full_disk BEFORE INSERT ON alive BEGIN SELECT RAISE(ABORT, 'full'); END")
        other.execute("CREATE TRIGGER full_too BEFORE INSERT ON commands BEGIN SELECT RAISE(ABORT, 'full'); END")
        await clock.forward(hub, 30 * SECOND)
        assert table.room.phase == "playing"
        with pytest.raises(OSError, match="full"):
            await do(hub, table, 1, "move", "a1")
        for name in ("full_disk", "full_too"):
            other.execute(f"DROP TRIGGER {name}")
        other.close()
        await clock.forward(hub, SECOND)
        assert table.room.phase == "playing"
        await do(hub, table, 1, "move", "a1")
        await clock.forward(hub, 2 * SECOND + LAG)
        assert ending(table.room) == ("time", 0)

    at_a_table(play, tmp_path)
    assert capsys.readouterr().out.count("the clocks stand") == 1


def test_a_move_while_a_beat_is_written_starts_no_second_beat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def play(hub: Hub, clock: HandClock) -> None:
        table = await a_game(hub, main=60 * SECOND)
        write, beats, slow = hub.journal.write, [0], asyncio.Event()

        async def counted(*statements: Statement) -> None:
            if "alive" in statements[0][0]:
                beats[0] += 1
                await slow.wait()
            await write(*statements)

        monkeypatch.setattr(hub.journal, "write", counted)
        clock.held = 1  # the beat
        await clock.forward(hub, BEAT)
        await do(hub, table, 1, "move", "a1")
        clock.held = 0
        slow.set()
        await clock.forward(hub, 5 * BEAT)
        assert beats == [6]

    at_a_table(play, tmp_path)


def test_nobody_gains_time_when_the_computers_clock_is_set_back(tmp_path: Path) -> None:
    """Nor after a restart."""

    async def play(hub: Hub, clock: HandClock) -> None:
        table = await a_game(hub)
        await clock.forward(hub, SECOND)
        clock.set_back(3600 * SECOND)
        await clock.forward(hub, SECOND + LAG - 1)
        assert table.room.phase == "playing"
        await clock.forward(hub, 1)
        assert ending(table.room) == ("time", 1)

    async def again(hub: Hub, clock: HandClock) -> None:
        clock.set_back(3600 * SECOND)
        hub.restore()
        assert clock.now() >= hub.journal.alive() > clock.wall()

    at_a_table(play, tmp_path)
    at_a_table(again, tmp_path)


def test_a_machine_is_charged_what_it_thinks(tmp_path: Path) -> None:
    """Neither its way to a thread, nor getting ready, nor the pause after its move."""
    clock = HandClock()
    slow = Slow(clock, SECOND)

    async def play() -> None:
        hub = Hub(tmp_path, machines(slow=slow), clock=clock)
        table = await a_game(hub, "me", "slow", main=10 * SECOND, delay=5 * SECOND)
        await clock.forward(hub, 4 * SECOND)
        assert hub.seen(table, 0)["clock"]["left"] == [10 * SECOND] * 2
        await clock.forward(hub, SECOND)
        assert (len(table.room.moves), table.room.left) == (2, (10 * SECOND, 10 * SECOND))  # the first one got ready
        await do(hub, table, 0, "move", "c1")
        await clock.forward(hub, 5 * SECOND)
        assert (len(table.room.moves), table.room.left) == (4, (10 * SECOND, 9 * SECOND))
        await hub.close()

    asyncio.run(play())


def test_an_engine_is_charged_what_it_says(tmp_path: Path) -> None:
    clock = HandClock()
    players = machines(engine=Engine(clock, 10 * SECOND))  # more than its clock has
    players.engines = frozenset({"engine"})

    async def play() -> None:
        hub = Hub(tmp_path, players, clock=clock)
        table = await a_game(hub, "me", "engine")
        await clock.rest(hub)
        await do(hub, table, 0, "move", "c1")
        await clock.rest(hub)
        assert (len(table.room.moves), table.room.left) == (4, (2 * SECOND, 2 * SECOND - 600))
        await hub.close()

    asyncio.run(play())


def test_the_clock_of_a_machine_without_a_thread_stands(tmp_path: Path) -> None:
    """It is seen to stand, and runs as soon as the machine has one; then it can run out."""
    clock, slow = HandClock(), Slow()

    async def play() -> None:
        hub = Hub(tmp_path, machines(slow=slow), clock=clock)
        tables = [await a_game(hub, "me", "slow") for _ in range(3)]
        await clock.rest(hub)
        slow.go_on.clear()
        for table in tables:
            await do(hub, table, 0, "move", "c1")
        clock.held = 3
        await clock.forward(hub, SECOND)
        while sum(hub.seen(table, 0)["clock"]["running"] is None for table in tables) > 1:
            await asyncio.sleep(0.001)  # two of three have begun
        await clock.forward(hub, 2 * SECOND + LAG)
        found = sorted(table.room.phase for table in tables)
        assert found == ["over", "over", "playing"]
        slow.go_on.set()
        clock.held = 0
        await clock.rest(hub)
        assert sorted(len(table.room.moves) for table in tables) == [3, 3, 4]
        assert all(ending(table.room) == ("time", 1) for table in tables if table.room.phase == "over")
        await hub.close()

    asyncio.run(play())


def test_a_machine_does_not_pay_for_a_search_that_was_in_vain(tmp_path: Path) -> None:
    """The person takes a move back and plays another one while the machine still thinks about the first one."""
    clock, slow = HandClock(), Slow()

    async def play() -> None:
        hub = Hub(tmp_path, machines(slow=slow), clock=clock)
        table = await a_game(hub, "me", "slow", main=10 * SECOND)
        await clock.rest(hub)
        slow.go_on.clear()
        slow.begun.clear()
        await do(hub, table, 0, "move", "c1")
        while not slow.begun.is_set():
            await asyncio.sleep(0.001)
        clock.held = 1
        await do(hub, table, 0, "undo")
        await do(hub, table, 0, "move", "b1")
        await clock.forward(hub, 3 * SECOND)
        assert hub.seen(table, 0)["clock"]["running"] is None
        slow.go_on.set()
        clock.held = 0
        await clock.rest(hub)
        assert (len(table.room.moves), table.room.left) == (4, (10 * SECOND, 10 * SECOND))
        await hub.close()

    asyncio.run(play())


def test_a_player_with_a_defect_loses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async def play(hub: Hub, clock: HandClock) -> None:
        table = await a_game(hub, "me", "broken")
        await clock.rest(hub)
        assert ending(table.room) == ("illegal", 1)

    at_a_table(play, tmp_path, machines(broken=Slow(error=RuntimeError("a defect"))))
    assert "a defect" in capsys.readouterr().out


def test_a_series_goes_on_after_a_defect(tmp_path: Path) -> None:
    async def play(hub: Hub, clock: HandClock) -> None:
        table = await a_game(hub, "broken", "slow", series=3)
        await clock.forward(hub, 10 * SECOND)
        assert (table.room.totals.games, table.room.number, table.room.phase) == (3, 2, "over")

    at_a_table(play, tmp_path, machines(broken=Slow(error=RuntimeError("a defect")), slow=Slow()))


def test_a_machine_moves_as_soon_as_the_disk_takes_it(tmp_path: Path) -> None:
    slow = Slow()

    async def play(hub: Hub, clock: HandClock) -> None:
        table = await a_game(hub, "me", "slow")
        await clock.rest(hub)
        slow.go_on.clear()
        slow.begun.clear()
        await do(hub, table, 0, "move", "c1")
        await asyncio.to_thread(slow.begun.wait, 60)
        other = sqlite3.connect(tmp_path / "rooms.sqlite", isolation_level=None)
        other.execute("CREATE TRIGGER full_disk BEFORE INSERT ON commands BEGIN SELECT RAISE(ABORT, 'full'); END")
        slow.go_on.set()
        await clock.rest(hub)
        assert len(table.room.moves) == 3
        other.execute("DROP TRIGGER full_disk")
        other.close()
        await clock.forward(hub, 2 * BEAT)
        assert len(table.room.moves) == 4

    at_a_table(play, tmp_path, machines(slow=slow))
