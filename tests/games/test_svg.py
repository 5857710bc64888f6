"""Drawings of boards as SVG: everything in its place, once, in every game and theme."""

import math
from itertools import combinations, pairwise

import numpy as np
import pygame
import pytest
from errors import bad_value
from pictures import GAMES, ONCE_EACH, circles, of_class, place, played, read, texts, written

from amoba_env import Position, draw, games
from amoba_env.core import state as st
from amoba_env.draw.marks import move_path
from amoba_env.draw.palette import STONES, channels, stone
from amoba_env.games import Game
from amoba_env.notation import cell_name, parse_cell

LARGE = [games.make("gomoku", size=100), *(games.make("amoba", board=board) for board in ("60x5", "100x1", "5x70"))]
every_game = pytest.mark.parametrize("game", GAMES, ids=repr)
one_of_each = pytest.mark.parametrize("game", ONCE_EACH, ids=repr)
TICTACTOE, HALMA, RENJU = games.make("tictactoe"), games.make("halma"), games.make("renju")
ALMOST_HOME = "r/rr/2r1r2/2r3/ww3/ww2gg/ww3gg/gg/1 r 30 -"


@every_game
@pytest.mark.parametrize("theme", draw.THEMES)
def test_each_stone_once_at_its_cell(game: Game, theme: str) -> None:
    record = played(game, 12)
    state = record.positions[-1].state
    root = read(draw.svg(game, state, moves=record.moves, theme=theme))
    for seat in range(game.players):
        groups = of_class(root, f"seat{seat}")
        own = np.flatnonzero(state[st.CELLS :] == seat).tolist()
        assert sorted(circles(groups[0]) if groups else []) == sorted(place(game, cell) for cell in own)
        assert all(group.get("fill") == STONES[game.color(state, seat)] for group in groups)
    assert [element.get("id") for element in root.iter() if element.get("id")] == []
    assert of_class(root, "page")[0].get("fill") == draw.THEMES[theme].page


@pytest.mark.parametrize("game", [*GAMES, *LARGE], ids=repr)
def test_all_text_is_inside(game: Game) -> None:
    pygame.font.init()
    font = pygame.font.Font(pygame.font.get_default_font(), 200)  # the font of pixels, a broad one
    assert pygame.font.get_default_font() == "freesansbold.ttf"
    record = played(game, 12)
    root = read(draw.svg(game, record.positions[-1].state, moves=record.moves))
    left, top, width, height = map(int, root.get("viewBox", "").split())
    cells = {place(game, cell) for cell in range(game.n_cells)}
    count = 0
    for text, x, y, down, size, anchor in texts(root):
        count += 1
        long = font.size(text)[0] * size / 200
        begin = x - long / 2 if anchor == "middle" else x - long
        assert left <= begin, text
        assert begin + long <= left + width, text
        assert top <= y + down - 0.75 * size, text
        assert y + down + 0.25 * size <= top + height, text
        if (x, y) in cells:
            assert long <= 86, text  # in its stone
    assert count > game.board.height // 5


def test_numbers_of_three_digits_are_inside_their_stones() -> None:
    record = played(games.make("amoba", board="11x11", patterns="xxxxxxxxxxx"), 121)
    root = read(draw.svg(record.game, record.positions[-1].state, moves=record.moves))
    found = list(texts(of_class(root, "numbers")[0]))
    assert [text.text for text in found] == [str(number) for number in range(1, 122)]
    assert all(len(text.text) * 0.6 * text.size < 70 for text in found)


@every_game
def test_coordinates(game: Game) -> None:
    seen = written(of_class(read(draw.svg(game, game.start())), "coordinates")[0])
    size = float(of_class(read(draw.svg(game, game.start(), size=300)), "coordinates")[0].get("font-size", ""))
    side = max(map(int, read(draw.svg(game, game.start())).get("viewBox", "").split()))
    assert 7.5 < 300 * size / side < 12  # pixels, in a small picture
    for cell in range(game.n_cells):
        x, y = place(game, cell)
        name = cell_name(game, cell)
        names = {text for (across, down), text in seen.items() if across == x or down == y}
        column = name.rstrip("0123456789")
        row = name[len(column) :]
        if max(game.board.width, game.board.height) < 25:
            assert {column, row} <= names
        assert names <= {column, row}
    assert not of_class(read(draw.svg(game, game.start(), coordinates=False)), "coordinates")


def test_large_boards_name_every_fifth_column() -> None:
    game = games.make("gomoku", size=28)
    seen = list(written(of_class(read(draw.svg(game, game.start())), "coordinates")[0]).values())
    assert seen == ["a", "e", "j", "o", "t", "y", "1", "5", "10", "15", "20", "25"]


@pytest.mark.parametrize(("size", "pixels"), [(300, 300), (301, 300), (1, 2)])
def test_size(size: int, pixels: int) -> None:
    root = read(draw.svg(HALMA, HALMA.start(), size=size))
    wide, high = int(root.get("width", "")), int(root.get("height", ""))
    assert high == pixels
    assert wide % 2 == high % 2 == 0  # for videos
    _, _, width, height = map(int, root.get("viewBox", "").split())
    assert wide == pytest.approx(high * width / height, abs=2)


def test_boards_look_like_themselves() -> None:
    def names(game: Game) -> list[str | None]:
        return [element.get("class") for element in read(draw.svg(game, game.start())) if element.get("class")]

    assert names(games.make("gomoku")) == ["page", "board", "grid", "points", "coordinates"]
    assert names(TICTACTOE) == ["page", "board", "grid", "coordinates"]
    stones = ["seat0", "seat1", "seat2"]
    assert names(HALMA) == ["page", "board", "goal0", "goal1", "goal2", "grid", "points", "coordinates", *stones]


@pytest.mark.parametrize(
    ("size", "points"),
    [(6, ""), (7, "d4"), (9, "c3 c7 e5 g3 g7"), (10, "c3 c8 h3 h8"), (15, "d12 d4 h8 l12 l4")],
)
def test_star_points(size: int, points: str) -> None:
    game = games.make("gomoku", size=size)
    found = of_class(read(draw.svg(game, game.start())), "points")
    wanted = sorted(place(game, parse_cell(game, name)) for name in points.split())
    assert sorted(circles(found[0]) if found else []) == wanted


def test_the_holes_of_a_star_are_its_cells() -> None:
    root = read(draw.svg(HALMA, HALMA.start()))
    assert circles(of_class(root, "points")[0]) == [place(HALMA, cell) for cell in range(37)]
    lines = of_class(root, "grid")[0].get("d", "").count("L")
    assert lines == (HALMA.board.neighbor >= 0).sum() / 2


@pytest.mark.parametrize("game", [HALMA, games.make("chinese_checkers", players=6)], ids=repr)
def test_goals_have_the_colours_of_those_who_run_there(game: Game) -> None:
    root = read(draw.svg(game, game.start()))
    for seat in range(game.players):
        (goal,) = of_class(root, f"goal{seat}")
        tint, own = channels(goal.get("stroke", "")), channels(stone(game.colors[seat], seat))
        board = channels(draw.THEMES["light"].board)
        assert all(min(a, b) <= c <= max(a, b) for a, b, c in zip(own, board, tint, strict=True))
        assert goal.get("d", "").count("h0") == (game.start()[st.CELLS :] == seat).sum()
    tip = of_class(root, "goal0")[0].get("d", "").split("h0")[0]
    assert tip == f"M{place(game, 0)[0]} 0"  # seat 0 begins at the bottom


# --- Marks ------------------------------------------------------------------------------------------------------


def test_the_last_stone_is_marked() -> None:
    position = Position.from_moves(TICTACTOE, "b2 a3")
    (last,) = of_class(read(draw.svg(TICTACTOE, position.state)), "last")
    assert circles(last) == [(0, 0)]
    assert not of_class(read(draw.svg(TICTACTOE, TICTACTOE.start())), "last")
    after_swap = Position.from_moves(games.make("gomoku", opening="swap"), "a1 b1 c1 swap")
    assert not of_class(read(draw.svg(after_swap.game, after_swap.state)), "last")


def test_move_numbers() -> None:
    moves = Position.from_moves(TICTACTOE, "b2 a3 c1")
    root = read(draw.svg(TICTACTOE, moves.state, moves=[4, 0, 8]))
    assert written(of_class(root, "numbers")[0]) == {(100, 100): "1", (0, 0): "2", (200, 200): "3"}
    assert not of_class(read(draw.svg(TICTACTOE, moves.state)), "numbers")


def test_numbers_count_stones_and_not_what_is_decided_in_an_opening() -> None:
    game = games.make("renju", opening="rif26")
    moves = ["h8", "h9", "i9", "swap", "g7", "a1", "b2", "b2", "c3"]
    position = Position.from_moves(game, moves)
    root = read(draw.svg(game, position.state, moves=[parse_cell(game, m) if m != "swap" else 226 for m in moves]))
    numbers = {text: at for at, text in written(of_class(root, "numbers")[0]).items()}
    wanted = ["h8", "h9", "i9", "g7", "b2", "c3"]
    assert numbers == {str(i): place(game, parse_cell(game, cell)) for i, cell in enumerate(wanted, start=1)}


@pytest.mark.parametrize(
    ("game", "text", "move", "cells"),
    [
        (TICTACTOE, "1xx/x2/x1o x", "a3", "a1 a2 a3 b3 c3"),
        (HALMA, ALMOST_HOME, "f6-g7", "e7 f8 g7 g9 h8 i7"),
        (games.make("amoba", board="5x4", patterns="x.x.x"), "xox2/5/5/1oo2 x", "e4", "a4 c4 e4"),
    ],
)
def test_winning_cells(game: Game, text: str, move: str, cells: str) -> None:
    before = Position.from_text(game, text)
    assert not of_class(read(draw.svg(game, before.state)), "won")
    (won,) = of_class(read(draw.svg(game, before.play(move).state)), "won")
    dots = {part.split("M")[-1] for part in won.get("d", "").split("h0")[:-1]}
    assert dots == {"{} {}".format(*place(game, parse_cell(game, cell))) for cell in cells.split()}


def test_forbidden_points_and_their_kinds() -> None:
    position = Position.from_moves(RENJU, "h8 a1 g8 a3 i9 a5 j9 a15 h7 c15 h6 e15 k9 o1")
    signs = of_class(read(draw.svg(RENJU, position.state)), "forbidden")
    wanted = {"h9": "4", "i8": "3", "j8": "3"}
    assert {at: text for sign in signs for at, text in written(sign).items()} == {
        place(RENJU, parse_cell(RENJU, cell)): kind for cell, kind in wanted.items()
    }
    white = position.play("o15")
    assert not of_class(read(draw.svg(RENJU, white.state)), "forbidden")  # it is White's turn


def test_offered_cells() -> None:
    game = games.make("renju", opening="soosyrv8")
    position = Position.from_moves(game, "h8 h9 i9 swap g7 declare-3 stay c3 d4")
    signs = of_class(read(draw.svg(game, position.state)), "offered")
    offers = [place(game, parse_cell(game, cell)) for cell in ("d4", "c3")]
    assert [written(sign) for sign in signs] == [{at: "?"} for at in offers]
    assert not of_class(read(draw.svg(game, position.state)), "last")  # no stone came


# --- The way of a man -------------------------------------------------------------------------------------------


@pytest.mark.plain
def test_the_way_of_a_man() -> None:
    start = Position.from_text(HALMA, "1/2/ggg1www/gg2ww/g3w/6/2rrr2/rr/r").play("f2-h4")
    jumped = start.play("l6-f4")
    lines = of_class(read(draw.svg(HALMA, jumped.state)), "path")
    stops = [place(HALMA, parse_cell(HALMA, cell)) for cell in ("l6", "j4", "f4")]
    assert {line.get("d") for line in lines} == {"M" + "L".join(f"{x} {y}" for x, y in stops)}
    (last,) = of_class(read(draw.svg(HALMA, jumped.state)), "last")
    assert set(circles(last)) == {stops[0], stops[-1]}


def shortest(position: Position) -> int:
    """The length of the shortest way of the last move, found over (x, y) points and no table of neighbours."""
    game, state = position.game, position.state
    steps = [(2, 0), (1, 1), (-1, 1)] if game.board.neighbor.shape[1] == 6 else [(1, 0), (0, 1), (1, 1), (-1, 1)]
    steps += [(-dx, -dy) for dx, dy in steps]
    point = [tuple(at) for at in game.board.coords.tolist()]
    men = {at: int(owner) >= 0 for at, owner in zip(point, state[st.CELLS :], strict=True)}
    origin, to = point[state[st.FROM]], point[state[st.TO]]
    men[to] = False
    if any((origin[0] + dx, origin[1] + dy) == to for dx, dy in steps):
        return 1
    ring, length = {origin}, 0
    while to not in ring:
        length += 1
        ring |= {
            (x + 2 * dx, y + 2 * dy)
            for x, y in ring
            for dx, dy in steps
            if men.get((x + dx, y + dy)) and men.get((x + 2 * dx, y + 2 * dy)) is False
        }
    return length


@pytest.mark.parametrize(
    "game", [game for game in GAMES if game.moves_men and len(game.board.neighbor[0]) != 4], ids=repr
)
def test_ways_are_shortest_chains_of_jumps(game: Game) -> None:
    chains = 0
    for position in played(game, 40).positions[1:]:
        stops = move_path(game, position.state)
        assert (stops[0], stops[-1]) == (position.state[st.FROM], position.state[st.TO])
        assert len(stops) - 1 == shortest(position)
        for a, b in pairwise(stops):
            gap = np.abs(game.board.coords[a] - game.board.coords[b]).max()
            assert gap in ((2, 4) if game.board.neighbor.shape[1] == 6 else (2,)) or len(stops) == 2
        chains += len(stops) > 2
    assert chains or game.players > 2


def test_no_way() -> None:
    assert move_path(HALMA, HALMA.start()) == ()
    assert move_path(TICTACTOE, Position.from_moves(TICTACTOE, "a1").state) == ()
    far = Position.from_text(HALMA, "r/2/ggg1www/gg2ww/g3w/6/2rrr2/rr/1 w 1 g1-g9")
    assert move_path(HALMA, far.state) == ()
    root = read(draw.svg(HALMA, far.state))
    assert not of_class(root, "path")
    assert len(of_class(root, "last")) == 1


# --- Heat -------------------------------------------------------------------------------------------------------


def tints(root) -> list[str]:  # type: ignore[no-untyped-def]
    return [tile.get("fill", "") for tile in of_class(root, "heat")[0]]


def test_heat_grows_from_the_board_to_its_colours() -> None:
    heat = [-2, -1, 0, 1, 2, np.nan, -np.inf, 2, 2]
    root = read(draw.svg(TICTACTOE, TICTACTOE.start(), heat=heat))
    down2, down1, none, up1, up2, *rest = tints(root)
    assert none == draw.THEMES["light"].board
    assert rest == [up2, up2]  # what is not finite is not shown
    assert len({down2, down1, none, up1, up2}) == 5

    def far(color: str, other: str = none) -> float:
        return math.dist(channels(color), channels(other))

    assert far(up2) > far(up1) > 0 < far(down1) < far(down2)
    assert max(far(up2, draw.THEMES["light"].above), far(down2, draw.THEMES["light"].below)) < 30


@pytest.mark.plain
def test_heat_of_actions() -> None:
    n = HALMA.n_cells
    heat = np.full((n, n), np.nan)
    heat[30, 12], heat[31, 12], heat[32, 13] = 0.25, 0.5, 0.125
    greatest = np.full(n, np.nan)
    greatest[[12, 13]] = 0.5, 0.125
    assert draw.svg(HALMA, HALMA.start(), heat=heat.ravel()) == draw.svg(HALMA, HALMA.start(), heat=greatest)
    assert len(tints(read(draw.svg(HALMA, HALMA.start(), heat=greatest)))) == 2
    swap2 = games.make("gomoku", opening="swap2")
    assert len(tints(read(draw.svg(swap2, swap2.start(), heat=np.ones(swap2.n_actions))))) == swap2.n_cells


def test_heat_on_the_grid_of_the_board() -> None:
    game = games.make("amoba", board=".#/#.", patterns="2")
    assert draw.svg(game, game.start(), heat=[[1, 5], [5, 2]]) == draw.svg(game, game.start(), heat=[1, 2])


@pytest.mark.parametrize("heat", [np.zeros(9), np.full(9, np.nan)])
def test_no_heat(heat: np.ndarray) -> None:
    root = read(draw.svg(TICTACTOE, TICTACTOE.start(), heat=heat))
    assert tints(root) == []


# --- Colours ----------------------------------------------------------------------------------------------------

# What people see who lack one kind of cone, in linear RGB: Viénot, Brettel, Mollon, "Digital video colourmaps for
# checking the legibility of displays by dichromats", Color Research and Application 24 (1999).
SIGHT = {
    "all": np.eye(3),
    "protanope": np.array([[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]]),
    "deuteranope": np.array([[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]]),
}


def lab(color: str, sight: np.ndarray) -> np.ndarray:
    """CIE L*a*b* of a colour as seen so."""
    rgb = np.array(channels(color)) / 255
    linear = sight @ np.where(rgb > 0.04045, ((rgb + 0.055) / 1.055) ** 2.4, rgb / 12.92)
    xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]] @ linear
    x, y, z = np.cbrt(np.maximum(xyz / [0.9505, 1, 1.089], 0.008856))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("sight", SIGHT)
def test_everybody_can_tell_the_seats_apart(sight: str) -> None:
    for one, other in combinations(STONES, 2):
        distance = math.dist(lab(STONES[one], SIGHT[sight]), lab(STONES[other], SIGHT[sight]))
        assert distance > 20, (one, other)


def test_unknown_colours_are_told_apart_too() -> None:
    assert len({stone("mauve", seat) for seat in range(6)}) == 6


# --- Errors and notebooks ---------------------------------------------------------------------------------------


def test_errors() -> None:
    state = TICTACTOE.start()
    with pytest.raises(ValueError, match="light, dark"):
        draw.svg(TICTACTOE, state, theme="pink")
    with bad_value("size", "1..10000"):
        draw.svg(TICTACTOE, state, size=0)
    with pytest.raises(ValueError, match=r"heat: expected shape \(9,\), \(3, 3\) or \(9,\), got \(8,\)"):
        draw.svg(TICTACTOE, state, heat=np.zeros(8))


@one_of_each
def test_notebooks(game: Game) -> None:
    assert game._repr_svg_() == draw.svg(game, game.start())
    position = played(game, 3).positions[-1]
    assert position._repr_svg_() == draw.svg(game, position.state)
    assert f"{game.name}: {draw.status(game, position.state)}" in position._repr_svg_()
