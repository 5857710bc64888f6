"""What a player is, and many of them at many boards."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from amoba_env import checks
from amoba_env.core.state import States
from amoba_env.games import Game
from amoba_env.threads import Part, each, parts

Streams = NDArray[np.uint64]
Memory = NDArray[np.int16]
Actions = NDArray[np.int32]


class Agent(Protocol):
    """A player acts on a batch of positions; a single game is a batch of one.

    It may have four attributes more. `rowwise`: true if act changes nothing of the agent's own, so that several
    threads may ask it at the same time, each for some of the rows. `incidents`, a list of (row, text): what went wrong
    in the last call of act, such as why there is no legal move in a row; the arena keeps it with the game. `at_once`:
    how many games it can hold at the same time (programs that run, places on a device); the arena plays no more by
    default. `reads(game)`: a dict of the files that settle how it plays the game (networks, programs), each a Path by a
    name that is the same on every machine, or None where nobody knows what is read; a match goes on with the same
    files only.
    """

    name: str  # its text, such as "lookahead:2"

    def memory(self, game: Game) -> int:
        """How many int16 words a game it wants kept for it between its moves; they are 0 at the start of a game.

        Raises:
            ValueError: it cannot play this game, and why.
        """

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        """Choose a move for each position.

        Args:
            game: the rules.
            states: int16[B, S], positions of the game, none of them over; not checked (amoba_agents.seat.Seat takes
                Positions). Left as they are.
            rng: uint64[B], the random stream of each game, advanced in place (amoba_env.core.rng).
            memory: int16[B, memory(game)], kept from move to move of this player, changed in place.

        Returns:
            Legal actions in the board's own numbering, int32[B].
        """


def reads_of(agent: Agent, game: Game) -> dict[str, Path | None]:
    """What `agent.reads(game)` gives, see Agent; nothing for most."""
    reads = getattr(agent, "reads", None)
    return {} if reads is None else dict(reads(game))


class StatelessAgent:
    """Base of players that keep nothing between moves."""

    def memory(self, game: Game) -> int:
        """Nothing."""
        return 0


class Players:
    """Agents and what they keep between their moves, for `count` games of which each seat has an agent.

    Each agent is asked once for all the games in which it is to move.

    Attributes:
        incidents: what agents reported last of a game, by its row.
    """

    def __init__(self, game: Game, agents: Sequence[Agent], count: int) -> None:
        """Raises ValueError if an agent cannot play this game."""
        self.game = game
        self.agents = list(agents)
        self.memory = [np.zeros((count, game.players, agent.memory(game)), np.int16) for agent in agents]
        self.incidents: dict[int, str] = {}

    def replaced_by(self, agents: Sequence[Agent], staying: Sequence[int], count: int) -> tuple[Players, list[int]]:
        """These agents, and after them those of `staying` (numbers here) who are not among them.

        Returns:
            The new players, and the numbers that those of `staying` have there, with all that they keep.
        """
        wanted = [*agents, *(self.agents[i] for i in staying if not any(self.agents[i] is agent for agent in agents))]
        players = Players(self.game, wanted, count)
        numbers = [next(i for i, agent in enumerate(wanted) if agent is self.agents[old]) for old in staying]
        for old, new in zip(staying, numbers, strict=True):
            players.memory[new] = self.memory[old]
        return players, numbers

    def begin(self, rows: NDArray[np.intp]) -> None:
        """Forget the games in these rows."""
        for memory in self.memory:
            memory[rows] = 0
        if self.incidents:
            for row in rows.tolist():
                self.incidents.pop(row, None)

    def act(
        self,
        states: States,
        rng: Streams,
        rows: NDArray[np.intp],
        seats: NDArray[np.integer],
        who: NDArray[np.integer],
        num_threads: int = 1,
    ) -> Actions:
        """The moves of agents[who[i]], on seats[i], in states[rows[i]]; their streams rng[rows[i]] go on.

        Agents that are `rowwise` are asked by so many threads, each for some of the rows.

        Returns:
            Actions in the board's own numbering, int32[len(rows)].
        """
        actions = np.empty(len(rows), np.int32)
        for i, agent in enumerate(self.agents):
            asked = np.flatnonzero(who == i)
            if not asked.size:
                continue
            own, seat = rows[asked], seats[asked]
            own_rng, own_memory = rng[own], self.memory[i][own, seat]
            actions[asked] = self._ask(agent, states[own], own_rng, own_memory, num_threads)
            rng[own], self.memory[i][own, seat] = own_rng, own_memory
            for row, text in getattr(agent, "incidents", ()):
                self.incidents[int(own[row])] = f"{agent.name}: {text}"
        return actions

    def _ask(self, agent: Agent, states: States, rng: Streams, memory: Memory, num_threads: int) -> Actions:
        split = parts(len(states), num_threads) if getattr(agent, "rowwise", False) else []
        if len(split) < 2:
            return agent.act(self.game, states, rng, memory)
        actions = np.empty(len(states), np.int32)

        def ask(part: Part) -> None:
            actions[part] = agent.act(self.game, states[part], rng[part], memory[part])

        each(ask, split)
        return actions


def make_agent(given: str | Agent) -> Agent:
    """A player from its text, such as "lookahead:2"; a player is returned as it is.

    Texts are read by the package `agents`, which stands above this one and is looked for when it is wanted: this
    package installs without it.

    Raises:
        ValueError: no such player, and which there are, or something else.
    """
    if not isinstance(given, str):
        if callable(getattr(given, "act", None)) and callable(getattr(given, "memory", None)):
            return given
        raise ValueError(f"a player, or its text such as 'greedy', is wanted, not {checks.shown(given)}")
    try:
        agent: Agent = import_module("amoba_agents").make_agent(given)
    except ModuleNotFoundError as error:
        if error.name != "amoba_agents":
            raise
        raise ValueError(
            f"{given!r}: no package that makes players from texts is installed; give a player itself"
        ) from None
    return agent
