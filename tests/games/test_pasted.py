"""Moves and positions as people paste them, wherever the package reads them."""

from pathlib import Path

import numpy as np
import pytest
from commands import Run

from amoba_env import Position, Record, games, gomoku_v0, records
from amoba_env.games import Game
from amoba_env.notation import moves_in
from amoba_experiments import Match
from amoba_experiments.arena.openings import openings_from, read_opening
from amoba_experiments.positions.forbidden import read_lines
from amoba_experiments.positions.given import record_of
from amoba_experiments.rooms.settings import Settings, first_position

pytestmark = pytest.mark.plain

GOMOKU, HALMA = games.make("gomoku", size=15), games.make("halma", players=2)
RECTANGLE = games.make("amoba", board="7x4", patterns="4")
H8 = ["h8", "g6", "f6", "g5"]
FORMS = [
    "h8 g6 f6 g5",
    "h8g6f6g5",
    "H8G6F6G5",
    "H8,G6,F6,G5",
    "h8, g6; f6 , g5;",
    "1. h8 g6 2. f6 g5",
    "1.H8 2.G6 3.F6 4.G5",
    "1. h8 1... g6 2. f6 2... g5",
    "h8 g6 f6 g5  # 50/50",
    "# a report\n\nh8g6  # the opening\n\nf6g5\n",
    "0,0, -1,2, -2,2, -1,3",
    "0 0\n-1 2\n-2 +2\n-1 3",
]


@pytest.mark.parametrize("text", FORMS)
def test_forms_of_moves(text: str) -> None:
    assert [move.lower() for move in moves_in(GOMOKU, text)] == H8
    assert Position.from_moves(GOMOKU, text) == Position.from_moves(GOMOKU, H8)
    assert Position.from_text(GOMOKU, text) == Position.from_moves(GOMOKU, H8)
    assert Record(GOMOKU, text) == Record(GOMOKU, H8)


@pytest.mark.parametrize(
    ("game", "text", "moves"),
    [
        (GOMOKU, "", []),
        (GOMOKU, " # nothing\n", []),
        (GOMOKU, "a1o15", ["a1", "o15"]),
        (games.make("gomoku", size=30), "aa1ad30", ["aa1", "ad30"]),
        (RECTANGLE, "0,0, 3,1, -3,-2", ["d2", "g1", "a4"]),
        (HALMA, "e3-f4, k7-g7", ["e3-f4", "k7-g7"]),
        (
            games.make("renju", opening="soosyrv8"),
            "h8h9i9 swap g7 declare-2",
            ["h8", "h9", "i9", "swap", "g7", "declare-2"],
        ),
    ],
)
def test_moves_of_other_games(game: Game, text: str, moves: list[str]) -> None:
    assert moves_in(game, text) == moves


def test_a_comment_alone_is_no_position() -> None:
    for text in ("", "# nothing"):
        with pytest.raises(ValueError, match="expected"):
            Position.from_text(GOMOKU, text)


@pytest.mark.parametrize("text", ["0,0, 1", "0,0, 8,0", "h8g", "h8 g99"])
def test_what_is_not_a_list(text: str) -> None:
    with pytest.raises(ValueError, match=r"offset|move [12]"):
        Position.from_text(GOMOKU, text)


@pytest.mark.parametrize("text", FORMS)
def test_commands(run: Run, text: str, tmp_path: Path) -> None:
    flat = " ".join(line.partition("#")[0] for line in text.splitlines())
    (tmp_path / "moves.txt").write_text(text, encoding="utf-8-sig")
    for command in (f"--moves '{flat}'", "moves.txt"):
        assert run(f"draw gomoku {command} --option size=15 -o a.html") == (0, "", "written: a.html\n")
        assert (tmp_path / "a.html").read_text() == Record(GOMOKU, H8).html()
    assert run(f"perft gomoku 1 --position '{flat}' --option size=15") == (0, "221\n", "")
    assert "legal" in run(f"explain renju '{flat}' a1")[1]


def test_files_of_openings(tmp_path: Path) -> None:
    file = tmp_path / "openings.txt"
    lines = ["# openings", "", *(form for form in FORMS if "\n" not in form), "15/" * 14 + "7x7"]
    file.write_text("\n".join(lines), encoding="utf-8-sig")
    found = openings_from(str(file), GOMOKU)
    assert len(found) == len(lines) - 2
    states = [read_opening(GOMOKU, text).states[0] for text in found[:-1]]
    assert all(np.array_equal(state, Position.from_moves(GOMOKU, H8).state) for state in states)
    (tmp_path / "games.sgf").write_text("(;GM[4]SZ[15];B[hh];W[gj])(;GM[4]SZ[15]AB[hh];W[ii])")
    moves, position = openings_from(str(tmp_path / "games.sgf"), GOMOKU)
    assert moves == "h8 g6"
    assert position == Position.from_moves(GOMOKU, "h8i7").text
    Match("gomoku", ("random", "random"), 2, options={"size": 15}, openings=(*found, moves, position))


def test_python() -> None:
    env = gomoku_v0.env(size=15)
    env.reset(options={"position": "H8G6F6G5"})
    assert env.position == Position.from_moves(GOMOKU, H8)
    settings = Settings("gomoku", ("me", "me"), {"size": 15}, start="0,0, -1,2")
    assert first_position(settings, GOMOKU, 0) == Position.from_moves(GOMOKU, "h8 g6")


def test_games_in_files(tmp_path: Path) -> None:
    (tmp_path / "a.sgf").write_text("(;GM[4]SZ[15];B[hh])(;GM[4]SZ[15];B[aa];W[aa])(;GM[4]SZ[15];B[hh];W[gj])")
    (tmp_path / "position.txt").write_text("# from a report\n" + "15/" * 14 + "7x7 o")
    assert record_of(GOMOKU, str(tmp_path / "a.sgf")).text == "h8"
    assert record_of(GOMOKU, str(tmp_path / "a.sgf"), 3).text == "h8 g6"  # the bad game before it does not matter
    assert record_of(GOMOKU, str(tmp_path / "position.txt")).positions[0].cells[217] == 0
    for number in (2, 4):
        with pytest.raises(ValueError, match=r"a\.sgf"):
            record_of(GOMOKU, str(tmp_path / "a.sgf"), number)
    with pytest.raises(ValueError, match="--number"):
        record_of(GOMOKU, "h8", 1)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_byte_order_marks(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "board.txt").write_text("..#\n...\n", encoding=encoding)
    assert games.make("amoba", board=str(tmp_path / "board.txt"), patterns="3").n_cells == 5
    (tmp_path / "rows.jsonl").write_text('{"moves": []}\n', encoding=encoding)
    assert read_lines(str(tmp_path / "rows.jsonl")) == ['{"moves": []}']
    (tmp_path / "a.psq").write_text("Piskvorky 15x15, 11:11, 0\n8,8,0\n", encoding=encoding)
    assert records.read(tmp_path / "a.psq") == [Record(GOMOKU, "h8")]
