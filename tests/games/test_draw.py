"""Drawings of boards in text, as people see them."""

from textwrap import dedent

import pytest

from amoba_env import Position, draw, games
from amoba_env.games import Game

TICTACTOE, SIX, EXACT = (
    games.make("tictactoe"),
    games.make("gomoku", size=6),
    games.make("gomoku", size=6, rule="exact"),
)
HOLES = games.make("amoba", board="##..#/...../.#..#/.#...", patterns="xx./.xx,x.x.x", players=4)
HALMA, TWO = games.make("halma"), games.make("halma", players=2)

# The last man of red is a step from its goal; white has nine steps left, and green eleven.
ALMOST_HOME = "r/rr/2r1r2/2r3/ww3/ww2gg/ww3gg/gg/1 r 30 -"


@pytest.mark.parametrize(
    ("game", "text", "moves", "picture"),
    [
        (
            TICTACTOE,
            "3/3/3",
            "",
            """
            3 . . .
            2 . . .
            1 . . .
              a b c
            black (x) to move, 0 moves played
            """,
        ),
        (
            TICTACTOE,
            "3/3/3",
            "b2 a3 c1",
            """
            3 o . .
            2 . x .
            1 . .(x)
              a b c
            white (o) to move, 3 moves played
            """,
        ),
        (
            TICTACTOE,
            "1xx/x2/x1o x",  # two rows at once
            "a3",
            """
            3[x x x]
            2[x]. .
            1[x]. o
              a b c
            black (x) won after 6 moves (line)
            """,
        ),
        (
            TICTACTOE,
            "3/3/3",
            "a3 b3 c3 a2 c2 a1 b2 c1 b1",
            """
            3 x o x
            2 o x x
            1 o(x)o
              a b c
            draw after 9 moves (full board)
            """,
        ),
        (
            SIX,
            "xxx1xx/6/6/6/6/ooo1o1 x",  # six in a row
            "d6",
            """
            6[x x x x x x]
            5 . . . . . .
            4 . . . . . .
            3 . . . . . .
            2 . . . . . .
            1 o o o . o .
              a b c d e f
            black (x) won after 10 moves (line)
            """,
        ),
        (
            EXACT,
            "xxx1xx/6/6/6/6/ooo1o1 x",  # six in a row count for nothing
            "d6",
            """
            6 x x x(x)x x
            5 . . . . . .
            4 . . . . . .
            3 . . . . . .
            2 . . . . . .
            1 o o o . o .
              a b c d e f
            white (o) to move, 10 moves played
            """,
        ),
        (
            SIX,
            "x5/1x4/2x3/6/4x1/oooo2 x",
            "d3",
            """
            6[x]. . . . .
            5 .[x]. . . .
            4 . .[x]. . .
            3 . . .[x]. .
            2 . . . .[x].
            1 o o o o . .
              a b c d e f
            black (x) won after 9 moves (line)
            """,
        ),
        (
            games.make("gomoku"),
            "/".join(["10"] * 10),
            "j10 a1",
            """
            10 . . . . . . . . . x
             9 . . . . . . . . . .
             8 . . . . . . . . . .
             7 . . . . . . . . . .
             6 . . . . . . . . . .
             5 . . . . . . . . . .
             4 . . . . . . . . . .
             3 . . . . . . . . . .
             2 . . . . . . . . . .
             1(o). . . . . . . . .
               a b c d e f g h i j
            black (x) to move, 2 moves played
            """,
        ),
        (
            HOLES,
            "2/5/3/4",
            "a3 d4 e1 a1 c3 b3 d1 c4",
            """
            4    (z)o
            3 x o x . .
            2 .   . .
            1 z   . v v
              a b c d e
            black (x) to move, 8 moves played
            """,
        ),
        (
            HOLES,
            "zo/xox2/3/z1vv x",  # a shape with gaps
            "e3",
            """
            4     z o
            3[x]o[x].[x]
            2 .   . .
            1 z   . v v
              a b c d e
            black (x) won after 9 moves (line)
            """,
        ),
        (
            HALMA,
            "1/2/ggg1www/gg2ww/g3w/6/2rrr2/rr/r",
            "f2-h4 l6-f4",  # a step, and a chain of jumps
            """
            9       .
            8      . .
            7 g g g . w w w
            6  g g . . w *
            5   g . . . w
            4  . .(w)r . .
            3 . . r r r . .
            2      . r
            1       r
              abcdefghijklm
            green (g) to move, 2 moves played
            """,
        ),
        (
            HALMA,
            ALMOST_HOME,
            "f6-g7",
            """
            9      [r]
            8     [r r]
            7 . .[r r r]. .
            6  . . * . . .
            5   w w . . .
            4  w w . . g g
            3 w w . . . g g
            2      g g
            1       .
              abcdefghijklm
            red (r) won after 31 moves (goal)
            """,
        ),
        (
            TWO,
            "1/2/4www/4ww/4w/6/2rrr2/rr/r",
            "f2-d4",
            """
            9       .
            8      . .
            7 . . . . w w w
            6  . . . . w w
            5   . . . . w
            4  .(r). . . .
            3 . . r r r . .
            2      * r
            1       r
              abcdefghijklm
            white (w) to move, 1 move played
            """,
        ),
    ],
)
def test_drawings(game: Game, text: str, moves: str, picture: str) -> None:
    position = Position.from_text(game, text)
    for move in moves.split():
        position = position.play(move)
    assert f"{position}\n{draw.status(game, position.state)}" == dedent(picture).strip("\n")


def test_names_of_many_columns() -> None:
    position = Position.from_moves(games.make("gomoku", size=28), "aa28 ab1")
    top, *_, bottom, tens, units = str(position).splitlines()
    assert top == "28" + 26 * " ." + " x ."
    assert bottom == " 1" + 27 * " ." + "(o)"
    assert tens == " " * 55 + "a a"
    assert units == "   a b c d e f g h i j k l m n o p q r s t u v w x y z a b"


def test_a_style_colours_each_glyph() -> None:
    position = Position.from_moves(TICTACTOE, "b2 a3")
    seen = set()

    def style(kind: str, glyph: str) -> str:
        seen.add((kind, glyph))
        return glyph.upper()

    assert draw.text(TICTACTOE, position.state, style) == "3(O). .\n2 . X .\n1 . . .\n  A B C"
    assert {kind for kind, _ in seen} <= set(draw.KINDS)
    assert {("seat0", "x"), ("seat1", "o"), ("mark", "("), ("empty", "."), ("label", "1")} <= seen


def test_six_seats_have_kinds() -> None:
    game = games.make("chinese_checkers", players=6)
    seen = set[str]()

    def style(kind: str, glyph: str) -> str:
        seen.add(f"{kind}{glyph}" if kind.startswith("seat") else kind)
        return glyph

    assert draw.text(game, game.start(), style) == str(Position.start(game))
    assert seen == {"label", "empty", "seat0r", "seat1w", "seat2g", "seat3b", "seat4y", "seat5v"}
    assert {f"seat{seat}" for seat in range(6)} <= set(draw.KINDS)
