"""What an agent would play in positions of others' games, and where it says that those went wrong."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from amoba_agents import make_agent
from amoba_agents.alphabeta import AlphaBeta
from amoba_agents.alphabeta.search import PROVEN
from amoba_env.core.state import PHASE, PLY, TO_MOVE, States
from amoba_env.games import Game

SIZE = 256  # positions at a time
KEEP = 16  # times as many are asked between two times the file is written


class Adviser:
    """An agent that is asked once about a position; its answers are kept in a file."""

    def __init__(self, game: Game, agent: str, folder: Path, progress: Callable[[int, int], None]) -> None:
        """Take up what is known already.

        Args:
            game: the rules.
            agent: its text. The position alone seeds its random numbers: answers do not depend on who asks when.
            folder: of the file advice-AGENT.npz. Without it, as is right after a change of the agent, all is asked
                again.
            progress: called with how many of how many answers are known.
        """
        self.game, self.agent, self.progress = game, make_agent(agent), progress
        self.file = folder / f"advice-{quote(agent, safe='')}.npz"
        self.known: dict[int, tuple[int, int]] = {}
        if self.file.exists():
            with np.load(self.file) as kept:
                pairs = zip(kept["moves"].tolist(), kept["values"].tolist(), strict=True)
                self.known = dict(zip(kept["digests"].tolist(), pairs, strict=True))

    def ask(self, states: States) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """What the agent would play, in the board's own numbers, and what it says that is worth. int64 [N] and [N].

        Worth is as of amoba_agents.alphabeta, where proofs lie beyond +-PROVEN; 0 says nothing, as all other agents do.
        """
        unique, first, back = np.unique(digests(states), return_index=True, return_inverse=True)
        new = np.flatnonzero([digest not in self.known for digest in unique.tolist()])
        for begin in range(0, len(new), SIZE):
            part = new[begin : begin + SIZE]
            moves, values = self._answers(states[first[part]], unique[part])
            self.known.update(
                zip(unique[part].tolist(), zip(moves.tolist(), values.tolist(), strict=True), strict=True)
            )
            if begin // SIZE % KEEP == KEEP - 1 or part[-1] == new[-1]:
                self._write()
            self.progress(len(unique) - len(new) + begin + len(part), len(unique))
        known = np.array([self.known[digest] for digest in unique.tolist()], np.int64).reshape(-1, 2)[back]
        return known[:, 0], known[:, 1]

    def _answers(self, states: States, streams: NDArray[np.uint64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        if isinstance(self.agent, AlphaBeta) and not states[:, PHASE].any():
            return self.agent.think(self.game, states, streams)
        memory = np.zeros((len(states), self.agent.memory(self.game)), np.int16)
        return self.agent.act(self.game, states, streams, memory), np.zeros(len(states), np.int32)

    def _write(self) -> None:
        part = self.file.with_name(f".{self.file.name}.{os.getpid()}")
        moves, values = np.array([*self.known.values()], np.int64).T
        with part.open("wb") as out:
            np.savez(out, digests=np.array([*self.known], np.uint64), moves=moves, values=values)
        part.replace(self.file)


def digests(states: States) -> NDArray[np.uint64]:
    """A hash of 64 bits of each position, the same on every machine. uint64 [N]."""
    rows = (hashlib.blake2b(row.tobytes(), digest_size=8).digest() for row in states.astype("<i2"))
    return np.frombuffer(b"".join(rows), "<u8").astype(np.uint64)


def blunders(
    adviser: Adviser,
    states: States,
    actions: NDArray[np.int64],
    games: NDArray[np.int64],
    results: NDArray[np.float32],
) -> NDArray[np.intp]:
    """Where games were lost: each player's last move before the search of the adviser proves that it has lost.

    Few searches a game find it, by halving. If the adviser had played that move too it is left out: it knows no better.

    Args:
        adviser: an alphabeta.
        states, actions, games, results: decisions, see amoba_experiments.runs.replay.decisions.

    Returns:
        Their rows, at most one of each game and player.
    """
    order, player = in_turn(states, games)
    rows, player = order[results[order] < 0], player[results[order] < 0]
    low = np.flatnonzero(np.diff(player, prepend=-1))  # of each player the first row, and later one not lost
    high = np.append(low[1:], len(rows))  # of each the first row of the next, and later one that is lost
    while (apart := np.flatnonzero(high - low > 1)).size:
        middle = (low[apart] + high[apart]) // 2
        lost = adviser.ask(states[rows[middle]])[1] <= -PROVEN
        high[apart[lost]], low[apart[~lost]] = middle[lost], middle[~lost]
    moves, values = adviser.ask(states[rows[low]])
    found: NDArray[np.intp] = rows[low[(values > -PROVEN) & (moves != actions[rows[low]])]]
    return found


def missed(adviser: Adviser, states: States, actions: NDArray[np.int64], games: NDArray[np.int64]) -> NDArray[np.intp]:
    """Where wins were let go: the search of the adviser proves one, but none any more at the player's next move.

    Args: as of `blunders`, of games that were not won. Returns the rows.
    """
    order, player = in_turn(states, games)
    moves, values = adviser.ask(states[order])
    won = values >= PROVEN
    still = np.append(won[1:] & (player[1:] == player[:-1]), False)
    found: NDArray[np.intp] = order[won & ~still & (moves != actions[order])]
    return found


def in_turn(states: States, games: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """The rows of decisions, those of a player in a game after another; and a number of each's player and game."""
    player = games * (int(states[:, TO_MOVE].max(initial=0)) + 1) + states[:, TO_MOVE]
    order = np.lexsort((states[:, PLY], player))
    return order, player[order]
