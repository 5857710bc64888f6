"""The threads in which players think, so that no room waits for another one."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any

from amoba_agents.gomocup import close_engines
from amoba_env.games import Game
from amoba_experiments.web.server_players import ServerPlayers

THINKERS = 2  # players that think at the same time, besides players that get ready, and engines (other processes)


class Thinkers:
    """Threads for players.

    THINKERS threads serve the players that any thread may use. Each other player and each engine has its own thread.
    The first answer of a player in a game may wait for the compiler and comes from another thread.
    """

    def __init__(self, players: ServerPlayers) -> None:
        self.players = players
        self._pool = ThreadPoolExecutor(THINKERS, thread_name_prefix="thinker")
        self._first = ThreadPoolExecutor(1, thread_name_prefix="first")
        self._own: dict[str, ThreadPoolExecutor] = {}  # by player
        self._places = threading.Semaphore(THINKERS)
        self._known: set[tuple[str, str]] = set()  # players and games that are compiled

    def close(self) -> None:
        """Accept no more questions. Players finish their answers, but engines end, because they may hang."""
        for pool in (self._pool, self._first, *self._own.values()):
            pool.shutdown(wait=False, cancel_futures=True)
        if self.players.engines:
            close_engines()

    async def ask(
        self, game: Game, name: str, question: Callable[[Any], Any], begins: Callable[[], object] = lambda: None
    ) -> Any:
        """The answer of a player, who thinks in another thread.

        `begins` is called in that thread when the player begins to think. It is not called for a first answer or an
        engine, where thinking cannot be told from preparation.
        """
        made = self.players.made(name)
        agent, alone = await asyncio.to_thread(self.players.agent, name) if made is None else made
        known, engine = (name, game.name) in self._known, name in self.players.engines
        thinks = known and not engine

        def answer() -> Any:
            with self._places if thinks else nullcontext():
                if thinks:
                    begins()
                return question(agent)

        pool = self._thread_of(name) if alone or engine else self._pool if known else self._first
        answered = await asyncio.get_running_loop().run_in_executor(pool, answer)
        self._known.add((name, game.name))
        return answered

    def _thread_of(self, name: str) -> ThreadPoolExecutor:
        if name not in self._own:
            self._own[name] = ThreadPoolExecutor(1, thread_name_prefix=f"thinker {name}")
        return self._own[name]
