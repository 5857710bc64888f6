"""What a person sees of renju: forbidden points on the board, and `why`."""

import pytest
from sessions import Session

from amoba_env import Position, draw, games

RENJU = games.make("renju", size=9)


def shown(text: str) -> list[str]:
    return str(Position.from_text(RENJU, text)).splitlines()


@pytest.mark.plain
def test_forbidden_points_show_their_kind() -> None:
    rows = shown("9/9/9/9/x1x1x1x2/9/9/9/9 x")
    assert rows[4] == "5 x . x 4 x . x . ."
    assert [row.count("4") for row in rows].count(1) == 2  # the point and the label of its row
    threes = shown("9/9/9/9/4xx3/9/2x6/2x6/9 x")
    assert threes[4] == "5 . . 3 . x x . . ."
    overline = shown("9/9/9/9/1xx1xxx2/9/9/9/9 x")
    assert overline[4] == "5 . x x 6 x x x . ."


def test_only_while_black_is_to_move() -> None:
    assert shown("9/9/9/9/x1x1x1x2/9/9/9/9 o")[4] == "5 x . x . x . x . ."
    assert shown("ooooo4/9/9/9/x1x1x1x2/9/9/9/9 x")[4] == "5 x . x . x . x . ."  # the game is over


@pytest.mark.plain
def test_offers_are_marked() -> None:
    game = games.make("renju", opening="rif26")
    position = Position.from_moves(game, "h8 h9 i9 stay a1 c3 d3")
    rows = str(position).splitlines()
    assert rows[12] == " 3 . . ?(?). . . . . . . . . . ."
    assert draw.status(game, position.state) == "white (o) to pick an offered move, 7 moves played"


def test_why() -> None:
    session = Session(RENJU, ["why e5", "why z9", "why"], "random")
    assert session.replies[1] == "e5 is legal for black: it makes no four and no three\n"
    assert session.replies[2].startswith("the board has no cell 'z9'")
    assert session.replies[3].startswith("why: expected why CELL")
    assert "why CELL    Explain why" in Session(RENJU, ["help"], "random").replies[1]
    other = Session(games.make("tictactoe"), ["why a1"], "random")
    assert other.replies[1].startswith("expected a position of renju, omok, or gomoku")


def test_no_one_is_skipped_where_a_seat_moves_several_times() -> None:
    session = Session(games.make("gomoku", opening="swap"), ["a1", "b1", "c1"], "random")
    assert "cannot move" not in "".join(session.replies)
    assert "white (o) is random" in session.replies[0]
