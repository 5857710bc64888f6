"""The interface of a player, and players of many games at once."""

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

    Four more attributes are optional:

    - `rowwise`: true if act() changes nothing in the agent. Then several threads may call it at the same time, each
      for some of the rows.
    - `incidents`: a list of (row, text), what went wrong in the last call of act(), such as why there is no legal move
      in a row. The arena stores it with the game.
    - `at_once`: how many games it can play at the same time, for instance because each needs a running program. By
      default the arena plays no more than that at a time.
    - `reads(game)`: the files that determine how it plays (networks, programs), as a dict of Paths by a name that is
      the same on every machine; None if a file is not known. A match can be resumed only with the same files.
    """

    name: str  # the text that makes it, such as "lookahead:2"

    def memory(self, game: Game) -> int:
        """How many int16 numbers it needs per game and seat as a memory between moves. They are 0 when a game begins.

        Raises:
            ValueError: it cannot play this game; the message says why.
        """

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        """Choose a move for each position.

        Args:
            game: the rules.
            states: int16[B, S], positions of the game, none of them over. They are not checked and must not be
                changed. (To ask an agent about a Position use amoba_agents.seat.Seat.)
            rng: uint64[B], the random stream of each game (amoba_env.core.rng). Drawing from it changes it in place.
            memory: int16[B, memory(game)], kept from move to move of this player, changed in place.

        Returns:
            Legal board actions, int32[B].
        """


def reads_of(agent: Agent, game: Game) -> dict[str, Path | None]:
    """The files that determine how an agent plays: `agent.reads(game)`, see Agent. Empty for agents without it."""
    reads = getattr(agent, "reads", None)
    return {} if reads is None else dict(reads(game))


class StatelessAgent:
    """Base class of players that keep nothing between moves."""

    def memory(self, game: Game) -> int:
        """No memory is needed: 0."""
        return 0


class Players:
    """Agents with their memories, for `count` games in which each seat has an agent.

    Each agent is called once for all the games in which it is to move.

    Attributes:
        incidents: by row, the last incident that an agent reported in that game.
    """

    def __init__(self, game: Game, agents: Sequence[Agent], count: int) -> None:
        """Raises ValueError if an agent cannot play this game."""
        self.game = game
        self.agents = list(agents)
        self.memory = [np.zeros((count, game.players, agent.memory(game)), np.int16) for agent in agents]
        self.incidents: dict[int, str] = {}

    def replaced_by(self, agents: Sequence[Agent], staying: Sequence[int], count: int) -> tuple[Players, list[int]]:
        """New players: `agents`, then those of `staying` (numbers of agents of now) that are not among them.

        Returns:
            The new players, with the memories of those of `staying`, and the numbers that these have there.
        """
        wanted = [*agents, *(self.agents[i] for i in staying if not any(self.agents[i] is agent for agent in agents))]
        players = Players(self.game, wanted, count)
        numbers = [next(i for i, agent in enumerate(wanted) if agent is self.agents[old]) for old in staying]
        for old, new in zip(staying, numbers, strict=True):
            players.memory[new] = self.memory[old]
        return players, numbers

    def begin(self, rows: NDArray[np.intp]) -> None:
        """New games begin in these rows: clear the memories."""
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
        """The moves of agents[who[i]], on seats[i], in states[rows[i]], with the random streams rng[rows[i]].

        Agents that are `rowwise` are called in `num_threads` threads, each for some of the rows.

        Returns:
            Board actions, int32[len(rows)].
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

    The package `amoba_agents` reads the texts. It depends on this package, not the other way round, so it is imported
    only here and by name.

    Raises:
        ValueError: no such player (with a list of those there are), or neither a player nor a text.
    """
    if not isinstance(given, str):
        if callable(getattr(given, "act", None)) and callable(getattr(given, "memory", None)):
            return given
        raise ValueError(f"a player, or its text such as 'greedy', is wanted, not {checks.brief(given)}")
    try:
        agent: Agent = import_module("amoba_agents").make_agent(given)
    except ModuleNotFoundError as error:
        if error.name != "amoba_agents":
            raise
        raise ValueError(
            f"{given!r}: no package that makes players from texts is installed; give a player itself"
        ) from None
    return agent
