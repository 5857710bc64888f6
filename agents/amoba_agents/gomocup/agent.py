"""The player `gomocup`: an engine plays each game."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from amoba_agents.gomocup.engine import Engine, EngineSettings, about
from amoba_agents.gomocup.pool import pool_of
from amoba_agents.gomocup.positions import Failure
from amoba_agents.gomocup.protocol import rule_of
from amoba_env.agent import Actions, Agent, Memory, Streams
from amoba_env.core import opening_rules as op
from amoba_env.core import play
from amoba_env.core import state as st
from amoba_env.core.interrupt import joins_this_call
from amoba_env.core.state import State, States
from amoba_env.games import Game
from amoba_env.options import Option, named
from amoba_env.position import why_illegal

SCRIPTS = {".jar", ".js", ".lua", ".pl", ".py", ".pyz", ".rb", ".sh"}  # files that interpreters run
INTRODUCTION_MS = 2000  # for ABOUT, while a person waits for a match
# The memory of a game: its number and the milliseconds used, two int16 words each, and the planned actions.
NUMBERS, PLANNED = 4, 2
MOST = 2**31 - 1  # the largest number of the protocol


class Gomocup(Agent):
    """A program that speaks the Gomocup protocol, such as gomocup:./engine,ms=300.

    It thinks in another process, so the seed does not determine its moves. If it gives no legal move in time, it loses
    the game, and `incidents` says why.

    Attributes:
        incidents: (row, reason) for the rows of the last call without a legal move.
        at_once: the number of engines.
    """

    at_once: int

    @named("gomocup")
    def __init__(
        self,
        command: Annotated[str, Option("the program and its arguments, as in a shell")] = "",
        ms: Annotated[int, Option("milliseconds for a turn", 0, MOST)] = 1000,
        match_ms: Annotated[int, Option("milliseconds for all its turns in a game; 0: no limit", 0, MOST)] = 0,
        memory: Annotated[
            int, Option("the memory limit that is sent to the engine, in MiB; 0: no limit", 0, MOST)
        ] = 64,
        tolerance: Annotated[int, Option("milliseconds by which a move may be late", 0, MOST)] = 1000,
        start_ms: Annotated[
            int, Option("milliseconds to get ready for a game, which do not count as thinking time", 0, MOST)
        ] = 10_000,
        engines: Annotated[
            int, Option("processes at the same time, in all threads together; 0: one for each core", 0, MOST)
        ] = 0,
    ) -> None:
        """Set the command and the limits. No process is started yet.

        The command is split as in a shell, without expansion. In the text of an agent a comma in the command needs
        quotes: gomocup:"./my engine" "--set a,b",ms=300. If there are more games than engines, games share engines: an
        engine that changes to another game gets its position again.

        Raises:
            ValueError: the program does not exist, or a number is out of range.
        """
        try:
            parts = shlex.split(command, posix=os.name != "nt")  # Windows has backslashes in paths
        except ValueError as error:
            raise ValueError(f"gomocup: expected a command as in a shell, got {command!r}: {error}") from None
        quoted = re.compile(r"""(["'])(.*?)\1""")
        argv = tuple(part if os.name != "nt" else quoted.sub(r"\2", part) for part in parts)
        if not argv:
            raise ValueError("gomocup: expected gomocup:COMMAND with the command that runs an engine")
        if shutil.which(argv[0]) is None:
            raise ValueError(f"gomocup: the program {argv[0]} does not exist")
        self.at_once = engines or os.cpu_count() or 1
        self._made_with = command, ms, match_ms, memory, tolerance, start_ms, engines
        self._pool = pool_of(EngineSettings(argv, ms, match_ms, memory, tolerance, start_ms, self.at_once))
        self._game_numbers: list[int] = []
        weakref.finalize(self, self._pool.release, self._game_numbers)

    def __reduce__(self) -> tuple[object, ...]:
        return Gomocup, self._made_with

    def memory(self, game: Game) -> int:
        """Words for the number of the game, the time used, and planned actions of the opening.

        Raises:
            ValueError: the protocol does not know the game.
        """
        rule_of(game)
        return NUMBERS + PLANNED

    def reads(self, game: Game) -> dict[str, Path | None]:
        """The program, and the arguments that are programs. What else they read is unknown."""
        program, *arguments = self._pool.settings.argv
        scripts: dict[str, Path | None] = {each: Path(each) for each in arguments if _is_program(each)}
        return {program: Path(shutil.which(program) or program), **scripts, f"what {program} reads": None}

    def act(self, game: Game, states: States, rng: Streams, memory: Memory) -> Actions:
        """See Agent. Engines work on all rows in parallel, as far as there are enough engines."""
        numbers = np.ascontiguousarray(memory[:, :NUMBERS]).view(np.int32)  # [B, 2]
        actions = np.full(len(states), st.NOWHERE, np.int32)
        reasons = [""] * len(states)

        def ask(row: int) -> None:
            if numbers[row, 0] == 0:
                numbers[row, 0] = next(self._pool.game_numbers)
                self._game_numbers.append(int(numbers[row, 0]))
            game_number, used = numbers[row].tolist()
            planned = _still_planned(states[row], memory[row, NUMBERS:])
            try:
                if not planned:
                    with self._pool.engine(game_number) as engine:
                        planned, ms = engine.move(game_number, game, states[row], used)
                    numbers[row, 1] = min(used + ms, MOST)
                actions[row], *later = planned
                memory[row, NUMBERS:] = [each + 1 for each in later] + [0] * (PLANNED - len(later))
                if not play.is_legal(game.rules, states[row], np.int64(actions[row])):
                    reasons[row] = f"illegal move: {_why(game, states[row], int(actions[row]))}"
            except Failure as failure:
                reasons[row] = str(failure)

        if len(states) == 1:
            ask(0)
        else:
            with ThreadPoolExecutor(min(len(states), self.at_once), initializer=joins_this_call()) as threads:
                list(threads.map(ask, range(len(states))))
        memory[:, :NUMBERS] = numbers.view(np.int16)
        self.incidents = [(row, reason) for row, reason in enumerate(reasons) if reason]
        return actions

    def used_ms(self, game: Game, memory: Memory) -> int:
        """See Agent."""
        return int(memory[:NUMBERS].copy().view(np.int32)[1])

    def check(self) -> None:
        """Start the program once, in a separate process.

        Raises:
            ValueError: the program cannot be started, or it exits.
            TimeoutError: it does not answer START within start_ms.
        """
        try:
            Engine(self._pool.settings).answers()
        except Failure as failure:
            kind = TimeoutError if str(failure).startswith("timeout") else ValueError
            raise kind(f"gomocup: {failure}") from None

    def about(self) -> dict[str, str]:
        """The program's answer to ABOUT: name, version, author, country; empty if it does not answer."""
        settings = self._pool.settings
        return about(settings, settings.start_ms)

    def introduction(self) -> str:
        """The program's name, version and author: "Brain 1.0 by Ann"; "" without an answer in INTRODUCTION_MS."""
        found = about(self._pool.settings, INTRODUCTION_MS)
        what = " ".join(filter(None, (found.get("name"), found.get("version"))))
        return " by ".join(filter(None, (what, found.get("author"))))


def _still_planned(state: State, planned: NDArray[np.int16]) -> list[int]:
    """The remaining actions of an earlier answer in the opening swap2, if they belong to this position."""
    actions = [int(each) - 1 for each in planned if each]
    if state[st.PHASE] in (op.PUT_THREE, op.PUT_TWO):
        return actions if state[st.LEFT] == len(actions) else []
    stones = int((state[st.CELLS :] >= 0).sum())
    return actions if state[st.PHASE] == op.PLAYING and len(actions) == 1 and stones in (3, 5) else []


def _is_program(argument: str) -> bool:
    """Whether an argument is an executable or a script. (Other files may be logs that the engine writes.)"""
    if not os.path.isfile(argument):
        return False
    return Path(argument).suffix in SCRIPTS or bool(os.stat(argument).st_mode & 0o111)


def _why(game: Game, state: np.ndarray, action: int) -> str:
    return "not on the board" if action == st.NOWHERE else why_illegal(game, state, action).partition(": ")[2]
