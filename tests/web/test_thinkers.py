"""Who waits for a player waits alone: engines, players that one thread at a time may ask, and those being compiled."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gomocup_logs import IN_TIME, command

from amoba_agents import Agent, make_agent
from amoba_agents.gomocup import Gomocup
from amoba_env import Position, games
from amoba_experiments.rooms import questions
from amoba_experiments.rooms.commands import opened
from amoba_experiments.rooms.settings import Settings
from amoba_experiments.web.server_players import ServerPlayers
from amoba_experiments.web.thinkers import THINKERS, Thinkers

LONG = 30  # seconds; who waits for another player fails
GAME = games.make("tictactoe")


def known(thinkers: Thinkers, *names: str) -> None:
    """So that nobody needs the compiler."""
    thinkers._known |= {(name, GAME.name) for name in names}


async def beside(thinkers: Thinkers, name: str, other: str, count: int = 2 * THINKERS) -> bool:
    """Whether a player answers while another one is asked so often, and does not."""
    held = threading.Event()

    def wait(_: Any) -> bool:
        return held.wait(LONG)

    waiting = [asyncio.create_task(thinkers.ask(GAME, other, wait)) for _ in range(count)]
    await asyncio.sleep(0)
    answered: bool = await thinkers.ask(GAME, name, lambda _: not held.is_set())
    held.set()
    assert all(await asyncio.gather(*waiting))
    thinkers.close()
    return answered


def test_engines_wait_by_themselves(tmp_path: Path) -> None:
    """Also in their first answers, and for players that must be compiled."""
    players = ServerPlayers({"House": command("about", tmp_path / "log"), "Yard": command("about", tmp_path / "log")})
    for name in ("random", "House", "Yard"):
        thinkers = Thinkers(players)
        known(thinkers, "random", "House")
        assert asyncio.run(beside(thinkers, "random", name if name != "random" else "House"))
    for name in ("greedy", "Yard"):
        assert asyncio.run(beside(Thinkers(players), name, "House"))


def test_players_that_one_thread_may_ask_wait_by_themselves() -> None:
    players = ServerPlayers()
    players._agents["perfect"] = make_agent("random"), True
    thinkers = Thinkers(players)
    known(thinkers, "random", "perfect")
    threads: set[int] = set()

    def ask(_: Any) -> None:
        threads.add(threading.get_ident())

    async def ask_them() -> None:
        await asyncio.gather(*(thinkers.ask(GAME, "perfect", ask) for _ in range(9)))

    asyncio.run(ask_them())
    assert len(threads) == 1
    assert asyncio.run(beside(thinkers, "random", "perfect"))


def test_no_more_think_at_a_time_than_there_are_places(tmp_path: Path) -> None:
    """Engines, and players that get ready, need none."""
    players = ServerPlayers({"House": command("about", tmp_path / "log")})
    players._agents["perfect"] = make_agent("random"), True
    thinkers = Thinkers(players)
    known(thinkers, "random", "perfect", "House")
    free, answered = threading.Event(), list[bool]()

    def ask(_: Any) -> None:
        answered.append(free.is_set())

    async def ask_them() -> None:
        for _ in range(THINKERS):
            thinkers._places.acquire()
        waiting = [asyncio.create_task(thinkers.ask(GAME, name, ask)) for name in ("perfect", "random") * 9]
        await asyncio.sleep(0)
        for name in ("House", "greedy") * 9:
            await thinkers.ask(GAME, name, lambda _: None)
            thinkers._known.discard(("greedy", GAME.name))
        free.set()
        for _ in range(THINKERS):
            thinkers._places.release()
        await asyncio.gather(*waiting)
        thinkers.close()

    asyncio.run(ask_them())
    assert answered == [True] * 18


def test_a_player_that_is_there_does_not_wait_for_one_that_is_loaded() -> None:
    loaded, players = threading.Event(), ServerPlayers()
    players.agent("random")

    def make(text: str) -> Agent:
        assert loaded.wait(LONG)
        return make_agent(text)

    async def play() -> bool:
        thinkers = Thinkers(players)
        waiting = asyncio.create_task(thinkers.ask(GAME, "greedy", lambda _: True))
        await asyncio.sleep(0)
        answered: bool = await thinkers.ask(GAME, "random", lambda _: not loaded.is_set())
        loaded.set()
        assert await waiting
        return answered

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("amoba_experiments.web.server_players.make_agent", make)
        assert asyncio.run(play())


def test_a_server_ends_though_an_engine_hangs(tmp_path: Path) -> None:
    """Its thread ends, for which Python waits at its exit."""
    players = ServerPlayers({"House": f"{command('hung-at-start', tmp_path / 'log')},start_ms=10000000"})
    thinkers, game = Thinkers(players), games.make("gomoku")
    room = opened(Settings("gomoku", ("House", "me")), "Ann", 0, game)

    async def ask() -> None:
        asking = asyncio.create_task(thinkers.ask(game, "House", lambda agent: questions.machine_move(room, agent)))
        while not (tmp_path / "log").exists() or "START" not in (tmp_path / "log").read_text():
            await asyncio.sleep(0.01)
        thinkers.close()
        assert (await asking).do == "illegal"

    asyncio.run(ask())


def test_engines_tell_how_long_they_think(tmp_path: Path) -> None:
    agent, _ = ServerPlayers({"House": f"{command('slow', tmp_path / 'log')},{IN_TIME}"}).agent("House")
    game = games.make("gomoku")
    assert isinstance(agent, Gomocup)
    memory = np.zeros((1, agent.memory(game)), np.int16)
    for count in (1, 2):
        agent.act(game, Position.start(game).state[None], np.zeros(1, np.uint64), memory)
        assert agent.used_ms(game, memory[0]) >= 300 * count  # it sleeps for so long
