"""Monte-Carlo tree search with learned values of stones: proofs against brute force, values and priors as defined."""

import math
import random
from pathlib import Path

import numpy as np
import pytest
from alphabeta_values import scores_of, value_of
from effort import cases
from test_small_networks import network_file

from amoba_agents import fingerprint, make_agent
from amoba_agents.alphabeta.lines import FAILED
from amoba_agents.alphabeta.stone_values import VALUE_UNIT, network
from amoba_agents.mcts import leaf_stones
from amoba_agents.mcts.leaves import LOG_FAILED, learned
from amoba_agents.mcts.tree_search import TreeSearch
from amoba_env import Position, games
from amoba_env.core import state as st
from amoba_env.core.rng import streams
from amoba_env.games import Game
from amoba_env.notation import move_text
from amoba_experiments.arena.match import Match
from amoba_experiments.runs.play_match import play_match


def brute(position: Position) -> int | None:
    """The winner by exhaustive search; None for a draw."""
    if position.outcome is not None:
        return position.outcome.winner
    results = {brute(position.play(action)) for action in position.legal_actions().tolist()}
    seat = position.to_move
    return seat if seat in results else None if None in results else 1 - seat


def position_with(game: Game, draw: random.Random, empty: int) -> Position:
    """Not over, with this many empty cells, after random moves."""
    while True:
        position = Position.start(game)
        while not position.over and game.n_cells - position.ply > empty:
            position = position.play(draw.choice(position.legal_actions().tolist()))
        if not position.over:
            return position


def searched(position: Position, sims: int, file: str | Path = "") -> TreeSearch:
    game = position.game
    search = TreeSearch(game, position.state[None].copy(), streams(1, 0, 1), sims, learned(game, file))
    search.run(sims)
    return search


def roots_moves(search: TreeSearch) -> tuple[list[int], list[int], list[float]]:
    """The moves at the root of the only tree, their proofs and priors."""
    tree, rows = search.trees, slice(0, int(search.trees.degree[0, 0]))
    return tree.action[0, rows].tolist(), tree.proof[0, rows].tolist(), tree.prior[0, rows].tolist()


@pytest.mark.parametrize(("size", "k", "small"), [(6, 5, False), (6, 5, True), (4, 4, True), (3, 3, True)])
def test_what_is_proven_is_so(size: int, k: int, small: bool, tmp_path: Path) -> None:
    """With six empty cells, also with a small network of random weights: proofs are right, and wins are found."""
    game, draw, seen = games.make("amoba", board=f"{size}x{size}", patterns=str(k)), random.Random(4), set[int]()
    file = network_file(game, tmp_path) if small else ""
    for _ in range(40):
        position = position_with(game, draw, 6)
        search, worth = searched(position, 300, file), {}
        for action in position.legal_actions().tolist():
            winner = brute(position.play(action))
            worth[action] = 0 if winner is None else 1 if winner == position.to_move else -1
        actions, proofs, _ = roots_moves(search)
        assert all(proof in (0, worth[action]) for action, proof in zip(actions, proofs, strict=True))
        seen |= set(proofs)
        if max(worth.values()) == 1:
            assert worth[int(search.best()[0])] == 1 if small else 1 in proofs
        assert int(search.best()[0]) in worth
    assert ({0, 1} if small else {-1, 0, 1}) <= seen


@pytest.mark.parametrize(
    ("name", "options"), [("gomoku", {}), ("renju", {}), ("gomoku", {"rule": "exact"})], ids=lambda given: str(given)
)
def test_the_values_and_priors_are_those_of_alphabeta(name: str, options: dict[str, str]) -> None:
    """The priors at the root are likelihoods by scores; after one simulation a move is worth what the leaf is."""
    game, draw, found = games.make(name, **options), random.Random(2), 0
    for _ in range(cases(30)):
        position = position_with(game, draw, game.n_cells - draw.randrange(4, 9))
        search = searched(position, 1)
        actions, proofs, priors = roots_moves(search)
        if len(actions) < leaf_stones.MOST_MOVES or any(proofs) or search.trees.used[0, 0] > 2:  # a reply was forced
            continue
        empty = np.flatnonzero(position.state[st.CELLS :] == st.EMPTY).tolist()
        found_scores = scores_of(game, position.state, position.to_move, network(game.rules), empty)
        scores = dict(zip(empty, found_scores, strict=True))
        weights = [math.exp(scores[action] / 128) for action in actions]
        assert priors == pytest.approx([weight / sum(weights) for weight in weights], rel=1e-4)
        (move,) = np.flatnonzero(search.visits()[0]).tolist()
        after = position.play(move)
        value = math.tanh(value_of(game, after.state, after.to_move, network(game.rules)) / (2 * VALUE_UNIT))
        assert search.values()[0][move] == pytest.approx(-value, abs=1e-6)
        found += 1
    assert found


@pytest.mark.parametrize("small", [False, True])
def test_trees_do_not_depend_on_one_another(small: bool, tmp_path: Path) -> None:
    game, draw = games.make("gomoku", size=7), random.Random(6)
    positions = [position_with(game, draw, 36) for _ in range(3)]
    states = np.array([position.state for position in positions])
    leaf = learned(game, network_file(game, tmp_path) if small else "")
    whole = TreeSearch(game, states, streams(5, 0, 3), 30, leaf)
    whole.run(10)
    whole.run(20)
    for b in range(3):
        one = TreeSearch(game, states[b : b + 1], streams(5, b, 1), 30, leaf)
        one.run(10)
        one.run(20)
        assert np.array_equal(one.visits()[0], whole.visits()[b])
        assert one.best()[0] == whole.best()[b]


@pytest.mark.parametrize("small", [False, True])
def test_a_search_that_begins_without_a_simulation_looks_for_threes_too(small: bool, tmp_path: Path) -> None:
    """A win by threes is found at the root, whether the simulations come at once or later."""
    game = games.make("gomoku")
    file = network_file(game, tmp_path) if small else ""
    for line in (Path(__file__).parents[1] / "data" / "threes" / "freestyle.txt").read_text().splitlines()[:2]:
        position = Position.from_text(game, line.partition(" ;")[0])
        for first in (0, 400):
            search = TreeSearch(game, position.state[None].copy(), streams(1, 0, 1), 400, learned(game, file))
            search.run(first)
            search.run(400 - first)
            assert search.root().proofs.max() == 1


@pytest.mark.plain
def test_lost_and_empty_positions_are_played() -> None:
    """Against two fives at once it takes one of their cells; on the empty board the middle."""
    game = games.make("gomoku", size=7)
    lost = Position.from_moves(game, "b4 a1 c4 g1 d4 a7 e4")
    assert move_text(game, int(searched(lost, 40).best()[0])) in ("a4", "f4")
    assert move_text(game, int(searched(Position.start(game), 40).best()[0])) == "d4"


def test_it_beats_the_search_with_playouts() -> None:
    """With as many simulations."""
    match = Match("gomoku", ("mcts:100,evaluation=learned", "mcts:100"), 12, openings=("random:4",), seed=1)
    played = play_match(match)
    winners = played.seating[np.arange(12), np.maximum(played.winner, 0)]
    assert ((winners == 0) & (played.winner >= 0)).sum() > 8


@pytest.mark.plain
def test_a_leaf_has_no_transposition_table() -> None:
    """It is made for each move, and no leaf would read a transposition table."""
    leaf = learned(games.make("gomoku"))
    assert leaf.table.size - leaf.work[FAILED] == 1 << LOG_FAILED
    assert leaf.work[FAILED] < 1000


@pytest.mark.plain
def test_where_it_plays() -> None:
    agent = make_agent("mcts:50,evaluation=learned")
    for game in (games.make("gomoku"), games.make("renju"), games.make("amoba", board="islands", patterns="5")):
        assert agent.memory(game) == 0
        assert list(fingerprint(agent.name, game)) == ["amoba_agents/alphabeta/values.npz"]
    three = games.make("amoba", board="7x7", patterns="5", players=3)
    for game in (games.make("tictactoe"), three):
        with pytest.raises(ValueError, match="evaluation=learned: expected five in a row with two players"):
            agent.memory(game)
    shapes = "5,x.../xxxx,xxx/xx.,xxxx/.x..,xx../.xxx,.xx/xx./.x.,x../xx./.xx,x../x../xxx,xxx/.x./.x."
    with pytest.raises(ValueError, match="is in more than 255 winning sets"):
        agent.memory(games.make("amoba", board="12x12", patterns=shapes))
