"""Monte-Carlo tree search with proofs: against brute force, and with a prover at the leaves."""

from __future__ import annotations

import random
from functools import partial

import numpy as np
import pytest
from effort import cases
from test_mcts import oracle, random_position, searched

from amoba_agents import make_agent
from amoba_agents.alphabeta import AlphaBeta
from amoba_agents.mcts.player import forced
from amoba_agents.mcts.tree import Floats, Integers
from amoba_env import Position, games
from amoba_env.core.rng import streams
from amoba_env.core.state import CELLS, NOBODY, TO_MOVE, States
from amoba_env.games import Game


def blank(game: Game, states: States) -> tuple[Floats, Floats]:
    return np.zeros((len(states), game.n_actions), np.float32), np.zeros((len(states), game.players), np.float32)


def nothing_proven(game: Game, states: States) -> tuple[Integers, Integers]:
    return np.full(len(states), NOBODY, np.int32), np.zeros(len(states), np.int32)


def brute(position: Position) -> int | None:
    """The winner by exhaustive search; None for a draw."""
    if position.outcome is not None:
        return position.outcome.winner
    results = {brute(position.play(action)) for action in position.legal_actions().tolist()}
    seat = position.to_move
    return seat if seat in results else None if None in results else 1 - seat


@pytest.mark.parametrize("leaves", [1, 3])
def test_what_is_proven_is_so(leaves: int) -> None:
    """Proven results at the root are right; a search that sees the whole game proves them all and plays by them."""
    game, draw, seen = games.make("tictactoe"), random.Random(5), [0, 0]
    for _ in range(cases(40)):
        position = random_position(game, draw, 3)
        for cell in draw.sample(position.legal_actions().tolist(), 2):
            position = position.play(cell)
        sims = draw.choice((40, 600))
        search = searched(position, sims, evaluate=blank, prove=nothing_proven, leaves=leaves)
        tree, rows = search.trees, slice(0, int(search.trees.degree[0, 0]))
        proofs = dict(zip(tree.action[0, rows].tolist(), tree.proof[0, rows].tolist(), strict=True))
        worth = {a: brute(position.play(a)) for a in proofs}
        signs = {a: 0 if who is None else 1 if who == position.to_move else -1 for a, who in worth.items()}
        assert all(proof in (0, signs[action]) for action, proof in proofs.items())
        best = max(signs.values())
        if sims == 600:
            assert signs[int(search.best()[0])] == best
            assert max(proofs.values()) == best
        seen[0] += any(proofs.values())
        seen[1] += best == 1
    assert min(seen) > cases(40) // 10


def test_proofs_are_for_two() -> None:
    three, nobody = Position.start(games.make("halma")), nothing_proven
    with pytest.raises(ValueError, match="a game of two players"):
        searched(three, 5, evaluate=oracle, prove=nobody)
    with pytest.raises(ValueError, match="two players and evaluate"):
        searched(Position.start(games.make("tictactoe")), 5, prove=nobody)


def test_a_position_is_evaluated_once() -> None:
    """However many orders of moves lead to it; its last move does not count."""
    game = games.make("tictactoe")
    seen: list[bytes] = []

    def evaluate(game: Game, states: States) -> tuple[Floats, Floats]:
        seen.extend(each[[TO_MOVE, *range(CELLS, len(each))]].tobytes() for each in states)
        return blank(game, states)

    searched(Position.start(game), 2000, evaluate=evaluate, leaves=4)
    assert len(seen) == len(set(seen)) > 1000


@pytest.mark.compiled
def test_proofs_at_the_leaves() -> None:
    """Only the prover sees a win by fours, and the network is not asked about proven leaves."""
    game = games.make("gomoku", size=15)
    lines = ["h8 a1 i8 a3 j8 a5", "h8 a1 i8 o3", "", "h8 a1 i8 a3 j8 a5 o1"]
    states = np.stack([Position.from_moves(game, line).state for line in lines])
    prover = AlphaBeta(nodes=2000)
    winners, moves = forced(prover, game, states)
    assert winners.tolist() == [0, NOBODY, NOBODY, NOBODY]
    won = Position(game, states[0]).play(int(moves[0]))
    assert forced(prover, game, won.state[None])[0].tolist() == [0]
    alone = forced(prover, game, states[:1])
    assert (alone[0][0], alone[1][0]) == (winners[0], moves[0])
    asked: list[int] = []

    def evaluate(game: Game, states: States) -> tuple[Floats, Floats]:
        asked.append(len(states))
        return blank(game, states)

    search = searched(Position(game, states[0]), 30, evaluate=evaluate, prove=partial(forced, prover))
    assert asked == [1]
    assert search.best().tolist() == [moves[0]]
    assert search.visits().max() == search.visits().sum() == 30
    text = "mcts:8,prior=trained,proofs=100"
    agent, small = make_agent(text), games.make("gomoku")
    assert agent.name == text
    three = Position.from_moves(small, "e5 a1 f5 a3 g5 a9").state[None]
    move = int(agent.act(small, three, streams(1, 0, 1), np.zeros((1, 0), np.int16))[0])
    assert forced(prover, small, Position(small, three[0]).play(move).state[None])[0].tolist() == [0]
    with pytest.raises(ValueError, match="alphabeta plays games of two"):
        make_agent("mcts:8,prior=trained,proofs=100").memory(games.make("halma"))
