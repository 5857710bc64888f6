"""The PettingZoo environments: copies play on identically and independently; rendering; the arguments."""

import copy
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest
from environments import Variant, after, first_illegal, first_legal, one_of_each, opening, play_on, snapshot
from errors import bad_value

from amoba_env import gomoku_v0, halma_v0, tictactoe_v0
from amoba_env.aec import BoardGameEnv
from amoba_env.draw import Renderer

Duplicate = Callable[[BoardGameEnv], BoardGameEnv]


def through_its_state(env: BoardGameEnv) -> BoardGameEnv:
    """Another environment, which has been in use, takes over the state."""
    other = after(BoardGameEnv(str(env), env.game, env.on_illegal, env.render_mode))
    other.step(first_legal(other))
    other.set_state(pickle.loads(pickle.dumps(env.get_state())))
    return other


COPIES: dict[str, Duplicate] = {
    "clone": BoardGameEnv.clone,
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    "state": through_its_state,
}
MOMENTS = ["at the start", "in the middle", "at the end", "among the dead", "when all are done"]
every_copy = pytest.mark.parametrize("duplicate", COPIES.values(), ids=COPIES)


def bring_to(env: BoardGameEnv, moment: str) -> None:
    env.reset(seed=8, options={"random_plies": 2})
    if moment == "in the middle":
        play_on(env, 1, steps=3)
    elif moment != "at the start":
        env.step(first_illegal(env))
        play_on(env, 1, steps={"at the end": 0, "among the dead": 1, "when all are done": 3}[moment])


@pytest.mark.parametrize("moment", MOMENTS)
@every_copy
@one_of_each
def test_a_copy_plays_on(variant: Variant, duplicate: Duplicate, moment: str) -> None:
    env = variant.env()
    bring_to(env, moment)
    before, twin = snapshot(env), duplicate(env)
    assert (str(twin), twin.on_illegal, twin.render_mode) == (str(env), "lose", None)
    story = play_on(twin, 2)
    assert snapshot(env) == before, "the copy is not independent"
    assert play_on(env, 2) == story
    assert snapshot(twin) == story[-1], "the original is not independent"
    assert opening(twin, random_plies=3) == opening(env, random_plies=3), "the random stream is not copied"


@pytest.mark.plain
@every_copy
@one_of_each
def test_a_copy_before_reset(variant: Variant, duplicate: Duplicate) -> None:
    env = variant.raw_env(render_mode="ansi")
    twin = duplicate(env)
    assert (twin.on_illegal, twin.render_mode) == ("raise", "ansi")
    if duplicate is not through_its_state:
        assert twin.agents == []
    with pytest.raises(RuntimeError, match="no game has begun"):
        twin.observe("player_0")
    assert opening(twin, random_plies=3) == opening(env, random_plies=3)


def test_a_copy_plays_on_in_another_process() -> None:
    env = halma_v0.env(max_plies=30)
    bring_to(env, "in the middle")
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        story = pool.submit(play_on, env, 2).result()
    assert story == play_on(env, 2)


def test_a_state_is_a_value() -> None:
    env = after(tictactoe_v0.env(), "b2")
    state = env.get_state()
    story = play_on(env, 4)
    for _ in range(2):
        env.set_state(state)
        assert play_on(env, 4) == story


# --- Rendering --------------------------------------------------------------------------------------------------


@pytest.mark.plain
def test_ansi(capsys: pytest.CaptureFixture[str]) -> None:
    env = after(tictactoe_v0.env(render_mode="ansi"), "b2")
    assert env.render() == "3 . . .\n2 .(x).\n1 . . .\n  a b c\nwhite (o) to move, 1 move played"
    env.step(4)
    assert env.render() == "3 . . .\n2 .(x).\n1 . . .\n  a b c\nblack (x) won after 1 move (illegal)"
    assert capsys.readouterr().out == ""


def test_human_shows_every_move(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = []
    monkeypatch.setattr(Renderer, "_show", lambda self, pixels, title: shown.append((self.mode, title)))
    env = after(tictactoe_v0.env(render_mode="human"), "b2")
    assert shown == [
        ("human", "tictactoe: black (x) to move, 0 moves played"),
        ("human", "tictactoe: white (o) to move, 1 move played"),
    ]
    assert env.render() is None
    assert len(shown) == 3


@pytest.mark.plain
def test_copies_of_an_environment_with_a_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("amoba_env.rendering.FPS", 10_000)
    env = after(tictactoe_v0.env(render_mode="human"), "b2")
    for copied in (copy.deepcopy(env), pickle.loads(pickle.dumps(env)), env.clone()):
        copied.step(copied.encode("player_1", "a1"))
        assert (copied.position.ply, env.position.ply) == (2, 1)
        copied.close()
    env.render()
    env.close()


def test_nothing_to_render() -> None:
    with pytest.raises(RuntimeError, match="render_mode: expected"):
        after(tictactoe_v0.env()).render()


@pytest.mark.parametrize(
    ("name", "value", "possible"),
    [("render_mode", "gif", "'ansi', 'svg', 'rgb_array', 'human'"), ("on_illegal", "ignore", "raise, lose, zero_sum")],
)
@one_of_each
def test_bad_arguments(variant: Variant, name: str, value: str, possible: str) -> None:
    for maker in (variant.env, variant.raw_env):
        with bad_value(name, possible):
            maker(**{name: value})


@pytest.mark.plain
def test_state_of_another_board() -> None:
    env, other = tictactoe_v0.env(), gomoku_v0.env()
    env.reset(seed=1)
    other.reset(seed=1)
    before = env.observe("player_0")["observation"].tolist()
    with pytest.raises(ValueError, match="expected a position of tictactoe, shape"):
        env.set_state(other.get_state())
    for wrong in ({"agents": []}, {"agent_selection": "player_1"}):
        with pytest.raises(ValueError, match="expected all agents, and player_0 to act, while the game goes on"):
            env.set_state(env.get_state() | wrong)
    assert env.observe("player_0")["observation"].tolist() == before
