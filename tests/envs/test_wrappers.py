"""Wrappers for learners: what is seen changes, and the games are the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from environments import Variant, drawn, every_variant, same
from gymnasium.vector import AutoresetMode

from amoba_env import Position, games, gomoku_v0, halma_v0, tictactoe_v0
from amoba_env.aec import BoardGameEnv
from amoba_env.core import rules as ru
from amoba_env.games import Game
from amoba_env.progress import Progress
from amoba_env.symmetry import images, seen_symmetries, symmetries
from amoba_env.wrappers import channels_first, flat, floats, shaped, symmetric, with_mask

GAMMA, WEIGHT = 0.9, 2.0


def shaped_so(env: Any) -> Any:
    return shaped(env, WEIGHT, GAMMA)


SHAPES = [
    (floats, (10, 10, 3), np.float32),
    (channels_first, (3, 10, 10), np.int8),
    (flat, (300,), np.int8),
    (lambda env: flat(channels_first(floats(env))), (300,), np.float32),
]
MAKERS: dict[str, Callable[[], Any]] = {
    "aec": gomoku_v0.env,
    "single": lambda: gymnasium.make("amoba/Gomoku-v0"),
    "single-mask": lambda: with_mask(gymnasium.make("amoba/Gomoku-v0")),
    "vector": lambda: gymnasium.make_vec("amoba/Gomoku-v0", 3),
    "vector-mask": lambda: with_mask(gymnasium.make_vec("amoba/Gomoku-v0", 3, autoreset_mode="SameStep")),
}


def planes_of(env: Any, seen: Any) -> Any:
    return seen["observation"] if isinstance(seen, dict) else seen


@pytest.mark.plain
@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize(("wrap", "shape", "dtype"), SHAPES, ids=["floats", "channels", "flat", "all"])
def test_planes(wrap: Callable[[Any], Any], shape: tuple[int, ...], dtype: Any, kind: str) -> None:
    plain, env = MAKERS[kind](), wrap(MAKERS[kind]())
    if kind == "aec":
        for each in (plain, env):
            each.reset(seed=1)
            each.step(13)
        space, before, after = env.observation_space("player_1"), plain.observe("player_1"), env.observe("player_1")
        assert env.observation_space("player_1") is space is env.observation_spaces["player_1"]
        assert np.array_equal(env.last()[0]["observation"], after["observation"])
        assert np.array_equal(after["action_mask"], before["action_mask"])
        plain_planes = before["observation"]
    else:
        before, after = plain.reset(seed=1)[0], env.reset(seed=1)[0]
        space, plain_planes = env.observation_space, planes_of(plain, before)
        if "mask" in kind:
            assert set(space) == set(after)
            assert list(after) == ["observation", "action_mask"]
            assert np.array_equal(after["action_mask"], before["action_mask"])
    assert space.contains(after)
    seen = planes_of(env, after)
    lead = 3 if "vector" in kind else 1
    assert (seen.dtype, seen.size) == (dtype, lead * 300)
    assert seen.shape == ((3, *shape) if "vector" in kind else shape)
    if "channels" in str(wrap) or shape == (3, 10, 10):
        seen = np.moveaxis(seen, -3, -1)
    elif shape == (300,) and dtype == np.float32:
        seen = np.moveaxis(seen.reshape(*seen.shape[:-1], 3, 10, 10), -3, -1)
    assert np.array_equal(seen.ravel(), plain_planes.ravel())


@pytest.mark.plain
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_the_mask_beside_the_planes(mode: str) -> None:
    """At each step, and at the end of a game."""
    envs = with_mask(gymnasium.make_vec("amoba/TicTacToe-v0", 4, autoreset_mode=mode))
    one = with_mask(gymnasium.make("amoba/TicTacToe-v0"))
    seen, infos = envs.reset(seed=2)
    first, _ = one.reset(seed=2)
    assert one.observation_space.contains(first)
    for _ in range(12):
        assert envs.observation_space.contains(seen)
        assert np.array_equal(seen["action_mask"], infos["action_mask"])
        assert all(np.array_equal(seen[key][0], first[key]) for key in seen)
        actions = seen["action_mask"].argmax(axis=1)
        seen, *_, infos = envs.step(actions)
        first, _, terminated, *_ = one.step(int(actions[0]))
        for row in np.flatnonzero(infos.get("_final_obs", ())):
            assert envs.single_observation_space.contains(infos["final_obs"][row])
        if terminated:
            break
    assert terminated


# --- Symmetries -------------------------------------------------------------------------------------------------


def story(game: Game, moves: int, seed: int) -> Position:
    rng, position = np.random.default_rng(seed), Position.start(game)
    for _ in range(moves):
        if not position.over:
            position = position.play(int(rng.choice(position.legal_actions())))
    return position


@every_variant
def test_images_of_what_is_seen_are_what_is_seen_of_images(variant: Variant) -> None:
    game, seen = variant.game, seen_symmetries(variant.game)
    group = symmetries(game)
    own = np.flatnonzero((group.seats == np.arange(game.players)).all(axis=1))
    assert len(own) == len(seen.points) == len(seen.actions)
    for seed in range(3):
        position = story(game, 5 + seed, seed)
        for k, state in enumerate(images(game, position.state)[own]):
            image = Position(game, state)
            for seat in range(game.players):
                planes = position.observation(seat)
                turned = planes.reshape(-1, planes.shape[2])[seen.points[k]].reshape(planes.shape)
                assert np.array_equal(turned, image.observation(seat))
                mask = position.action_mask(seat, relative=True)
                assert np.array_equal(mask[seen.actions[k]], image.action_mask(seat, relative=True))


@pytest.mark.plain
@pytest.mark.parametrize("kind", ["aec", "single"])
def test_a_policy_that_sees_images_plays_the_game(kind: str) -> None:
    """Its first legal action is a different cell in different episodes, and always legal."""
    cells = set()
    for seed in range(30):
        if kind == "aec":
            env: Any = symmetric(tictactoe_v0.raw_env())
            env.reset(seed=seed)
            seen, mask = env.observe("player_0").values()
        else:
            env = symmetric(gymnasium.make("amoba/TicTacToe-v0", seat=0))
            seen, info = env.reset(seed=seed)
            mask = info["action_mask"]
            assert np.array_equal(env.action_masks(), mask)
        action = int(mask.argmax())
        env.step(action)
        after = env.observe("player_0")["observation"] if kind == "aec" else None
        cells.add(int(np.flatnonzero(env.unwrapped.position.cells == 0)[0]))
        if after is not None:
            assert after[..., 0].ravel()[action] == 1
            assert not seen[..., 0].any()
    assert cells == {0, 2, 6, 8}
    twice = [symmetric(tictactoe_v0.env()) for _ in range(2)]
    for each in twice:
        each.reset(seed=3)
        each.step(1)
    assert twice[0].unwrapped.position == twice[1].unwrapped.position


@pytest.mark.parametrize("wrapped", [symmetric, lambda env: flat(symmetric(env))])
def test_moves_and_actions_under_a_symmetry(wrapped: Any) -> None:
    for seed in range(12):
        env: Any = wrapped(gomoku_v0.env(size=6, opening="swap2"))
        env.reset(seed=seed)
        for move in ("a1", "b1", "c2", "stay", "d2"):
            action = env.encode(env.agent_selection, move)
            assert env.decode(env.agent_selection, action) == move
            env.step(action)
        assert env.unwrapped.position == Position.from_moves(env.unwrapped.game, "a1 b1 c2 stay d2")
        with pytest.raises(ValueError, match="h9"):
            env.encode("player_0", "h9")


@pytest.mark.parametrize("game", ["amoba/TicTacToe-v0", "amoba/Renju-v0", "amoba/Halma-v0"])
def test_whole_games_with_images(game: str) -> None:
    env = symmetric(gymnasium.make(game, on_illegal="lose"))
    seen, info = env.reset(seed=5)
    rng, over = np.random.default_rng(1), False
    for _ in range(300):
        assert env.observation_space.contains(seen)
        if over:
            break
        seen, _, terminated, truncated, info = env.step(int(rng.choice(np.flatnonzero(info["action_mask"]))))
        over = terminated or truncated
    assert info["ending"] != "illegal"


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize(
    ("wrap", "id", "options"),
    [
        pytest.param(
            *(symmetric, "TicTacToe", {"opponent": ["random", "greedy"], "max_episode_steps": 3}),
            marks=pytest.mark.plain,
        ),
        (symmetric, "Halma", {"max_plies": 20}),
        pytest.param(shaped_so, "Halma", {"max_plies": 20, "opponent": "random"}, marks=pytest.mark.plain),
        (shaped_so, "Halma", {"opponent": "greedy", "random_plies": 60, "players": 2}),
    ],
)
def test_batches_are_as_single_environments(
    wrap: Callable[[Any], Any], id: str, options: dict[str, Any], mode: str
) -> None:
    id = f"amoba/{id}-v0"
    vector = {"autoreset_mode": AutoresetMode(mode)}
    theirs = gymnasium.make_vec(id, 5, "sync", vector, [wrap], **options)
    ours = wrap(gymnasium.make_vec(id, 5, autoreset_mode=mode, **options))
    dice, ends = np.random.default_rng(1), 0
    seen = ours.reset(seed=3)
    same(seen, theirs.reset(seed=3))
    for _ in range(60):
        actions = drawn(seen[-1]["action_mask"], dice)
        seen = ours.step(actions)
        same(seen, theirs.step(actions))
        ends += int((seen[2] | seen[3]).sum())
    assert ends > 3
    same(ours.reset(seed=[5, None, 7, None, 9]), theirs.reset(seed=[5, None, 7, None, 9]))


@pytest.mark.plain
def test_images_in_batches_where_some_rows_begin() -> None:
    """Every row is legal under its own symmetry, and a row that is not reset keeps it."""
    envs = symmetric(gymnasium.make_vec("amoba/TicTacToe-v0", 40, opponent=None, autoreset_mode="Disabled"))
    inner: Any = envs.unwrapped
    envs.reset(seed=1)
    envs.step(np.zeros(40, int))
    corners = [int(np.flatnonzero(state[-9:] == 0)[0]) for state in inner.states]
    assert set(corners) == {0, 2, 6, 8}
    mask = np.arange(40) < 20
    _, infos = envs.reset(options={"reset_mask": mask})
    assert np.array_equal(envs.action_masks(), infos["action_mask"])
    assert infos["action_mask"][:, 0].tolist() == mask.tolist()
    with pytest.raises(ValueError, match="got 9 in game 1"):
        envs.step([1, 9] * 20)


# --- Reward shaping ---------------------------------------------------------------------------------------------


def potential(position: Position, seat: int) -> float:
    """By the distances of the rules, not from what is seen."""
    steps, first, goal = (ru.table(position.game.rules, slot)[0] for slot in (ru.STEPS, ru.HOMES, ru.GOALS))
    least = int(steps[goal].sum())
    return (least - position.distance(seat)) / float(steps[first].sum() - least)


@pytest.mark.plain
@pytest.mark.parametrize("name", ["halma", "square_halma", "chinese_checkers"])
def test_potential(name: str) -> None:
    game = games.make(name)
    progress = Progress(game)
    for moves in (0, 1, 30, 90):
        position = story(game, moves, 4)
        seen = np.stack([position.observation(seat) for seat in range(game.players)])
        assert progress(seen).tolist() == [potential(position, seat) for seat in range(game.players)]  # bit for bit
    start = Position.start(games.make("halma"))
    assert [potential(start, seat) for seat in range(3)] == [-1.0] * 3
    assert potential(start.play("f2-d4"), 0) == -1 + 2 / 32  # 32 to 30 steps, see the thesis


@pytest.mark.plain
@pytest.mark.parametrize(
    ("players", "max_plies", "illegal"), [(3, 4000, False), (2, 4000, False), (3, 25, False), (3, 4000, True)]
)
def test_shaped_rewards_of_all_agents(players: int, max_plies: int, illegal: bool) -> None:
    """What last() gave an agent is the shaping of its own turns, and its own reward at the end."""
    env = shaped(halma_v0.env(players=players, max_plies=max_plies), WEIGHT, GAMMA)
    env.reset(seed=1)
    told: dict[str, list[float]] = {agent: [] for agent in env.possible_agents}
    seen: dict[str, list[float]] = {agent: [] for agent in env.possible_agents}
    for agent in env.agent_iter():
        _, reward, terminated, truncated, _ = env.last()
        seat, position = env.possible_agents.index(agent), env.unwrapped.position
        told[agent].append(reward)
        seen[agent].append(0.0 if terminated else potential(position, seat))
        if terminated or truncated:
            env.step(None)
            continue
        steps = [(position.play(int(a)).distance(seat), int(a)) for a in position.legal_actions()]
        action = env.encode(agent, min(steps)[1])
        env.step(0 if illegal and position.ply == 10 else action)
    final = env.unwrapped.outcome
    for seat, agent in enumerate(env.possible_agents):
        added = [WEIGHT * (GAMMA * b - a) for a, b in zip(seen[agent], seen[agent][1:], strict=False)]
        assert told[agent][0] == 0
        added[-1] += final.rewards[seat]
        assert np.allclose(told[agent][1:], added)
    assert final.ending == ("illegal" if illegal else "max_plies" if max_plies == 25 else "goal")


@pytest.mark.plain
@pytest.mark.parametrize("max_plies", [2000, 30])
def test_shaped_rewards_of_one_seat(max_plies: int) -> None:
    env = shaped(gymnasium.make("amoba/Halma-v0", opponent="greedy", seat=1, max_plies=max_plies), WEIGHT, GAMMA)
    _, info = env.reset(seed=3)
    inner: Any = env.unwrapped
    before, over = potential(inner.position, 1), False
    while not over:
        _, reward, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
        after = 0.0 if terminated else potential(inner.position, 1)
        paid = inner.outcome.rewards[1] if inner.outcome else 0.0
        assert reward == paid + WEIGHT * (GAMMA * after - before)
        before, over = after, terminated or truncated


def ended() -> BoardGameEnv:
    """An environment whose agents are all done."""
    env = halma_v0.env(players=2, max_plies=1)
    env.reset(seed=0)
    env.step(int(env.last()[0]["action_mask"].argmax()))
    while env.agents:
        env.step(None)
    return env


@pytest.mark.plain
@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: shaped(gomoku_v0.env()), "men move"),
        (lambda: shaped(gymnasium.make("amoba/Gomoku-v0")), "men move"),
        (lambda: shaped(gymnasium.make_vec("amoba/Halma-v0", 2, opponent=None)), "opponents"),
        (lambda: shaped(flat(gymnasium.make_vec("amoba/Halma-v0", 2))), "own observations"),
        (lambda: symmetric(channels_first(gymnasium.make("amoba/TicTacToe-v0"))), "own observations"),
        (lambda: symmetric(floats(gomoku_v0.env())), "own observations"),
        (lambda: symmetric(gymnasium.make("CartPole-v1")), "of amoba"),
        (lambda: symmetric("gomoku"), "of amoba"),
        (lambda: symmetric(shaped(symmetric(halma_v0.env()))), "without this wrapper"),
        (lambda: symmetric(gymnasium.make_vec("amoba/Halma-v0", 2)).step([0]), "no game has begun in row 0"),
        (lambda: with_mask(gomoku_v0.env()), "Gymnasium"),
        (lambda: flat("gomoku"), "PettingZoo or Gymnasium"),
        (lambda: channels_first(flat(gomoku_v0.env())), r"\(H, W, C\), got the shape \(300,\)"),
        (lambda: flat(flat(gymnasium.make_vec("amoba/Gomoku-v0", 2))), "without this wrapper"),
        (lambda: channels_first(channels_first(gomoku_v0.env())), "without this wrapper"),
        (lambda: with_mask(flat(with_mask(gymnasium.make("amoba/Gomoku-v0")))), "without this wrapper"),
        (lambda: with_mask(gymnasium.make("CartPole-v1")), "of amoba"),
        (lambda: floats(gomoku_v0.env()).last(), "call reset"),
        (lambda: list(flat(gomoku_v0.env()).agent_iter()), "call reset"),
        (lambda: shaped(halma_v0.env()).step(0), "call reset"),
        (lambda: shaped(ended()).step(None), "call reset"),
        (lambda: shaped(halma_v0.env(), np.nan), "weight: expected a finite number"),
        (lambda: shaped(gymnasium.make("amoba/Halma-v0"), gamma=1.5), r"gamma: expected 0\.\.1, got 1.5"),
        (lambda: shaped(shaped(halma_v0.env())), "without this wrapper"),
        (
            lambda: shaped(gymnasium.wrappers.Autoreset(shaped(gymnasium.make("amoba/Halma-v0")))),
            "without this wrapper",
        ),
        (lambda: shaped(shaped(gymnasium.make_vec("amoba/Halma-v0", 2))), "without this wrapper"),
        (lambda: symmetric(tictactoe_v0.env()).set_state(tictactoe_v0.env().get_state()), "same wrappers"),
        (lambda: symmetric(tictactoe_v0.env()).step(0), "reset"),
    ],
)
def test_bad_input(call: Callable[[], Any], words: str) -> None:
    with pytest.raises((ValueError, RuntimeError), match=words):
        call()
