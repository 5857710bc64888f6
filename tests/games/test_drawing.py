"""Boards and patterns as text: what they mean, their normal forms, and errors that say what is wrong."""

import re
from itertools import product
from pathlib import Path

import pytest
from effort import cases
from errors import error
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import Point, drawn_board, images

from amoba_env import games
from amoba_env.core.board import SQUARE, from_cells
from amoba_env.core.patterns import orientations_of, placements
from amoba_env.games.board_text import (
    RowPattern,
    normal_board,
    normal_patterns,
    read_board,
    read_patterns,
    ready_boards,
)

TEE = ((0, 0), (1, 0), (2, 0), (1, 1))

# --- Boards -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("10x8", "10x8"),
        (" 010 x 8\n", "10x8"),
        ("cross", "cross"),
        ("..#/...", "..#/..."),
        ("../...", "..#/..."),
        (".. \n...", "..#/..."),
        ("\n\n   ..#\n   ...\n", "..#/..."),
        ("####/#..#/#...", "..#/..."),
        ("..\r\n...", "..#/..."),
        (".", "."),
        ("...\n. .\n...\n", ".../.#./..."),
        (".#/#.", ".#/#."),  # corners hold together
    ],
)
def test_normal_forms_of_boards(text: str, normal: str) -> None:
    assert read_board(text) == (normal, drawn_board(normal))
    assert normal_board(text) == normal_board(normal) == normal


@pytest.mark.parametrize(
    ("name", "size", "cells"),
    [
        ("cross", (12, 12), 80),
        ("hexagon", (13, 9), 77),
        ("islands", (10, 10), 96),
        ("ring", (11, 11), 96),
        ("strait", (18, 10), 124),
    ],
)
def test_ready_boards(name: str, size: tuple[int, int], cells: int) -> None:
    assert name in ready_boards()
    board = games.make("amoba", board=name).board
    assert ((board.width, board.height), board.n_cells) == (size, cells)
    picture = (Path(games.__file__).parent / "boards" / f"{name}.txt").read_text()
    assert games.make("amoba", board=picture).board.coords.tolist() == board.coords.tolist()


@pytest.mark.plain
def test_all_ready_boards_are_described() -> None:
    from amoba_env import amoba_v0

    listed = re.findall(r"\* (.*): a built-in board", amoba_v0.__doc__ or "")
    assert re.findall(r'"(\w+)"', listed[0]) == ready_boards()


@pytest.mark.plain
def test_a_file_is_read_when_the_game_is_made(tmp_path: Path) -> None:
    file = tmp_path / "bay.txt"
    file.write_text("  ...\n.....\n")
    first = games.make("amoba", board=str(file), patterns="3")
    assert first.options["board"] == "##.../....."
    assert first is games.make("amoba", board="  ...\n.....", patterns="3")
    file.write_text("...\n...\n")
    assert games.make("amoba", board=str(file), patterns="3").options["board"] == ".../..."
    (tmp_path / "image.png").write_bytes(b"\x89PNG\xff")
    with pytest.raises(ValueError, match=r"board '.*image\.png' cannot be read: expected text in UTF-8$"):
        games.make("amoba", board=str(tmp_path / "image.png"))


KNOWN = (
    "expected a rectangle such as 10x8, a built-in board (cross, hexagon, islands, ring, strait), a file or a drawing"
)
MARKS = "('.' is a cell, '#' or a space is not, '/' ends a row)"


@pytest.mark.plain
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "board: the drawing is empty; '.' is a cell"),
        (" \n##\n", "board: the drawing is empty; '.' is a cell"),
        ("...\n.o.", f"board: as a drawing it has a stray 'o' in row 2, column 2 {MARKS}"),
        ("...\n\t..", f"board: as a drawing it has a stray '\\t' in row 2, column 1 {MARKS}"),
        (".../.o.", f"board '.../.o.': {KNOWN}; as a drawing it has a stray 'o' in row 2, column 2 {MARKS}"),
        ("crosss", f"board 'crosss': {KNOWN}; as a drawing it has a stray 'c' in row 1, column 1 {MARKS}"),
        ("10x", f"board '10x': {KNOWN}; as a drawing it has a stray '1' in row 1, column 1 {MARKS}"),
        ("0x5", "board: expected 1 to 100 columns and rows, got 0x5"),
        ("101x5", "board: expected 1 to 100 columns and rows, got 101x5"),
        ("5x999999999", "board: expected 1 to 100 columns and rows, got 5x999999999"),
        ("\n".join(["."] * 101), "board: expected 1 to 100 columns and rows, got 1x101"),
        (
            "..#./..##/####/.#..",
            "board: 3 parts are cut off (cells are connected by sides and corners), marked with letters:\n"
            "..#b\n..##\n####\nc#aa",
        ),
        (
            " .\n\n..",
            "board: one part is cut off (cells are connected by sides and corners), marked with letters:\n#a\n##\n..",
        ),
    ],
)
def test_boards_that_cannot_be(text: str, message: str) -> None:
    assert error(games.make, "amoba", board=text, patterns="2") == message


@st.composite
def drawings(draw: st.DrawFn) -> list[str]:
    width = draw(st.integers(1, 9))
    return draw(st.lists(st.text(".# ", min_size=width, max_size=width), min_size=1, max_size=9))


@given(drawings())
@settings(max_examples=cases(200))
def test_a_drawing_is_a_board_if_it_hangs_together(rows: list[str]) -> None:
    text = "\n".join(rows)
    cells = {(x, y) for y, row in enumerate(rows) for x, char in enumerate(row) if char == "."}
    reached, edge = set[Point](), {min(cells)} if cells else set()
    while edge:
        reached |= edge
        edge = {(x + dx, y + dy) for (x, y), dx, dy in product(edge, (-1, 0, 1), (-1, 0, 1))} & cells - reached
    if cells and reached == cells:
        assert read_board(text)[1] == drawn_board(text)
        return
    heading, *drawing = error(read_board, text).splitlines()
    assert ("empty" in heading) == (not cells)
    if cells:  # the drawing is whole, and no letter touches another one or the board
        chars = {(x, y): char for y, row in enumerate(drawing) for x, char in enumerate(row) if char != "#"}
        left, top = min(x for x, _ in cells), min(y for _, y in cells)
        assert set(chars) == {(x - left, y - top) for x, y in cells}
        assert {"a", "."} <= set(chars.values())
        for (x, y), dx, dy in product(chars, (-1, 0, 1), (-1, 0, 1)):
            assert chars.get((x + dx, y + dy), chars[x, y]) == chars[x, y]
        assert all(list(chars.values()).count(char) <= list(chars.values()).count(".") for char in set(chars.values()))


# --- Patterns ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "normal", "meaning"),
    [
        ("5", "5", [RowPattern(5, False)]),
        (" 05 ", "5", [RowPattern(5, False)]),
        ("4exact", "4 exact", [RowPattern(4, True)]),
        ("3, 4 exact", "3,4 exact", [RowPattern(3, False), RowPattern(4, True)]),
        ("xxx/.x", "xxx/.x.", [TEE]),
        ("\n  xxx\n  .x.\n", "xxx/.x.", [TEE]),
        ("...../.xxx./..x../.....", "xxx/.x.", [TEE]),
        ("x.x,5", "x.x,5", [((0, 0), (2, 0)), RowPattern(5, False)]),
        ("x//x", "x/./x", [((0, 0), (0, 2))]),
    ],
)
def test_patterns_are_normal(text: str, normal: str, meaning: list[object]) -> None:
    assert read_patterns(text) == (normal, meaning)
    assert normal_patterns(text) == normal_patterns(normal) == normal


HINT = "expected a row such as 5 or '5 exact', or a shape drawn with x and . such as xx/.xx"


@pytest.mark.plain
@pytest.mark.parametrize(
    ("patterns", "message"),
    [
        ("", f"pattern '': {HINT}"),
        ("5,,3", f"pattern '': {HINT}"),
        ("xx/#x", f"pattern 'xx/#x' has a stray '#': {HINT}"),
        ("x x", f"pattern 'x x' has a stray ' ': {HINT}"),
        ("5 overline", f"pattern '5 overline' has a stray '5': {HINT}"),
        ("-5", f"pattern '-5' has a stray '-': {HINT}"),
        ("1", "pattern '1' has fewer than two cells"),
        ("0 exact", "pattern '0 exact' has fewer than two cells"),
        ("./x", "pattern './x' has fewer than two cells"),
        ("...", "pattern '...' has fewer than two cells"),
        ("5", "amoba: pattern '5' fits nowhere on this board of 11 cells in 3 columns and 4 rows"),
        (
            "3,xxx/xxx/xxx",
            "amoba: pattern 'xxx/xxx/xxx' fits nowhere on this board of 11 cells in 3 columns and 4 rows",
        ),
    ],
)
def test_patterns_that_cannot_be(patterns: str, message: str) -> None:
    assert error(games.make, "amoba", board=".../.#./.../...", patterns=patterns) == message


@pytest.mark.plain
def test_orientations_decide_whether_a_shape_fits() -> None:
    for orientations in ("rotations", "rotations+reflections"):
        assert games.make("amoba", board="2x5", patterns="xxxx", orientations=orientations).n_cells == 10
    with pytest.raises(ValueError, match="pattern 'xxxx' fits nowhere"):
        games.make("amoba", board="2x5", patterns="xxxx", orientations="fixed")


def test_too_many_winning_sets() -> None:
    with pytest.raises(ValueError, match="fit in 24,768 ways, of up to 29 cells: take smaller or fewer patterns"):
        games.make("amoba", board="100x100", patterns="29")


SHAPES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=6, unique=True)


@given(SHAPES, st.sampled_from([(False, False), (True, False), (False, True), (True, True)]))
@settings(max_examples=cases(200))
def test_orientations(points: list[Point], ways: tuple[bool, bool]) -> None:
    left, top = min(x for x, _ in points), min(y for _, y in points)
    shape = tuple(sorted(((x - left, y - top) for x, y in points), key=lambda point: point[::-1]))
    found = orientations_of(shape, *ways)
    assert found[0] == shape
    assert len(set(found)) == len(found)
    wanted = {
        (False, False): [points],
        (True, False): images(points, "rotations"),
        (False, True): [points, [(-x, y) for x, y in points]],
        (True, True): images(points, "rotations+reflections"),
    }[ways]

    def cut(image: list[Point]) -> frozenset[Point]:
        return frozenset((x - min(image)[0], y - min(y for _, y in image)) for x, y in image)

    assert {frozenset(image) for image in found} == {cut(image) for image in wanted}


def test_placements_lie_on_the_board() -> None:
    board = from_cells(drawn_board(".../.#./..."), SQUARE)
    assert placements(board, ((0, 0), (2, 0))) == [(0, 2), (3, 4), (5, 7)]  # a gap may be a hole
    assert placements(board, ((0, 0), (1, 0))) == [(0, 1), (1, 2), (5, 6), (6, 7)]
    assert placements(board, ((1, 0), (0, 1))) == [(1, 3), (4, 6)]
    assert placements(board, TEE) == []


@pytest.mark.parametrize(("dx", "dy"), list(product(range(4), range(4))))
def test_a_shape_lies_wherever_there_is_room(dx: int, dy: int) -> None:
    shape = tuple(dict.fromkeys([(0, 0), (dx, dy)]))
    corners = [7 * y + x for y in range(5 - dy) for x in range(7 - dx)]
    expected = [tuple(dict.fromkeys([corner, corner + 7 * dy + dx])) for corner in corners]
    assert placements(from_cells(drawn_board("7x5"), SQUARE), shape) == expected
