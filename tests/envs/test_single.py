"""The Gymnasium environment for one seat: checkers, opponents, rendering, bad input. See also test_equality.py."""

import copy
import pickle
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from errors import bad_value
from gymnasium.utils.env_checker import check_env

import amoba_env
from amoba_agents import make_agent
from amoba_env import gomoku_v0, tictactoe_v0
from amoba_env.agent import Agent
from amoba_env.single import SingleEnv
from amoba_env.vector import BatchEnv

IDS = sorted(id for id in gymnasium.registry if id.startswith("amoba/"))
TOO_LARGE = 2**70  # to contains() an OverflowError before Gymnasium 1.4


def make(id: str, **options: Any) -> SingleEnv:
    env = gymnasium.make(id, **options).unwrapped
    assert isinstance(env, SingleEnv)
    return env


def play_out(env: gymnasium.Env[Any, Any], seed: int) -> list[object]:
    """A game of first legal moves from either end in turn, as a value."""
    observation, info = env.reset(seed=seed)
    story: list[object] = [info["seat"], observation.tolist()]
    over = False
    while not over:
        legal = np.flatnonzero(info["action_mask"])
        observation, reward, terminated, truncated, info = env.step(int(legal[len(story) % 2 - 1]))
        over = terminated or truncated
        story += [observation.tolist(), reward, terminated, truncated]
    return story


def test_every_environment_has_an_id() -> None:
    assert len(IDS) == len(amoba_env.ENVIRONMENTS)
    assert "amoba/TicTacToe-v0" in IDS
    assert "amoba/SquareHalma-v0" in IDS


@pytest.mark.parametrize("id", IDS)
def test_gymnasiums_checker(id: str) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*render_mode.*|.*spec.*")
        check_env(make(id), skip_render_check=True)
    env = gymnasium.make(id)  # with Gymnasium's wrappers
    env.reset(seed=1)
    env.step(env.action_space.sample(env.get_wrapper_attr("action_masks")().astype(np.int8)))


@pytest.mark.parametrize("id", IDS)
def test_stable_baselines3_checker(id: str) -> None:
    from stable_baselines3.common.env_checker import check_env as check

    check(make(id), warn=False)


def test_the_seat() -> None:
    assert {make("amoba/Gomoku-v0", seat=1).reset(seed=seed)[0][..., 1].sum() for seed in range(3)} == {1}
    assert {make("amoba/Gomoku-v0", seat=0).reset(seed=seed)[0][..., 1].sum() for seed in range(3)} == {0}
    env = make("amoba/Halma-v0", seat="random")
    assert {env.reset(seed=seed) and env.seat for seed in range(20)} == {0, 1, 2}


def test_the_same_seed_gives_the_same_game() -> None:
    env = make("amoba/TicTacToe-v0", opponent=["random", "greedy"])
    stories = [play_out(env, seed) for seed in range(10)]
    assert stories == [play_out(make("amoba/TicTacToe-v0", opponent=["random", "greedy"]), seed) for seed in range(10)]
    assert len({str(story) for story in stories}) > 5


@pytest.mark.plain
def test_a_list_draws_one_for_each_episode() -> None:
    class First(Agent):
        name = "first"

        def __init__(self, at: int) -> None:
            self.at = at

        def act(self, game: Any, states: Any, rng: Any, memory: Any) -> Any:
            return np.full(len(states), self.at, np.int32)

    env = make("amoba/Gomoku-v0", opponent=[First(3), First(7), First(9)], seat=1)
    begun = [int(env.reset(seed=seed)[0][0, :, 1].argmax()) for seed in range(60)]
    assert set(begun) == {3, 7, 9}
    assert min(map(begun.count, (3, 7, 9))) > 8


@pytest.mark.plain
@pytest.mark.parametrize(("on_illegal", "paid"), [("lose", 0.0), ("zero_sum", 1.0)])
def test_an_illegal_action_loses(on_illegal: str, paid: float) -> None:
    env = make("amoba/TicTacToe-v0", seat=0, on_illegal=on_illegal)
    env.reset(seed=0)
    env.step(4)
    assert env.step(4)[1:4] == (-1.0, True, False)
    assert env.outcome is not None
    assert (env.outcome.ending, env.outcome.rewards) == ("illegal", (-1.0, paid))
    with pytest.raises(RuntimeError, match="the game is over"):
        env.step(0)


def test_options_of_reset() -> None:
    env = make("amoba/TicTacToe-v0", seat=0)
    env.reset(options={"position": "xx1/oo1/3 x 4 -"})
    assert env.step(2)[1] == 1.0
    env.reset(options={"first": 1, "unknown": 3})
    assert env.position.ply == 1
    env.reset(options={"random_plies": 4}, seed=2)
    assert env.position.ply == 4
    before = env.position
    with bad_value("options['random_plies']"):
        env.reset(options={"random_plies": -1})
    assert env.position == before


@pytest.mark.plain
def test_a_game_that_the_opponent_ends_at_once() -> None:
    env = make("amoba/TicTacToe-v0", seat=1, opponent="greedy")
    with pytest.raises(ValueError, match="in 100 tries the game ended before the first turn of the learner's seat 1"):
        env.reset(options={"position": "xx1/oo1/3 x 4 -"})


@pytest.mark.plain
def test_copies_play_on() -> None:
    env = make("amoba/Gomoku-v0", opponent="greedy")
    _, info = env.reset(seed=5)
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        own, others = (each.step(int(info["action_mask"].argmax())) for each in (copy.deepcopy(env), twin))
        assert np.array_equal(own[0], others[0])


@pytest.mark.plain
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"opponent": "nobody"}, "'nobody'"),
        ({"opponent": []}, "opponents"),
        ({"opponent": None}, "opponent"),
        ({"opponent": "perfect"}, "gomoku"),
        ({"colour": "red"}, "'colour'"),
    ],
)
def test_bad_input(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SingleEnv("gomoku", **options)


@pytest.mark.plain
@pytest.mark.parametrize(
    ("name", "value", "possible"),
    [
        ("seat", 2, "'random' or one of 0..1"),
        ("seat", "first", "'random' or one of 0..1"),
        ("random_plies", -1, "0..32767"),
        ("on_illegal", "raise", "lose, zero_sum"),
        ("render_mode", "gif", "'ansi'"),
    ],
)
def test_impossible_values(name: str, value: object, possible: str) -> None:
    with bad_value(name, possible):
        SingleEnv("gomoku", **{name: value})


@pytest.mark.plain
def test_not_an_action() -> None:
    env = make("amoba/TicTacToe-v0", seat=0)
    env.reset()
    for action in (-1, 9, 100, TOO_LARGE, 1.5, None, [4], np.array([4.0]), np.float32(4)):
        assert action is TOO_LARGE or not env.action_space.contains(action)
        with pytest.raises(ValueError, match=r"expected an action, an integer 0\.\.8"):
            env.step(action)
    assert env.position.ply == 0
    with pytest.raises(ValueError, match=r"expected an action, an integer 0\.\.8, got 1\.5"):
        env.step(1.5)
    with pytest.raises(RuntimeError, match="no game has begun"):
        make("amoba/TicTacToe-v0").step(0)


@pytest.mark.plain
@pytest.mark.parametrize("action", [4, np.int8(4), np.array(4), np.array([4]), np.array([[4]], np.uint8)], ids=repr)
def test_an_action_is_one_integer(action: object) -> None:
    """Policies return arrays; what has more than one number is an error, see above."""
    env, aec = make("amoba/TicTacToe-v0", seat=0), tictactoe_v0.raw_env()
    for each in (env, aec):
        each.reset(seed=0)
        each.step(action)
        assert each.position.cells[4] == 0


@pytest.mark.parametrize(
    ("id", "options", "most"),
    [
        ("TicTacToe", {}, 9),
        ("Gomoku", {"size": 19}, 361),
        ("Gomoku", {"size": 7, "opening": "swap2"}, 49 + 99),
        ("Halma", {"max_plies": 20}, 20),
    ],
)
def test_the_spec_says_how_long_an_episode_is(id: str, options: dict[str, Any], most: int) -> None:
    env = gymnasium.make(f"amoba/{id}-v0", **options)
    assert env.spec is not None
    assert env.spec.max_episode_steps == most
    again = gymnasium.make(env.spec)  # whose TimeLimit then never truncates
    assert play_out(make(f"amoba/{id}-v0", **options), 3) == play_out(again, 3)


def test_nothing_is_seen_before_the_first_episode() -> None:
    env = SingleEnv("tictactoe", render_mode="ansi")
    for look in (env.render, env.action_masks, lambda: env.position, lambda: env.outcome):
        with pytest.raises(RuntimeError, match="no game has begun"):
            look()


@pytest.mark.parametrize("action", [True, np.array([True]), np.True_])
def test_a_bool_is_no_action(action: Any) -> None:
    single, aec = SingleEnv("tictactoe"), tictactoe_v0.env()
    for env in (single, aec):
        env.reset(seed=0)
        with pytest.raises(ValueError, match=r"expected an action, an integer 0\.\.8"):
            env.step(action)


def test_infos_name_the_opening() -> None:
    env, batch = make("amoba/Gomoku-v0", random_plies=2, seat=0), BatchEnv("gomoku", 4, random_plies=2, seat=0)
    one = [env.reset(seed=seed)[1] for seed in (1, 2, 1)]
    assert one[0]["opening"] == one[2]["opening"] != one[1]["opening"]
    assert batch.reset(seed=1)[1]["opening"][:2].tolist() == [info["opening"] for info in one[:2]]
    first = {"position": "5/5/2x2/5/5 o"}
    aec = gomoku_v0.env(size=5)
    aec.reset(options=first)
    given = make("amoba/Gomoku-v0", size=5, seat=1).reset(options=first)[1]["opening"]
    assert given == aec.infos["player_1"]["opening"] != 0


@pytest.mark.plain
def test_agents_themselves() -> None:
    env = make("amoba/TicTacToe-v0", opponent=make_agent("greedy"))
    assert play_out(env, 1) == play_out(make("amoba/TicTacToe-v0", opponent="greedy"), 1)


@pytest.mark.plain
def test_renders() -> None:
    for mode, check in (
        ("ansi", lambda seen: "to move" in seen),
        ("svg", lambda seen: seen.startswith("<svg")),
        ("rgb_array", lambda seen: seen.dtype == np.uint8 and seen.shape[2] == 3),
    ):
        env = make("amoba/TicTacToe-v0", render_mode=mode)
        env.reset(seed=1)
        assert check(env.render()), mode
        env.close()


def test_a_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("amoba_env.rendering.FPS", 10_000)
    env = make("amoba/TicTacToe-v0", render_mode="human", seat=0)
    env.reset(seed=1)
    env.step(4)
    assert env.render() is None
    env.close()
