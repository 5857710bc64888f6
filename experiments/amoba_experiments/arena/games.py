# ruff: noqa: RUF009 - a column is declared by a call
"""The games of a match as columns: each column is declared once, in `Games`, with its type, meaning and origin.

Memory, files (runs/store.py), SQL (analysis/queries.py), the table in the documentation (docs/option_tables.py) and
the finished games of rooms (web/archive.py) follow from the declaration.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_env.agent import Actions, Agent, Memory, Streams, Wrapper
from amoba_env.core import endings as en
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.state import States
from amoba_env.games import Game

ENDINGS = (*en.NAMES, "time", "agreed", "adjudicated", "left")  # time, agreed and left are of games between people
TIME, ADJUDICATED = ENDINGS.index("time"), ENDINGS.index("adjudicated")
NEVER = object()  # the `null` of a column that always has a value


class Timed(Wrapper):
    """An agent that measures the time of its calls, each for many games at once."""

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


@dataclass(frozen=True)
class Ended:
    """G games that are over: the source of all columns."""

    game: Game
    agents: tuple[str, ...]
    index: NDArray[np.int64]  # [G]
    seed: Streams  # uint64[G]
    seating: NDArray[np.int8]  # [G, players], numbers of agents
    starter: NDArray[np.int8]  # [G]
    start: Sequence[str | None]  # [G]
    states: States  # int16[G, S] the last positions
    winner: NDArray[np.int8]  # [G]
    ending: NDArray[np.int8]  # [G]
    places: NDArray[np.int8]  # [G, players]
    digest: NDArray[np.uint64]  # [G]
    opening: NDArray[np.uint64]  # [G]
    opening_plies: NDArray[np.int32]  # [G]
    steps: Sequence[tuple[NDArray[np.intp], NDArray[np.int32]]]  # in the order of play: rows of games, their actions
    incident: NDArray[np.str_]  # [G]
    times: Sequence[tuple[str, int, float]]  # of each agent: its name, its moves, and the seconds that it spent on them

    @property
    def moves(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """`ends` int32[G + 1] and `actions` int32: the moves of game i are actions[ends[i] : ends[i + 1]].

        An illegal move, which loses the game, is included, though PLY does not count it.
        """
        rows = np.concatenate([rows for rows, _ in self.steps])
        ends = np.zeros(len(self.index) + 1, np.int32)
        np.cumsum(np.bincount(rows, minlength=len(self.index)), out=ends[1:])
        return ends, np.concatenate([actions for _, actions in self.steps])[np.argsort(rows, kind="stable")]


class Column(NamedTuple):
    """A column of a table on disk."""

    kind: str  # its type in Arrow
    says: str  # its meaning
    of: Callable[[Any], Any] | None = None  # source -> values; None: the attribute of this name
    null: Any = NEVER  # the value for null
    names: tuple[str, ...] = ()  # the texts in the file, if the values are their numbers
    one: str = ""  # of a list with an entry for each seat: what the entry is called in SQL

    def values(self, name: str, source: Any) -> Any:
        """Its values. Two axes, or (ends, values), make lists."""
        return getattr(source, name) if self.of is None else self.of(source)

    @property
    def dtype(self) -> Any:
        """The type of its values in NumPy."""
        kind = self.kind.removeprefix("list<").removesuffix(">")
        return np.int8 if self.names else np.str_ if kind == "string" else np.dtype(kind)


def has_black(game: Game) -> bool:
    """Whether seats have colours that matter or change hands."""
    return bool(game.rules[ru.COLORED] or game.rules[ru.OPENING_RULE])


def _black(end: Ended) -> NDArray[np.int16]:
    """The seat with the black stones in each game; NOBODY where seats have no colours of that kind."""
    return end.states[:, st.BLACK] if has_black(end.game) else np.full(len(end.index), st.NOBODY, np.int16)


def _distances(end: Ended) -> NDArray[np.int16] | list[None]:
    """The steps that each seat's men have left, [G, players]; None where no men move."""
    return end.game.distances(end.states) if end.game.moves_men else [None] * len(end.index)


def held(*given: Any, **more: Any) -> Any:
    """A column that is also held in memory, as an array; see Column."""
    return field(metadata={"column": Column(*given, **more)})


@dataclass(frozen=True)
class Games:
    """The games of a match, an array for each column: [G] or, of lists, [G, players].

    Those declared as `ClassVar` are only in the files of a run.
    """

    index: NDArray[np.int64] = held("int64", "number of the game in the match")
    seed: ClassVar = Column(
        "uint64",
        "the random stream of the game at its start (amoba_experiments.arena.match.Match.streams)",
    )
    seats: ClassVar = Column(
        "list<string>",
        "the agent of each seat",
        lambda end: np.array(end.agents, object)[end.seating],
        one="agent",
    )
    seating: NDArray[np.int8] = held("list<int8>", "the same as numbers in the manifest's list of agents", one="number")
    starter: NDArray[np.int8] = held(
        "int8", "the seat that made the first move (after a given position: the seat to move there)"
    )
    opening: NDArray[np.uint64] = held("uint64", "a hash of the opening, whoever begins: equal for equal openings")
    opening_plies: ClassVar = Column("int32", "number of moves that are the opening")
    start: ClassVar = Column(
        "string", "the given position in which the moves begin; null: the start of the game", null=None
    )
    winner: NDArray[np.int8] = held("int8", "the seat that won; null: nobody", null=st.NOBODY)
    black: NDArray[np.int8] = held(
        "int8",
        "the seat with the black stones at the end; null where colours do not matter",
        _black,
        null=st.NOBODY,
    )
    black_won: ClassVar = Column(
        "bool",
        "whether the winner had the black stones; null: nobody won, or no colours",
        lambda end: np.where((end.winner < 0) | (_black(end) < 0), st.NOBODY, end.winner == _black(end)),
        null=st.NOBODY,
    )
    places: NDArray[np.int8] = held(
        "list<int8>", "the place of each seat, 1 is best; seats that share a place have the same number", one="place"
    )
    ending: NDArray[np.int8] = held(
        "string", f"{', '.join(ENDINGS[1:])}; resigned, time, agreed and left only where people play", names=ENDINGS
    )
    plies: NDArray[np.int32] = held("int32", "moves played, with the opening", lambda end: end.states[:, st.PLY])
    rounds: ClassVar = Column(
        "int32",
        "completed turns of all players: plies // players",
        lambda end: end.states[:, st.PLY] // end.game.players,
    )
    distances: ClassVar = Column(
        "list<int16>",
        "halma: steps that each seat's men had left; null elsewhere",
        _distances,
        null=None,
        one="distance",
    )
    digest: NDArray[np.uint64] = held("uint64", "a hash of opening and moves: equal for equal games")
    moves: ClassVar = Column("list<int32>", "the board actions; an illegal action that lost is the last one")
    incident: NDArray[np.str_] = held(
        "string", "what an agent reported, such as why it had no legal move; null: nothing", null=""
    )
    times: Mapping[str, tuple[int, float]] = field(default_factory=dict)  # of agents: moves, seconds; see TIMES

    @property
    def seconds_a_move(self) -> dict[str, float]:
        """The mean time of a move by agent, in seconds of wall time. A call of an agent is for many games at once."""
        return {agent: seconds / moves for agent, (moves, seconds) in self.times.items() if moves}

    @property
    def winning_agent(self) -> NDArray[np.int8]:
        """The agent that won each game, by its number in Match.agents; NOBODY if nobody did. [G]"""
        agents = self.seating[np.arange(len(self.winner)), np.maximum(self.winner, 0)]
        return np.where(self.winner >= 0, agents, np.int8(st.NOBODY))

    @classmethod
    def of(cls, ended: Ended) -> Games:
        """The columns of games that are over."""
        columns = {name: np.asarray(each.values(name, ended)).astype(each.dtype) for name, each in HELD.items()}
        return cls(**columns, times={agent: (moves, seconds) for agent, moves, seconds in ended.times})


HELD: dict[str, Column] = {each.name: each.metadata["column"] for each in fields(Games) if each.metadata}
COLUMNS: dict[str, Column] = {
    name: HELD.get(name) or getattr(Games, name) for name in Games.__annotations__ if name != "times"
}
TIMES = {  # how long agents took: a row for each file of a run and agent
    "first": Column("int64", "the first game of the file", lambda end: [end.index[0]] * len(end.times)),
    "games": Column("int64", "games in the file", lambda end: [len(end.index)] * len(end.times)),
    "agent": Column("string", "the agent", lambda end: [name for name, _, _ in end.times]),
    "moves": Column(
        "int64", "moves of the agent in these games, on all its seats", lambda end: [moves for _, moves, _ in end.times]
    ),
    "seconds": Column(
        "float64",
        "wall time of its calls; a call is for all games in which it is to move",
        lambda end: [seconds for _, _, seconds in end.times],
    ),
}


def joined(parts: Sequence[Games]) -> Games:
    """All these games as one table, in this order."""
    times: dict[str, tuple[int, float]] = {}
    for agent, (moves, seconds) in (each for part in parts for each in part.times.items()):
        before = times.get(agent, (0, 0.0))
        times[agent] = before[0] + moves, before[1] + seconds
    return Games(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in HELD}, times=times)
