"""One engine: what is said to it, until when it has to answer, and why it loses if it does not.

The engine is told a move by TURN as long as the game goes on from what it knows; any other position (another game, an
opening, a move taken back) comes as RESTART, START and then BEGIN, TURN or BOARD, whichever says it. Some engines
forget the old game only at RESTART, others only at START: they get both. One that does not answer RESTART with OK is
ended and started anew.

After the judge of Gomocup: a move may take the tolerance and the least of the turn's time and what is left of the
game's; to get ready is not counted.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from amoba_agents.gomocup.process import Process, end
from amoba_agents.gomocup.protocol import BLOCKED, EMPTY, OWN, POINT, THEIRS, UNLIMITED, rule_of
from amoba_env.core.state import CELLS, NOWHERE, TO, TO_MOVE, State
from amoba_env.games import Game

Stones = NDArray[np.int8]  # [n] EMPTY, OWN or THEIRS

MEBIBYTE = 1 << 20
BY_A_BRAIN = 1  # INFO game_type: the opponent is a program


class Settings(NamedTuple):
    """What engines are run with. Times are milliseconds."""

    argv: tuple[str, ...]
    ms: int  # of a turn
    match_ms: int  # of a game; 0: no limit
    memory: int  # mebibytes; 0: no limit
    tolerance: int
    start_ms: int  # for START and RESTART
    engines: int  # at the same time


class Failure(Exception):
    """The engine gave no move, and why."""


class Engine:
    """An engine, running or not.

    Attributes:
        task: the number of the game that it is in; 0 for none.
        busy: whether somebody is asking it.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.process: Process | None = None
        self.game_number = 0
        self.busy = False
        self._known: Stones | None = None  # the board as it has it
        self._reported = ""  # errors that it reported

    def move(self, game_number: int, game: Game, state: State, used: int) -> tuple[int, int]:
        """Its move in a position of game number `task`, of whose time it has used some.

        Returns:
            The cell, NOWHERE if it is none of the board, and the time taken, in milliseconds.

        Raises:
            Failure: it gave none; then it is not running any more.
        """
        stones = _stones(state)
        left = max(0, self.settings.match_ms - used) if self.settings.match_ms else UNLIMITED
        try:
            process, commands = self._commands_for(game_number, game, state, stones)
            self.game_number, self._known = game_number, None
            point, ms = self._ask_move(process, commands, left)
        except BaseException as reason:
            self.game_number, self._known = 0, None
            raise self._failed(reason) from None
        cells = np.flatnonzero((game.board.coords == point).all(axis=1))
        stones[cells] = OWN
        self._known = stones
        return (int(cells[0]) if cells.size else NOWHERE), ms

    def _failed(self, reason: BaseException) -> BaseException:
        """The process is ended; what to raise."""
        status, process = 0, self.process
        if process is not None:
            self.process = None
            status = process.kill()
        said = f" ({self._said})" if self._reported else ""
        if isinstance(reason, TimeoutError):
            return Failure(f"timeout: no answer to {reason}{said}")
        if isinstance(reason, EOFError):
            words = process.last_error_line if process is not None else ""
            return Failure(f"crash: exit status {status} after {reason}{f': {words}' if words else said}")
        if isinstance(reason, OSError):
            return Failure(f"cannot start: {reason.strerror or reason}")
        return reason

    # What is said.

    def _commands_for(self, game_number: int, game: Game, state: State, stones: Stones) -> tuple[Process, list[str]]:
        """The process, ready for the commands that tell the position and ask for a move, and these."""
        process, knows = self.process, self._known if game_number == self.game_number else None
        if process is None or knows is None or _new(knows, stones) is None:
            process, knows = self._prepare(game), np.zeros_like(stones)
            if game.n_cells < game.board.width * game.board.height:  # blocked cells are for BOARD to tell
                return process, _board(game, state, stones)
            if not stones.any():
                return process, ["BEGIN"]
        new = _new(knows, stones)
        if new is None:
            return process, _board(game, state, stones)
        x, y = game.board.coords[new]
        return process, [f"TURN {x},{y}"]

    def _prepare(self, game: Game) -> Process:
        """The process, on the empty board of the game."""
        settings, width, height = self.settings, game.board.width, game.board.height
        if self.process is not None and self._send_and_wait(self.process, "RESTART") != "OK":
            end([self.process])
            self.process = None
        self._reported = ""
        if self.process is None:
            self.process = Process(settings.argv)
        known = {
            "timeout_turn": settings.ms,
            "timeout_match": settings.match_ms,
            "max_memory": settings.memory * MEBIBYTE,
            "game_type": BY_A_BRAIN,
            "rule": rule_of(game),
        }
        info = [f"INFO {key} {value}" for key, value in known.items()]
        start = f"START {width}" if width == height else f"RECTSTART {width},{height}"
        self.process.send(*info)  # memory is often taken at START ...
        answer = self._send_and_wait(self.process, start)
        if answer != "OK":
            raise Failure(f"refused: {answer!r:.80} to {start}")
        self.process.send(*info)  # ... and some forget all at START
        return self.process

    def _send_and_wait(self, process: Process, command: str) -> str:
        """The answer to START or RESTART: "OK", "ERROR ..." or "UNKNOWN ..."."""
        process.discard_unread()
        process.send(command)
        until = time.perf_counter() + self.settings.start_ms / 1000
        try:
            while True:
                _, line = process.receive(until)
                word = line.split()[0].upper()
                if word == "OK":
                    return "OK"
                if word == "ERROR" or (word == "UNKNOWN" and command == "RESTART"):
                    return line
                self._reported = line[:80]  # an UNKNOWN may be about an INFO
        except (TimeoutError, EOFError) as error:
            if command == "RESTART":
                return ""
            raise type(error)(command if isinstance(error, EOFError) else f"{command} in time") from None

    def _ask_move(self, process: Process, commands: Sequence[str], left: int) -> tuple[tuple[int, int], int]:
        """The answer to commands as x and y, and the milliseconds that it took."""
        settings, name = self.settings, commands[0].split()[0]
        process.discard_unread()
        begun = time.perf_counter()
        process.send(f"INFO time_left {left}", *commands)
        until = begun + (settings.tolerance + min(left, settings.ms)) / 1000
        try:
            while True:
                when, line = process.receive(until)
                word, _, rest = line.partition(" ")
                if word.upper() == "SUGGEST":
                    process.send(f"PLAY {rest}")
                elif word.upper() in ("ERROR", "UNKNOWN"):
                    self._reported = line[:80]
                elif word.upper() != "OK":
                    point = POINT.fullmatch(line)
                    if point is None:
                        raise Failure(f"protocol error: {line!r:.80} for a move")
                    return (int(point[1]), int(point[2])), int(np.ceil((when - begun) * 1000))
        except TimeoutError:
            late = " (the game's time is used up)" if left < settings.ms else ""
            raise TimeoutError(f"{name} in time{late}") from None
        except EOFError:
            raise EOFError(name) from None


def _stones(state: State) -> Stones:
    """The board as the player to move sees it."""
    cells = state[CELLS:]
    return np.where(cells < 0, EMPTY, np.where(cells == state[TO_MOVE], OWN, THEIRS)).astype(np.int8)


def _new(knows: Stones, stones: Stones) -> int | None:
    """The cell of the opponent's stone, if it is all that has come."""
    new = np.flatnonzero(knows != stones)
    if len(new) == 1 and knows[new[0]] == EMPTY and stones[new[0]] == THEIRS:
        return int(new[0])
    return None


def _board(game: Game, state: State, stones: Stones) -> list[str]:
    """BOARD with its lines.

    Black and white take turns, and the last move comes last: a possible order of play, which is wanted in renju.
    """
    black = THEIRS if (stones == OWN).sum() < (stones == THEIRS).sum() else OWN
    first, second = ([*np.flatnonzero(stones == whose)] for whose in (black, OWN + THEIRS - black))
    for own in (first, second):
        own.sort(key=lambda cell: cell == state[TO])
    order = [cell for pair in zip_longest(first, second) for cell in pair if cell is not None]
    points = [(*game.board.coords[cell].tolist(), int(stones[cell])) for cell in order]
    cells = set(map(tuple, game.board.coords.tolist()))
    grid = ((x, y) for y in range(game.board.height) for x in range(game.board.width))
    points += [(x, y, BLOCKED) for x, y in grid if (x, y) not in cells]
    return ["BOARD", *(f"{x},{y},{field}" for x, y, field in points), "DONE"]
