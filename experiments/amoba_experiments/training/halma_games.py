"""The games that `endgame`'s chances in halma with three players are learned from, see halma_chances.py.

In the first round best-reply search has all seats. In the others a player with the chances of the round before meets
two of OTHERS. Games begin with some random moves, and a random move now and then makes them differ.

Games of the player against itself are left out. With a fifth of them it learned worse: each seat expects the others to
answer as `brs` would, so all three think too well of their chances.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amoba_agents import make_agent
from amoba_agents.endgame import chances
from amoba_agents.players.endgame import VALUE_UNIT, Endgame
from amoba_env.agent import Agent
from amoba_env.core import state as st
from amoba_env.core.play import apply, moves
from amoba_env.core.rng import TRAINING, streams
from amoba_env.files import written_whole
from amoba_env.games import Game, make_from

GAME = "halma"
PLAYER_NODES = 6000
FIRST_PLAYER = "brs:4,width=8"  # of all seats in the first round: nearly as strong as brs:4, in a seventh of the time
OTHERS = ("brs:4", "brs:4,width=8", "lookahead:2", "mcts:64")
SHARES = (0.15, 0.45, 0.2, 0.2)  # of the games
SHARD = 500  # games in a file
BATCH_GAMES = 100
OPENING = range(4, 7)  # random moves at the beginning
RANDOM_MOVES = 0.03  # share of the moves that are random
SEARCHED = 0.2  # weight of the chance that a search finds; the rest is that of what happened later


class Player(Endgame):
    """The player of the games, with the chances of a file."""

    def __init__(self, file: Path) -> None:
        super().__init__(nodes=PLAYER_NODES)
        self.file = file

    def _network(self) -> chances.ChanceNetwork:
        return chances.network(self.file)


def play(file: Path | None, game: Game, games: int, seed: np.random.SeedSequence) -> dict[str, NDArray[Any]]:
    """Positions after moves of seats: states, seats, whether these won (results), what is learned (targets), games."""
    draw = np.random.default_rng(seed)
    stream = streams(int(seed.generate_state(1)[0]), 0, games)
    found: dict[str, list[Any]] = {name: [] for name in ("states", "seats", "results", "targets", "games")}
    for first in range(0, games, BATCH_GAMES):
        rows = np.arange(first, min(first + BATCH_GAMES, games))
        for number, (seats, kept, winner) in zip(rows, _batch(file, game, stream[rows], draw), strict=True):
            for seat in seats:
                for state, target in _examples(kept, seat, winner, game.players):
                    found["states"].append(state)
                    found["seats"].append(seat)
                    found["results"].append(float(winner == seat))
                    found["targets"].append(target)
                    found["games"].append(number)
    return {name: np.array(column) for name, column in found.items()}


def _examples(kept: list[Any], seat: int, winner: int, players: int) -> list[tuple[Any, float]]:
    """The positions after the seat's moves, with the result blended with the chances that its later searches found."""
    found, target = [], float(winner == seat)
    for state, chance in reversed(kept):
        if state[st.TO_MOVE] == seat and chance is not None:
            target = SEARCHED * chance + (1 - SEARCHED) * target
        elif state[st.TO_MOVE] == (seat + 1) % players:
            found.append((state, target))
    return found


def _batch(
    file: Path | None, game: Game, stream: NDArray[np.uint64], draw: np.random.Generator
) -> list[tuple[list[int], list[Any], int]]:
    """Games side by side: of each the seats to learn for, positions with the chances that were found, the winner."""
    count = len(stream)
    agents: list[Agent] = [make_agent(name) for name in OTHERS]
    agents.append(Player(file) if file else make_agent(FIRST_PLAYER))  # its number is `main`
    main = len(OTHERS)
    kinds = draw.choice(len(OTHERS), count, p=SHARES) if file else np.full(count, main)
    own = draw.integers(game.players, size=count)
    begin = draw.choice(OPENING, count)
    states, kept = game.batch(count), [[] for _ in range(count)]  # type: ignore[var-annotated]
    room = np.empty(game.n_actions, np.int64)
    while (rows := np.flatnonzero(states[:, st.STATUS] == st.RUNNING)).size:
        actions, found = np.zeros(count, np.int64), np.full(count, np.nan)
        chosen = (states[rows, st.PLY] < begin[rows]) | (draw.random(len(rows)) < RANDOM_MOVES)
        for row in rows[chosen]:
            actions[row] = draw.choice(room[: moves(game.rules, states[row], room)])
        rest = rows[~chosen]
        movers = np.where(states[rest, st.TO_MOVE] == own[rest], main, kinds[rest])
        for number, agent in enumerate(agents):
            some = rest[movers == number]
            if some.size:
                part = stream[some]
                if isinstance(agent, Player):
                    actions[some], values = agent.think(game, states[some], part)
                    found[some] = values / VALUE_UNIT
                else:
                    actions[some] = agent.act(game, states[some], part, np.empty((len(some), 0), np.int16))
                stream[some] = part
        for row in rows:
            if states[row, st.PLY] >= begin[row]:
                kept[row].append((states[row].copy(), None if np.isnan(found[row]) else found[row]))
            apply(game.rules, states[row], int(actions[row]))
    everybody = list(range(game.players))
    return [
        ([int(seat)] if file else everybody, positions, int(state[st.STATUS]))
        for seat, positions, state in zip(own, kept, states, strict=True)
    ]


def shard(folder: Path, file: Path | None, part: int, seed: int) -> Path:
    """Play a part of a round's games with the chances of a file, unless that was done; the part's file."""
    out = folder / f"{part}.npz"
    if not out.exists():
        draws = np.random.SeedSequence(seed, spawn_key=(TRAINING, part))
        found = play(file, make_from(GAME, {}), SHARD, draws)
        with written_whole(out) as temporary, temporary.open("wb") as where:
            np.savez_compressed(where, **found)  # type: ignore[arg-type]
    return out
