"""The results of a match: a row for each game and, if wanted, all moves and the time that each agent took."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from amoba_env.agent import Actions, Agent, Memory, Streams, Wrapper
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
    plies: NDArray[np.int16]  # [G] moves played, including those of the opening
    digest: NDArray[np.uint64]  # [G] a hash of starter and moves: equal for equal games
    opening: NDArray[np.uint64]  # [G] a hash of the opening, whoever begins: equal for equal openings
    black: NDArray[np.int8]  # [G] the seat with the black stones at the end, in games where colours matter
    places: NDArray[np.int8]  # [G, players] of each seat, 1 is best; seats that share a place have the same number
    incident: NDArray[np.str_]  # [G] what an agent reported about the game, see amoba_env.agent.Agent; empty if nothing


def joined(parts: Sequence[Games]) -> Games:
    """All these games as one table, in this order."""
    return Games(*(np.concatenate([getattr(part, name) for part in parts]) for name in Games.__dataclass_fields__))


class Trace:
    """Every move of a shard, and the time that each agent took."""

    def __init__(self) -> None:
        self.states: States  # int16[G, S] the last positions
        self.opening_plies: NDArray[np.int32]  # [G] how many moves the openings have
        self.agents: list[Timed] = []
        self._rows: list[NDArray[np.intp]] = []
        self._actions: list[NDArray[np.int32]] = []

    def note(self, rows: NDArray[np.intp], actions: NDArray[np.int32]) -> None:
        """Add one action for each of these games."""
        self._rows.append(rows)
        self._actions.append(actions)

    def moves(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """`ends` int32[G + 1] and `actions` int32: the moves of game i are actions[ends[i] : ends[i + 1]].

        An illegal move, which loses the game, is among them, though `plies` does not count it.
        """
        rows = np.concatenate(self._rows)
        ends = np.zeros(len(self.states) + 1, np.int32)
        np.cumsum(np.bincount(rows, minlength=len(self.states)), out=ends[1:])
        return ends, np.concatenate(self._actions)[np.argsort(rows, kind="stable")]


class Timed(Wrapper):
    """An agent that measures how long its calls take. A call is for many games at once."""

    def __init__(self, agent: Agent, name: str) -> None:
        super().__init__(agent)
        self.name = name
        self.moves = 0
        self.seconds = 0.0

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        """See Agent."""
        begun = time.perf_counter()
        actions = super().act(game, states, rng, memory)
        self.seconds += time.perf_counter() - begun
        self.moves += len(states)
        return actions
