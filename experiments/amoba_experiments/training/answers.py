"""The moves that an agent would play in positions of other games. Answers are cached in a file."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from amoba_agents import fingerprint, make_agent
from amoba_env.agent import ask, new_memory
from amoba_env.core import play
from amoba_env.core.state import States
from amoba_env.games import Game
from amoba_experiments.runs.files import replace

SIZE = 128  # positions at a time
KEEP = 16  # batches between two writes of the file


class Answers:
    """An agent that is asked once about each position."""

    def __init__(
        self, game: Game, agent: str, folder: Path, threads: int, progress: Callable[[str, int, int], None]
    ) -> None:
        """Read the known answers.

        Args:
            game: the rules.
            agent: its text. Its random numbers are seeded by the position alone, so answers do not depend on the order.
            folder: the folder of answers-AGENT-DIGEST.npz. The digest is of the rules and of the agent's files. Delete
                this file if the agent's own program has changed.
            threads: the number of threads that search.
            progress: called with a description, the number of known answers, and the number of all.
        """
        self.game, self.agent, self.progress = game, make_agent(agent), progress
        self.threads = threads if self.agent.rowwise else 1
        self.what = f"answers of {agent}"
        rules = json.dumps([game.name, dict(game.options), fingerprint(agent, game)], sort_keys=True).encode()
        digest = hashlib.blake2b(rules, digest_size=4).hexdigest()
        self.file = folder / f"answers-{quote(agent, safe='')}-{digest}.npz"
        self.known: dict[int, int] = {}
        if self.file.exists():
            with np.load(self.file) as kept:
                self.known = dict(zip(kept["digests"].tolist(), kept["moves"].tolist(), strict=True))

    def ask(self, states: States) -> NDArray[np.int64]:
        """The agent's moves (board actions), int64 [N]. ValueError if one is illegal."""
        unique, first, back = np.unique(digests(states), return_index=True, return_inverse=True)
        new = np.flatnonzero([digest not in self.known for digest in unique.tolist()])
        parts = [new[begin : begin + SIZE] for begin in range(0, len(new), SIZE)]
        done = len(unique) - len(new)
        if len(new):
            self.progress(self.what, done, len(unique))
        with ThreadPoolExecutor(self.threads) as pool:
            for begin in range(0, len(parts), KEEP):
                some = parts[begin : begin + KEEP]
                found = pool.map(lambda part: self._answers(states[first[part]], unique[part]), some)
                try:
                    for part, moves in zip(some, found, strict=True):
                        self.known.update(zip(unique[part].tolist(), moves.tolist(), strict=True))
                        done += len(part)
                        self.progress(self.what, done, len(unique))
                finally:
                    self._write()
        return np.array([self.known[digest] for digest in unique.tolist()], np.int64)[back]

    def _answers(self, states: States, streams: NDArray[np.uint64]) -> NDArray[np.int32]:
        moves = ask(self.agent, self.game, states, streams, new_memory(self.agent, self.game, len(states)))
        for row, (state, move) in enumerate(zip(states, moves.tolist(), strict=True)):
            if not (0 <= move < self.game.n_actions and play.is_legal(self.game.rules, state, np.int64(move))):
                why = dict(self.agent.incidents).get(row, f"illegal move of {self.agent.name}")
                raise ValueError(f"a teacher has to answer, but: {why}")
        return moves

    def _write(self) -> None:
        data = io.BytesIO()
        np.savez(data, digests=np.array([*self.known], np.uint64), moves=np.array([*self.known.values()], np.int64))
        self.file.parent.mkdir(parents=True, exist_ok=True)
        replace(self.file, data.getbuffer())


def digests(states: States) -> NDArray[np.uint64]:
    """A hash of 64 bits of each position, the same on every machine. uint64 [N]."""
    rows = (hashlib.blake2b(row.tobytes(), digest_size=8).digest() for row in states.astype("<i2"))
    return np.frombuffer(b"".join(rows), "<u8").astype(np.uint64)
