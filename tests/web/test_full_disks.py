"""Disks that take nothing: what could not be written is written later."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hand_clock import HandClock, a_game, at_a_table
from hand_clock import do as at_hub
from rooms_http import do, look, two
from starlette.testclient import TestClient

from amoba_experiments.rooms.room import Finished, Room
from amoba_experiments.rooms.settings import Settings
from amoba_experiments.runs.store import load, runs_in
from amoba_experiments.web import archive
from amoba_experiments.web.hub import Hub
from amoba_experiments.web.journal import Journal, alive_row
from amoba_experiments.web.server import app
from amoba_experiments.web.timers import BEAT


def test_a_game_is_written_as_soon_as_the_disk_takes_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also by the next server."""
    full = [True]

    def write(*given: Any) -> Any:
        if full[0]:
            raise OSError("No space left on device")
        return keep(*given)

    keep = archive.keep
    monkeypatch.setattr(archive, "keep", write)

    async def play(hub: Hub, clock: HandClock) -> None:
        hub.restore()
        for _ in range(2):
            table = await a_game(hub)
            await at_hub(hub, table, 1, "resign")
            await clock.forward(hub, 5 * BEAT)
            if len(hub.rooms) == 1:
                full[0] = False
                await clock.forward(hub, 2 * BEAT)
                assert load(runs_in(tmp_path)[0])["ending"].to_pylist() == ["resigned"]
                full[0] = True

    async def again(hub: Hub, clock: HandClock) -> None:
        full[0] = False
        hub.restore()
        await clock.rest(hub)

    at_a_table(play, tmp_path)
    told = capsys.readouterr().out
    assert told.count("No space left on device") == 2, told
    at_a_table(again, tmp_path)
    assert sum(len(load(run)) for run in runs_in(tmp_path)) == 2


@pytest.mark.parametrize("error", [OSError("full"), ValueError("damaged")])
def test_a_game_that_could_not_be_written_is_written_after_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """Also if a later game of the room is in another run already."""
    keep = archive.keep

    def write(data: Path, id: str, room: Room, game: Finished, *more: Any) -> Any:
        if game.number == 0:
            raise error
        return keep(data, id, room, game, *more)

    async def play(hub: Hub, clock: HandClock) -> None:
        table, _, _ = await hub.open(Settings("tictactoe", ("me", "random"), first="0"), "Ann")
        for level in ("greedy", "random"):
            await at_hub(hub, table, 0, "move", "b2")
            await at_hub(hub, table, 0, "resign")
            await clock.forward(hub, 2 * BEAT)
            await at_hub(hub, table, 0, "new")
            await at_hub(hub, table, 0, "level", level)

    async def again(hub: Hub, clock: HandClock) -> None:
        hub.restore()
        await clock.rest(hub)

    monkeypatch.setattr(archive, "keep", write)
    at_a_table(play, tmp_path)
    assert [len(load(run)) for run in runs_in(tmp_path)] == [1]
    monkeypatch.setattr(archive, "keep", keep)
    for _ in range(2):
        at_a_table(again, tmp_path)
        assert [len(load(run)) for run in runs_in(tmp_path)] == [1, 1]


def test_after_any_error_the_journal_goes_on(tmp_path: Path) -> None:
    async def play(hub: Hub, clock: HandClock) -> None:
        with pytest.raises(OSError, match="too large"):
            await hub.journal.write(alive_row(2**70))
        await a_game(hub)

    at_a_table(play, tmp_path)


def test_a_full_disk_is_an_error_of_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And what it could not keep has not happened."""
    with TestClient(app(Hub(tmp_path), ("testserver",)), client=("127.0.0.1", 1)) as client:
        id, keys = two(client)
        with monkeypatch.context() as patch:

            async def write(*given: Any) -> None:
                raise OSError("the journal cannot be written: full")

            patch.setattr(Journal, "write", write)
            answer = client.post(
                f"/api/rooms/{id}/commands",
                json={"do": "move", "move": "b2", "at": [0, 0]},
                headers={"authorization": f"Bearer {keys[0]}"},
            )
            assert (answer.status_code, answer.json()["why"]) == (500, "the journal cannot be written: full")
        assert look(client, id)["moves"] == []
        assert do(client, id, keys[0], do="move", move="b2", at=[0, 0])["type"] == "ok"
