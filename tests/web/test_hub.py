"""Rooms do not wait for each other."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from amoba_agents import Agent, make_agent
from amoba_experiments.rooms.room import Command
from amoba_experiments.rooms.settings import Settings
from amoba_experiments.web import server_players
from amoba_experiments.web.hub import Hub

LONG = 300  # seconds; a room that waits for another one fails


async def answered(hub: Hub) -> bool:
    """Whether a room of one person does what it is told."""
    table, _, _ = await hub.open(Settings("tictactoe", ("me", "me")), "Ann")
    return (await hub.command(table, Command("move", 0, (0, 0), "b2")))["type"] == "ok"


def test_other_rooms_go_on_while_a_player_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = threading.Event()

    def make(text: str) -> Agent:
        assert loaded.wait(LONG)
        return make_agent(text)

    async def play() -> None:
        hub = Hub(tmp_path)
        opening = asyncio.create_task(hub.open(Settings("tictactoe", ("random", "me")), "Ann"))
        await asyncio.sleep(0)
        assert await answered(hub)
        loaded.set()
        await opening
        await hub.close()

    monkeypatch.setattr(server_players, "make_agent", make)
    asyncio.run(play())
