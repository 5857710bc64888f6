"""Rooms do not wait for each other."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from amoba_agents import Agent, make_agent
from amoba_experiments.rooms.room import Command
from amoba_experiments.rooms.settings import Settings
from amoba_experiments.web import server_players
from amoba_experiments.web.hub import Hub
from amoba_experiments.web.thinkers import THINKERS

LONG = 30  # seconds; a room that waits for another one fails


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


def test_machines_that_are_known_move_while_others_are_compiled(tmp_path: Path) -> None:
    """Players that think for the first time do not take the threads of those that have."""
    compiled = threading.Event()

    def ask(_: Any) -> bool:
        return compiled.wait(LONG)

    async def play() -> None:
        hub = Hub(tmp_path)
        game = Settings("tictactoe", ("me", "me")).make()
        await hub.thinkers.ask(game, "random", lambda _: True)
        waiting = [asyncio.create_task(hub.thinkers.ask(game, "greedy", ask)) for _ in range(THINKERS)]
        await asyncio.sleep(0)
        assert await hub.thinkers.ask(game, "random", lambda _: not compiled.is_set())
        compiled.set()
        assert all(await asyncio.gather(*waiting))
        await hub.close()

    asyncio.run(play())
