"""What others wrote: SGF and .psq in the ways in which they are met, what is wrong in them, what they cannot hold."""

import re
from collections.abc import Callable

import pytest

from amoba_env import Position, Record, games
from amoba_env.games import Game
from amoba_env.records import About, Result, from_text, to_text

TICTACTOE, GOMOKU = games.make("tictactoe"), games.make("gomoku")


def same(one: Record, other: Record) -> None:
    assert (one, one.about) == (other, other.about)


# --- SGF --------------------------------------------------------------------------------------------------------

CLUB = """(;GM[4]FF[4]SZ[15]KM[0]RU[Renju]AP[Board \\] Club:2]
PB[Ada]PW[Bo\\\\b] DT[2024-05-01]EV[Spring
cup]RE[W+Resign]C[Two lines\\
 in one,
and another]
;B[hh];W[hg]C[oh \\] no]LB[hh:1][hg:2]
(;B[ig]MN[3];W[ih](;B[jf])(;B[gi];W[hi]))(;B[ih];W[hi]C[not read])
)
"""


@pytest.mark.plain
def test_what_a_club_wrote() -> None:
    (record,) = from_text(CLUB, "sgf")
    assert record.game == games.make("renju")
    assert record.text == "h8 h9 i9 i8 j10"
    assert record.result == Result(1, "resigned")
    assert record.about == About(
        players=("Ada", "Bo\\b"),
        result=Result(1, "resigned"),
        event="Spring\ncup",
        date="2024-05-01",
        comments={0: "Two lines in one,\nand another", 2: "oh ] no"},
        more={"KM": ("0",), "AP": ("Board \\] Club:2",), "LB@2": ("hh:1", "hg:2"), "MN@3": ("3",)},
    )
    text = to_text([record], "sgf")
    assert "KM[0]" in text
    assert "LB[hh:1][hg:2]" in text
    same(from_text(text, "sgf")[0], record)


def test_how_it_is_written() -> None:
    record = Record(TICTACTOE, "b2 a3 c1", about=About(players=("X", "O"), comments={1: "]\\"}))
    assert to_text([record], "sgf") == (
        "(;FF[4]GM[4]CA[UTF-8]SZ[3]RU[tictactoe]PB[X]PW[O]\n;B[bb]C[\\]\\\\];W[aa];B[cc])\n"
    )
    swapped = Record(games.make("gomoku", size=5, opening="swap"), "a5 b5 c5 swap d5", about=About(("X", "O")))
    assert "RU[gomoku opening=swap]PB[O]PW[X]\n;B[aa];W[ba];B[ca];XC[swap];W[da])" in to_text([swapped], "sgf")


@pytest.mark.parametrize(
    ("text", "game", "moves", "start"),
    [
        ("(;GM[4]SZ[5];B[aa];W[ee])", games.make("gomoku", size=5), "a5 e1", None),
        ("(;GM[4]SZ[5:5];B[a5] ; W [ E1 ] )", games.make("gomoku", size=5), "a5 e1", None),
        ("\n(;GM[4]SZ[5]RU[standard]B[aa];;W[ee];)", games.make("gomoku", size=5, rule="exact"), "a5 e1", None),
        ("(;GaMe[4]SiZe[7:5]Black[ga])", games.make("amoba", board="7x5", patterns="5"), "g5", None),
        ("(;GM[4]SZ[7:5]RU[exact];B[ge])", games.make("amoba", board="7x5", patterns="5 exact"), "g1", None),
        ("(;GM[4]SZ[30];B[Aa];W[tt])", games.make("gomoku", size=30), "aa30 t11", None),
        ("(;GM[4]SZ[6]AB[aa:ba]AW[af];W[bb])", games.make("gomoku", size=6), "b5", "xx4/6/6/6/6/o5 o"),
        ("(;GM[4]SZ[6]AB[aa]\n;AB[ba];PL[w]AW[ca])", games.make("gomoku", size=6), "", "xxo3/6/6/6/6/6 o"),
        ("(;GM[4]SZ[6]AB[aa])", games.make("gomoku", size=6), "", "x5/6/6/6/6/6 o"),
    ],
)
def test_sgf_of_others(text: str, game: Game, moves: str, start: str | None) -> None:
    assert from_text(text, "sgf") == [Record(game, moves, start=start)]


def test_white_may_begin() -> None:
    (record,) = from_text("(;GM[4]SZ[5];W[aa];B[bb])", "sgf")
    assert record == Record(games.make("gomoku", size=5), "a5 b4", first=1)
    assert from_text(to_text([Record(TICTACTOE, first=1)], "sgf"), "sgf")[0].first == 1


@pytest.mark.parametrize(
    ("said", "result", "again"),
    [
        ("B+", Result(0, ""), "B+"),
        ("W", Result(1, ""), "W+"),
        ("W+R", Result(1, "resigned"), "W+R"),
        ("b+r", Result(0, "resigned"), "B+R"),
        ("B+Time", Result(0, "time"), "B+T"),
        ("W+Forfeit", Result(1, "forfeit"), "W+F"),
        ("W+12.5", Result(1, "12.5"), "W+12.5"),
        ("Draw", Result(None, "agreed"), "0"),
        ("0", Result(None, "agreed"), "0"),
        ("?", None, "?"),
        ("Void", None, "Void"),
        ("black [x\\] wins", None, "black [x\\] wins"),
    ],
)
def test_results(said: str, result: Result | None, again: str) -> None:
    (record,) = from_text(f"(;GM[4]SZ[5]RE[{said}];B[aa])", "sgf")
    assert record.result == result
    assert f"RE[{again}]" in to_text([record], "sgf")


@pytest.mark.plain
def test_the_board_has_the_last_word() -> None:
    won = "(;GM[4]SZ[3]RU[tictactoe]RE[B+R];B[aa];W[ba];B[ab];W[bb];B[ac])"
    (record,) = from_text(won, "sgf")
    assert (record.result, record.about.result) == (Result(0, "line"), None)
    with pytest.raises(
        ValueError, match=r"game 1: the result says white wins \(resigned\), but on the board it is black"
    ):
        from_text(won.replace("B+R", "W+R"), "sgf")


def test_the_caller_knows_better() -> None:
    go = "(;GM[1]SZ[9]RU[Japanese];B[ee])"
    assert from_text(go, "sgf", "gomoku", rule="exact") == [Record(games.make("gomoku", size=9, rule="exact"), "e5")]
    assert from_text(go, "sgf", "amoba", patterns="4") == [Record(games.make("amoba", board="9x9", patterns="4"), "e5")]


HEAD = "(;GM[4]SZ[5]"


@pytest.mark.plain
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected at least one game, got none"),
        ("hello", "expected at least one game, got none"),
        ("(B[aa])", "expected at least one game, got none"),
        ("()", "expected at least one game, got none"),
        ("(;GM[4]SZ[5]\n;B[aa", "line 2, game 1: expected a property, ; ( or ), got 'B[aa'"),
        (f"{HEAD}\n;b[aa];w[bb])", "line 2, game 1: expected a property in capitals such as B[hh], got 'b[aa];w[bb])'"),
        ("(;)", "game 1: expected gomoku or renju, GM[4], got GM[]; name the game"),
        ("(;SZ[5])", "game 1: expected gomoku or renju, GM[4], got GM[]; name the game"),
        ("(;GM[1]SZ[19])", "game 1: expected gomoku or renju, GM[4], got GM[1] (Go); name the game"),
        ("(;GM[1]SZ[19]RU[Japanese])", "game 1: expected gomoku or renju, GM[4], got GM[1] (Go); name the game"),
        ("(;GM[4])", "game 1: expected the size of the board, such as SZ[15] or SZ[7:5], got SZ[]"),
        ("(;GM[4]SZ[big])", "game 1: expected the size of the board, such as SZ[15] or SZ[7:5], got SZ[big]"),
        ("(;GM[4]SZ[4])", "game 1: gomoku: size: expected 5..100, got 4"),
        ("(;GM[4]SZ[9:10]RU[renju])", "game 1: renju: expected 9x9 cells, got 9x10"),
        ("(;GM[4]SZ[4]RU[tictactoe])", "game 1: tictactoe: expected 3x3 cells, got 4x4"),
        (
            f"{HEAD}RU[go])",
            "game 1: unknown rules 'go'; the rules: freestyle, exact, caro, renju, tictactoe",
        ),
        (f"{HEAD}RU[gomoku 'x])", 'game 1: unknown rules "gomoku \'x"'),
        (
            f"{HEAD}RU[gomoku rule=odd])",
            "game 1: gomoku: option rule: expected one of freestyle, exact, caro, exact-caro, got 'odd'",
        ),
        (f"{HEAD}RU[amoba board=/dev/null])", "expected no board"),
        (
            f"{HEAD}RU[amoba players=3])",
            "game 1: expected a game of two players who put stones on a rectangle",
        ),
        (
            f"{HEAD}RU[halma])",
            "game 1: expected a game of two players who put stones on a rectangle",
        ),
        (f"{HEAD})\n{HEAD};B[aa];W[aa])", "game 2: move 2: illegal move a5: the cell is taken"),
        (f"{HEAD};B[aa];B[bb])", "game 1: move 2 (b4): expected W, got B"),
        (f"{HEAD};B[aa]W[bb])", "game 1: move 1: expected one move in a node, got B and W"),
        (f"{HEAD};B[aa][bb])", "game 1: move 1: expected one move in a node, got B and B"),
        (f"{HEAD};B[])", "game 1: move 1: a pass: gomoku has no passes"),
        (f"{HEAD};B[tt])", "game 1: move 1: a pass: gomoku has no passes"),
        (f"{HEAD};B[fa])", "game 1: move 1: expected a point of the 5x5 board, got 'fa'"),
        (f"{HEAD};B[f1])", "game 1: move 1: the board has no cell 'f1'"),
        (f"{HEAD};B[a!])", "game 1: move 1: expected a point of two letters such as 'cc', got 'a!'"),
        (f"{HEAD};B[aa];XC[swap])", "game 1: move 2: 'swap' is not a cell"),
        (f"{HEAD};XC[a5])", "game 1: move 1 (a5): expected B, got XC"),
        (f"{HEAD};B[aa];AB[bb])", "game 1: expected only AB, AW and PL, before the first move, got AB after move 1"),
        (f"{HEAD}AE[bb])", "game 1: expected only AB, AW and PL, before the first move, got AE after move 0"),
        (f"{HEAD};QPR[aa,bb,cc];QSLW[dd];B[ee])", "game 1: QPR: the opening of Gomoku Quest cannot be read"),
        (f"{HEAD}AB[aa]AW[aa:bb])", "game 1: AW[aa:bb]: a5 already has a stone"),
        (f"{HEAD}AB[bb:aa])", "game 1: expected a rectangle, upper left:lower right, got 'bb:aa'"),
        (f"{HEAD}AB[aa]PL[x])", "game 1: PL: expected B or W, got 'x'"),
        (f"{HEAD}XS[2])", "game 1: XS: expected a seat, 0 or 1, got '2'"),
        (f"{HEAD}AB[aa:ea]AW[ab:eb])", "game 1: black and white have both won"),
        (f"{HEAD}AB[aa:ea];W[ee])", "game 1: move 1: the game is over"),
    ],
)
def test_bad_sgf(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        from_text(text, "sgf")


@pytest.mark.plain
def test_a_forbidden_point_is_refused() -> None:
    stones = "".join(f";B[{b}];W[{w}]" for b, w in (("ee", "ai"), ("de", "aa"), ("cf", "ia"), ("cg", "ii")))
    text = f"(;GM[4]SZ[9]RU[renju]{stones};B[ce])"
    with pytest.raises(
        ValueError, match=re.escape("game 1: move 9: illegal move c5: forbidden for black (double-three)")
    ):
        from_text(text, "sgf")
    assert from_text(text, "sgf", "renju", forbidden="lose")[0].result == Result(1, "forbidden")


@pytest.mark.plain
@pytest.mark.parametrize(
    ("record", "message"),
    [
        (Record(games.make("halma")), "game 1: expected a game of two players who put stones"),
        (
            Record(games.make("amoba", board="ring", patterns="3")),
            "game 1: expected a game of two players",
        ),
        (Record(games.make("gomoku", size=53)), "game 1: expected at most 52 columns and rows for SGF, got 53x53"),
    ],
)
def test_what_sgf_cannot_hold(record: Record, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        to_text([record], "sgf")


@pytest.mark.plain
def test_a_set_up_within_an_opening() -> None:
    game = games.make("gomoku", size=5, opening="swap")
    start = Position.from_moves(game, "a5 b5 c5")
    for begin in (start, start.play("stay")):
        with pytest.raises(ValueError, match="SGF cannot set up a position during an opening"):
            to_text([Record(game, start=begin)], "sgf")


# --- Piskvork ---------------------------------------------------------------------------------------------------

MATCH = """Piskvorky 15x15, 11:11, 1\r
8,8,0\r
9,7,1250\r
10,6,87\r
pbrain-one.exe\r
two 2.0\r
15\r
"""


@pytest.mark.plain
def test_what_a_manager_wrote() -> None:
    (record,) = from_text(MATCH, "psq", "gomoku", rule="exact")
    assert record == Record(games.make("gomoku", size=15, rule="exact"), "h8 i9 j10", first=1)
    about = About(players=("pbrain-one.exe", "two 2.0"), times=(0, 1250, 87), more={"end": ("15",)})
    assert record.about == about
    assert to_text([record], "psq") == MATCH.replace("\r", "")
    same(from_text(to_text([record], "jsonl"), "jsonl")[0], record)
    assert from_text(MATCH, "psq") == [Record(games.make("gomoku", size=15), "h8 i9 j10", first=1)]


@pytest.mark.parametrize(
    ("text", "moves", "about"),
    [
        ("Piskvorky 5x5, 0:0, 0", "", About(more={"levels": ("0:0",)})),
        ("piskvorky 5X5,11:11,0\n1,1\n5 , 5, 7 \n", "a5 e1", About(times=(0, 7))),
        ("Piskvorky 5x5, 11:11, 0\n1,1,0\n-1\n\n", "a5", About()),
        ("Piskvorky 5x5, 11:11, 0\n1,1,0\nA\nB", "a5", About(players=("A", "B"))),
        (
            "Piskvorky 5x5, 11:11, 0\nA\nB\n0\n1,Freestyle\n",
            "",
            About(("A", "B"), Result(0, ""), more={"end": ("0", "1,Freestyle")}),
        ),
    ],
)
def test_psq_of_others(text: str, moves: str, about: About) -> None:
    (record,) = from_text(text, "psq")
    assert record == Record(games.make("gomoku", size=5), moves)
    assert record.about == about
    same(from_text(to_text([record], "psq"), "psq")[0], record)


@pytest.mark.plain
def test_from_psq_to_sgf() -> None:
    (record,) = from_text(MATCH, "psq", "gomoku")
    (back,) = from_text(to_text([record], "sgf"), "sgf")
    assert (back, back.about.players, back.about.times) == (record, record.about.players, record.about.times)
    assert back.about.more == {}  # the manager's numbers have no place there


@pytest.mark.plain
def test_a_rectangle_in_psq() -> None:
    (record,) = from_text("Piskvorky 7x5, 11:11, 0\n7,1,0\n", "psq")
    assert record == Record(games.make("amoba", board="7x5", patterns="5"), "g5")


@pytest.mark.plain
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: expected a header such as 'Piskvorky 20x20, 11:11, 0', got ''"),
        ("8,8,0\n", "got '8,8,0'"),
        (
            "Piskvorky 20x20, 11:11, 2\n",
            "got 'Piskvorky 20x20, 11:11, 2'",
        ),
        ("Piskvorky 5x5, 11:11, 0\n1,1,0\n6,1,0\n", "move 2: expected a cell of the 5x5 board, got '6,1,0'"),
        ("Piskvorky 5x5, 11:11, 0\n0,1,0\n", "move 1: expected a cell of the 5x5 board, got '0,1,0'"),
        ("Piskvorky 5x5, 11:11, 0\n1,1,0\n1,1,0\n", "move 2: illegal move a5: the cell is taken"),
        ("Piskvorky 5x5, 11:11, 0\n1,1,0\n3,\n", "line 3: expected a move x,y,ms or two names, got '3,'"),
        ("Piskvorky 5x5, 11:11, 0\n1,1,0\none.exe\n", "line 3: expected a move x,y,ms or two names, got 'one.exe'"),
        (
            "Piskvorky 5x5, 11:11, 0\n1,1,0\n2 1 0\n3,1,0\n",
            "line 3: expected a move x,y,ms, got '2 1 0', and moves follow",
        ),
        ("Piskvorky 5x5, 11:11, 0\n1,1,0\n\n3,1,0\n", "line 3: expected a move x,y,ms, got '', and moves follow"),
        ("Piskvorky 4x4, 11:11, 0\n", "gomoku: size: expected 5..100, got 4"),
    ],
)
def test_bad_psq(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        from_text(text, "psq")


@pytest.mark.plain
def test_psq_of_another_game() -> None:
    for name, message in (
        ("renju", "renju: size: expected 9..40, got 5"),
        ("halma", "expected a game of two players"),
        ("chess", "unknown game 'chess'; the games: tictactoe"),
        ("tictactoe", "tictactoe: expected 3x3 cells, got 5x5"),
    ):
        with pytest.raises(ValueError, match=message):
            from_text("Piskvorky 5x5, 11:11, 0", "psq", name)
    with pytest.raises(ValueError, match="gomoku: expected 7x7 cells, got 5x5"):
        from_text("Piskvorky 5x5, 11:11, 0", "psq", "gomoku", size=7)


@pytest.mark.plain
@pytest.mark.parametrize(
    ("given", "message"),
    [
        (lambda: [Record(GOMOKU), Record(GOMOKU)], "expected one game for a .psq file, got 2"),
        (lambda: [Record(TICTACTOE, start="x2/3/3")], "a .psq file cannot store a start"),
        (lambda: [Record(games.make("gomoku", opening="swap"))], "a .psq file cannot store a start"),
        (lambda: [Record(games.make("halma"))], "expected a game of two players"),
        (
            lambda: [Record(GOMOKU, about=About(players=("1, 2", "b")))],
            "'1, 2', 'b', '-1' would be misread",
        ),
    ],
)
def test_what_psq_cannot_hold(given: Callable[[], list[Record]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        to_text(given(), "psq")
