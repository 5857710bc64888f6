"""Learning the chances of `endgame` and of `mcts,evaluation=learned` in halma, from games.

Games begin with some random moves, and a random move now and then makes them differ.

`endgame`, three players: in the first round best-reply search has all seats. In the others a player with the chances of
the round before meets two of OTHERS. Games of the player against itself are left out. With a fifth of them it learned
worse: each seat expects the others to answer as `brs` would, so all three think too well of their chances.

`mcts`, two or three players: each seat is drawn from `first_player` and from players with the chances of the rounds
before. The network learns who won, from the games of all rounds so far.
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
from amoba_agents.endgame import race_board as rb
from amoba_agents.endgame.race_board import RaceWork
from amoba_agents.endgame.race_tables import tables_for
from amoba_agents.mcts import leaf_chances as seat_chances
from amoba_agents.mcts.mcts_player import Mcts
from amoba_agents.players.endgame_player import VALUE_UNIT, Endgame
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

BEST_REPLY = "brs:4,width=8"  # nearly as strong as brs:4, in a seventh of the time
OTHERS = ("brs:4", "brs:4,width=8", "lookahead:2", "mcts:64")
SHARES = (0.15, 0.45, 0.2, 0.2)  # of the games
SEARCHED = 0.2  # weight of the chance that a search finds; the rest is that of what happened later


# --- Games -----------------------------------------------------------------------------------------------------------


def play(
    agents: Sequence[Agent],
    seated: NDArray[np.int64],
    begin: NDArray[np.int64],
    share: float,
    game: Game,
    stream: Stream,
    draw: np.random.Generator,
) -> list[tuple[list[tuple[State, float]], int]]:
    """Games side by side: of each the positions, with the chance that `endgame` found or NaN, and the winner.

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
        actions, found = np.zeros(count, np.int64), np.full(count, np.nan)
        chosen = (states[rows, st.PLY] < begin[rows]) | (draw.random(len(rows)) < share)
        for row in rows[chosen]:
            actions[row] = draw.choice(room[: moves(game.rules, states[row], room)])
        rest = rows[~chosen]
        movers = seated[rest, states[rest, st.TO_MOVE]]
        for number, agent in enumerate(agents):
            some = rest[movers == number]
            if some.size:
                part = stream[some]
                if isinstance(agent, Endgame):
                    actions[some], values = agent.think(game, states[some], part)
                    found[some] = values / VALUE_UNIT
                else:
                    actions[some] = agent.act(game, states[some], part, np.empty((len(some), 0), np.int16))
                stream[some] = part
        for row in rows:
            if states[row, st.PLY] >= begin[row]:
                kept[row].append((states[row].copy(), float(found[row])))
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


def fit(
    rows: Tensor, targets: Tensor, won: Tensor, games: NDArray[np.int64], all_rows: int, epochs: int, seed: int
) -> ChancesLearner:
    """Learn from positions; print the log loss of each pass, on held-out games.

    Args:
        rows: int32[B, rows of a position].
        targets: float32[B], the chances to learn.
        won: float32[B], the results, 1 or 0, on which the log loss is measured.
        games: int64[B], the number of each position's game.
        all_rows: how many rows the network has.
        epochs: passes over the positions.
        seed: of the order of positions.
    """
    learned, tested = np.flatnonzero(games % TESTED != 0), np.flatnonzero(games % TESTED == 0)
    learner = ChancesLearner(all_rows)

    def loss(part: NDArray[np.intp]) -> Tensor:
        return binary_cross_entropy_with_logits(learner(rows[part]), targets[part])

    for epoch in passes(learner, loss, learned, epochs, BATCH, seed):
        with torch.no_grad():
            found_loss = float(binary_cross_entropy_with_logits(learner(rows[tested]), won[tested]))
        print(f"{len(rows):,} positions, pass {epoch} of {epochs}: log loss {found_loss:.4f}", flush=True)
    return learner


def columns_of(files: Sequence[Path], names: tuple[str, ...]) -> list[NDArray[Any]]:
    """These columns of files of games, one file after the other."""
    return [np.concatenate(columns) for columns in zip(*(read(file, names) for file in files), strict=True)]


# --- endgame ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class EndgameChances(NetworkLearner):
    """The chances of `endgame` with three players."""

    part_games: int = 500
    games_at_once: int = 100
    epochs: int = 3
    games: tuple[int, ...] = (6_000, 5_000, 8_000, 8_000)  # in each round
    nodes: int = 6000  # of the player
    opening: range = range(4, 7)  # random moves at the beginning
    random_moves: float = 0.03  # share of the moves that are random

    file = own_chances.FILE
    columns = "states", "seats", "results", "targets"

    def rounds(self) -> list[list[PartKey]]:
        """See NetworkLearner."""
        return [[(part,) for part in range(-(-games // self.part_games))] for games in self.games]

    def play(
        self, part: PartKey, known: Sequence[Path], stream: Stream, draw: np.random.Generator
    ) -> list[list[tuple[Any, ...]]]:
        """See NetworkLearner."""
        return self.play_in(make_from(GAME, {}), known, stream, draw)

    def play_in(
        self, game: Game, known: Sequence[Path], stream: Stream, draw: np.random.Generator
    ) -> list[list[tuple[Any, ...]]]:
        """The same in a game of other rules."""
        count, own_number = len(stream), len(OTHERS)
        agents = [make_agent(name) for name in OTHERS]
        agents.append(Endgame(nodes=self.nodes, values=str(known[-1])) if known else make_agent(BEST_REPLY))
        kinds = draw.choice(len(OTHERS), count, p=SHARES) if known else np.full(count, own_number)
        own = draw.integers(game.players, size=count)
        seated = np.repeat(kinds[:, None], game.players, 1)
        seated[np.arange(count), own] = own_number
        begin = draw.choice(self.opening, count)
        found = play(agents, seated, begin, self.random_moves, game, stream, draw)
        everybody = range(game.players)
        return [
            [row for seat in ((int(seat),) if known else everybody) for row in examples(*played, seat, game.players)]
            for seat, played in zip(own, found, strict=True)
        ]

    def fit(self, rounds: Sequence[GameFiles], seed: int) -> dict[str, NDArray[np.int16]]:
        """See NetworkLearner."""
        return self.learn(list(rounds[-1].values()), seed).whole()

    def learn(self, files: list[Path], seed: int) -> ChancesLearner:
        """Learn from these games."""
        states, seats, results, targets, games = columns_of(files, (*self.columns, "games"))
        rows = torch.as_tensor(rows_after_moves(states, seats))
        chances, won = (torch.as_tensor(each).float() for each in (targets, results))
        return fit(rows, chances, won, games, own_chances.ROWS, self.epochs, seed)


def examples(
    kept: list[tuple[State, float]], winner: int, seat: int, players: int
) -> list[tuple[State, int, float, float]]:
    """The positions after the seat's moves, with the result blended with the chances that its later searches found."""
    found, won = [], float(winner == seat)
    target = won
    for state, chance in reversed(kept):
        if state[st.TO_MOVE] == seat and not np.isnan(chance):
            target = SEARCHED * chance + (1 - SEARCHED) * target
        elif state[st.TO_MOVE] == (seat + 1) % players:
            found.append((state, seat, won, target))
    return found


def rows_after_moves(states: States, seats: NDArray[np.int64]) -> NDArray[np.int32]:
    """The network's rows for positions after a move of these seats, int32[N, ROWS_OF_A_POSITION]."""
    rules = make_from(GAME, {}).rules
    board = np.empty(rb.MEN_AT + rules[ru.PLAYERS] * rules[ru.MEN], np.int64)
    keys = np.zeros((rules[ru.PLAYERS], rules[ru.N_CELLS]), np.int64)
    room = np.zeros(1, np.int64)
    out = np.empty((len(states), own_chances.ROWS_OF_A_POSITION), np.int32)
    _write_rows(rules, RaceWork(tables_for(rules), keys, room[:, None], board, room[:, None], room), states, seats, out)
    return out


@jit
def _write_rows(rules: Rules, w: RaceWork, states: States, seats: NDArray[np.int64], out: NDArray[np.int32]) -> None:
    for i in range(len(states)):
        rb.load(w, rules, states[i])
        b, seat = w.board, seats[i]
        at = own_chances.steady_rows(w.tables, b, own_chances.SEATS, seat, out[i])
        own_chances.moving_rows(b, own_chances.SEATS, seat, b[rb.ON + seat], b[rb.NEED + seat], out[i, at:])


# --- mcts ------------------------------------------------------------------------------------------------------------


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
        return [[(state, winner) for state, _ in kept] for kept, winner in found]

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
        return fit(torch.as_tensor(used), won, won, numbers, seat_chances.ALL_ROWS, self.epochs, seed)


@jit
def write_rows_of_seats(
    rules: Rules, room: seat_chances.ChancesScratch, states: States, out: NDArray[np.int32]
) -> None:
    """Write the network's rows for positions, as each seat sees them, to `out`, int32[N, players, MOST_ROWS]."""
    for i in range(len(states)):
        rb.load(room.work, rules, states[i])
        for seat in range(rules[ru.PLAYERS]):
            to_move, t, b = np.int64(states[i, st.TO_MOVE]), room.work.tables, room.work.board
            seat_chances.position_rows(t, b, np.int64(rules[ru.PLAYERS]), np.int64(seat), to_move, out[i, seat])
