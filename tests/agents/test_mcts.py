"""Monte-Carlo tree search: against a plain one, on solved positions, for three players, in every game."""

import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from effort import cases
from walks import random_position

from amoba_agents import make_agent
from amoba_agents.mcts import tree_search as searches
from amoba_agents.mcts.leaves import playouts
from amoba_agents.mcts.tree_search import TreeSearch
from amoba_agents.networks.trained import POLICIES
from amoba_agents.values.exact import solver
from amoba_env import Position, games
from amoba_env.core import state as st
from amoba_env.core.rng import streams
from amoba_env.core.state import States
from amoba_env.games import Game
from amoba_experiments.arena.match import Match
from amoba_experiments.runs.play_match import play_match

NOUGHTS = ("tictactoe", {})
THREE = ("amoba", {"board": "3x3", "patterns": "3", "players": 3})
HALMA = ("halma", {"max_plies": 4})


def searched(position: Position, sims: int, leaf: Any = None, **kwargs: Any) -> TreeSearch:
    game = position.game
    search = TreeSearch(game, position.state[None].copy(), streams(0, 0, 1), sims, leaf or playouts(game), **kwargs)
    search.run(sims)
    return search


# --- against a plain search ---------------------------------------------------------------------------------------


def oracle(game: Game, states: States) -> tuple[np.ndarray, np.ndarray]:
    """An arbitrary evaluation: logits and values depend on the position alone, not on the move before it."""
    logits, worth = [], []
    for state in np.delete(states, [st.FROM, st.TO], axis=1):
        dice = np.random.default_rng(state.view(np.uint16).tolist())
        logits.append(dice.normal(size=game.n_actions))
        worth.append(dice.uniform(-1, 1, game.players))
    return np.array(logits, np.float32), np.array(worth, np.float32)


class Plain:
    """A node of a textbook search."""

    def __init__(self, position: Position) -> None:
        self.position = position
        self.children: dict[int, Plain] = {}
        self.prior: dict[int, float] = {}
        self.visits: dict[int, int] = {}
        self.total: dict[int, float] = {}

    def simulate(self, c: float) -> list[float]:
        """The values of the leaf for each seat."""
        game, seat = self.position.game, self.position.to_move
        if self.position.outcome is not None:
            return list(self.position.outcome.rewards)
        if not self.prior:
            logits, worth = oracle(game, self.position.state[None])
            legal = self.position.legal_actions().tolist()
            # as the player to move numbers them
            seen = {a: logits[0][a if not game.moves_men else turned(self.position, a)] for a in legal}
            whole = sum(math.exp(logit) for logit in seen.values())
            self.prior = {action: math.exp(logit) / whole for action, logit in seen.items()}
            self.visits, self.total = dict.fromkeys(legal, 0), dict.fromkeys(legal, 0.0)
            return worth[0].tolist()
        tried, total = sum(self.visits.values()), sum(self.total.values())
        scores = {}
        for action, prior in self.prior.items():
            n = self.visits[action]
            value = self.total[action] / n if n else (total / tried if tried else 0.0)
            scores[action] = value + c * prior * math.sqrt(max(1, tried)) / (1 + n)
        best = max(scores, key=scores.__getitem__)
        if best not in self.children:
            self.children[best] = Plain(self.position.play(best))
        worth = self.children[best].simulate(c)
        self.visits[best] += 1
        self.total[best] += worth[seat]
        return worth


def turned(position: Position, action: int) -> int:
    from amoba_env.core import rules as ru
    from amoba_env.core.play import renumber

    return int(renumber(position.game.rules, position.to_move, action, ru.VIEW))


@pytest.mark.plain
@pytest.mark.parametrize(("name", "options"), [NOUGHTS, THREE, HALMA], ids=lambda value: str(value))
def test_it_is_the_search_of_the_textbook(name: str, options: dict[str, Any]) -> None:
    game, draw, sims = games.make(name, **options), random.Random(3), 80
    for _ in range(cases(5)):
        position = random_position(game, draw, 0, 3)
        search = searched(position, sims, oracle, c=1.5)
        plain = Plain(position)
        for _ in range(sims + 1):  # the first gives the root its edges
            plain.simulate(1.5)
        assert search.visits()[0].nonzero()[0].tolist() == sorted(a for a, n in plain.visits.items() if n)
        for action, visits in plain.visits.items():
            assert search.visits()[0, action] == visits
            if visits:
                assert search.values()[0, action] == pytest.approx(plain.total[action] / visits, abs=1e-4)


@pytest.mark.plain
def test_a_vector_of_values_goes_up_the_tree() -> None:
    """Each node adds the value for its own player, and no virtual loss remains."""
    worth = np.array([0.5, -0.125, -0.375], np.float32)

    def evaluate(game: Game, states: States) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros((len(states), game.n_actions), np.float32), np.tile(worth, (len(states), 1))

    search = searched(Position.start(games.make("halma")), 120, evaluate, leaves=4)
    tree, nodes = search.trees, 0
    for node in range(tree.used[0, 0]):
        rows = slice(tree.first[0, node], tree.first[0, node] + tree.degree[0, node])
        visits, total = tree.visits[0, rows], tree.total[0, rows]
        assert total == pytest.approx(visits * worth[tree.seat[0, node]], abs=1e-4)
        nodes += bool(visits.sum())
    assert nodes > 10
    assert search.visits().sum() == 120


# --- what it finds ------------------------------------------------------------------------------------------------


def moves(text: str, position: Position, times: int) -> set[str]:
    agent = make_agent(text)
    states = np.repeat(position.state[None], times, axis=0)
    actions = agent.act(position.game, states, streams(3, 0, times), np.zeros((times, 0), np.int16))
    return {str(position.play(action).last_move) for action in actions.tolist()}


@pytest.mark.plain
def test_wins_among_three_players() -> None:
    game = games.make("amoba", board="4x3", patterns="3", players=3)
    assert moves("mcts:200", Position.from_text(game, "oo1v/xx2/v3 x"), 1) == {"c2"}


def test_wins_and_blocks_in_gomoku() -> None:
    game = games.make("gomoku")
    four, threat = (Position.from_moves(game, text) for text in ("e5 a1 f5 a3 g5 a5 h5 a7", "e5 a1 f5 a2 g5 a3 c9 a4"))
    assert moves("mcts:400", four, 3) <= {"d5", "i5"}
    assert moves("mcts:400", threat, 3) == {"a5"}


def test_keeps_the_value_of_solved_positions() -> None:
    agent, draw = make_agent("mcts:1000"), random.Random(5)
    for game in (games.make("tictactoe"), games.make("amoba", board="4x3", patterns="3")):
        states = np.array([random_position(game, draw, 0, 6).state for _ in range(60)])
        values = solver(game).move_values(states)
        chosen = agent.act(game, states, streams(1, 0, len(states)), np.zeros((len(states), 0), np.int16))
        assert (values[np.arange(len(states)), chosen] == values.max(axis=1)).mean() > 0.97


def test_never_loses_tictactoe_to_the_perfect_player() -> None:
    played = play_match(Match("tictactoe", ("mcts:400", "perfect"), 60, 3, rotate=True))
    assert (played.winner < 0).all()


def test_halma_against_two_lookaheads() -> None:
    match = Match("halma", ("mcts:60", "lookahead:2", "lookahead:2"), 90, 31, rotate=True, openings=("random:3",))
    played = play_match(match)
    assert (played.seating[np.arange(90), played.winner] == 0).sum() > 30 + 3 * 4.5


# --- in every game, for any batch ---------------------------------------------------------------------------------


@pytest.mark.plain
def test_a_tree_that_is_full_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searches, "edges_per_leaf", lambda game, states, kind: 2)
    position = Position.start(games.make("tictactoe"))
    search = searched(position, 50)
    assert search.visits().sum() == 50
    assert search.trees.used[0, 1] <= search.trees.action.shape[1]


@pytest.mark.plain
def test_a_search_goes_on() -> None:
    position = Position.start(games.make("tictactoe"))
    whole, rng = searched(position, 60), streams(0, 0, 1)
    parts = TreeSearch(position.game, position.state[None], rng, 60, playouts(position.game))
    parts.run(20)
    parts.run(40)
    assert np.array_equal(whole.visits(), parts.visits())


@pytest.mark.plain
@pytest.mark.parametrize("leaves", [1, 4])
def test_a_search_has_room_for_its_simulations_alone(leaves: int) -> None:
    game = games.make("tictactoe")
    search = TreeSearch(game, game.batch(1), streams(0, 0, 1), 10, oracle, leaves=leaves)
    search.run(5)
    with pytest.raises(ValueError, match=r"expected at most the \d simulations that are left, got 8"):
        search.run(8)


def test_what_is_known_of_the_roots() -> None:
    """Moves, priors, visits, values and proofs of each root agree with the whole boards; shorter rows are filled up."""
    game = games.make("tictactoe")
    states = np.stack([Position.from_moves(game, text).state for text in ("a1 b2", "", "a1 b2 c3 a2 b3 c1")])
    search = TreeSearch(game, states, streams(0, 0, 3), 30, playouts(game))
    search.run(30)
    root = search.root()
    assert root.actions.shape == (3, 9)
    assert (root.actions >= 0).sum(axis=1).tolist() == [7, 9, 3]
    for b in range(3):
        used = root.actions[b] >= 0
        assert sorted(root.actions[b][used]) == Position(game, states[b]).legal_actions().tolist()
        assert root.priors[b].sum() == pytest.approx(1)
        assert (search.visits()[b, root.actions[b][used]] == root.visits[b][used]).all()
        assert np.array_equal(search.values()[b, root.actions[b][used]], root.values[b][used], equal_nan=True)
        assert root.visits[b][used].sum() == 30
        assert (root.proofs[b][used] == 0).all()
        assert search.visits()[b].max() == search.visits()[b, search.best()[b]]


# --- with a network -----------------------------------------------------------------------------------------------


@pytest.mark.plain
@pytest.mark.parametrize(("name", "leaves"), [("tictactoe", 1), ("halma", 4)])
def test_a_network_judges_the_leaves(name: str, leaves: int, tmp_path: Path) -> None:
    from training import new_model, write_model

    path = tmp_path / "policy.pt"
    write_model(new_model(name, {}), path)
    game, text = games.make(name), f"mcts:24,prior={path}" + (f",leaves={leaves}" if leaves > 1 else "")
    agent = make_agent(text)
    assert agent.name == text
    states = game.batch(5)
    rng = streams(2, 0, 5)
    together = agent.act(game, states, rng.copy(), np.zeros((5, 0), np.int16))
    apart = [agent.act(game, states[i : i + 1], rng[i : i + 1], np.zeros((1, 0), np.int16))[0] for i in range(5)]
    assert together.tolist() == apart
    trained: Any = make_agent(f"trained:{path}")
    logits, worth = trained.evaluate(game, states)
    assert logits.shape == (5, game.n_actions)
    assert worth.sum(axis=1) == pytest.approx(0, abs=1e-6)
    with pytest.raises(ValueError, match=f"was trained for {name}"):
        agent.memory(games.make("gomoku"))
    shipped, named = (
        make_agent(f"mcts:9,prior={prior}").act(game, states, rng.copy(), np.zeros((5, 0), np.int16)).tolist()
        for prior in ("trained", f"{POLICIES / name}.onnx")
    )
    assert shipped == named


def test_a_position_is_evaluated_once() -> None:
    """However many orders of moves lead to it; its last move does not count."""
    game = games.make("tictactoe")
    seen: list[bytes] = []

    def evaluate(game: Game, states: States) -> tuple[np.ndarray, np.ndarray]:
        seen.extend(each[[st.TO_MOVE, *range(st.CELLS, len(each))]].tobytes() for each in states)
        return np.zeros((len(states), game.n_actions), np.float32), np.zeros((len(states), game.players), np.float32)

    searched(Position.start(game), 2000, evaluate, leaves=4)
    assert len(seen) == len(set(seen)) > 1000
