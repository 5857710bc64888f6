"""Games at the terminal with scripted persons and agents."""

import io
import re
from collections.abc import Callable, Iterable
from typing import NoReturn

import numpy as np
from rich.console import Console

from amoba_agents import Agent, make_agent
from amoba_env import games, notation
from amoba_env.agent import Actions, Memory, Streams
from amoba_env.core import state as st
from amoba_env.core.state import States
from amoba_env.games import Game
from amoba_experiments.people.terminal import TerminalGame, play

TICTACTOE, GOMOKU, HALMA = games.make("tictactoe"), games.make("gomoku"), games.make("halma")
GAMES = (TICTACTOE, GOMOKU, HALMA)
COMMANDS = ("undo", "hint", "moves", "distance", "history", "time", "score", "resign", "new", "quit", "help")
COMMANDS += ("level", "save", "export")
ADVISER = "lookahead:2"  # quick


class Scripted(Agent):
    """Plays the game's moves from a list of all of them, its own and the others'; an action may be illegal."""

    name = "scripted"

    def __init__(self, moves: str | list[int]) -> None:
        self.moves = moves.split() if isinstance(moves, str) else moves

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        move = self.moves[states[0, st.PLY]]
        return np.array([notation.parse_move(game, move) if isinstance(move, str) else move], np.int32)

    def __deepcopy__(self, memo: object) -> NoReturn:
        raise AssertionError("agents may be large")


class Session:
    """A person at the prompt. `replies` has what was printed before the first line and after each one."""

    def __init__(
        self,
        game: Game,
        lines: Iterable[str | BaseException],
        against: str | list[Agent] = "random",
        seat: int = 0,
        first: int = 0,
        seed: int = 0,
        goes_on: Callable[["Session"], str] | None = None,
    ) -> None:
        self.out, self.replies, self.at = io.StringIO(), list[str](), 0
        self.lines, self.goes_on = iter(lines), goes_on
        agents = [make_agent(against)] if isinstance(against, str) else against
        play(game, seat, agents, seed, first, Console(file=self.out), self.read, ADVISER)
        self.note()

    def note(self) -> str:
        self.replies.append(self.out.getvalue()[self.at :])
        self.at = len(self.out.getvalue())
        return self.replies[-1]

    def read(self, prompt: str) -> str:
        assert prompt
        self.note()
        line = next(self.lines, None)
        if line is None:
            if self.goes_on is None or "your turn" not in self.last_status():
                raise EOFError
            return self.goes_on(self)
        if isinstance(line, BaseException):
            raise line
        return line

    def last_status(self) -> str:
        return str(re.findall(r"^.* moves?(?: played| \().*$", self.out.getvalue(), re.MULTILINE)[-1])


def by_hints(session: Session) -> str:
    """The person takes all advice."""
    found = re.fullmatch(r"lookahead:2 would play (\S+)\n", session.replies[-1])
    return found[1] if found else "hint"


def carelessly(session: Session) -> str:
    """The person plays the first legal move."""
    game = HALMA if "Bring your men" in session.replies[0] else GOMOKU
    if "your turn" in session.replies[-1]:
        return "moves"
    first = session.replies[-1].split("\n")[0].split()
    return f"{first[0]}-{first[2]}" if game is HALMA else first[0]


def table_of(game: Game, against: str = "random", seat: int = 0, first: int = 0) -> tuple[TerminalGame, io.StringIO]:
    out = io.StringIO()
    agents = {other: make_agent(against) for other in range(game.players) if other != seat}
    table = TerminalGame(game, seat, agents, 0, first, Console(file=out), ADVISER)
    table.greet()
    return table, out
