"""Drawings as pixels, in windows and in videos, and what happens without the libraries that they need."""

import copy
import pickle
import struct
from typing import Any

import gymnasium
import numpy as np
import pygame
import pytest
from errors import bad_value
from pictures import ONCE_EACH, place, played, read

from amoba_env import Position, draw, games, halma_v0
from amoba_env.core import play
from amoba_env.core import state as st
from amoba_env.draw import Renderer
from amoba_env.draw.palette import channels, stone
from amoba_env.draw.raster import rgb
from amoba_env.games import Game

TICTACTOE, HALMA = games.make("tictactoe"), games.make("halma")


def assert_alike(pixels: object, svg: str) -> None:
    """Pixels that are made layer by layer are at least as near to the drawing as those that resvg makes of it."""
    assert isinstance(pixels, np.ndarray)
    drawn = rgb(svg)
    high, wide, _ = drawn.shape
    fine = rgb(svg.replace(f'width="{wide}" height="{high}"', f'width="{4 * wide}" height="{4 * high}"', 1))
    exact = fine.reshape(high, 4, wide, 4, 3).mean((1, 3))
    assert np.abs(pixels - exact).mean() <= np.abs(drawn - exact).mean() + 0.01
    assert np.abs(pixels.astype(int) - drawn).max() < 100  # at edges, of which resvg takes 4 x 4 points a pixel


@pytest.mark.parametrize("game", ONCE_EACH, ids=repr)
@pytest.mark.parametrize("theme", draw.THEMES)
def test_pixels(game: Game, theme: str) -> None:
    state = played(game, 6).positions[-1].state
    picture = draw.svg(game, state, theme=theme, size=400)
    root, pixels = read(picture), draw.rgb(picture)
    assert pixels.dtype == np.uint8
    assert pixels.shape == (int(root.get("height", "")), int(root.get("width", "")), 3)
    assert max(pixels.shape) == 400
    assert pixels.flags.owndata
    assert pixels.flags.writeable
    assert tuple(pixels[0, 0]) == channels(draw.THEMES[theme].page)
    left, top, width, _ = map(int, root.get("viewBox", "").split())
    scale = pixels.shape[1] / width
    for cell in np.flatnonzero(state[st.CELLS :] >= 0).tolist():
        x, y = place(game, cell)
        at = pixels[round((y - 33 - top) * scale), round((x - left) * scale)]  # above rings and ways
        owner = int(state[st.CELLS + cell])
        assert np.abs(at.astype(int) - channels(stone(game.color(state, owner), owner))).max() <= 2


def test_text_needs_no_fonts_of_the_system() -> None:
    bare, named = (draw.rgb(draw.svg(TICTACTOE, TICTACTOE.start(), coordinates=c)) for c in (False, True))
    ink = np.array(channels(draw.THEMES["light"].ink))
    seen = [(np.abs(pixels.astype(int) - ink).sum(axis=2) < 6).sum() for pixels in (bare, named)]
    assert seen[0] == 0
    assert seen[1] > 60


def test_png() -> None:
    data = draw.png(draw.svg(TICTACTOE, TICTACTOE.start(), size=300))
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert max(struct.unpack(">II", data[16:24])) == 300


# --- Renderer ---------------------------------------------------------------------------------------------------


@pytest.mark.plain
def test_modes() -> None:
    position = Position.from_moves(TICTACTOE, "b2")
    state = position.state
    assert draw.RENDER_MODES == ("ansi", "svg", "rgb_array", "human")
    assert Renderer("ansi").render(TICTACTOE, state) == f"{position}\n{draw.status(TICTACTOE, state)}"
    assert Renderer("svg").render(TICTACTOE, state) == draw.svg(TICTACTOE, state)
    pixels = Renderer("rgb_array", size=100, theme="dark").render(TICTACTOE, state)
    assert_alike(pixels, draw.svg(TICTACTOE, state, size=100, theme="dark"))
    with pytest.raises(RuntimeError, match="render_mode: expected"):
        Renderer(None).render(TICTACTOE, state)
    with bad_value("render_mode", "'ansi', 'svg', 'rgb_array', 'human'"):
        Renderer("gif")


def test_a_window() -> None:
    state = HALMA.start()
    renderer = Renderer("human", fps=10_000)
    renderer.close()  # nothing to close yet
    assert renderer.render(HALMA, state) is None
    window = renderer._window
    assert window.title == "halma: red (r) to move, 0 moves played"
    play.apply(HALMA.rules, state, int(Position(HALMA, state).legal_actions()[0]))
    renderer.render(HALMA, state)
    assert renderer._window is window
    assert window.title == "halma: white (w) to move, 1 move played"
    shown = np.frombuffer(pygame.image.tobytes(window.get_surface(), "RGB"), np.uint8)
    drawing = draw.svg(HALMA, state)
    assert_alike(shown.reshape(rgb(drawing).shape), drawing)
    twins = [copy.deepcopy(renderer), pickle.loads(pickle.dumps(renderer))]
    assert [(twin.mode, twin.fps, twin._window) for twin in twins] == [("human", 10_000, None)] * 2
    renderer.close()
    renderer.close()
    renderer.render(HALMA, state)  # a new one
    assert renderer._window is not None
    renderer.close()


@pytest.mark.plain
def test_a_window_waits_between_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    waits = []

    class Clock:
        def tick(self, fps: float) -> None:
            waits.append(fps)

    monkeypatch.setattr(pygame.time, "Clock", Clock)
    env = halma_v0.env(render_mode="human")
    env.reset()
    env.close()
    assert waits == [env.metadata["render_fps"]]


# --- Drawn by layers, and shown -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", games.GAMES)
def test_pictures_by_layers_are_those_of_the_drawing(name: str) -> None:
    game = games.make(name)
    renderer, position = Renderer("rgb_array", size=100), Position.start(game)
    for number in range(30):
        if number % 3 == 0 or position.over:
            assert_alike(renderer.render(game, position.state), draw.svg(game, position.state, size=100))
        if position.over:
            break
        legal = position.legal_actions()
        position = position.play(int(legal[7 * position.ply % len(legal)]))


@pytest.mark.plain
def test_windows_need_the_community_edition(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(pygame, "Window")
    with pytest.raises(ImportError, match="windows need pygame-ce in place of pygame"):
        Renderer("human").render(TICTACTOE, TICTACTOE.start())


def test_notebooks_show_environments() -> None:
    """The position as it is, before reset() too; of a batch some games."""
    env = halma_v0.raw_env()
    start = HALMA.start()
    assert env._repr_svg_() == draw.svg(HALMA, start)
    env.reset()
    env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0]))
    assert env._repr_svg_() != draw.svg(HALMA, start)
    single: Any = gymnasium.make("amoba/Halma-v0").unwrapped
    single.reset(seed=1)
    assert single._repr_svg_() == draw.svg(HALMA, single.position.state)
    batch: Any = gymnasium.make_vec("amoba/Halma-v0", num_envs=20)
    batch.reset(seed=1)
    assert batch._repr_html_().count("<svg") == 12
