"""The interface of players (`Agent`), and the players of many games at once (`Players`)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from amoba_env import checks
from amoba_env.core.state import States
from amoba_env.games import Game
from amoba_env.registry import installed
from amoba_env.threads import Part, each, parts

Streams = NDArray[np.uint64]
Memory = NDArray[np.int16]
Actions = NDArray[np.int32]

INT32 = np.dtype(np.int32)
MOST_WORDS = 1 << 16  # int16 numbers, of the memory for a game and seat


class Agent(ABC):
    """Base class of players. A player acts on a batch of positions; a single game is a batch of one.

    A class of your own needs a `name` and `act`; the rest has defaults.

    Attributes:
        name: the text that makes the agent, such as "lookahead:2".
        rowwise: true if act() changes nothing in the agent. Then several threads may call it at the same time, each
            with some of the rows.
        at_once: the number of games that the agent can play at the same time, for instance because each needs a
            process; None: any number. The arena never plays more at a time.
        incidents: (row, text) for each problem in the last call of act(), such as why a row has no legal move. The
            arena stores the text with the game.
    """

    name: str = ""
    rowwise: bool = False
    at_once: int | None = None
    incidents: Sequence[tuple[int, str]] = ()

    def memory(self, game: Game) -> int:
        """How many int16 values the agent keeps per game and seat between moves. They are 0 when a game begins.

        Raises:
            ValueError: the agent cannot play this game; the message says why.
        """
        return 0

    def load(self, game: Game) -> object:
        """Read the files that the agent needs for this game, with amoba_agents.read_file; return what act() uses.

        A match calls it before the first move, so that it knows which files are read.
        """
        return None

    def reads(self, game: Game) -> Mapping[str, Path | None]:
        """Files that determine the play and that are read by others, such as programs that the agent starts.

        Keys are names that are the same on every machine; a value is None where the path is unknown. A match can be
        resumed only with the same files. Files that the agent reads with amoba_agents.read_file are known already.
        """
        return {}

    def introduction(self) -> str:
        """How the program behind the agent describes itself; "" if there is none, or it does not answer."""
        return ""

    def used_ms(self, game: Game, memory: Memory) -> int | None:
        """How long a program thought in a game so far, in milliseconds by its own clock; None: unknown.

        A player's clock counts this time, because the duration of act() would include the start of the program.

        Args:
            game: the game.
            memory: of this game, int16[memory(game)].
        """
        return None

    def stop(self, now: bool = True) -> None:  # noqa: B027  to do nothing is the default
        """From another thread: make a running act() return soon, and later calls at once, until stop(False).

        The default does nothing, so that act() takes its time.
        """

    @abstractmethod
    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        """Choose a move for each position.

        Args:
            game: the rules.
            states: int16[B, S], positions of the game, none of them over. They are not checked, and act() must not
                change them. (To ask an agent about a single Position, use amoba_agents.seat.Seat.)
            rng: uint64[B], the random stream of each game (amoba_env.core.rng). A draw changes it in place.
            memory: int16[B, memory(game)], what the agent has kept for each game; it changes it in place.

        Returns:
            Legal board actions, int32[B]. An illegal one loses the game.
        """


class Wrapper(Agent):
    """An agent that plays as another one: always the same, or one chosen by game. Subclasses override what differs."""

    def __init__(self, *agents: Agent) -> None:
        """`agents`: all that may play; the wrapper has the name of the first one."""
        self.agents, self.name = agents, agents[0].name
        self.rowwise = all(agent.rowwise for agent in agents)
        self.at_once = min((agent.at_once for agent in agents if agent.at_once), default=None)

    def player(self, game: Game) -> Agent:
        """The agent that plays this game."""
        return self.agents[0]

    def memory(self, game: Game) -> int:
        """See Agent."""
        return self.player(game).memory(game)

    def load(self, game: Game) -> object:
        """See Agent."""
        return self.player(game).load(game)

    def reads(self, game: Game) -> Mapping[str, Path | None]:
        """See Agent."""
        return self.player(game).reads(game)

    def introduction(self) -> str:
        """See Agent."""
        return self.agents[0].introduction()

    def used_ms(self, game: Game, memory: Memory) -> int | None:
        """See Agent."""
        return self.player(game).used_ms(game, memory)

    def stop(self, now: bool = True) -> None:
        """See Agent."""
        for agent in self.agents:
            agent.stop(now)

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        """See Agent."""
        player = self.player(game)
        actions = ask(player, game, states, rng, memory)
        if not self.rowwise:  # rowwise agents have no incidents, and several threads may be here
            self.incidents = player.incidents
        return actions


def ask(agent: Agent, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
    """Call agent.act() and check what it returns. Every call of an agent goes through here.

    Returns:
        Board actions, int32[B], possibly illegal.

    Raises:
        ValueError: the agent returned anything else than B integers that fit into int32.
    """
    given, count = agent.act(game, states, rng, memory), len(states)
    if type(given) is np.ndarray and given.dtype == INT32 and given.shape == (count,):
        return given
    actions = checks.array(f"{agent.name}: the moves", given)
    if actions.dtype.kind not in "iu" or actions.shape != (count,):
        raise ValueError(
            f"{agent.name}: expected the moves of {count} games, int32 of shape ({count},), "
            f"got {actions.dtype} of shape {actions.shape}"
        )
    narrow = actions.astype(np.int32)
    if not np.array_equal(narrow, actions):
        raise ValueError(f"{agent.name}: expected moves as int32, got {checks.brief(actions[narrow != actions][0])}")
    return narrow


def plays(agent: Agent, game: Game) -> bool:
    """Whether the agent can play this game."""
    try:
        agent.memory(game)
    except ValueError:
        return False
    return True


def new_memory(agent: Agent, game: Game, *shape: int) -> Memory:
    """The memory of an agent before the first move: zeros, int16[*shape, agent.memory(game)].

    Raises:
        ValueError: the agent cannot play this game, or its memory() is not a number from 0 to MOST_WORDS.
    """
    words = checks.whole(f"{agent.name}: memory()", agent.memory(game), 0, MOST_WORDS)
    return np.zeros((*shape, words), np.int16)


class Players:
    """The agents of `count` games, with their memories.

    Each agent is called once for all the games in which it is to move.

    Attributes:
        incidents: row -> the last incident that an agent reported in that game.
    """

    def __init__(self, game: Game, agents: Sequence[Agent], count: int) -> None:
        """Raises ValueError if an agent cannot play this game."""
        self.game = game
        self.agents = list(agents)
        self.memory = [new_memory(agent, game, count, game.players) for agent in agents]
        self.incidents: dict[int, str] = {}

    def replaced_by(self, agents: Sequence[Agent], staying: Sequence[int], count: int) -> tuple[Players, list[int]]:
        """New players: `agents`, and the current agents number `staying`, which keep their memories.

        Returns:
            The new players, and the new number of each of `staying`.
        """
        wanted = [*agents, *(self.agents[i] for i in staying if not any(self.agents[i] is agent for agent in agents))]
        players = Players(self.game, wanted, count)
        numbers = [next(i for i, agent in enumerate(wanted) if agent is self.agents[old]) for old in staying]
        for old, new in zip(staying, numbers, strict=True):
            players.memory[new] |= self.memory[old]  # no two of them on the same seat, and the others are 0
        players.incidents = self.incidents
        return players, numbers

    def begin(self, rows: NDArray[np.intp]) -> None:
        """Clear the memories in these rows, where new games begin."""
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

        An agent that is `rowwise` is called in up to `num_threads` threads, each with some of the rows.

        Returns:
            Board actions, int32[len(rows)].

        Raises:
            ValueError: see ask().
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
            for row, text in agent.incidents:
                self.incidents[int(own[row])] = f"{agent.name}: {text}"
        return actions

    def _ask(self, agent: Agent, states: States, rng: Streams, memory: Memory, num_threads: int) -> Actions:
        split = parts(len(states), num_threads) if agent.rowwise else []
        if len(split) < 2:
            return ask(agent, self.game, states, rng, memory)
        actions = np.empty(len(states), np.int32)

        def ask_part(part: Part) -> None:
            actions[part] = ask(agent, self.game, states[part], rng[part], memory[part])

        each(ask_part, split)
        return actions


def make_agent(given: str | Agent) -> Agent:
    """The player of a text such as "lookahead:2"; a player is returned unchanged.

    This package has no players of its own: an entry point of the group `amoba`, of an installed package, makes them.

    Raises:
        ValueError: an unknown player (the message lists the known ones), or neither a player nor a text.
    """
    if not isinstance(given, str):
        return checked_agent(given)
    for entry in installed("amoba"):
        agent: Agent = entry.load()(given)
        return agent
    raise ValueError(
        f"{given!r}: no installed package makes players from texts. Give an Agent, or install amoba again if it "
        "was installed from an older working tree"
    )


def checked_agent(given: object) -> Agent:
    """The same object. ValueError unless it is an Agent with a name."""
    if not isinstance(given, Agent):
        raise ValueError(
            "expected a player (a subclass of amoba_env.agent.Agent) or its text such as 'greedy', "
            f"got {checks.brief(given)}"
        )
    if not isinstance(given.name, str) or not given.name:
        raise ValueError(f"expected a player whose name is a text, got the name {checks.brief(given.name)}")
    return given
