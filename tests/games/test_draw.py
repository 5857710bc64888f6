"""Drawings of boards in text, as people see them."""

from textwrap import dedent

import pytest

from amoba_env import Position, draw, games
from amoba_env.games import Game

TICTACTOE, SIX, HALMA = games.make("tictactoe"), games.make("gomoku", size=6), games.make("halma")
HOLES = games.make("amoba", board="##..#/...../.#..#/.#...", patterns="xx./.xx,x.x.x", players=4)


@pytest.mark.parametrize(
    ("game", "text", "moves", "picture"),
    [
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
