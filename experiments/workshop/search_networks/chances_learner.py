"""Learning the chances of `mcts,evaluation=learned` in halma with two or three players, from games.

Games begin with some random moves, and a random move now and then makes them differ. Each seat is drawn from
`first_player` and from players with the chances of the rounds before. The network learns who won, from the games of all
rounds so far.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

from amoba_agents import make_agent
from amoba_agents.endgame import chances as own_chances
from amoba_agents.endgame.race_board import load
from amoba_agents.endgame.race_tables import tables_for
from amoba_agents.mcts import leaf_chances as seat_chances
from amoba_agents.mcts.mcts_player import Mcts
from amoba_env.agent import Agent
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.jit import jit
from amoba_env.core.play import apply, moves
from amoba_env.core.rng import Stream
from amoba_env.core.rules import Rules
from amoba_env.core.state import State, States
from amoba_env.games import Game, make_from
from workshop.search_networks.loop import GameFiles, NetworkLearner, PartKey, passes, read, whole_numbers

GAME = "halma"
BATCH = 512
TESTED = 20  # every this many games one is kept for the test


# --- Games -----------------------------------------------------------------------------------------------------------


def play(
    agents: Sequence[Agent],
    seated: NDArray[np.int64],
    begin: NDArray[np.int64],
    share: float,
    game: Game,
    stream: Stream,
    draw: np.random.Generator,
) -> list[tuple[list[State], int]]:
    """Games side by side: of each the positions and the winner.

    Args:
        agents: who play.
        seated: int[games, players], the number of the agent on each seat.
        begin: int[games], how many random moves begin the game; positions are kept from then on.
        share: of the moves that are random later.
        game: the rules.
        stream: uint64[games], of the agents.
        draw: of the random moves.
    """
    count = len(stream)
    states, kept = game.batch(count), [[] for _ in range(count)]  # type: ignore[var-annotated]
    room = np.empty(game.n_actions, np.int64)
    while (rows := np.flatnonzero(states[:, st.STATUS] == st.RUNNING)).size:
        actions = np.zeros(count, np.int64)
        chosen = (states[rows, st.PLY] < begin[rows]) | (draw.random(len(rows)) < share)
        for row in rows[chosen]:
            actions[row] = draw.choice(room[: moves(game.rules, states[row], room)])
        rest = rows[~chosen]
        movers = seated[rest, states[rest, st.TO_MOVE]]
        for number, agent in enumerate(agents):
            some = rest[movers == number]
            if some.size:
                part = stream[some]
                actions[some] = agent.act(game, states[some], part, np.empty((len(some), 0), np.int16))
                stream[some] = part
        for row in rows:
            if states[row, st.PLY] >= begin[row]:
                kept[row].append(states[row].copy())
            apply(game.rules, states[row], int(actions[row]))
    return [(positions, int(state[st.STATUS])) for positions, state in zip(kept, states, strict=True)]


# --- The network ----------------------------------------------------------------------------------------------------


class ChancesLearner(nn.Module):
    """The network of amoba_agents.endgame.chances, with numbers that are not rounded."""

    def __init__(self, all_rows: int) -> None:
        super().__init__()
        self.rows = nn.EmbeddingBag(all_rows, own_chances.FIRST, mode="sum")
        nn.init.normal_(self.rows.weight, 0, 0.15)
        self.bias = nn.Parameter(torch.zeros(own_chances.FIRST))
        self.hidden = nn.Linear(own_chances.FIRST, own_chances.HIDDEN)
        self.odds = nn.Linear(own_chances.HIDDEN, 1)

    def forward(self, rows: Tensor) -> Tensor:
        """Logarithms of odds, [B]."""
        found: Tensor = self.odds(torch.relu(self.hidden(torch.relu(self.rows(rows) + self.bias)))).squeeze(1)
        return found

    def whole(self) -> dict[str, NDArray[np.int16]]:
        """Whole numbers, see chances.py. Raises ValueError if one is too large."""
        named = {
            "rows": self.rows.weight,
            "bias": self.bias,
            "hidden": self.hidden.weight.T,
            "hidden_bias": self.hidden.bias,
            "odds": self.odds.weight.flatten(),
            "odds_bias": self.odds.bias,
        }
        return whole_numbers(named, own_chances.UNIT_BITS)


def fit(rows: Tensor, won: Tensor, games: NDArray[np.int64], all_rows: int, epochs: int, seed: int) -> ChancesLearner:
    """Learn from positions; print the log loss of each pass, on games that are not learned from.

    Args:
        rows: int32[B, rows of a position].
        won: float32[B], the results, 1 or 0.
        games: int64[B], the number of each position's game.
        all_rows: how many rows the network has.
        epochs: passes over the positions.
        seed: of the order of positions.
    """
    learned, tested = np.flatnonzero(games % TESTED != 0), np.flatnonzero(games % TESTED == 0)
    learner = ChancesLearner(all_rows)

    def loss(part: NDArray[np.intp]) -> Tensor:
        return binary_cross_entropy_with_logits(learner(rows[part]), won[part])

    for epoch in passes(learner, loss, learned, epochs, BATCH, seed):
        with torch.no_grad():
            found_loss = float(binary_cross_entropy_with_logits(learner(rows[tested]), won[tested]))
        print(f"{len(rows):,} positions, pass {epoch} of {epochs}: log loss {found_loss:.4f}", flush=True)
    return learner


def columns_of(files: Sequence[Path], names: tuple[str, ...]) -> list[NDArray[Any]]:
    """These columns of files of games, one file after the other."""
    return [np.concatenate(columns) for columns in zip(*(read(file, names) for file in files), strict=True)]


# --- Learning --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MctsChances(NetworkLearner):
    """The chances of `mcts` in halma with two or three players."""

    players: int = 2
    # In each round. With two players, the games of a second round are twice as long, and what is learned from them is
    # weaker against playouts (80 instead of 93 % of the points).
    games: tuple[int, ...] = (8_000,)
    part_games: int = 1_000
    games_at_once: int = 100
    epochs: int = 3
    first_player: str = "mcts:100"
    sims: int = 100  # of the players with learned chances
    opening: range = range(4, 9)  # random moves at the beginning
    random_moves: float = 0.04  # share of the moves that are random

    columns = "states", "winners"

    @property
    def file(self) -> Path:
        """See NetworkLearner."""
        return seat_chances.file_for(self.players)

    def rounds(self) -> list[list[PartKey]]:
        """See NetworkLearner."""
        return [[(self.players, part) for part in range(-(-games // self.part_games))] for games in self.games]

    def play(
        self, part: PartKey, known: Sequence[Path], stream: Stream, draw: np.random.Generator
    ) -> list[list[tuple[Any, ...]]]:
        """See NetworkLearner."""
        learned = [Mcts(self.sims, evaluation="learned", values=str(file)) for file in known]
        agents = [make_agent(self.first_player), *learned]
        return self.play_in(make_from(GAME, {"players": self.players}), agents, stream, draw)

    def play_in(
        self, game: Game, agents: Sequence[Agent], stream: Stream, draw: np.random.Generator
    ) -> list[list[tuple[Any, ...]]]:
        """Games of these agents, whatever the rules."""
        seated = draw.integers(len(agents), size=(len(stream), game.players))
        begin = draw.choice(self.opening, len(stream))
        found = play(agents, seated, begin, self.random_moves, game, stream, draw)
        return [[(state, winner) for state in kept] for kept, winner in found]

    def fit(self, rounds: Sequence[GameFiles], seed: int) -> dict[str, NDArray[np.int16]]:
        """See NetworkLearner."""
        return self.learn([file for games in rounds for file in games.values()], seed).whole()

    def learn(self, files: list[Path], seed: int) -> ChancesLearner:
        """Learn from these games."""
        rules, seats = make_from(GAME, {"players": self.players}).rules, np.arange(self.players)
        states, winners, games = columns_of(files, (*self.columns, "games"))
        rows = np.full((len(states), self.players, seat_chances.MOST_ROWS), -1, np.int32)
        write_rows_of_seats(rules, seat_chances.room_for(rules, tables_for(rules)), states, rows)
        used = rows.reshape(-1, seat_chances.MOST_ROWS)
        used = used[:, : int((used[0] >= 0).sum())]
        won = torch.as_tensor((winners[:, None] == seats).ravel()).float()
        numbers = np.repeat(games, self.players)
        return fit(torch.as_tensor(used), won, numbers, seat_chances.ALL_ROWS, self.epochs, seed)


@jit
def write_rows_of_seats(
    rules: Rules, room: seat_chances.ChancesScratch, states: States, out: NDArray[np.int32]
) -> None:
    """Write the network's rows for positions, as each seat sees them, to `out`, int32[N, players, MOST_ROWS]."""
    for i in range(len(states)):
        load(room.work, rules, states[i])
        for seat in range(rules[ru.PLAYERS]):
            to_move, t, b = np.int64(states[i, st.TO_MOVE]), room.work.tables, room.work.board
            seat_chances.position_rows(t, b, np.int64(rules[ru.PLAYERS]), np.int64(seat), to_move, out[i, seat])
