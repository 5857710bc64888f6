"""The Gymnasium vector environment: the same as Gymnasium's own vector of single ones, and bad input."""

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from environments import drawn, same
from errors import bad_value
from gymnasium.vector import AutoresetMode
from simple_players import Next

from amoba_env import games
from amoba_env.batch import Batch
from amoba_env.core import state as st
from amoba_env.draw import Renderer, RenderMode
from amoba_env.games import Game
from amoba_env.vector import BatchEnv

N = 6


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize(
    ("id", "options"),
    [
        ("TicTacToe", {"opponent": ["random", "greedy"]}),
        ("Gomoku", {"size": 6, "opponent": "greedy", "seat": 1}),
        ("Gomoku", {"size": 7, "opening": "swap2", "random_plies": 1}),
        ("Renju", {"size": 9, "forbidden": "lose"}),
        ("Halma", {"max_plies": 20, "opponent": ["random", "greedy"]}),
        ("TicTacToe", {"opponent": ["random", "greedy"], "max_episode_steps": 3}),
        ("Halma", {"max_plies": 20, "opponent": ["random", "greedy"], "max_episode_steps": 5}),
    ],
)
def test_the_same_as_single_environments(id: str, options: dict[str, Any], mode: str) -> None:
    id = f"amoba/{id}-v0"
    theirs = gymnasium.make_vec(
        id, N, vectorization_mode="sync", vector_kwargs={"autoreset_mode": AutoresetMode(mode)}, **options
    )
    ours = gymnasium.make_vec(id, N, autoreset_mode=mode, **options)
    dice = np.random.default_rng(1)
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    seen = ours.reset(seed=3)
    same(seen, theirs.reset(seed=3))
    ends = 0
    for _ in range(120):
        actions = drawn(seen[-1]["action_mask"], dice)
        seen = ours.step(actions)
        same(seen, theirs.step(actions))
        ends += int((seen[2] | seen[3]).sum())
    assert ends > 3
    seeds = [5, None, 7, None, 9, 11]
    ours.reset(seed=[1] * N), theirs.reset(seed=[1] * N)
    same(ours.reset(seed=seeds), theirs.reset(seed=seeds))
    ours.reset(seed=np.arange(N))
    ours.reset(seed=6)
    assert ours.np_random_seed == 6


@pytest.mark.parametrize(
    ("given", "most"), [({}, 100), ({"max_episode_steps": 7}, 7), ({"max_episode_steps": -1}, 100)]
)
def test_made_by_gymnasium(given: dict[str, int], most: int) -> None:
    envs = gymnasium.make_vec("amoba/Gomoku-v0", num_envs=3, **given)
    assert envs.spec is not None
    for each in (envs, gymnasium.make_vec(envs.spec)):
        assert isinstance(each, BatchEnv)
        assert each.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
        assert each.num_envs == 3
        assert each.spec is not None
        assert each.spec.max_episode_steps == most


def test_a_game_that_ends_with_its_last_possible_move_is_not_truncated() -> None:
    """`spec.max_episode_steps` is the number of that move: the copy of the environment has it as its limit."""
    envs = gymnasium.make_vec("amoba/TicTacToe-v0", num_envs=64, opponent=None)
    assert envs.spec is not None
    again = gymnasium.make_vec(envs.spec)
    _, infos = again.reset(seed=1)
    full = 0
    for _ in range(40):
        actions = [again.single_action_space.sample(mask) if mask.any() else 0 for mask in infos["action_mask"]]
        _, _, terminated, truncated, infos = again.step(np.array(actions))
        assert not truncated.any()
        full += int((terminated & (infos["plies"] == 9)).sum())
    assert full > 0


@pytest.mark.plain
def test_long_episodes_are_truncated_for_every_seat() -> None:
    envs = BatchEnv("halma", 2, opponent=None, autoreset_mode="Disabled", max_episode_steps=2)
    _, infos = envs.reset(seed=0)
    envs.step(infos["action_mask"].argmax(axis=1))
    envs.reset(options={"reset_mask": np.array([True, False])})
    _, rewards, terminated, truncated, infos = envs.step(infos["action_mask"].argmax(axis=1))
    assert (terminated.tolist(), truncated.tolist()) == ([False, False], [False, True])
    assert not (rewards.any())
    assert not (infos["rewards"].any())
    assert infos["ending"].tolist() == ["", ""]  # the game could go on
    with pytest.raises(RuntimeError, match="rows 1:"):
        envs.step([0, 0])


@pytest.mark.plain
def test_disabled_autoreset() -> None:
    envs = BatchEnv("tictactoe", 3, opponent=None, autoreset_mode="Disabled")
    envs.reset(seed=0)
    for move in (0, 3, 1, 4, 2):
        _, rewards, terminated, _, _ = envs.step([move, move, 8 - move])
    assert terminated.tolist() == [True] * 3
    assert rewards.tolist() == [1] * 3
    with pytest.raises(RuntimeError, match="rows 0, 1, 2"):
        envs.step([0, 0, 0])
    seen, info = envs.reset(options={"reset_mask": np.array([True, False, True])})
    assert info["action_mask"].sum(axis=1).tolist() == [9, 0, 9]
    assert seen[..., :2].sum(axis=(1, 2, 3)).tolist() == [0, 5, 0]


@pytest.mark.plain
def test_whoever_is_to_move() -> None:
    envs = BatchEnv("halma", 2, opponent=None)
    _, info = envs.reset(seed=0)
    for seat in (0, 1, 2, 0):
        assert envs.to_move.tolist() == info["to_move"].tolist() == [seat] * 2
        assert np.array_equal(envs.action_masks(), info["action_mask"].astype(bool))
        _, rewards, _, _, info = envs.step(info["action_mask"].argmax(axis=1))
        assert (rewards.dtype, rewards.shape) == (np.float64, (2,))
        assert (info["rewards"].dtype, info["rewards"].shape) == (np.float64, (2, 3))


def test_arrays_belong_to_the_client() -> None:
    envs = BatchEnv("tictactoe", 2, opponent=None)
    first, info = envs.reset(seed=0)
    kept = copy.deepcopy((first, info))
    first[:] = 9
    info["action_mask"][:] = 0
    info["to_move"][:] = 5
    envs.states[:] = 7
    second, rewards, terminated, truncated, other = envs.step([0, 1])
    for array in (rewards, terminated, truncated, second, *other.values()):
        assert array.flags.writeable
    same(envs.reset(seed=0), kept)


@pytest.mark.plain
@pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
def test_everybodys_rewards(mode: str) -> None:
    """The seat that moved has its own in `rewards`; the loser's -1 comes too, in the infos, in the step of the end."""
    envs = BatchEnv("tictactoe", 50, opponent=None, autoreset_mode=mode)
    _, info = envs.reset(seed=0)
    assert "rewards" not in info
    dice, total, decided, over = np.random.default_rng(0), np.zeros(2), 0, np.zeros(50, bool)
    for _ in range(60):
        movers, begun = info["to_move"], over if mode == "NextStep" else np.zeros(50, bool)
        actions = [dice.choice(np.flatnonzero(m)) if m.any() else 0 for m in info["action_mask"]]
        _, rewards, over, _, info = envs.step(actions)
        paid = info["rewards"]
        assert np.array_equal(rewards, paid[np.arange(50), movers])
        assert (rewards >= 0).all()  # a move never loses, if it is legal
        assert not paid[~over].any()
        assert not paid.sum(axis=1).any()
        assert np.array_equal(info["_rewards"], ~begun)
        total += paid.sum(axis=0)
        decided += int(rewards.sum())
        assert ("final_obs" in info) == (mode == "SameStep" and bool(over.any()))
        if "final_info" in info:
            assert np.array_equal(info["final_info"]["rewards"], paid)
            assert np.array_equal(info["final_info"]["_rewards"], over)
    assert decided > 100
    assert total[0] > 0 > total[1]


@pytest.mark.plain
def test_an_action_of_a_game_that_is_over_may_be_anything() -> None:
    """It is ignored: the step begins a new game."""
    envs = BatchEnv("tictactoe", 2, opponent=None)
    envs.reset(seed=0)
    for actions in ([0, 0], [0, 1]):
        terminated = envs.step(actions)[2]
    assert terminated.tolist() == [True, False]
    assert envs.step([-1, 2])[2].tolist() == [False, False]


@pytest.mark.plain
def test_a_seat_needs_opponents() -> None:
    with pytest.raises(ValueError, match="seat: expected none with opponent=None, where you play every seat, got 0"):
        BatchEnv("tictactoe", 2, opponent=None, seat=0)


@pytest.mark.plain
def test_opponents_come_later() -> None:
    """They play in the games that begin then. Games that began without any have to begin again."""
    batch, rows = Batch(games.make("tictactoe"), 2, seat=1), np.arange(2)
    batch.set_opponents("random")
    batch.begin(rows)
    assert batch.states[:, st.PLY].tolist() == [1, 1]
    batch = Batch(games.make("tictactoe"), 2, seat=1)
    batch.begin(rows)
    batch.step([0, 0])
    batch.set_opponents("random")
    with pytest.raises(RuntimeError, match="no game has begun in row 0"):
        batch.step([1, 1])
    batch.begin(rows)
    batch.step([int(mask.argmax()) for mask in batch.observe()[1]])
    assert batch.states[:, st.PLY].tolist() == [3, 3]


class Counts(Next):
    """Counts its moves in its memory, and fails when it is told to."""

    fails = False

    def memory(self, game: Game) -> int:
        return 1

    def act(self, game, states, rng, memory):  # type: ignore[no-untyped-def]
        if self.fails:
            raise ValueError("stuck")
        memory += 1
        return super().act(game, states, rng, memory)


def test_after_an_opponent_fails_games_begin_again() -> None:
    """Nobody plays for an opponent that did not answer."""
    player = Counts()
    for seat in (0, 1):
        env = BatchEnv("tictactoe", 2, opponent=player, seat=seat)
        env.reset(seed=1)
        player.fails = True
        with pytest.raises(ValueError, match="stuck"):
            env.reset(seed=2) if seat else env.step([8, 8])
        player.fails = False
        with pytest.raises(RuntimeError, match="no game has begun in row 0"):
            env.step([4, 4])
        env.reset()
        assert env.states[:, st.PLY].tolist() == [seat, seat]


def test_a_player_that_is_twice_among_the_opponents_keeps_its_memory() -> None:
    player = Counts()
    batch = Batch(games.make("tictactoe"), 8, [player, player], seat=0)
    batch.begin(np.arange(8))
    batch.step([8] * 8)
    assert len(set(batch._player_of[:, 1])) == 2
    batch.set_opponents([player, "random"])
    assert batch._players.memory[0][:, 1].tolist() == [[1]] * 8


@pytest.mark.plain
@pytest.mark.parametrize("opponents", [None, "random"])
def test_a_step_of_games_that_have_not_begun(opponents: str | None) -> None:
    batch = Batch(games.make("tictactoe"), 3, opponents)
    batch.begin(np.array([0, 2]))
    before = batch.states.copy()
    with pytest.raises(RuntimeError, match="no game has begun in row 1"):
        batch.step([4, 4, 4])
    assert np.array_equal(batch.states, before)


def test_a_step_returns_the_seats_whose_actions_these_were() -> None:
    batch = Batch(games.make("tictactoe"), 2)
    batch.begin(np.arange(2))
    for action in (0, 3, 1, 4, 2):  # the first player wins with its last move
        seats = batch.step([action, action])
    assert seats.tolist() == [0, 0]
    assert batch.rewards().tolist() == [[1, -1], [1, -1]]


@pytest.mark.plain
@pytest.mark.parametrize("opponent", [None, "random"])
@pytest.mark.parametrize("mode", ["ansi", "svg", "rgb_array"])
def test_a_picture_of_each_game(mode: RenderMode, opponent: str | None) -> None:
    envs = gymnasium.make_vec("amoba/TicTacToe-v0", 3, opponent=opponent, render_mode=mode)
    assert (envs.render_mode, envs.metadata["render_fps"]) == (mode, 2)
    assert mode in envs.metadata["render_modes"]
    with pytest.raises(RuntimeError, match="no game has begun"):
        envs.render()
    envs.reset(seed=1)
    envs.step([0, 4, 8])
    frames = envs.render()
    assert isinstance(frames, tuple)
    assert len(frames) == 3
    for state, frame in zip(envs.unwrapped.states, frames, strict=True):
        assert np.array_equal(frame, Renderer(mode, 1).render(envs.unwrapped.game, state))
    envs.close()


@pytest.mark.plain
def test_no_pictures_of_games() -> None:
    with bad_value("render_mode", "'ansi', 'svg', 'rgb_array'"):
        gymnasium.make_vec("amoba/TicTacToe-v0", 3, render_mode="human")
    envs = gymnasium.make_vec("amoba/TicTacToe-v0", 3)
    envs.reset()
    with pytest.raises(RuntimeError, match="render_mode: expected"):
        envs.render()


@pytest.mark.plain
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda envs: envs.step([0, 0]), r"actions: expected 3 integers, got int64 of shape \(2,\)"),
        (lambda envs: envs.step([0.0, 1.0, 2.0]), "actions: expected 3 integers, got float64"),
        (lambda envs: envs.step([0, 1, 9]), r"actions: expected 0\.\.8, got 9 in game 2"),
        (lambda envs: envs.step([0, -1, 0]), r"actions: expected 0\.\.8, got -1 in game 1"),
        (lambda envs: envs.step([0, 10**12, 0]), r"actions: expected 0\.\.8, got 1000000000000 in game 1"),
        (
            lambda envs: envs.step(np.full(3, 2**64 - 1, np.uint64)),
            r"actions: expected 0\.\.8, got 18446744073709551615",
        ),
        (lambda envs: envs.reset(seed=[1, 2]), "seed: expected one, or a list of 3, got 2"),
        (lambda envs: envs.reset(options={"reset_mask": [True]}), "expected a bool array of shape"),
        (lambda envs: envs.reset(options={"reset_mask": np.zeros(3, bool)}), "expected one row or more to reset"),
        (lambda envs: envs.reset(options={"position": "x"}), "x"),
    ],
)
def test_bad_input(call: Any, message: str) -> None:
    envs = BatchEnv("tictactoe", 3)
    envs.reset(seed=1)
    before = envs.states
    with pytest.raises(ValueError, match=message):
        call(envs)
    assert np.array_equal(envs.states, before)


@pytest.mark.plain
def test_a_refused_step_changes_nothing_where_an_episode_is_cut_off() -> None:
    envs = BatchEnv("tictactoe", 2, opponent=None, max_episode_steps=1)
    envs.reset(seed=1)
    assert envs.step([0, 0])[3].all()
    envs.reset(options={"reset_mask": np.array([False, True])})
    before = envs.states
    with pytest.raises(ValueError, match=r"expected 0\.\.8, got 9 in game 1"):
        envs.step([9, 9])
    assert np.array_equal(envs.states, before)
    pickle.loads(pickle.dumps(envs))
    assert envs.step([9, 4])[4]["plies"].tolist() == [0, 1]


@pytest.mark.plain
def test_before_the_first_reset() -> None:
    envs = BatchEnv("tictactoe", 3)
    with pytest.raises(RuntimeError, match="no game has begun"):
        envs.step([0, 0, 0])
    with pytest.raises(ValueError, match="expected also all rows in which no game has begun"):
        envs.reset(options={"reset_mask": np.array([True, False, False])})
    with bad_value("num_envs", "1..1048576"):
        BatchEnv("tictactoe", 0)
    with pytest.raises(ValueError, match="nobody"):
        BatchEnv("tictactoe", 1, opponent="nobody")
    with bad_value("on_illegal", "lose, zero_sum"):
        BatchEnv("tictactoe", 1, on_illegal="raise")
    for wrong in (0, 1.5, True, "all"):
        with bad_value("num_threads", "1..1024"):
            BatchEnv("tictactoe", 1, num_threads=wrong)
