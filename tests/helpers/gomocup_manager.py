"""A scripted manager of engines, in this process."""

import re

import numpy as np

from amoba_agents.gomocup.protocol import lines
from amoba_env.games import Game
from amoba_experiments.gomocup.brain import Brain

POINT = re.compile(r"(\d+),(\d+)")


class Manager:
    """Says a line when all that was said before is answered."""

    def __init__(self, agent: str = "random") -> None:
        self.said: list[str] = []
        self.unread = b""
        self.seconds = self.waited = 0.0
        clocks = (lambda: self.seconds), (lambda: self.seconds - self.waited)
        self.engine = Brain(agent, self._read, self.said.append, *clocks)

    def _read(self, count: int) -> bytes:
        unread, self.unread = self.unread, b""
        return unread

    def __call__(self, *said: str, end: str = "\r\n") -> list[str]:
        """The answers to these lines."""
        self.said.clear()
        self.unread = "".join(line + end for line in said).encode()
        self.engine._lines = lines(self._read)
        self.engine.serve()
        return list(self.said)


def point(answer: str) -> tuple[int, int]:
    found = POINT.fullmatch(answer)
    assert found, answer
    return int(found[1]), int(found[2])


def cell(game: Game, at: tuple[int, int]) -> int:
    return int(np.flatnonzero((game.board.coords == at).all(axis=1))[0])
