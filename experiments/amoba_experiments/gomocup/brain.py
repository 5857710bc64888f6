"""The engine: it reads a manager's commands and answers them."""

from __future__ import annotations

import gc
import re
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from queue import SimpleQueue
from typing import Any

from amoba_agents import Agent, Seat, describe, make_agent
from amoba_agents.alphabeta import AlphaBeta
from amoba_agents.gomocup import protocol as pr
from amoba_agents.registry import AGENTS, read_agent
from amoba_env import __version__, games
from amoba_env.games import Game
from amoba_env.options import option_of, parameters
from amoba_env.records.rules import game_on
from amoba_experiments.gomocup.board import Point, forbidden, game_of, position_of, swap2
from amoba_experiments.gomocup.clock import LEAST_MS, TimeManager

LIMITS = {"nodes": "max_node", "depth": "max_depth"}  # options of players, and their names in INFO


class End(Exception):
    """The manager ended the conversation."""


class Brain:
    """One conversation with a manager."""

    def __init__(
        self,
        agent: str,
        read: Callable[[int], bytes],
        write: Callable[[str], object],
        now: Callable[[], float] = time.perf_counter,
        used: Callable[[], float] = time.process_time,
    ) -> None:
        """Start a conversation. ValueError for an unknown player.

        Args:
            agent: the player's text. Its own time limit is kept; without one the manager's applies.
            read: called with a number: waits for input and returns at most this many bytes; no bytes mean the end.
            write: called with a line of the output: sends it at once.
            now: a clock in seconds.
            used: the processor time of this process in seconds; another thread computes while this one waits.
        """
        self.text = agent
        self._name, self._options = read_agent(agent)
        make_agent(agent)
        self._takes_time = "ms" in describe(self._name)[1] and "ms" not in self._options
        self._lines, self._write = pr.lines(read), write
        self._agents: dict[tuple[int, ...], Agent] = {}  # its limits -> the last player
        self._stopped = False  # by YXSTOP, which the thread that reads hears at once
        self.info: dict[str, int] = {}
        self.clock = TimeManager(now, used, self.info)
        self.width = self.height = 0  # 0: no START yet
        self.fields: dict[Point, int] = {}  # OWN, THEIRS, BLOCKED, in the order of play
        self.seat: tuple[Game, Seat] | None = None  # the player in the present game
        self._commands: dict[str, Callable[[str], str | None]] = {
            "start": self.start,
            "rectstart": self.start,
            "restart": self.restart,
            "begin": self.begin,
            "turn": self.turn,
            "play": self.play,
            "board": self.board,
            "swap2board": self.swap2board,
            "takeback": self.takeback,
            "info": self.tell,
            "yxboard": self.yxboard,
            "yxnbest": self.begin,
            "yxswap2step1": lambda _: self.yxswap2(()),
            "yxswap2step2": lambda _: self.yxswap2(tuple(self.fields)),
            "yxswap2step3": lambda _: self.yxswap2(tuple(self.fields)),
            "yxstop": self.stopped,
            "yxshowforbid": self.show_forbidden,
            "yxshowinfo": lambda _: "MESSAGE INFO MAX_THREAD_NUM 1",
            "yxhashclear": lambda _: self._agents.clear(),
            "yxblockreset": lambda _: None,
            "yxblockpathreset": lambda _: None,
            "about": self.about,
            "end": self.end,
        }

    def serve(self) -> None:
        """Answer until END or the end of the input.

        Python's garbage is collected after an answer, while the manager thinks. In the middle of a move it could take
        more time than the move has left.
        """
        collects = gc.isenabled()
        gc.disable()
        self._said = self._heard()
        try:
            for line in self._said:
                self._answer(line)
                gc.collect(1)
        except (End, BrokenPipeError):
            pass
        finally:
            if collects:
                gc.enable()

    def _heard(self) -> Iterator[str]:
        """The lines as they come. A thread reads them, so that the engine hears YXSTOP while the player thinks."""
        said: SimpleQueue[str | None] = SimpleQueue()

        def read() -> None:
            try:
                for line in self._lines:
                    if line.lower() == "yxstop":
                        self._stop(True)
                    said.put(line)
            finally:
                said.put(None)

        threading.Thread(target=read, daemon=True).start()
        return iter(said.get, None)

    def _stop(self, now: bool) -> None:
        self._stopped = now
        for agent in list(self._agents.values()):
            agent.stop(now)

    def _answer(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        command = self._commands.get(word.lower())
        if command is None:
            self._write(f"UNKNOWN {line[:80]}")
            return
        self.clock.begin()
        try:
            answer = command(rest.strip())
        except End:
            raise
        except Exception as error:  # the engine goes on after any error, also after one of the player
            answer = f"ERROR {' '.join(str(error).split()) or type(error).__name__}"
        if answer is not None:
            self._write(answer)
        self.clock.end()

    def start(self, size: str) -> str:
        """START n, START w h (Yixin), RECTSTART w,h: an empty board.

        Trial moves compile and load all that moves need, in renju too; the last one shows how busy the machine is.
        All garbage is collected, so that none is left for the first move.
        """
        found = re.fullmatch(r"(\d+)(?:\s*[,\s]\s*(\d+))?", size)
        if found is None:
            raise ValueError(f"expected a board such as START 15 or RECTSTART 20,15, got {size[:20]!r}")
        self.width = 0
        wide, high = int(found[1]), int(found[2] or found[1])
        game_on(wide, high, None, {})
        self.width, self.height = wide, high
        self.restart("")
        with suppress(ValueError):  # no square, or a player that does not play renju
            self._try_moves(pr.RENJU)
        self._try_moves(0)
        self.clock.measure()
        gc.collect(1)
        return "OK"

    def _try_moves(self, rule: int) -> None:
        for fields in ({}, {(0, 0): pr.OWN, (1, 0): pr.THEIRS}):
            self.clock.begin()
            trial = position_of(game_of(self.width, self.height, rule, frozenset()), fields)
            trial.is_legal(Seat(self._agent(LEAST_MS), trial).act(trial))

    def restart(self, _: str) -> str:
        """RESTART: the same board, empty."""
        self._started()
        self.fields, self.seat = {}, None
        self.clock.new_game()
        return "OK"

    def begin(self, _: str) -> str:
        """BEGIN: the first move."""
        self._started()
        return self._move()

    def turn(self, point: str) -> str:
        """TURN x,y: the opponent's move. After an error its stone is removed, so that TURN can be sent again."""
        at = self._put(point, pr.THEIRS)
        try:
            return self._move()
        except Exception:
            del self.fields[at]
            raise

    def play(self, point: str) -> str:
        """PLAY x,y: put our stone on the point that the manager names."""
        x, y = self._put(point, pr.OWN)
        return f"{x},{y}"

    def takeback(self, point: str) -> str:
        """TAKEBACK x,y: remove a stone."""
        at = self._point(point)
        if self.fields.get(at) not in (pr.OWN, pr.THEIRS):
            raise ValueError(f"no stone on {point}")
        del self.fields[at]
        return "OK"

    def board(self, _: str) -> str:
        """BOARD ... DONE: a position, and a move in it."""
        self.yxboard("")
        return self._move()

    def yxboard(self, _: str) -> None:
        """YXBOARD ... DONE: a position, without a move."""
        fields: dict[Point, int] = {}
        for line in self._until_done():
            point, _, field = line.rpartition(",")
            at = self._point(point)
            if field.strip() not in ("1", "2", "3"):
                raise ValueError(f"expected a line x,y,1 or 2 or 3, got {line[:20]!r}")
            if at in fields:
                raise ValueError(f"two stones on {point}")
            fields[at] = int(field)
        self.fields, self.seat = fields, None

    def stopped(self, _: str) -> None:
        """YXSTOP: the search that it stopped has answered; the next one is not stopped."""
        self._stop(False)

    def show_forbidden(self, _: str) -> str:
        """YXSHOWFORBID: Black's forbidden points, two digits for each number; none if White is to move."""
        self._started()
        return f"FORBID {''.join(f'{x:02}{y:02}' for x, y in forbidden(self._game(), self.fields))}."

    def swap2board(self, _: str) -> str:
        """SWAP2BOARD ... DONE: three points, one or two points, or SWAP."""
        return self._swap2([self._point(line) for line in self._until_done()])

    def yxswap2(self, points: Sequence[Point]) -> str:
        """YXSWAP2STEP1: three stones; 2, 3: a choice about those of YXBOARD. YES: our side now has Black."""
        answer = self._swap2(points)
        put = answer.split()
        if points and len(put) == 1:
            return f"MESSAGE SWAP2 SWAP{len(points) // 2} {'YES' if answer == 'SWAP' else 'NO'}"
        stones = enumerate((stone.replace(",", " ") for stone in put), len(points) + 1)
        return "\n".join(f"MESSAGE SWAP2 MOVE{number} {stone}" for number, stone in stones)

    def _swap2(self, points: Sequence[Point]) -> str:
        self._started()
        if len(points) not in (0, 3, 5) or len(set(points)) < len(points):
            raise ValueError("expected none, three or five different points")
        if self._rule() not in pr.RULES or self.width != self.height:
            raise ValueError("swap2 is played in gomoku, on a square")
        game = games.make("gomoku", size=self.width, rule=pr.RULES[self._rule()], opening="swap2")
        answer = swap2(game, self._agent(self.clock.give()), points)
        self.clock.end(measure=False)  # players ignore the clock in openings, so the delay has no meaning
        return answer

    def tell(self, text: str) -> None:
        """INFO key value: keep a number, ignore any other value."""
        key, _, value = text.partition(" ")
        if re.fullmatch(r"\s*-?\d{1,15}\s*", value):
            self.info[key.lower()] = int(value)
        if self.info.get("rule") == pr.YIXIN_RENJU:
            self.info["rule"] = pr.RENJU
        if key.lower() == "time_left":
            self.clock.told_time_left()
        if key.lower() == "rule" and self.width:
            with suppress(ValueError):  # INFO is not answered, not even by ERROR
                self._game()  # make the game now, before the clock runs

    def about(self, _: str) -> str:
        """ABOUT: the name, version and author of the engine."""
        name = self.text.replace('"', "'")
        return f'name="amoba {name}", version="{__version__}", author="The amoba authors", country=""'

    def end(self, _: str) -> None:
        """END."""
        raise End

    def _started(self) -> None:
        if not self.width:
            raise ValueError("expected START first")

    def _point(self, text: str) -> Point:
        self._started()
        found = pr.POINT.fullmatch(text)
        if found is None:
            raise ValueError(f"expected a point x,y, got {text[:20]!r}")
        x, y = int(found[1]), int(found[2])
        if not (x < self.width and y < self.height):
            raise ValueError(f"{x},{y} is outside of the board")
        return x, y

    def _put(self, text: str, whose: int) -> Point:
        point = self._point(text)
        if point in self.fields:
            raise ValueError(f"{text} is taken")
        self.fields[point] = whose
        return point

    def _until_done(self) -> list[str]:
        """The lines up to DONE. All are read even if one is wrong: the rest would be taken for commands otherwise."""
        found: list[str] = []
        for line in self._said:
            if line.upper() == "DONE":
                self._started()
                self.clock.begin()
                return found
            if line.upper() == "END":
                raise End
            if line.upper() == "YXSTOP":
                self.stopped("")
            else:
                found.append(line)
        raise End

    def _rule(self) -> int:
        return self.info.get("rule", 0)

    def _game(self) -> Game:
        blocked = frozenset(point for point, field in self.fields.items() if field == pr.BLOCKED)
        return game_of(self.width, self.height, self._rule(), blocked)

    def _move(self) -> str:
        """Let the player move, and return the point as text."""
        game = self._game()
        position = position_of(game, self.fields)
        if position.over:
            raise ValueError("the game is over")
        agent = self._agent(self.clock.give())
        if self.seat is None or self.seat[0] != game:
            self.seat = game, Seat(agent, position, secrets.randbits(32))
        self.seat[1].agent = agent
        action = self.seat[1].act(position)
        if not position.is_legal(action):
            raise ValueError(f"the player played {action}, which is illegal")
        x, y = game.board.coords[action].tolist()
        self.fields[x, y] = pr.OWN
        return f"{x},{y}"

    def _agent(self, ms: int) -> Agent:
        """The player with this time limit and those of INFO. When one changes, a new player takes over its tables."""
        options: dict[str, Any] = {"ms": ms} if self._takes_time else {}
        for name, parameter in parameters(AGENTS.function(self._name)).items():
            limit = self.info.get(LIMITS.get(name, ""), 0)
            if limit > 0 and name not in self._options:
                options[name] = min(limit, int(option_of(parameter).most or limit))
        key = tuple(options.values())
        if key not in self._agents:
            agent = AGENTS.function(self._name)(**self._options, **options)
            for earlier in self._agents.values():
                if isinstance(agent, AlphaBeta) and isinstance(earlier, AlphaBeta):
                    agent.tables = earlier.tables
            self._agents = {key: agent}
            if self._stopped:  # before there was this player
                agent.stop()
        return self._agents[key]
