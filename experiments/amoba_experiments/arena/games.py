"""What a match leaves behind: its games, a row each, and, if wanted, their moves and the time of each agent."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from amoba_env.agent import Actions, Agent, Memory, Streams
from amoba_env.core.state import States
from amoba_env.games import Game


@dataclass(frozen=True)
class Games:
    """The games of a match, one row each."""

    index: NDArray[np.int64]  # [G] the game's number in the match
    seating: NDArray[np.int8]  # [G, players] the agent (its number in Match.agents) on each seat
    starter: NDArray[np.int8]  # [G] seat
    status: NDArray[np.int8]  # [G] the winner's seat, or NOBODY
    ending: NDArray[np.int8]  # [G] why it ended, see core/state.py
    plies: NDArray[np.int16]  # [G] moves played, those of the opening too
    digest: NDArray[np.uint64]  # [G] a hash of starter and moves: equal games have equal ones
    opening: NDArray[np.uint64]  # [G] the same of the opening
    black: NDArray[np.int8]  # [G] the seat that has the black stones at the end, where colours matter
    places: NDArray[np.int8]  # [G, players] of each seat, 1 is best; seats that share a place have the same number
    incident: NDArray[np.str_]  # [G] what an agent reported of the game, see amoba_env.agent.Agent; else empty


def joined(parts: Sequence[Games]) -> Games:
    """Games one after the other."""
    return Games(*(np.concatenate([getattr(part, name) for part in parts]) for name in Games.__dataclass_fields__))


class Trace:
    """What a shard leaves behind if it is asked to: every move, and the time that each agent took."""

    def __init__(self) -> None:
        self.states: States  # int16[G, S] at the end
        self.opening_plies: NDArray[np.int32]  # [G]
        self.agents: list[Timed] = []
        self._rows: list[NDArray[np.intp]] = []
        self._actions: list[NDArray[np.int32]] = []

    def note(self, rows: NDArray[np.intp], actions: NDArray[np.int32]) -> None:
        """Actions in these rows."""
        self._rows.append(rows)
        self._actions.append(actions)

    def moves(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Game i has actions[ends[i] : ends[i + 1]]: ends int32[G + 1], actions int32.

        A move that lost because it is illegal is among them, though not counted in plies.
        """
        rows = np.concatenate(self._rows)
        ends = np.zeros(len(self.states) + 1, np.int32)
        np.cumsum(np.bincount(rows, minlength=len(self.states)), out=ends[1:])
        return ends, np.concatenate(self._actions)[np.argsort(rows, kind="stable")]


class Timed:
    """An agent, and how long its calls took. A call is for many games: its time is that of all of them."""

    def __init__(self, agent: Agent, name: str) -> None:
        self.agent = agent
        self.name = name
        self.moves = 0
        self.seconds = 0.0

    def memory(self, game: Game) -> int:
        """See Agent."""
        return self.agent.memory(game)

    @property
    def incidents(self) -> Sequence[tuple[int, str]]:
        """See Agent."""
        return getattr(self.agent, "incidents", ())

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        """See Agent."""
        begun = time.perf_counter()
        actions = self.agent.act(game, states, rng, memory)
        self.seconds += time.perf_counter() - begun
        self.moves += len(states)
        return actions
