"""alphabeta with a limit of time: tables kept from move to move."""

import random
from typing import Any

import numpy as np
import pytest
from effort import cases

from amoba_agents import Seat
from amoba_agents.alphabeta import AlphaBeta
from amoba_agents.alphabeta import lines as li
from amoba_agents.alphabeta.alphabeta_search import PROVEN
from amoba_agents.alphabeta.kept_tables import MOST, KeptTables
from amoba_agents.values.exact import Solver
from amoba_env import Position, games
from amoba_env.core import state as st
from amoba_env.core.rng import streams

GAME = games.make("gomoku", size=9)
BEFORE = "e5 e6 d5"


def a_table() -> np.ndarray:
    return li.hash_table(li.workspace(GAME.rules), GAME.n_cells, 4)


@pytest.mark.parametrize(
    ("moves", "goes_on"),
    [
        ("e5 e6 d5 d6 c5", True),
        ("d5 e6 e5 d6 c5", True),  # the same stones, put in another order
        ("e5 e6 d5 d6 c5 c6 f7", True),
        ("e5 e6 d5", False),  # no stone more
        ("e5", False),  # moves were taken back
        ("e5 e6 d5 d6", False),  # the other player is to move
        ("e5 e6 a1 d6 c5", False),
        ("e6 e5 d6 d5 c6", False),  # the colours are exchanged
    ],
)
def test_a_table_is_kept_for_later_positions_of_a_game(moves: str, goes_on: bool) -> None:
    tables, table = KeptTables(), a_table()
    tables.keep(GAME, Position.from_moves(GAME, BEFORE).state, table)
    later = Position.from_moves(GAME, moves).state
    for other in (games.make("gomoku", size=9, rule="exact"), games.make("renju", size=9)):
        assert tables.take(other, later) is None
    assert (tables.take(GAME, later) is table) == goes_on
    assert tables.take(GAME, later) is None, "it was taken"


def test_a_table_is_not_for_the_other_colour() -> None:
    tables, later = KeptTables(), Position.from_moves(GAME, "e5 e6 d5 d6 c5").state.copy()
    tables.keep(GAME, Position.from_moves(GAME, BEFORE).state, a_table())
    later[st.BLACK] = 1 - later[st.BLACK]
    assert tables.take(GAME, later) is None


@pytest.mark.plain
def test_the_last_tables_are_kept() -> None:
    tables, kept = KeptTables(), [a_table() for _ in range(MOST + 1)]
    for number, table in enumerate(kept):
        tables.keep(GAME, Position.from_moves(GAME, f"{'abcdefghi'[number]}1").state, table)
    for number, table in enumerate(kept):
        found = tables.take(GAME, Position.from_moves(GAME, f"{'abcdefghi'[number]}1 e9 e8").state)
        assert found is (None if number == 0 else table)


def test_only_searches_with_a_limit_of_time_keep_their_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    original = li.hash_table

    def recorded(*arguments: Any) -> np.ndarray:
        asked.append(arguments[3] is not None)
        return original(*arguments)

    monkeypatch.setattr(li, "hash_table", recorded)
    for agent in (AlphaBeta(nodes=50), AlphaBeta(depth=1), AlphaBeta(ms=5)):
        asked.clear()
        position = Position.start(GAME)
        seat = Seat(agent, position)
        for moves in ("e5 a1", "a9 i1", "i9 e1"):
            for move in moves.split():
                position = position.play(move)
            position.play(seat.act(position))
        assert asked[0] is False
        assert asked[1:] == [bool(agent.ms)] * 2


@pytest.mark.plain
def test_what_is_kept_is_true_in_the_rest_of_the_game() -> None:
    """In whole games, what is claimed to be proven agrees with the exact value."""
    game = games.make("amoba", board="4x4", patterns="3")
    draw, claims = random.Random(7), 0
    for _ in range(cases(5)):
        agents = [AlphaBeta(ms=5), AlphaBeta(ms=5)]
        position = Position.start(game).play(draw.choice(range(16)))
        while not position.over:
            value = int(Solver(game, position.state).values(position.state[None])[0])
            actions, values = agents[position.ply % 2].think(game, position.state[None].copy(), streams(0, 0, 1))
            assert abs(values[0]) <= PROVEN or np.sign(values[0]) == value, position.text
            claims += bool(abs(values[0]) > PROVEN)
            moves = position.legal_actions().tolist()
            position = position.play(int(actions[0]) if draw.random() < 0.7 else draw.choice(moves))
    assert claims > 0
