"""Drawings that people can see: WCAG's contrasts, marks besides colours, and names of columns that do not touch."""

from itertools import pairwise

import numpy as np
import pygame
import pytest
from errors import bad_value
from pictures import ONCE_EACH, circles, of_class, place, played, read, texts, written

from amoba_env import Position, draw, games
from amoba_env.core import state as st
from amoba_env.draw.ground import GOAL_TINT, OUTLINE, PITCH
from amoba_env.draw.page import ink
from amoba_env.draw.palette import STONES, contrast, mix, on
from amoba_env.games import Game
from amoba_env.games.race import COLORS

TEXT, GRAPHICS = 4.5, 3  # WCAG 2.2, level AA: 1.4.3 and 1.4.11
every_theme = pytest.mark.parametrize("theme", draw.THEMES)
one_of_each = pytest.mark.parametrize("game", ONCE_EACH, ids=repr)


def test_contrast_is_that_of_wcag() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)
    assert contrast("#ff0000", "#0000ff") == contrast("#0000ff", "#ff0000") == pytest.approx(2.15, abs=0.005)


@every_theme
def test_what_is_drawn_can_be_seen(theme: str) -> None:
    """All pairs of colours that meet, but those of stones, which have an outline."""
    colors = draw.THEMES[theme]
    tints = [mix(colors.board, tint, share / 10) for tint in (colors.above, colors.below) for share in range(11)]
    goals = [mix(colors.board, STONES[color], GOAL_TINT) for color in COLORS]
    button = mix(colors.page, colors.board, 0.5)
    pairs = [
        (TEXT, "coordinates", colors.ink, [colors.page]),
        (TEXT, "forbidden points", colors.alarm, [colors.board]),
        (TEXT, "text of pages", ink(colors), [colors.page, button]),
        (TEXT, "the move that is shown", colors.more, [colors.page]),
        (TEXT, "marks of goals", colors.edge, goals),
        (GRAPHICS, "grid, outlines of goals", colors.line, [colors.board, colors.page, *tints, *goals]),
        (GRAPHICS, "borders of buttons", colors.line, [colors.page, button]),
        (GRAPHICS, "outlines of stones and paths", colors.edge, [colors.board, colors.win, *tints, *goals]),
        (GRAPHICS, "outlines of winning cells", colors.edge, [colors.page, colors.board, colors.win, *tints]),
        (GRAPHICS, "ring of the last move, on an outline of the board's colour", colors.more, [colors.board]),
    ]
    found = [(contrast(color, behind), what) for _, what, color, those in pairs for behind in those]
    wanted = [least for least, _, _, those in pairs for _ in those]
    assert [(have, what) for (have, what), least in zip(found, wanted, strict=True) if have < least] == []


@every_theme
def test_the_ring_of_the_last_move_stands_out_from_its_stone(theme: str) -> None:
    """On a stone with a number the ring has an outline in the board's colour, from which it differs."""
    record = played(games.make("tictactoe"), 3)
    root = read(draw.svg(record.game, record.positions[-1].state, moves=record.moves, theme=theme))
    outline, ring = of_class(root, "last")[0]
    assert (outline.get("stroke"), ring.get("stroke")) == (draw.THEMES[theme].board, draw.THEMES[theme].more)
    assert float(outline.get("stroke-width", 0)) > float(ring.get("stroke-width", 0))


@pytest.mark.parametrize("color", STONES)
def test_numbers_on_stones_can_be_read(color: str) -> None:
    assert contrast(on(STONES[color]), STONES[color]) >= TEXT


def test_row_numbers_stand_apart_from_the_outlines_of_goals() -> None:
    root = read(draw.svg(game := games.make("square_halma"), game.start()))
    names = [text for text in texts(of_class(root, "coordinates")[0]) if text.anchor == "end"]
    assert max(text.x for text in names) <= -(PITCH + OUTLINE) / 2 - 16


@pytest.mark.plain
@every_theme
def test_outlines_surround_goals_and_the_winning_cells(theme: str) -> None:
    halma = games.make("halma")
    won = Position.from_text(halma, "r/rr/2r1r2/2r3/ww3/ww2gg/ww3gg/gg/1 r 30 -").play("f6-g7")
    root = read(draw.svg(halma, won.state, theme=theme))
    order = list(root)
    for name, color in (("goal0", "line"), ("won", "edge")):
        (area,) = of_class(root, name)
        around = order[order.index(area) - 1]
        assert around.get("d") == area.get("d")
        assert around.get("stroke") == getattr(draw.THEMES[theme], color)
        assert float(around.get("stroke-width", 0)) > float(area.get("stroke-width", 0))


# --- Marks ------------------------------------------------------------------------------------------------------


@one_of_each
def test_letters_are_those_of_the_text(game: Game) -> None:
    state = played(game, 12).positions[-1].state
    root = read(draw.svg(game, state, marks="letters"))
    taken = np.flatnonzero(state[st.CELLS :] >= 0).tolist()
    wanted = {place(game, cell): game.symbol(state, int(state[st.CELLS + cell])) for cell in taken}
    assert written(of_class(root, "marks")[0]) == wanted
    assert len(of_class(root, "goals")) == game.moves_men


@pytest.mark.plain
def test_shapes_differ_by_colour() -> None:
    game = games.make("chinese_checkers", players=6)
    root = read(draw.svg(game, game.start(), marks="shapes"))
    found: dict[str, set[str]] = {}
    for mark in of_class(root, "marks")[0]:
        x, y = mark.get("transform", "").split("(")[1].split(")")[0].split()
        seats = [seat for seat in range(6) if (int(x), int(y)) in circles(of_class(root, f"seat{seat}")[0])]
        found.setdefault(mark.get("d", ""), set()).update(map(str, seats))
    assert sorted(map(sorted, found.values())) == [[str(seat)] for seat in range(6)]
    (goals,) = of_class(root, "goals")
    assert {mark.get("d") for mark in goals if mark.get("d")} == set(found)


def test_marks_follow_colours_when_these_are_swapped() -> None:
    swapped = Position.from_moves(games.make("gomoku", opening="swap"), "a1 b1 c1 swap")
    root = read(draw.svg(swapped.game, swapped.state, marks="letters"))
    assert sorted(written(of_class(root, "marks")[0]).values()) == ["o", "x", "x"]
    fills = {name: of_class(root, name)[0].get("fill") for name in ("seat0", "seat1")}
    assert fills == {"seat0": STONES["white"], "seat1": STONES["black"]}


@pytest.mark.plain
def test_marks_replace_numbers() -> None:
    record = played(games.make("tictactoe"), 3)
    root = read(draw.svg(record.game, record.positions[-1].state, moves=record.moves, marks="letters"))
    assert not of_class(root, "numbers")
    with bad_value("marks", "letters, shapes"):
        draw.svg(record.game, record.positions[-1].state, marks="dots")  # type: ignore[arg-type]


def test_names_of_columns_do_not_touch() -> None:
    pygame.font.init()
    font = pygame.font.Font(pygame.font.get_default_font(), 200)
    for game in (*ONCE_EACH, games.make("chinese_checkers"), games.make("gomoku", size=24)):
        root = read(draw.svg(game, game.start()))
        names = [text for text in texts(of_class(root, "coordinates")[0]) if text.anchor != "end"]
        ends = [(text.x, 1.15 * font.size(text.text)[0] * text.size / 400) for text in names]  # other fonts are broader
        assert all(x + half < other - next_half for (x, half), (other, next_half) in pairwise(ends))
