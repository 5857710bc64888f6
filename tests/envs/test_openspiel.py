"""The games as games of OpenSpiel: its own checks and algorithms, and its bots as players."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pyspiel
import pytest
from environments import Variant, every_variant
from open_spiel.python import policy, rl_environment
from open_spiel.python.algorithms import exploitability, mcts, minimax, random_agent

import amoba_env.openspiel as ours
from amoba_agents import AGENTS
from amoba_env import Position, games
from amoba_env.games.tictactoe import tictactoe
from amoba_experiments import Match, play_match, summarize


def load(variant: Variant) -> Any:
    return pyspiel.load_game(ours.PREFIX + variant.game.name, dict(variant.game.options))


@every_variant
def test_the_same_game(variant: Variant) -> None:
    """Beside Position, a random game, with a copy that is played on apart."""
    game, dice = load(variant), np.random.default_rng(3)
    assert (game.rules, game.num_players()) == (variant.game, variant.game.players)
    state, position = game.new_initial_state(), Position.start(variant.game)
    for _ in range(80):
        assert state.position == position
        assert state.is_terminal() == position.over
        assert state.returns() == position.rewards.tolist()
        if position.over:
            break
        seat = position.to_move
        assert state.current_player() == seat
        mask = position.action_mask(relative=True)
        assert state.legal_actions() == np.flatnonzero(mask).tolist()
        for player in range(variant.game.players):
            planes = position.observation(player).transpose(2, 0, 1)
            assert state.observation_tensor(player) == planes.astype(float).ravel().tolist()
        action = int(dice.choice(state.legal_actions()))
        state.clone().apply_action(action)
        assert state.position == position
        move = position.decode(action)
        assert state.action_to_string(seat, action) == move
        state.apply_action(action)
        position = position.play(move)
    assert len(state.history()) <= game.max_game_length()


@pytest.mark.parametrize(
    "text", ["amoba_tictactoe", "amoba_gomoku(size=5,opening=swap2)", "amoba_renju(size=9)", "amoba_halma(max_plies=9)"]
)
def test_their_own_check(text: str) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(text), num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize(
    ("moves", "value"), [("", 0), ("b2 b3", 1), ("a1 b2 c3", 0), ("a1 b2 b1", 0), ("a2 b2 c2 a1", -1)]
)
def test_alpha_beta(moves: str, value: int) -> None:
    game = pyspiel.load_game("amoba_tictactoe")
    state = game.new_initial_state(Position.from_moves(games.make("tictactoe"), moves))
    assert minimax.alpha_beta_search(game, state=state, maximizing_player_id=0)[0] == value


def test_exploitability_is_that_of_their_own_game() -> None:
    """Two in a row on 3x2 cells, and a random player."""
    both = [pyspiel.load_game("amoba_amoba", {"board": "3x2", "patterns": "2"}), pyspiel.load_game("mnk(m=3,n=2,k=2)")]
    one, other = (exploitability.nash_conv(game, policy.UniformRandomPolicy(game)) for game in both)
    assert one == pytest.approx(other)
    assert one > 0


@pytest.mark.plain
def test_rl_environment() -> None:
    env = rl_environment.Environment(pyspiel.load_game("amoba_halma", {"max_plies": 30}))
    actions = env.action_spec()["num_actions"]
    assert (env.num_players, actions) == (3, 37 * 37)
    agents = [random_agent.RandomAgent(seat, actions) for seat in range(3)]
    step, moves = env.reset(), 0
    while not step.last():
        seat = step.observations["current_player"]
        assert np.shape(step.observations["info_state"][seat]) == (4 * 9 * 13,)
        step, moves = env.step([agents[seat].step(step).action]), moves + 1
    assert (moves, step.rewards) == (30, [0.0, 0.0, 0.0])


def uct(game: Any, seed: int) -> Any:
    rng = np.random.RandomState(seed)
    return mcts.MCTSBot(game, 1.4, 20, mcts.RandomRolloutEvaluator(1, rng), random_state=rng)


@pytest.mark.parametrize(
    ("game", "options"),
    [pytest.param("tictactoe", {}, marks=pytest.mark.plain), ("halma", {"players": 2, "max_plies": 6})],
)
def test_a_bot_is_a_player(game: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(AGENTS, "uct", lambda: ours.BotAgent(uct, "uct"))
    match = Match(game, ("uct", "random"), 12, rotate=True, options=options)
    played, again = play_match(match, batch=12, jobs=1), play_match(match, batch=5, jobs=1)
    assert np.array_equal(played.digest, again.digest)
    found = summarize(match, played)
    assert found["forfeits"] == 0
    if game == "tictactoe":
        assert found["players"][0]["wins"] > 6


@pytest.mark.plain
def test_a_game_that_is_added_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games.GAMES, "own", games.GAMES.own.copy())
    games.register("noughts", tictactoe)
    assert pyspiel.load_game("amoba_noughts").new_initial_state().legal_actions() == list(range(9))


def test_positions_of_other_games_are_refused() -> None:
    game = pyspiel.load_game("amoba_gomoku")
    for other in (games.make("tictactoe"), games.make("gomoku", rule="exact")):
        with pytest.raises(ValueError, match=r"expected a position of games\.make"):
            game.new_initial_state(Position.start(other))


@pytest.mark.plain
def test_games_can_be_pickled() -> None:
    game = pyspiel.load_game("amoba_gomoku(size=9,rule=exact)")
    assert pickle.loads(pickle.dumps(game)).rules == game.rules == games.make("gomoku", size=9, rule="exact")


@pytest.mark.plain
def test_states_can_be_pickled_and_copied() -> None:
    """With their history, and where an option looks like a number; OpenSpiel's own text of a state takes it for one."""
    game = pyspiel.load_game("amoba_amoba", {"players": 3, "board": "5x5", "patterns": "3"})
    state = game.new_initial_state()
    state.apply_action(7)
    for again in (pickle.loads(pickle.dumps(state)), copy.deepcopy(state), state.clone()):
        again.apply_action(3)
        assert (state.history(), again.history()) == ([7], [7, 3])
        assert again.position == state.position.play(3)


def test_numbers_of_players() -> None:
    found = {name: pyspiel.load_game(f"amoba_{name}").get_type() for name in ("tictactoe", "halma", "chinese_checkers")}
    assert [(each.min_num_players, each.max_num_players) for each in found.values()] == [(2, 2), (2, 3), (2, 6)]


def test_a_script_ends_well() -> None:
    """OpenSpiel keeps what is registered until after the interpreter has gone."""
    script = (
        "import pyspiel, amoba_env.openspiel; print(pyspiel.load_game('amoba_gomoku(size=6)').num_distinct_actions())"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "36\n", "")
