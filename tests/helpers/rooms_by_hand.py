"""Rooms without a server: commands one by one, and players whose thinking the test measures out."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from hand_clock import HandClock

from amoba_agents import Agent
from amoba_env.agent import Actions
from amoba_experiments.rooms.commands import apply, opened
from amoba_experiments.rooms.room import Command, Refusal, Room
from amoba_experiments.rooms.settings import Settings
from amoba_experiments.web.server_players import ServerPlayers


def a_room(*seats: str, game: str = "tictactoe", **more: Any) -> Room:
    return opened(Settings(game, seats, **more), "Ann", 0)


def after(room: Room, *commands: tuple[Any, ...] | Command, now: int = 0) -> Room:
    """The room after commands, (who, do) or (who, do, move)."""
    for each in commands:
        command = each if isinstance(each, Command) else Command(each[1], each[0], None, *each[2:])
        room = apply(room, command, now)
    return room


def moves(text: str, *who: int) -> list[tuple[Any, ...]]:
    return [(who[number % len(who)], "move", move) for number, move in enumerate(text.split())]


def two(**more: Any) -> Room:
    """Ann (0) on seat 0 and Ben (1) on seat 1."""
    return after(a_room("me", "guest", **more), Command("sit", name="Ben"))


def three(**more: Any) -> Room:
    room = a_room("me", "guest", "guest", game="halma", **more)
    return after(room, Command("sit", name="Ben"), Command("sit", name="Cleo"))


WON = moves("a1 a3 b1 b3 c1", 0, 1)


def refused(room: Room, *command: Any, says: str, now: int = 0) -> None:
    with pytest.raises(Refusal, match=says):
        after(room, command, now=now)


class Slow(Agent):
    """A player of the first free cell, whose thinking the test measures out; it may fail."""

    rowwise, name = True, "slow"

    def __init__(self, clock: HandClock | None = None, ms: int = 0, error: Exception | None = None) -> None:
        self.clock, self.ms, self.error = clock, ms, error
        self.begun, self.go_on = threading.Event(), threading.Event()
        self.go_on.set()

    def memory(self, game: object) -> int:
        return 0

    def act(self, game: Any, states: Any, rng: object, memory: object) -> Actions:
        self.begun.set()
        assert self.go_on.wait(60)
        if self.clock is not None:
            self.clock.jump(self.ms)
        if self.error is not None:
            raise self.error
        position = states[0][-game.n_cells :]
        return np.array([np.flatnonzero(position < 0)[0]], np.int32)


def machines(**agents: Agent | Slow) -> ServerPlayers:
    """Players of a server that are these."""
    players = ServerPlayers()
    for name, agent in agents.items():
        players.texts[name] = name
        players._agents[name] = agent, False  # type: ignore[assignment]
    return players
