"""Small networks and the root of searches that read them: against slow code, on forced wins, without randomness."""

import logging
from pathlib import Path

import numpy as np
import pytest

from amoba_agents import make_agent
from amoba_agents.alphabeta import stone_values
from amoba_agents.mcts.gumbel import plan_for, plans_for
from amoba_agents.mcts.leaves import learned
from amoba_agents.mcts.tree_search import TreeSearch
from amoba_agents.small_networks.line_rows import FREE, OFF, OTHER, OWN, patterns, reach_of
from amoba_agents.small_networks.network import (
    ARRAYS,
    LINES,
    is_small_network,
    kind_for,
    package_file,
    rows_of,
    table_rows,
)
from amoba_env import Position, games
from amoba_env.core import endings as en
from amoba_env.core import rules as ru
from amoba_env.core import state as st
from amoba_env.core.play import random_plies
from amoba_env.core.rng import streams
from amoba_env.games import Game
from amoba_env.notation import move_text
from amoba_experiments.arena.match import Match
from amoba_experiments.runs.play_match import play_match
from amoba_experiments.training.small_learner import small_learner

GAMES = [("tictactoe", {}), ("gomoku", {"size": 7}), ("renju", {}), ("halma", {}), ("halma", {"players": 2})]
THREE = ("amoba", {"board": "3x3", "patterns": "3", "players": 3})
LINED = [(name, options) for name, options in GAMES if name != "halma"]


def network_file(game: Game, folder: Path) -> Path:
    """A network with random weights."""
    file = folder / f"{game.name}-{game.players}.npz"
    np.savez(file, **small_learner(game).arrays())
    return file


def positions(game: Game, count: int, plies: int) -> np.ndarray:
    """Positions after random moves, none of them over."""
    states, stream = game.batch(count), streams(0, 0, count)
    for i in range(count):
        random_plies(game.rules, states[i], stream[i : i + 1], i % plies)
    return states[states[:, st.STATUS] == st.RUNNING]


def naive_row(game: Game, state: np.ndarray, cell: int, step: tuple[int, int]) -> int:
    """The row of a pattern, found in the list of all of them."""
    x, y = game.board.coords[cell].tolist()
    at = {point: number for number, point in enumerate(map(tuple, game.board.coords.tolist()))}
    sides = []
    for sign in (1, -1):
        side, beyond = [], False
        for way in range(1, reach_of(game) + 1):
            other = at.get((x + sign * way * step[0], y + sign * way * step[1]))
            beyond = beyond or other is None
            owner = OFF if beyond else int(state[st.CELLS + other])  # type: ignore[operator]
            side.append(OFF if beyond else FREE if owner < 0 else OWN if owner == state[st.TO_MOVE] else OTHER)
        sides.append(sum(symbol << 2 * place for place, symbol in enumerate(side)))
    (row,) = (i for i, pair in enumerate(patterns(reach_of(game)).tolist()) if sorted(pair) == sorted(sides))
    white = game.rules[ru.COLORED] and state[st.TO_MOVE] != state[st.BLACK]
    return row + (len(patterns(reach_of(game))) if white else 0)


@pytest.mark.parametrize(("name", "options"), [pytest.param(*LINED[0], marks=pytest.mark.plain), *LINED[1:]])
def test_rows_are_the_patterns_through_a_cell(name: str, options: dict[str, int]) -> None:
    """The rows of every empty cell, as found cell by cell."""
    game = games.make(name, **options)
    assert kind_for(game) == LINES
    states = positions(game, 6, 6)
    for state, rows in zip(states, rows_of(game, states), strict=True):
        for cell in np.flatnonzero(state[st.CELLS :] < 0)[::7].tolist():
            expected = [naive_row(game, state, cell, step) for step in ((1, 0), (0, 1), (1, 1), (-1, 1))]
            assert rows[cell].tolist() == expected
    assert rows_of(game, states).max() < table_rows(game)


@pytest.mark.plain
def test_a_plan_halves_the_moves() -> None:
    """16 moves once each, then 8, 4 and 2; with one simulation one move; every number of simulations has a plan."""
    for legal in (16, 100):
        plan = plan_for(64, legal)
        assert [int(np.count_nonzero(plan == visits)) for visits in range(4)] == [16, 8, 8, 4]
    for sims in range(1, 70):
        assert plans_for(sims).shape == (17, sims)
        assert (np.diff(plans_for(sims)) >= 0).all()


@pytest.mark.parametrize(("sims", "visits"), [(16, [2] * 2 + [1] * 12), (24, [3] * 3 + [2] * 4 + [1] * 7)])
def test_few_legal_moves_are_halved_too(sims: int, visits: list[int], tmp_path: Path) -> None:
    """Halma begins with 14 legal moves for two players, and with noise each is chosen in some of 300 searches."""
    game = games.make("halma", players=2)
    leaf = learned(game, network_file(game, tmp_path))
    search = TreeSearch(game, game.batch(300), streams(0, 0, 300), sims, leaf, gumbel=True, noise=True)
    search.run(sims)
    assert (-np.sort(-search.root().visits, axis=1) == visits).all()
    assert len(set(search.improved().chosen.tolist())) == 14


QUICK = [pytest.param(*THREE, marks=pytest.mark.plain), pytest.param("tictactoe", {}, marks=pytest.mark.plain)]


@pytest.mark.parametrize(("name", "options"), [*QUICK, *GAMES[1:]])
def test_every_game_is_played(name: str, options: dict[str, object], tmp_path: Path) -> None:
    """With random weights whole games are legal, and the same for the same seed."""
    game = games.make_from(name, options)
    file = network_file(game, tmp_path)
    agent = f"mcts:6,evaluation=learned,values={file},root=drawn"
    match = Match(name, (agent,) * game.players, 4, options=options)
    played = [play_match(match) for _ in range(2)]
    assert (played[0].digest == played[1].digest).all()
    assert (played[0].ending != en.ILLEGAL).all()


def test_a_win_is_proven(tmp_path: Path) -> None:
    """A move that wins at once is all that is learned there, and is played; a threat is answered."""
    game = games.make("gomoku", size=7)
    leaf = learned(game, network_file(game, tmp_path))
    won = Position.start(game)
    for move in ("b2", "b6", "c2", "c6", "d2", "d6", "e2", "f6"):
        won = won.play(move)
    search = TreeSearch(game, won.state[None].copy(), streams(0, 0, 1), 60, leaf, gumbel=True)
    search.run(60)
    found = search.improved()
    chosen = found.actions[0][found.policy[0] > 0]
    assert {move_text(game, int(action)) for action in chosen} <= {"a2", "f2"}
    assert found.chosen[0] in chosen
    assert found.values[0] == pytest.approx(1)
    assert found.policy.sum() == pytest.approx(1)


@pytest.mark.parametrize(("name", "options"), [("tictactoe", {}), ("gomoku", {"size": 7}), ("halma", {"players": 2})])
def test_moves_are_drawn_by_their_probabilities(name: str, options: dict[str, int], tmp_path: Path) -> None:
    """With one simulation the move of the highest noise + logit is played: a draw from the priors."""
    game, draws = games.make(name, **options), 4000
    file = network_file(game, tmp_path)
    arrays = dict(np.load(file))
    np.savez(file, **{**arrays, "query_bias": arrays["query_bias"] + 4 * np.sign(arrays["query_bias"])})
    roots = game.batch(draws)
    search = TreeSearch(game, roots, streams(0, 0, draws), 1, learned(game, file), gumbel=True, noise=True)
    search.run(1)
    drawn, priors = np.bincount(search.improved().chosen, minlength=game.n_actions), np.zeros(game.n_actions)
    root = search.root()
    priors[root.actions[0]] = root.priors[0]
    assert priors.max() > 2 * priors.min(where=priors > 0, initial=1)
    assert (abs(drawn - draws * priors) <= 5 * np.sqrt(draws * priors)).all()


@pytest.mark.plain
def test_a_file_is_for_its_game(tmp_path: Path) -> None:
    """The file of another game is refused, and a root that is drawn without a small network."""
    file = network_file(games.make("halma"), tmp_path)
    assert is_small_network(file)
    agent = make_agent(f"mcts:4,evaluation=learned,values={file}")
    agent.memory(games.make("halma"))
    with pytest.raises(ValueError, match="was trained for halma, not for gomoku"):
        agent.memory(games.make("gomoku"))
    with pytest.raises(ValueError, match="another board or other rules"):
        agent.memory(games.make("halma", players=2))
    arrays = dict(np.load(file))
    for name in ARRAYS:
        for wrong in (arrays[name][..., :-1], arrays[name] * np.float32("nan")):
            np.savez(tmp_path / "wrong.npz", **{**arrays, name: wrong})
            with pytest.raises(ValueError, match="expected"):
                make_agent(f"mcts:4,evaluation=learned,values={tmp_path / 'wrong.npz'}").memory(games.make("halma"))
    for wrong in ("[]", '{"options": 1}', "?"):
        np.savez(tmp_path / "wrong.npz", **{**arrays, "made_for": np.array(wrong)})
        with pytest.raises(ValueError):  # noqa: PT011
            make_agent(f"mcts:4,evaluation=learned,values={tmp_path / 'wrong.npz'}").memory(games.make("halma"))
    with pytest.raises(ValueError, match="root=drawn: expected evaluation=learned with a network"):
        make_agent("mcts:4,root=drawn").memory(games.make("gomoku"))
    with pytest.raises(ValueError, match="is not a file of a small network"):
        make_agent(f"mcts:4,evaluation=learned,values={stone_values.FILE}").memory(
            games.make("chinese_checkers", players=2)
        )


@pytest.mark.plain
def test_a_file_warns_of_rules_that_it_did_not_learn(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = network_file(games.make("gomoku", size=7), tmp_path)
    with caplog.at_level(logging.WARNING, "amoba_env"):
        for options in ({"size": 7}, {"size": 9, "rule": "caro"}):
            make_agent(f"mcts:4,evaluation=learned,values={file}").memory(games.make("gomoku", **options))
        other = network_file(games.make("amoba", board="10x10"), tmp_path)
        make_agent(f"mcts:4,evaluation=learned,values={other}").memory(games.make("amoba", board="cross"))
    assert [each.getMessage() for each in caplog.records] == [
        f"{file} was trained with rule=freestyle and plays with rule=caro",
        f"{file} was trained with size=7 and plays with size=9",
        f"{other} was trained with board=10x10 and plays with board=cross",
    ]


def test_the_package_has_a_network_of_chinese_checkers() -> None:
    """It plays as the same file does, by sequential halving, and only the game that it learned."""
    game = games.make("chinese_checkers", players=2)
    file = package_file(game)
    texts = ("", f",values={file}", ",root=halving", ",root=puct")
    found = []
    for text in texts:
        agent, states = make_agent(f"mcts:32,evaluation=learned{text}"), game.batch(4)
        for row in range(4):
            random_plies(game.rules, states[row], streams(row, 0, 1)[0:1], 20)
        found.append(agent.act(game, states, streams(0, 0, 4), np.zeros((4, agent.memory(game)), np.int16)).tolist())
    assert found[0] == found[1] == found[2] != found[3]
    for other in (games.make("chinese_checkers", men=15), games.make("chinese_checkers", players=3)):
        with pytest.raises(ValueError, match="Chinese checkers with two players and ten men"):
            make_agent("mcts:4,evaluation=learned").memory(other)
