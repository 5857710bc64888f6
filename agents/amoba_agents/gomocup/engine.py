"""One engine: its commands, its time limits, and the ways in which it loses.

While a game continues from the position that the engine knows, TURN tells it the opponent's move. Any other position (a
new game, an opening, a move taken back) begins with RESTART and START, then BEGIN, TURN or BOARD. Some engines forget
the old game only at RESTART, others only at START, so they get both. An engine that does not answer RESTART with OK is
restarted. SWAP2BOARD asks for the choices in the opening swap2.

Time is measured as by Gomocup's manager. A move may take the tolerance plus the time for a turn or the rest of the time
for the game, whichever is less. The time runs from writing the command to the engine's pipe until its answer is read.
Preparation does not count.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from amoba_agents.gomocup import positions
from amoba_agents.gomocup import protocol as pr
from amoba_agents.gomocup.positions import Failure, Stones
from amoba_agents.gomocup.process import Process, end
from amoba_env.core import state as st
from amoba_env.core.state import State
from amoba_env.games import Game

MEBIBYTE = 1 << 20
ABOUT_FIELD = re.compile(r'(\w+)="([^"]*)"')
BY_A_BRAIN = 1  # INFO game_type: against a program


class EngineSettings(NamedTuple):
    """Times are in milliseconds."""

    argv: tuple[str, ...]
    ms: int  # of a turn
    match_ms: int  # of a game; 0: no limit
    memory: int  # mebibytes; 0: no limit
    tolerance: int
    start_ms: int  # for START and RESTART
    engines: int  # number of processes at the same time


class Engine:
    """An engine, running or not.

    Attributes:
        game_number: the number of its game; 0: none.
        busy: it is thinking about a move.
    """

    def __init__(self, settings: EngineSettings) -> None:
        self.settings = settings
        self.process: Process | None = None
        self.game_number = 0
        self.busy = False
        self._known: Stones | None = None  # the board that it knows
        self._reported = ""  # the last error that it reported

    def move(self, game_number: int, game: Game, state: State, used: int) -> tuple[list[int], int]:
        """Ask for a move in a position.

        Args:
            game_number: the number of the game.
            game: the rules.
            state: int16[S], the position.
            used: milliseconds of the game's time that the engine has used.

        Returns:
            The actions of the answer, and the milliseconds that it took. In the opening swap2 an answer may be several
            actions, such as three stones. NOWHERE: a point off the board.

        Raises:
            Failure: no answer, or one that the protocol does not allow. The engine has been killed.
        """
        stones = positions.stones_of(state)
        left = max(0, self.settings.match_ms - used) if self.settings.match_ms else pr.UNLIMITED
        try:
            process, commands = self._commands_for(game_number, game, state, stones)
            self.game_number, self._known = game_number, None
            answer, ms = self._ask_move(process, commands, left)
            if state[st.PHASE]:
                return positions.swap2_actions(game, int(state[st.PHASE]), answer), ms
            cell = positions.cell_of(game, answer)
        except BaseException as reason:
            self.game_number, self._known = 0, None
            raise self._failed(reason) from None
        if cell != st.NOWHERE:
            stones[cell] = pr.OWN
        self._known = stones
        return [cell], ms

    def answers(self) -> None:
        """Start the program, send START, and end it. ERROR, such as for the size, counts as an answer.

        Raises:
            Failure: the program cannot be started, exits, or does not answer within settings.start_ms.
        """
        try:
            self.process = Process(self.settings.argv)
            self._send_and_wait(self.process, "START 15")
        except BaseException as reason:
            raise self._failed(reason) from None
        end([self.process])
        self.process = None

    def _failed(self, reason: BaseException) -> BaseException:
        """Kill the process; return the exception to raise."""
        status, process = 0, self.process
        if process is not None:
            self.process = None
            status = process.kill()
        said = f" ({self._reported})" if self._reported else ""
        if isinstance(reason, TimeoutError):
            return Failure(f"timeout: no answer to {reason}{said}")
        if isinstance(reason, EOFError):
            words = process.last_error_line if process is not None else ""
            return Failure(f"crash: exit status {status} after {reason}{f': {words}' if words else said}")
        if isinstance(reason, OSError):
            return Failure(f"cannot start: {reason.strerror or reason}")
        return reason

    def _commands_for(self, game_number: int, game: Game, state: State, stones: Stones) -> tuple[Process, list[str]]:
        """The process, and the commands that send it the position and ask for a move."""
        if state[st.PHASE]:
            return self._prepare(game), positions.swap2_commands(game, state, stones)
        process, knows = self.process, self._known if game_number == self.game_number else None
        if process is None or knows is None or positions.new_stone(knows, stones) is None:
            process, knows = self._prepare(game), np.zeros_like(stones)
            if game.n_cells < game.board.width * game.board.height:  # only BOARD can name blocked cells
                return process, positions.board_commands(game, state, stones)
            if not stones.any():
                return process, ["BEGIN"]
        new = positions.new_stone(knows, stones)
        if new is None:
            return process, positions.board_commands(game, state, stones)
        x, y = game.board.coords[new]
        return process, [f"TURN {x},{y}"]

    def _prepare(self, game: Game) -> Process:
        """The process, ready with the game's empty board."""
        settings, width, height = self.settings, game.board.width, game.board.height
        if self.process is not None and self._send_and_wait(self.process, "RESTART") != "OK":
            end([self.process])
            self.process = None
        self._reported = ""
        if self.process is None:
            self.process = Process(settings.argv)
        values = {
            "timeout_turn": settings.ms,
            "timeout_match": settings.match_ms,
            "max_memory": settings.memory * MEBIBYTE,
            "game_type": BY_A_BRAIN,
            "rule": pr.rule_of(game),
        }
        info = [f"INFO {key} {value}" for key, value in values.items()]
        start = f"START {width}" if width == height else f"RECTSTART {width},{height}"
        self.process.send(*info)  # some engines allocate their memory at START ...
        answer = self._send_and_wait(self.process, start)
        if answer != "OK":
            raise Failure(f"refused: {answer!r:.80} to {start}")
        self.process.send(*info)  # ... and some forget everything at START
        return self.process

    def _send_and_wait(self, process: Process, command: str) -> str:
        """The answer to START or RESTART: "OK", "ERROR ..." or "UNKNOWN ..."; "": no answer to RESTART."""
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
                self._reported = line[:80]  # UNKNOWN may be an answer to INFO
        except (TimeoutError, EOFError) as error:
            if command == "RESTART":
                return ""
            raise type(error)(command if isinstance(error, EOFError) else f"{command} in time") from None

    def _ask_move(self, process: Process, commands: Sequence[str], left: int) -> tuple[str, int]:
        """The line that answers the commands, and the milliseconds that it took."""
        settings, name = self.settings, commands[0].split()[0]
        process.discard_unread()
        asked = time.perf_counter()
        process.send(f"INFO time_left {left}", *commands)
        limit = (settings.tolerance + min(left, settings.ms)) / 1000
        try:
            begun, when, line = _receive(process, asked, limit)
            while (word := line.partition(" ")[0].upper()) in ("SUGGEST", "ERROR", "UNKNOWN", "OK"):
                if word == "SUGGEST":
                    process.send(f"PLAY {line.partition(' ')[2]}")
                elif word != "OK":
                    self._reported = line[:80]
                when, line = process.receive(begun + limit)  # not from PLAY on
            return line, max(0, int(np.ceil((when - begun) * 1000)))
        except TimeoutError:
            late = " (the game's time is used up)" if left < settings.ms else ""
            raise TimeoutError(f"{name} in time{late}") from None
        except EOFError:
            raise EOFError(name) from None


def _receive(process: Process, asked: float, limit: float) -> tuple[float, float, str]:
    """When the clock started, when the next line came, and the line.

    The clock starts when the command is written to the pipe: on a busy machine the writing thread may wake up late.

    Raises:
        TimeoutError, EOFError: see Process.receive.
    """
    while True:
        begun = max(asked, process.written_at)
        try:
            return begun, *process.receive(begun + limit)
        except TimeoutError:
            if process.written_at <= begun:
                raise


def about(settings: EngineSettings, limit_ms: int) -> dict[str, str]:
    """The answer of a program to ABOUT: name, version, author, country.

    A separate process answers, because some engines hang at this command. Empty without an answer within limit_ms
    milliseconds, or if the answer has another form.
    """
    try:
        process = Process(settings.argv)
    except OSError:
        return {}
    try:
        process.send("ABOUT")
        until = time.perf_counter() + limit_ms / 1000
        while not (found := dict(ABOUT_FIELD.findall(process.receive(until)[1]))):
            pass
        return found
    except (TimeoutError, EOFError):
        return {}
    finally:
        end([process])
